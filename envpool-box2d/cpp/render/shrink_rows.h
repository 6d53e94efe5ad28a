// SPDX-License-Identifier: Apache-2.0
// Shrinks an image row by row to the bytes of pygame.transform.smoothscale (see
// envpool/drawing/scale.h, which has the whole image at once): each row across, then sums of rows.
//
//   RowShrinker shrinker({1000, 800}, {96, 96});
//   shrinker.Begin();
//   for each row of the small image:
//     band: what is in the shrinker.NextRows() rows
//     shrinker.BeginBand(band);
//     for each of these rows: shrinker.Add(pixels_of_row, band, rgb);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "render/band.h"

namespace envpool::box2d {

class RowShrinker {
 public:
  /// Each side of `to` is less than a half, and more than 1 / 250, of that of `from`.
  RowShrinker(drawing::Size from, drawing::Size to);

  /// Begins a new image.
  void Begin();
  /// Rows until the next one of the small image is complete; 0 if all are.
  int NextRows() const { return target_ < rows_.size() ? rows_[target_].last + 1 - row_ : 0; }
  /// What a band for this image begins with.
  Band MakeBand() const;
  /// For the next rows; `band` says what columns that are not mixed are.
  void BeginBand(const Band& band);
  /// The next row, of 4 bytes for each pixel, of which those of mixed columns are looked at; the
  /// last row of a band writes a row of `rgb`.
  void Add(const std::uint8_t* pixels, const Band& band, std::uint8_t* rgb);

 private:
  // What of a row (or column) of the source belongs to one of the target, in 1 / 16384 pixel: a
  // share of the pixel before `first`, all from there on, a share of `last`.
  struct Span {
    int first, last;
    std::uint16_t share_before, share_last;
  };

  static std::vector<Span> Spans(int from, int to);
  static std::uint16_t Reciprocal(int from, int to);
  void Across(const std::uint8_t* pixels, const Band& band);
  std::uint16_t UniformValue(const Span& span, std::uint8_t value) const;

  // What a column was when all its pixels were of one color.
  struct Uniform {
    std::uint32_t color;
    std::array<std::uint16_t, 4> value;
  };

  drawing::Size from_;
  std::vector<Span> columns_, rows_;
  std::vector<Uniform> uniform_;
  std::uint16_t across_, down_;        // reciprocals of the steps, times 2^30
  std::vector<std::uint16_t> narrow_;  // the row, shrunk across, 4 lanes for each pixel
  std::vector<std::uint16_t> sums_;    // of rows, likewise
  int row_ = 0;
  std::size_t target_ = 0;
};

}  // namespace envpool::box2d
