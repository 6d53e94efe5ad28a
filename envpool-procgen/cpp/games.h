// SPDX-License-Identifier: Apache-2.0
// The sixteen games: each game's variants, the step at which the engine ends an episode, and the
// level of its exploration variant. The values are Procgen's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace envpool::procgen {

/// Numbers of the option `distribution_mode`.
enum Mode : int { kEasy = 0, kHard = 1, kExtreme = 2, kMemory = 10, kExploration = 20 };

/// A game.
struct GameInfo {
  std::string_view name;
  int limit;  ///< steps after which the engine ends a level
  bool extreme, memory;
  std::int32_t exploration_level;  ///< 0: no exploration variant

  bool Has(int mode) const {
    switch (mode) {
      case kEasy:
      case kHard:
        return true;
      case kExtreme:
        return extreme;
      case kMemory:
        return memory;
      case kExploration:
        return exploration_level != 0;
      default:
        return false;
    }
  }
};

inline constexpr GameInfo kGames[] = {
    {"bigfish", 6000, false, false, 0},
    {"bossfight", 4000, false, false, 0},
    {"caveflyer", 1000, false, true, 1259048185},
    {"chaser", 1000, true, false, 0},
    {"climber", 1000, false, false, 1561126160},
    {"coinrun", 1000, false, false, 1949448038},
    {"dodgeball", 1000, true, true, 0},
    {"fruitbot", 1000, false, false, 0},
    {"heist", 1000, false, true, 876640971},
    {"jumper", 1000, false, true, 1434825276},
    {"leaper", 500, true, false, 1318677581},
    {"maze", 500, false, true, 158988835},
    {"miner", 1000, false, true, 0},
    {"ninja", 1000, false, false, 1123500215},
    {"plunder", 4000, false, false, 0},
    {"starpilot", 1000, true, false, 0},
};

/// The limit of a level of Jumper's memory variant.
inline constexpr int kJumperMemoryLimit = 2000;

/// The game of this name, or null.
inline const GameInfo* FindGame(std::string_view name) {
  for (const GameInfo& game : kGames) {
    if (game.name == name) return &game;
  }
  return nullptr;
}

}  // namespace envpool::procgen
