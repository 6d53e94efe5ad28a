// SPDX-License-Identifier: Apache-2.0
// CombinedActions: all sensible combinations of a scenario's buttons, as a numbered list.
//
//   const CombinedActions actions(scenario.buttons, force_speed, deltas);
//   game.Press(player, actions[7]);
//
// At most one button of an opposite pair is pressed, and at most one button that selects a weapon;
// any other button is pressed or not. The order is EnvPool's: the button with the lowest number
// changes last.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace envpool::vizdoom {

/// By name of a delta button: its number of values, the smallest value, the largest value.
using DeltaButtonConfig = std::map<std::string, std::tuple<int, float, float>>;

class CombinedActions {
 public:
  /// Throws OptionError for a wrong `delta_button_config`.
  CombinedActions(const std::vector<int>& buttons, bool force_speed,
                  const DeltaButtonConfig& deltas);

  int size() const { return static_cast<int>(table_.size() / buttons_); }
  /// The values of the scenario's buttons, in order.
  std::span<const double> operator[](int action) const {
    return {table_.data() + static_cast<std::size_t>(action) * buttons_, buttons_};
  }

 private:
  std::size_t buttons_;
  std::vector<double> table_;
};

}  // namespace envpool::vizdoom
