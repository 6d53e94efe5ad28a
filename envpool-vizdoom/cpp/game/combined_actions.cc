// SPDX-License-Identifier: Apache-2.0
#include "game/combined_actions.h"

#include <algorithm>

#include "envpool/error.h"
#include "game/names.h"

namespace envpool::vizdoom {
namespace {

using envpool::OptionError;

constexpr std::size_t kMostActions = 1 << 20;

/// One choice for the buttons of a group: the button that is set, and its value.
struct Choice {
  int button = -1;  // -1: no button
  double value = 0;
};
using Group = std::vector<Choice>;

bool BeginsPair(int button) {
  return button == kSelectNextWeapon || button == kSelectNextItem ||
         (button >= kMoveRight && button < kMoveRight + 10 && button % 2 == 0);
}

Group DeltaGroup(int button, const DeltaButtonConfig& deltas) {
  for (const auto& [name, range] : deltas) {
    if (FindButton(name) != button) continue;
    const auto [count, low, high] = range;
    if (count <= 1) break;
    Group group;
    const float step = (high - low) / static_cast<float>(count - 1);
    float value = low;
    for (int i = 0; i < count; ++i, value += step) group.push_back({button, value});
    return group;
  }
  return {{}};
}

/// The groups of buttons, in the order of the buttons' numbers.
std::vector<Group> Groups(const std::vector<int>& buttons, bool force_speed,
                          const DeltaButtonConfig& deltas) {
  const auto has = [&](int button) {
    return std::find(buttons.begin(), buttons.end(), button) != buttons.end();
  };
  std::vector<Group> groups;
  for (int button = 0; button < kButtons; ++button) {
    if (button == kSelectWeapon1) {
      Group weapons{{}};
      for (; button <= kSelectWeapon0; ++button) {
        if (has(button)) weapons.push_back({button, 1});
      }
      --button;
      groups.push_back(std::move(weapons));
    } else if (button >= kFirstDeltaButton) {
      if (has(button)) groups.push_back(DeltaGroup(button, deltas));
    } else if (BeginsPair(button) && has(button) && has(button + 1)) {
      groups.push_back({{}, {button, 1}, {button + 1, 1}});
      ++button;
    } else if (has(button)) {
      if (button == kSpeed && force_speed) {
        groups.push_back({{button, 1}});
      } else {
        groups.push_back({{}, {button, 1}});
      }
    }
  }
  return groups;
}

void CheckDeltas(const std::vector<int>& buttons, const DeltaButtonConfig& deltas) {
  std::string allowed;
  for (int button : buttons) {
    if (button < kFirstDeltaButton) continue;
    allowed +=
        (allowed.empty() ? "" : ", ") + std::string(kButtonNames[static_cast<std::size_t>(button)]);
  }
  for (const auto& [name, range] : deltas) {
    const int button = FindButton(name);
    if (button >= kFirstDeltaButton &&
        std::find(buttons.begin(), buttons.end(), button) != buttons.end()) {
      continue;
    }
    throw OptionError("delta_button_config", "the button '" + name + "'",
                      allowed.empty() ? "{}, as the scenario has no button that says how far"
                                      : "buttons of the scenario that say how far: " + allowed,
                      "correct the name");
  }
}

}  // namespace

CombinedActions::CombinedActions(const std::vector<int>& buttons, bool force_speed,
                                 const DeltaButtonConfig& deltas)
    : buttons_(buttons.size()) {
  CheckDeltas(buttons, deltas);
  const std::vector<Group> groups = Groups(buttons, force_speed, deltas);
  std::size_t count = 1;
  for (const Group& group : groups) {
    count *= group.size();
    if (count > kMostActions) {
      throw OptionError("use_combined_action", "more than a million combinations of buttons",
                        "scenarios with fewer buttons",
                        "pass use_combined_action=False, or fewer values in delta_button_config");
    }
  }
  table_.resize(count * buttons_);
  for (std::size_t action = 0; action < count; ++action) {
    std::size_t rest = action;
    // The last group changes first, as the last digit of a number does.
    for (std::size_t g = groups.size(); g-- > 0;) {
      const Choice& choice = groups[g][rest % groups[g].size()];
      rest /= groups[g].size();
      const auto found = std::find(buttons.begin(), buttons.end(), choice.button);
      if (found != buttons.end()) {
        table_[action * buttons_ + static_cast<std::size_t>(found - buttons.begin())] =
            choice.value;
      }
    }
  }
}

}  // namespace envpool::vizdoom
