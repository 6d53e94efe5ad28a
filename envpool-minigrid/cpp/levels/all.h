// SPDX-License-Identifier: Apache-2.0
// All levels, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../world.h"

namespace minigrid {

/// The levels of this module; a module of one's own adds its own.
inline std::vector<const Level*>& Levels() {
  static std::vector<const Level*> levels;
  return levels;
}
inline void AddLevels(std::initializer_list<const Level*> levels) {
  Levels().insert(Levels().end(), levels);
}

/// The level of option env_name, with no option of another level. Throws OptionError.
inline const Level& LevelOf(const Options& options) {
  std::vector<std::string> names;
  for (const Level* level : Levels()) names.emplace_back(level->name);
  const int chosen = Chosen("env_name", options["env_name"_], names);
  const Level& level = *Levels()[static_cast<std::size_t>(chosen)];
  const std::string known = std::string(kCommonOptions) + std::string(level.options) + " ";
  const Options defaults = DefaultOptions();
  ForEachDifference(options, defaults, [&](std::string_view name) {
    if (known.find(" " + std::string(name) + " ") != std::string::npos) return;
    throw envpool::OptionError(std::string(name), "an option of other levels",
                               "for '" + std::string(level.name) + "'" + known,
                               "leave it out; it would change nothing");
  });
  return level;
}

}  // namespace minigrid
