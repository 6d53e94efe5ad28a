// SPDX-License-Identifier: Apache-2.0
// Grid: the cells of a level. Cell (x, y) covers [x, x + 1) x [y, y + 1); y is upwards.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool::procgen {

class Grid {
 public:
  void Resize(int width, int height, int value) {
    width_ = width;
    height_ = height;
    ++version_;
    cells_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), value);
  }
  /// Changes with every change of the grid.
  std::uint64_t version() const { return version_; }
  int width() const { return width_; }
  int size() const { return static_cast<int>(cells_.size()); }
  bool Contains(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  int Index(int x, int y) const { return y * width_ + x; }

  int Get(int x, int y, int outside) const {
    return Contains(x, y) ? cells_[static_cast<std::size_t>(Index(x, y))] : outside;
  }
  int Get(int index, int outside) const {
    return index >= 0 && index < size() ? cells_[static_cast<std::size_t>(index)] : outside;
  }
  /// The cell at a point.
  int At(float x, float y, int outside) const {
    if (x < 0 || y < 0) return outside;
    return Get(static_cast<int>(x), static_cast<int>(y), outside);
  }
  void Set(int x, int y, int value) { Set(Index(x, y), value); }
  void Set(int index, int value) {
    int& cell = cells_.at(static_cast<std::size_t>(index));
    if (cell == value) return;
    cell = value;
    ++version_;
  }
  void Fill(int x, int y, int width, int height, int value) {
    for (int j = y; j < y + height; ++j) {
      for (int i = x; i < x + width; ++i) Set(i, j, value);
    }
  }
  /// Indices of the cells with this value, ascending.
  std::vector<int> Find(int value) const {
    std::vector<int> found;
    for (int i = 0; i < size(); ++i) {
      if (cells_[static_cast<std::size_t>(i)] == value) found.push_back(i);
    }
    return found;
  }

  template <typename Io>
  void Exchange(Io& io) {
    io(width_, height_, cells_);
    ++version_;
  }

 private:
  int width_ = 0, height_ = 0;
  std::uint64_t version_ = 0;
  std::vector<int> cells_;
};

}  // namespace envpool::procgen
