// SPDX-License-Identifier: Apache-2.0
// LunarLander as Gymnasium draws it: the ground's sky, exhaust, craft, legs, and two flags that are
// drawn after each of them.
//
//   std::vector<uint8_t> rgb(kLunarLanderFrame.Bytes());
//   DrawLunarLander(drawing::Canvas(rgb.data(), kLunarLanderFrame), game);
#pragma once

#include "envpool/drawing/canvas.h"
#include "lunar_lander_game.h"

namespace envpool::box2d {

inline constexpr drawing::Size kLunarLanderFrame{600, 400};

void DrawLunarLander(const drawing::Canvas& canvas, const LunarLanderGame& game);

}  // namespace envpool::box2d
