// SPDX-License-Identifier: Apache-2.0
// A band of rows of a large picture of which each column of pixels of the small one takes a part.
// Most of these parts have one color, which is known without their pixels: only where edges of
// shapes are, pixels have to be colored, and looked at.
//
//   band.Begin(grass);
//   band.Mix(100, 130);         // for all shapes: where their edges are, in these rows
//   band.Cover(0, 110, road);   // for all shapes, in order: what they cover, in these rows
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
  /// The pixels from which a column takes a part, both included.
  struct Pixels {
    int left, right;
  };

  /// `columns` are those of the small picture; neighbors may share a pixel.
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
    // Pixels at the end may be in no column.
    std::uint16_t column = 0;
    for (std::size_t x = 0; x < last_.size(); ++x) {
      while (column + 1U < columns_.size() && columns_[column + 1U].left <= static_cast<int>(x)) {
        ++column;
      }
      last_[x] = column;
      if (static_cast<int>(x) > columns_.back().right) first_[x] = column;
    }
  }

  /// Begins with one color everywhere.
  void Begin(drawing::Rgb color) {
    std::fill(mixed_.begin(), mixed_.end(), false);
    std::fill(colors_.begin(), colors_.end(), color);
    ranges_.clear();
    mixed_columns_.clear();
  }

  /// From pixel `left` to `right`, which may be outside, there may be several colors.
  void Mix(int left, int right) {
    left = std::max(left, 0);
    right = std::min(right, static_cast<int>(first_.size()) - 1);
    if (left > right) return;
    std::fill(mixed_.begin() + first_[static_cast<std::size_t>(left)],
              mixed_.begin() + last_[static_cast<std::size_t>(right)] + 1, true);
  }
  /// Ends calls of Mix.
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

  /// Pixels from `left` to `right`, in all rows, get a color; where that ends is mixed.
  void Cover(int left, int right, drawing::Rgb color) {
    left = std::max(left, 0);
    right = std::min(right, static_cast<int>(first_.size()) - 1);
    if (left > right) return;
    std::fill(colors_.begin() + first_[static_cast<std::size_t>(left)],
              colors_.begin() + last_[static_cast<std::size_t>(right)] + 1, color);
  }

  bool mixed(std::size_t column) const { return mixed_[column] != 0; }
  /// Of a column that is not mixed.
  drawing::Rgb color(std::size_t column) const { return colors_[column]; }
  std::span<const std::size_t> mixed_columns() const { return mixed_columns_; }
  /// The pixels of all mixed columns.
  std::span<const Pixels> ranges() const { return ranges_; }

 private:
  std::vector<Pixels> columns_;
  std::vector<std::uint16_t> first_, last_;  // column of a pixel
  std::vector<std::uint8_t> mixed_;          // no vector<bool>: it is filled in parts
  std::vector<drawing::Rgb> colors_;
  std::vector<std::size_t> mixed_columns_;
  std::vector<Pixels> ranges_;
};

}  // namespace envpool::box2d
