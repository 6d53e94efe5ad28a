// SPDX-License-Identifier: Apache-2.0
// Catch: a grid of squares with the falling ball and the paddle. Our own design, as Gymnasium has
// no Catch.
//
//   const classic::CatchScene game{10, 5, .ball_row = 3, .ball_column = 1, .paddle_column = 2};
//   std::vector<uint8_t> rgb(classic::CatchFrame(game.rows, game.columns).Bytes());
//   classic::DrawCatch(classic::Canvas(rgb.data(), classic::CatchFrame(10, 5)), game);
#pragma once

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr int kCatchCell = 32;  // side of a square, in pixels

struct CatchScene {
  int rows, columns;
  int ball_row, ball_column;  // row 0 is the top
  int paddle_column;          // in the last row
};

inline Size CatchFrame(int rows, int columns) { return {columns * kCatchCell, rows * kCatchCell}; }

inline void DrawCatch(const Canvas& canvas, const CatchScene& game) {
  constexpr Rgb kGround{24, 28, 40};
  constexpr Rgb kGrid{44, 50, 68};
  constexpr Rgb kPaddle{86, 180, 233};
  constexpr Rgb kBall{240, 228, 66};

  canvas.Fill(kGround);
  for (int row = 0; row < game.rows; ++row) {
    for (int column = 0; column < game.columns; ++column) {
      canvas.Frame(column * kCatchCell, row * kCatchCell, {kCatchCell, kCatchCell}, kGrid);
    }
  }
  canvas.Rectangle(game.paddle_column * kCatchCell + 2, (game.rows - 1) * kCatchCell + 10,
                   {kCatchCell - 4, kCatchCell - 12}, kPaddle);
  SmoothCircle(
      canvas,
      {game.ball_column * kCatchCell + kCatchCell / 2, game.ball_row * kCatchCell + kCatchCell / 2},
      10, kBall);
}

}  // namespace envpool::classic
