// SPDX-License-Identifier: Apache-2.0
// The actions of agents: the engine's numbers, also for players of the right team.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "envpool/error.h"

namespace envpool::gfootball {

/// The engine's numbers of actions that have a name here.
enum EngineAction : int {
  kIdle = 0,
  kLeft = 1,  ///< first of eight directions, clockwise to bottom left
  kRight = 5,
  kBottomLeft = 8,
  kShortPass = 11
};

/// The action set "full"; "v2" is its first 20 actions, "default" its first 19.
inline constexpr int kActions[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,   // idle and eight directions
    9,  10, 11, 12,                      // long, high and short pass, shot
    18, 20, 30, 14, 19, 31,              // sprint, release direction and sprint, slide, dribble
    32,                                  // builtin_ai
    13, 15, 16, 17,                      // keeper_rush, pressure, team_pressure, switch
    21, 22, 23, 24, 25, 26, 27, 28, 29,  // releases
};

/// An action set.
struct ActionSet {
  std::span<const int> actions;  ///< the engine's numbers
  int sticky;                    ///< number of actions that stay pressed
};

/// Throws OptionError.
inline ActionSet ActionSetOf(const std::string& name) {
  const std::span<const int> all(kActions);
  switch (Chosen("action_set", name, {"default", "v2", "full"})) {
    case 0:
      return {all.first(19), 10};
    case 1:
      return {all.first(20), 10};
    default:
      return {all, 13};
  }
}

/// The action after a rotation of the pitch by half a turn.
constexpr int Turned(int action) {
  if (action < kLeft || action > kBottomLeft) return action;
  return (action - kLeft + 4) % 8 + kLeft;
}

}  // namespace envpool::gfootball
