// SPDX-License-Identifier: Apache-2.0
// All levels, by name.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "../gridworld.h"

namespace envpool::minigrid {

/// The levels of this module. Another module adds its own levels.
inline std::deque<Level>& Levels() {
  static std::deque<Level> levels;
  return levels;
}
inline void AddLevels(const std::vector<Level>& levels) {
  Levels().insert(Levels().end(), levels.begin(), levels.end());
}

/// The level that option env_name names. Throws OptionError, also for options of other levels.
inline const Level& LevelOf(const Options& options) {
  std::vector<std::string> names;
  for (const Level& level : Levels()) names.push_back(level.name);
  const Level& level = Levels()[Chosen("env_name", options["env_name"_], names)];
  const std::string known = std::string(kCommonOptions) + level.options + " ";
  ForEachDifference(options, DefaultOptions(), [&](std::string_view name) {
    if (known.find(" " + std::string(name) + " ") != std::string::npos) return;
    throw envpool::OptionError(
        std::string(name), "an option of other levels",
        "those of '" + level.name + "':" + known.substr(0, known.find_last_not_of(' ') + 1),
        "leave it out; it would change nothing");
  });
  return level;
}

}  // namespace envpool::minigrid
