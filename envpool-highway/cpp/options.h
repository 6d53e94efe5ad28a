// SPDX-License-Identifier: Apache-2.0
// The options of all tasks, with the names of the package's configuration. Keys of its dicts
// "observation" and "action" have the dict's name before them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"

namespace envpool::highway {
using namespace envpool::literals;

/// One of several observations, as its options of numbers and its options of words, by name. Flags
/// are numbers, a list of lists is one list, and a map becomes an option per key, "name.key".
using ObservationPart = std::pair<std::map<std::string, std::vector<double>>,
                                  std::map<std::string, std::vector<std::string>>>;

inline auto DefaultOptions() {
  using Numbers = std::vector<double>;
  using Words = std::vector<std::string>;
  constexpr double kQuarterTurn = 0.7853981633974483;  // np.pi / 4
  return envpool::Dict{
      // Options of every task.
      "scenario"_ = std::string("highway"), "duration"_ = 0.0, "simulation_frequency"_ = 15.0,
      "policy_frequency"_ = 1.0, "other_vehicles_type"_ = std::string("IDMVehicle"),
      "neighbour_vehicles_connected_lanes"_ = false, "multi_agent"_ = false, "own_rewards"_ = false,
      "screen_width"_ = 600, "screen_height"_ = 150, "scaling"_ = 5.5,
      "centering_position"_ = Numbers{0.3, 0.5},
      // Options of observations: `type` decides which of them have an effect.
      "observation_type"_ = std::string("Kinematics"), "observation_features"_ = Words{},
      "observation_vehicles_count"_ = 5,
      "observation_features_range"_ = std::map<std::string, Numbers>{},
      "observation_absolute"_ = false, "observation_order"_ = std::string("sorted"),
      "observation_normalize"_ = true, "observation_clip"_ = true,
      "observation_see_behind"_ = false, "observation_observe_intentions"_ = false,
      "observation_include_obstacles"_ = true,
      "observation_grid_size"_ = std::vector<Numbers>{{-27.5, 27.5}, {-27.5, 27.5}},
      "observation_grid_step"_ = Numbers{5, 5}, "observation_align_to_vehicle_axes"_ = false,
      "observation_as_image"_ = false, "observation_horizon"_ = 10.0, "observation_cells"_ = 16,
      "observation_maximum_range"_ = 60.0, "observation_scales"_ = Numbers{},
      "observation_attributes"_ = Words{"state", "derivative", "reference_state"},
      "observation_shape"_ = std::vector<int>{84, 84}, "observation_stack_size"_ = 4,
      "observation_weights"_ = Numbers{0.2989, 0.5870, 0.1140}, "observation_scaling"_ = 0.0,
      "observation_centering_position"_ = Numbers{},
      "observation_configs"_ = std::vector<ObservationPart>{},
      // Options of actions.
      "action_type"_ = std::string("DiscreteMetaAction"), "action_longitudinal"_ = true,
      "action_lateral"_ = true, "action_target_speeds"_ = Numbers{20, 25, 30},
      "action_acceleration_range"_ = Numbers{-5, 5},
      "action_steering_range"_ = Numbers{-kQuarterTurn, kQuarterTurn},
      "action_speed_range"_ = Numbers{}, "action_dynamical"_ = false, "action_clip"_ = true,
      "action_actions_per_axis"_ = 3,
      // Options of some tasks: each task declares its own.
      "lanes_count"_ = 4, "vehicles_count"_ = 50, "controlled_vehicles"_ = 1,
      "initial_lane_id"_ = -1, "ego_spacing"_ = 2.0, "vehicles_density"_ = 1.0,
      "other_vehicles_check_collisions"_ = true, "collision_reward"_ = -1.0,
      "right_lane_reward"_ = 0.1, "high_speed_reward"_ = 0.4, "lane_change_reward"_ = 0.0,
      "left_lane_reward"_ = 0.2, "goal_reward"_ = 1.0, "merging_speed_reward"_ = -0.5,
      "arrived_reward"_ = 1.0, "reward_speed_range"_ = Numbers{20, 30}, "normalize_reward"_ = true,
      "offroad_terminal"_ = false, "before_merge_length"_ = 150.0, "converge_merge_length"_ = 80.0,
      "parallel_merge_length"_ = 80.0, "after_merge_length"_ = 150.0,
      "incoming_vehicle_destination"_ = -1, "roundabout_radius"_ = 20.0, "roundabout_lanes"_ = 2,
      "destination"_ = std::string("o1"), "initial_vehicle_count"_ = 10, "spawn_probability"_ = 0.6,
      "reward_weights"_ = Numbers{1, 0.3, 0, 0, 0.02, 0.02}, "success_goal_reward"_ = 0.12,
      "add_walls"_ = true, "lane_centering_cost"_ = 4.0, "lane_centering_reward"_ = 1.0,
      "action_reward"_ = -0.3, "other_vehicles"_ = 1, "speed_limit"_ = 10.0,
      "terminate_off_road"_ = true, "length"_ = 100.0, "no_lanes"_ = 3, "block_lane"_ = false,
      "force_decision"_ = false, "state_noise"_ = 0.05, "derivative_noise"_ = 0.05};
}
using Options = decltype(DefaultOptions());

namespace detail {
template <typename... Fields>
envpool::Dict<Fields...> Narrowed(const auto& config, const envpool::Dict<Fields...>*) {
  return {static_cast<const Fields&>(config)...};
}
}  // namespace detail
/// Extracts these tasks' options from those of a pool.
Options OptionsOf(const auto& config) {
  return detail::Narrowed(config, static_cast<const Options*>(nullptr));
}

namespace detail {
inline std::string Text(double value) {
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}
}  // namespace detail

/// Throws OptionError if a number is not in `low .. high`.
inline void CheckRange(const std::string& option, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw OptionError(option, detail::Text(value), detail::Text(low) + " .. " + detail::Text(high),
                    "pass a number in this range");
}
/// Throws OptionError if a list has another length.
template <typename List>
void CheckLength(const std::string& option, const List& list, std::size_t length) {
  if (list.size() == length) return;
  throw OptionError(option, "a list of " + std::to_string(list.size()),
                    "a list of " + std::to_string(length), "pass as many values");
}
/// Throws OptionError if a list is not a pair of a lower and a higher number.
inline void CheckBounds(const std::string& option, const std::vector<double>& range) {
  CheckLength(option, range, 2);
  if (range[0] < range[1]) return;
  throw OptionError(option, "[" + detail::Text(range[0]) + ", " + detail::Text(range[1]) + "]",
                    "[low, high]", "pass the lower number first");
}

}  // namespace envpool::highway
