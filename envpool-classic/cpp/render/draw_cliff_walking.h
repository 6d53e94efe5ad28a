// SPDX-License-Identifier: Apache-2.0
// CliffWalking as Gymnasium draws it: 4 x 12 cells of 64 pixels. Needs the sprites below
// toy_text/img/cliff_walking.
//
//   std::vector<uint8_t> rgb(classic::kCliffWalkingFrame.Bytes());
//   classic::DrawCliffWalking(classic::Canvas(rgb.data(), classic::kCliffWalkingFrame), 36);
#pragma once

#include <string>

#include "envpool/drawing/canvas.h"
#include "sprites.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kCliffWalkingFrame{768, 256};

/// `state`: row * 12 + column of the agent.
inline void DrawCliffWalking(const Canvas& canvas, int state) {
  constexpr int kRows = 4;
  constexpr int kColumns = 12;
  constexpr int kCell = 64;
  const auto find = [](const char* name) {
    return SpriteStore::Find("toy_text/img/cliff_walking/" + std::string(name) + ".png");
  };
  const auto ground = find("tile_ground");
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      Blit(canvas, *ground, column * kCell, row * kCell);
    }
  }
  constexpr int kBottom = (kRows - 1) * kCell;
  constexpr int kRight = (kColumns - 1) * kCell;
  Blit(canvas, *find("tile_cliff_left"), kCell, kBottom);
  for (int column = 2; column < kColumns - 2; ++column) {
    Blit(canvas, *find(column % 2 == 0 ? "tile_cliff_mid_a" : "tile_cliff_mid_b"), column * kCell,
         kBottom);
  }
  Blit(canvas, *find("tile_cliff_right"), kRight - kCell, kBottom);
  Blit(canvas, *find("letter_s"), 8, kBottom + 8);
  Blit(canvas, *find("letter_g"), kRight + 8, kBottom + 8);
  Blit(canvas, *find("goal_flag"), kRight + 28, kBottom + 16);
  Blit(canvas, *find("agent"), state % kColumns * kCell + 20, state / kColumns * kCell + 20);
}

}  // namespace envpool::classic
