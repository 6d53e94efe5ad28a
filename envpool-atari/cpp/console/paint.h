// SPDX-License-Identifier: Apache-2.0
// One line of the screen: a background and, over it, masks in one color each.
//
//   LineImage image{.background = 0x84};
//   image.Add(playfield, 0x1E);
//   image.Add(player, 0x42);  // hides the playfield
//   BestPainter()(row, image);
#ifndef ENVPOOL_ATARI_CONSOLE_PAINT_H_
#define ENVPOOL_ATARI_CONSOLE_PAINT_H_

#include <cstdint>

#include "console/mask.h"

namespace envpool::atari {

struct LineImage {
  std::uint8_t background = 0;
  int layers = 0;
  std::uint8_t color[5];
  Mask mask[5];

  void Add(const Mask& pixels, std::uint8_t pixel_color) {
    color[layers] = pixel_color;
    mask[layers++] = pixels;
  }
};

// Writes the 160 pixels of a line.
using Painter = void (*)(std::uint8_t* row, const LineImage& image);

// The fastest painter of this CPU.
Painter BestPainter();

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_PAINT_H_
