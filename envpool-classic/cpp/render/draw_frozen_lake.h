// SPDX-License-Identifier: Apache-2.0
// FrozenLake as Gymnasium draws it, for maps of any size. Needs eight sprites of toy_text/img.
//
//   const classic::FrozenLakeScene lake{"SFFFFHFHFFFHHFFG", 4, 4, .state = 0};
//   const classic::Size size = classic::FrozenLakeFrame(lake.rows, lake.columns);
//   std::vector<uint8_t> rgb(size.Bytes());
//   classic::DrawFrozenLake(classic::Canvas(rgb.data(), size), lake);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>

#include "envpool/drawing/canvas.h"
#include "sprites.h"

namespace envpool::classic {
using namespace envpool::drawing;

struct FrozenLakeScene {
  std::string_view map;  // rows * columns letters, row by row: S start, F frozen, H hole, G goal
  int rows, columns;
  int state;  // row * columns + column of the agent
};

/// 64 pixels per cell, but at most 512 for a side.
inline Size FrozenLakeFrame(int rows, int columns) {
  return {std::min(64 * columns, 512), std::min(64 * rows, 512)};
}

inline void DrawFrozenLake(const Canvas& canvas, const FrozenLakeScene& lake) {
  constexpr Rgb kBorder{180, 200, 230};
  const auto sprite = [](const char* name) { return SpriteStore::Find(name); };
  const std::shared_ptr<const Sprite> ice = sprite("toy_text/img/tile_ice.png");
  const std::shared_ptr<const Sprite> hole = sprite("toy_text/img/tile_hole.png");
  const std::shared_ptr<const Sprite> crack_a = sprite("toy_text/img/tile_ice_crack_a.png");
  const std::shared_ptr<const Sprite> crack_b = sprite("toy_text/img/tile_ice_crack_b.png");
  const std::shared_ptr<const Sprite> agent = sprite("toy_text/img/agent.png");
  const std::shared_ptr<const Sprite> flag = sprite("toy_text/img/goal_flag.png");
  const std::shared_ptr<const Sprite> letter_s = sprite("toy_text/img/letter_s.png");
  const std::shared_ptr<const Sprite> letter_g = sprite("toy_text/img/letter_g.png");

  const Size frame = FrozenLakeFrame(lake.rows, lake.columns);
  const Size cell{frame.width / lake.columns, frame.height / lake.rows};
  // Python's round: halves go to the even neighbor.
  const auto round = [](double x) { return static_cast<int>(std::nearbyint(x)); };
  const auto overlay_size = [&](const Sprite& image) {
    const double scale = std::min(cell.width, cell.height) / 64.0;
    return Size{std::max(1, round(image.size.width * scale)),
                std::max(1, round(image.size.height * scale))};
  };
  const auto tile = [&](const Sprite& image, int x, int y) {
    Blit(canvas, image, x, y, {.size = cell});
  };
  const auto letter = [&](const Sprite& image, int x, int y) {
    const int margin = round(cell.width * 0.06);
    Blit(canvas, image, x + margin, y + margin, {.size = overlay_size(image)});
  };

  canvas.Fill(kBlack);  // the rest beside cells whose size was rounded down
  for (int row = 0; row < lake.rows; ++row) {
    for (int column = 0; column < lake.columns; ++column) {
      const int x = column * cell.width;
      const int y = row * cell.height;
      const char kind = lake.map.at(static_cast<size_t>(row * lake.columns + column));
      tile(kind == 'H' ? *hole : *ice, x, y);
      if (kind == 'F') {
        const int crack = (column * 3 + row * 5) % 7;
        if (crack < 2) tile(crack == 0 ? *crack_a : *crack_b, x, y);
      } else if (kind == 'S') {
        letter(*letter_s, x, y);
      } else if (kind == 'G') {
        const Size size = overlay_size(*flag);
        Blit(canvas, *flag, x + (cell.width - size.width) / 2,
             y + cell.height - size.height - round(cell.height * 0.12), {.size = size});
        letter(*letter_g, x, y);
      }
      canvas.Frame(x, y, cell, kBorder);
    }
  }
  if (lake.map.at(static_cast<size_t>(lake.state)) != 'H') {
    const Size size = overlay_size(*agent);
    Blit(canvas, *agent, lake.state % lake.columns * cell.width + (cell.width - size.width) / 2,
         lake.state / lake.columns * cell.height + (cell.height - size.height) / 2, {.size = size});
  }
}

}  // namespace envpool::classic
