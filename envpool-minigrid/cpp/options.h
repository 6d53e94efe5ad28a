// SPDX-License-Identifier: Apache-2.0
// The options of all levels, and the errors for values with which a level cannot be made.
//
//   const int size = Checked(options, "size", options["size"_], 5, 64);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"

namespace envpool::minigrid {
using namespace envpool::literals;

inline auto DefaultOptions() {
  return envpool::Dict{
      // Options of every level.
      "env_name"_ = std::string("empty"), "obs_mode"_ = std::string("image"),
      "agent_view_size"_ = 7, "tile_size"_ = 0, "highlight"_ = true, "agent_pov"_ = false,
      "mission_bytes"_ = 96, "action_max"_ = 6,
      // Options of some levels: each level declares its own.
      "size"_ = 8, "width"_ = 9, "height"_ = 7, "agent_start_pos"_ = std::vector<int>{1, 1},
      "agent_start_dir"_ = 0, "num_crossings"_ = 1, "obstacle_type"_ = std::string("lava"),
      "strip2_row"_ = 2, "n_obstacles"_ = 4, "num_objs"_ = 3, "random_length"_ = false,
      "room_size"_ = 6, "num_rows"_ = 3, "num_cols"_ = 3, "obj_type"_ = std::string("ball"),
      "wfc_preset"_ = std::string("MazeSimple"), "ensure_connected"_ = true,
      "wfc_picture"_ = std::vector<int>{}, "min_num_rooms"_ = 2, "max_num_rooms"_ = 6,
      "max_room_size"_ = 10, "key_in_box"_ = true, "blocked"_ = true,
      "agent_room"_ = std::vector<int>{1, 1}, "num_quarters"_ = 4, "num_rooms_visited"_ = 25,
      "num_dists"_ = 18, "locked_room_prob"_ = 0.5, "locations"_ = true, "unblocking"_ = true,
      "implicit_unlock"_ = true, "action_kinds"_ = std::string("goto,pickup,open,putnext"),
      "instr_kinds"_ = std::string("action,and,seq"), "doors_open"_ = false, "debug"_ = false,
      "select_by"_ = std::string(), "first_color"_ = std::string(), "second_color"_ = std::string(),
      "strict"_ = false, "num_doors"_ = 2, "objs_per_room"_ = 4, "start_carrying"_ = false,
      "distractors"_ = false};
}
using Options = decltype(DefaultOptions());

/// Options that every level has.
inline constexpr std::string_view kCommonOptions =
    " env_name obs_mode agent_view_size tile_size highlight agent_pov mission_bytes action_max ";

/// Calls visit(name) for each option in which `a` and `b` differ.
template <typename... Fields>
void ForEachDifference(const envpool::Dict<Fields...>& a, const envpool::Dict<Fields...>& b,
                       auto&& visit) {
  const auto compare = [&]<typename F>() {
    if (!(static_cast<const F&>(a).value == static_cast<const F&>(b).value)) visit(F::name);
  };
  (compare.template operator()<Fields>(), ...);
}
namespace detail {
template <typename... Fields>
envpool::Dict<Fields...> Narrowed(const auto& config, const envpool::Dict<Fields...>*) {
  return {static_cast<const Fields&>(config)...};
}
}  // namespace detail
/// Extracts the levels' options from those of a pool.
Options OptionsOf(const auto& config) {
  return detail::Narrowed(config, static_cast<const Options*>(nullptr));
}

/// `value`, if it is in `low .. high`. Throws OptionError.
inline int Checked(const std::string& option, int value, int low, int high) {
  if (value < low || value > high) {
    throw envpool::OptionError(option, std::to_string(value),
                               std::to_string(low) + " .. " + std::to_string(high),
                               "pass a number in this range");
  }
  return value;
}

}  // namespace envpool::minigrid
