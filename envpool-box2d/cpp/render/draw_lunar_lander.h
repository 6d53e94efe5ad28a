// SPDX-License-Identifier: Apache-2.0
// Draws LunarLander as Gymnasium does: the sky above the ground, exhaust, craft, legs, and two
// flags after each of these bodies.
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
