// SPDX-License-Identifier: Apache-2.0
// Settings: the engine's settings of a game. The engine ends the process on an invalid setting, so
// all of them are checked here first.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "games.h"
#include "own/games.h"

namespace envpool::procgen {
using namespace envpool::literals;

/// The range of levels: low .. high - 1.
struct LevelRange {
  std::int32_t low = 0, high = std::numeric_limits<std::int32_t>::max();

  friend bool operator==(const LevelRange&, const LevelRange&) = default;
};

/// Throws OptionError if there are no such levels.
inline LevelRange RangeOf(std::int64_t num_levels, std::int64_t start_level) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (start_level < 0 || start_level >= kMost) {
    throw OptionError("start_level", std::to_string(start_level), "0 .. 2147483646",
                      "pass the first of the levels");
  }
  if (num_levels < 0 || (num_levels > 0 && num_levels > kMost - start_level)) {
    throw OptionError("num_levels", std::to_string(num_levels),
                      "0 for all levels, or 1 .. " + std::to_string(kMost - start_level) +
                          " from start_level=" + std::to_string(start_level) + " on",
                      "pass how many levels there are");
  }
  if (num_levels == 0) return {};  // as in Procgen, for any start_level
  return {static_cast<std::int32_t>(start_level),
          static_cast<std::int32_t>(start_level + num_levels)};
}

struct Settings {
  const GameInfo* game = nullptr;
  bool own = false;  ///< true: the game is computed here, not by the library
  int mode = kHard;  ///< the engine's mode; it has no exploration variant
  LevelRange levels;
  std::int32_t seed = 0;
  bool sequential_levels = false;
  bool center_agent = true;
  bool backgrounds = true;
  bool monochrome_assets = false;
  bool restrict_themes = false;
  bool generated_assets = false;
  bool paint_vel_info = false;
  bool easy_jump = false;
  int debug_mode = 0;

  /// The step after which the engine ends a level; 0 if the engine is set to no limit, and only the
  /// pool's limit counts. The engine's limit cannot be set with generated pictures, since it then
  /// has no states; Jumper's memory variant sets its limit in each level; each sequential level has
  /// its own limit.
  int limit() const {
    if (game->name == "jumper" && mode == kMemory) return kJumperMemoryLimit;
    return generated_assets || sequential_levels ? game->limit : 0;
  }
};

/// True if a game is computed here. Throws OptionError if it should be, but cannot.
inline bool UsesOwn(const std::string& game, const std::string& engine, bool generated_assets) {
  const bool can = HasOwnGame(game) && !generated_assets;
  if (engine == "auto") return can;
  if (engine == "libenv") return false;
  if (engine != "own") {
    throw OptionError("engine", "'" + engine + "'", "'auto', 'own' or 'libenv'", "leave it out",
                      {"auto", "own", "libenv"});
  }
  if (can) return true;
  std::string games;
  for (const std::string& name : OwnGames()) games += (games.empty() ? "" : ", ") + name;
  throw OptionError("engine",
                    "'own' for " + game + (generated_assets ? " with use_generated_assets" : ""),
                    "'own' for " + games + ", without use_generated_assets",
                    "pass 'auto', which takes the library where it has to");
}

/// EnvPool's options and defaults, then the additional options.
inline auto DefaultOptions() {
  return Dict{"env_name"_ = "bigfish",
              "channel_first"_ = true,
              "num_levels"_ = 0,
              "start_level"_ = 0,
              "use_sequential_levels"_ = false,
              "center_agent"_ = true,
              "use_backgrounds"_ = true,
              "use_monochrome_assets"_ = false,
              "restrict_themes"_ = false,
              "use_generated_assets"_ = false,
              "paint_vel_info"_ = false,
              "use_easy_jump"_ = false,
              "distribution_mode"_ = 1,
              "debug_mode"_ = 0,
              "engine"_ = "auto",
              "engine_path"_ = "",
              "draws_frames"_ = false,
              "level_table"_ = std::int64_t{0}};
}

/// Throws OptionError for values on which the engine would end the process.
template <typename Config>
Settings SettingsOf(const Config& config) {
  Settings settings;
  settings.game = FindGame(config["env_name"_]);
  if (settings.game == nullptr) {
    std::vector<std::string> names;
    for (const GameInfo& game : kGames) names.emplace_back(game.name);
    throw OptionError("env_name", "'" + std::string(config["env_name"_]) + "'", "a game of Procgen",
                      "pass one of its 16 games", names);
  }
  const int mode = config["distribution_mode"_];
  if (!settings.game->Has(mode)) {
    std::string allowed;
    for (const auto& [number, name] :
         {std::pair(kEasy, "easy"), std::pair(kHard, "hard"), std::pair(kExtreme, "extreme"),
          std::pair(kMemory, "memory"), std::pair(kExploration, "exploration")}) {
      if (!settings.game->Has(number)) continue;
      allowed += (allowed.empty() ? "" : ", ") + std::to_string(number) + " (" + name + ")";
    }
    throw OptionError("distribution_mode", std::to_string(mode),
                      allowed + " for " + std::string(settings.game->name),
                      "pass one of these numbers");
  }
  settings.levels = RangeOf(config["num_levels"_], config["start_level"_]);
  settings.mode = mode;
  if (mode == kExploration) {
    if (config["num_levels"_] != 0 || config["start_level"_] != 0) {
      throw OptionError(config["num_levels"_] != 0 ? "num_levels" : "start_level",
                        std::to_string(config["num_levels"_] != 0 ? config["num_levels"_]
                                                                  : config["start_level"_]),
                        "0 with distribution_mode=20, which has one level",
                        "leave it out, or choose another distribution_mode");
    }
    settings.mode = kHard;
    const std::int32_t level = settings.game->exploration_level;
    settings.levels = {level, level + 1};
  }
  settings.own = UsesOwn(config["env_name"_], config["engine"_], config["use_generated_assets"_]);
  settings.sequential_levels = config["use_sequential_levels"_];
  settings.center_agent = config["center_agent"_];
  settings.backgrounds = config["use_backgrounds"_];
  settings.monochrome_assets = config["use_monochrome_assets"_];
  settings.restrict_themes = config["restrict_themes"_];
  settings.generated_assets = config["use_generated_assets"_];
  settings.paint_vel_info = config["paint_vel_info"_];
  settings.easy_jump = config["use_easy_jump"_];
  settings.debug_mode = config["debug_mode"_];
  return settings;
}

}  // namespace envpool::procgen
