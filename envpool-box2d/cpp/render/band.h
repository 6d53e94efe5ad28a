// SPDX-License-Identifier: Apache-2.0
// A band: the rows of a large picture that make one row of a small picture. Most parts of the band
// that make one pixel have a single color, which is known without drawing them. Only parts with
// edges of shapes, the mixed columns, are drawn.
//
//   band.Begin(grass);
//   band.Mix(100, 130);         // for every shape: the pixels of its edges, in these rows
//   band.Cover(0, 110, road);   // for every shape, in order: the pixels it covers, in these rows
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "envpool/drawing/canvas.h"

namespace envpool::box2d {

class Band {
 public:
  /// The pixels that make a column, both ends included.
  struct Pixels {
    int left, right;
  };

  /// `columns` are the small picture's columns; neighboring columns may share a pixel.
  Band(std::vector<Pixels> columns, int width)
      : columns_(std::move(columns)),
        first_(static_cast<std::size_t>(width)),
        last_(first_.size()),
        mixed_(columns_.size()),
        colors_(columns_.size()) {
    for (std::size_t c = columns_.size(); c-- > 0;) {
      for (int x = columns_[c].left; x <= columns_[c].right; ++x) {
        first_[static_cast<std::size_t>(x)] = static_cast<std::uint16_t>(c);
      }
    }
    // Pixels at the end may belong to no column.
    std::uint16_t column = 0;
    for (std::size_t x = 0; x < last_.size(); ++x) {
      while (column + 1U < columns_.size() && columns_[column + 1U].left <= static_cast<int>(x)) {
        ++column;
      }
      last_[x] = column;
      if (static_cast<int>(x) > columns_.back().right) first_[x] = column;
    }
  }

  /// Begins with one color in all columns.
  void Begin(drawing::Rgb color) {
    std::fill(mixed_.begin(), mixed_.end(), false);
    std::fill(colors_.begin(), colors_.end(), color);
    ranges_.clear();
    mixed_columns_.clear();
  }

  /// Marks the columns of pixels `left` to `right` as mixed; the pixels may be outside the picture.
  void Mix(int left, int right) {
    left = std::max(left, 0);
    right = std::min(right, static_cast<int>(first_.size()) - 1);
    if (left > right) return;
    std::fill(mixed_.begin() + first_[static_cast<std::size_t>(left)],
              mixed_.begin() + last_[static_cast<std::size_t>(right)] + 1, true);
  }
  /// Ends the calls of Mix.
  void FindRanges() {
    for (std::size_t c = 0; c < mixed_.size(); ++c) {
      if (!mixed_[c]) continue;
      mixed_columns_.push_back(c);
      if (c > 0 && mixed_[c - 1]) {
        ranges_.back().right = columns_[c].right;
      } else {
        ranges_.push_back(columns_[c]);
      }
    }
  }

  /// Gives the pixels from `left` to `right` a color, in all rows. The columns at the ends must be
  /// mixed.
  void Cover(int left, int right, drawing::Rgb color) {
    left = std::max(left, 0);
    right = std::min(right, static_cast<int>(first_.size()) - 1);
    if (left > right) return;
    std::fill(colors_.begin() + first_[static_cast<std::size_t>(left)],
              colors_.begin() + last_[static_cast<std::size_t>(right)] + 1, color);
  }

  bool mixed(std::size_t column) const { return mixed_[column] != 0; }
  /// The color of a column that is not mixed.
  drawing::Rgb color(std::size_t column) const { return colors_[column]; }
  std::span<const std::size_t> mixed_columns() const { return mixed_columns_; }
  /// The pixels of all mixed columns.
  std::span<const Pixels> ranges() const { return ranges_; }

 private:
  std::vector<Pixels> columns_;
  std::vector<std::uint16_t> first_, last_;  // column of each pixel
  std::vector<std::uint8_t> mixed_;          // no vector<bool>: it is filled in parts
  std::vector<drawing::Rgb> colors_;
  std::vector<std::size_t> mixed_columns_;
  std::vector<Pixels> ranges_;
};

}  // namespace envpool::box2d
