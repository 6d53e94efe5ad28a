// SPDX-License-Identifier: Apache-2.0
// Shrinks an image row by row to the bytes of pygame.transform.smoothscale (envpool/drawing/scale.h
// does it for a whole image): each row is shrunk across, then rows are summed.
//
//   RowShrinker shrinker({1000, 800}, {96, 96});
//   shrinker.Begin();
//   for each row of the small image:
//     band: the next shrinker.NextRows() rows
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
  /// Each side of `to` must be less than a half, and more than 1 / 250, of that of `from`.
  RowShrinker(drawing::Size from, drawing::Size to);

  /// Begins a new image.
  void Begin();
  /// Number of rows until the small image's next row is complete; 0 if all are.
  int NextRows() const { return target_ < rows_.size() ? rows_[target_].last + 1 - row_ : 0; }
  /// An empty band for this image.
  Band MakeBand() const;
  /// Begins the next rows; `band` has the colors of the columns that are not mixed.
  void BeginBand(const Band& band);
  /// Adds the next row, of 4 bytes per pixel; only pixels of mixed columns are read. The last row
  /// of a band writes a row of `rgb`.
  void Add(const std::uint8_t* pixels, const Band& band, std::uint8_t* rgb);

 private:
  // The part of a source row (or column) that belongs to a target row, in 1 / 16384 pixel: a share
  // of the pixel before `first`, all pixels from there on, a share of `last`.
  struct Span {
    int first, last;
    std::uint16_t share_before, share_last;
  };

  static std::vector<Span> Spans(int from, int to);
  static std::uint16_t Reciprocal(int from, int to);
  void Across(const std::uint8_t* pixels, const Band& band);
  std::uint16_t UniformValue(const Span& span, std::uint8_t value) const;

  // The last result of a column whose pixels had a single color.
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
