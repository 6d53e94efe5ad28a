// SPDX-License-Identifier: Apache-2.0
// A player's action in a step, and the conversion of a joystick's position into one of ALE's 18
// actions.
//
//   Move move = FromJoystick(/*radius=*/1, /*angle=*/0, /*fire=*/0, /*threshold=*/0.5);
//   move.action == kRight, move.strength == 1
#pragma once

#include <cmath>
#include <cstdint>

#include "games/game.h"

namespace envpool::atari {

struct Move {
  std::int32_t action = kNoop;
  float strength = 1;  ///< how fast a paddle turns, 0 .. 1
};

/// `angle` is in radians, 0 is right and pi / 2 is up. A direction or the button counts when it is
/// beyond the threshold.
inline Move FromJoystick(float radius, float angle, float fire, double threshold) {
  // By row: down, middle, up. By column: left, middle, right.
  static constexpr Action kActions[2][3][3] = {
      {{kDownLeft, kDown, kDownRight}, {kLeft, kNoop, kRight}, {kUpLeft, kUp, kUpRight}},
      {{kDownLeftFire, kDownFire, kDownRightFire},
       {kLeftFire, kFire, kRightFire},
       {kUpLeftFire, kUpFire, kUpRightFire}}};
  const auto side = [threshold](float lean) {
    return (lean > threshold ? 1 : 0) - (lean < -threshold ? 1 : 0) + 1;
  };
  const int column = side(radius * std::cos(angle));
  const int row = side(radius * std::sin(angle));
  return {kActions[fire > threshold][row][column], radius};
}

}  // namespace envpool::atari
