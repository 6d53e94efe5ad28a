// SPDX-License-Identifier: Apache-2.0
// Draws BipedalWalker as Gymnasium does: sky, clouds that move half as fast, ground, one of the
// rays in 20 of 100 frames, obstacles, the walker, and a flag at the start.
//
//   std::vector<uint8_t> rgb(kBipedalWalkerFrame.Bytes());
//   DrawBipedalWalker(drawing::Canvas(rgb.data(), kBipedalWalkerFrame), game);
#pragma once

#include "bipedal_walker_game.h"
#include "envpool/drawing/canvas.h"

namespace envpool::box2d {

inline constexpr drawing::Size kBipedalWalkerFrame{600, 400};

void DrawBipedalWalker(const drawing::Canvas& canvas, const BipedalWalkerGame& game);

}  // namespace envpool::box2d
