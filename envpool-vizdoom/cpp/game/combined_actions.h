// SPDX-License-Identifier: Apache-2.0
// CombinedActions: all sensible combinations of a scenario's buttons, as a numbered list.
//
//   const CombinedActions actions(scenario.buttons, force_speed, deltas);
//   game.Press(player, actions[7]);
//
// Of buttons that do opposite things at most one is pressed, of those that select a weapon at most
// one; the others are pressed or not. The order is EnvPool's: the button with the lowest number
// changes last.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace envpool::vizdoom {

/// By name of a button that says how far: in how many values it takes part, the smallest, the
/// largest.
using DeltaButtonConfig = std::map<std::string, std::tuple<int, float, float>>;

class CombinedActions {
 public:
  /// Throws OptionError of `delta_button_config`.
  CombinedActions(const std::vector<int>& buttons, bool force_speed,
                  const DeltaButtonConfig& deltas);

  int size() const { return static_cast<int>(table_.size() / buttons_); }
  /// What is pressed, in the order of the scenario's buttons.
  std::span<const double> operator[](int action) const {
    return {table_.data() + static_cast<std::size_t>(action) * buttons_, buttons_};
  }

 private:
  std::size_t buttons_;
  std::vector<double> table_;
};

}  // namespace envpool::vizdoom
