// SPDX-License-Identifier: Apache-2.0
// Shrinks an image row by row to the bytes of pygame.transform.smoothscale (see
// envpool/drawing/scale.h, which has the whole image at once): each row across, then sums of rows.
//
//   RowShrinker shrinker({1000, 800}, {96, 96});
//   for (int y = 0; y < 800; ++y) shrinker.Add(pixels_of_row, rgb);  // rgb is complete at the end
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/drawing/canvas.h"

namespace envpool::box2d {

class RowShrinker {
 public:
  /// Each side of `to` is less than a half, and more than 1 / 250, of that of `from`.
  RowShrinker(drawing::Size from, drawing::Size to);

  /// Begins a new image.
  void Begin();
  /// The next row, of 4 bytes for each pixel; writes a row of `rgb` whenever one is complete.
  void Add(const std::uint8_t* pixels, std::uint8_t* rgb);

 private:
  // What of a row (or column) of the source belongs to one of the target, in 1 / 16384 pixel: a
  // share of the pixel before `first`, all from there on, a share of `last`.
  struct Span {
    int first, last;
    std::uint16_t share_before, share_last;
  };

  static std::vector<Span> Spans(int from, int to);
  static std::uint16_t Reciprocal(int from, int to);
  void Across(const std::uint8_t* pixels);

  // What a column was when all its pixels were of one color, which most are.
  struct Uniform {
    std::uint32_t color;
    std::array<std::uint16_t, 4> value;
  };

  std::vector<Span> columns_, rows_;
  std::vector<Uniform> uniform_;
  std::uint16_t across_, down_;        // reciprocals of the steps, times 2^30
  std::vector<std::uint16_t> narrow_;  // the row, shrunk across, 4 lanes for each pixel
  std::vector<std::uint16_t> sums_;    // of rows, likewise
  int row_ = 0;
  std::size_t target_ = 0;
};

}  // namespace envpool::box2d
