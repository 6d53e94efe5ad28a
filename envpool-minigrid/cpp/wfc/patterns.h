// SPDX-License-Identifier: Apache-2.0
// The patterns of a picture, for levels by wave function collapse (Gumin, 2016): all squares of two
// or three pixels, rotated and mirrored, and the pairs that may overlap.
//
//   const Patterns patterns = PatternsOf(picture, 2);
//
// Patterns are numbered in the order of their hashes in minigrid: its draws depend on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "envpool/random/numpy_legacy_random.h"

namespace envpool::minigrid {

/// A picture, row by row: three bytes of each pixel.
struct Picture {
  int height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};

struct Patterns {
  int count = 0;
  int words = 0;               ///< words of 64 bits in a set of patterns
  std::vector<double> weight;  ///< number of the eight rotated pictures that contain the pattern
  std::vector<bool> wall;      ///< true if its upper left pixel is a wall
  /// The set of patterns that may be the neighbor of pattern q in a direction: `words` words from q
  /// * words on. Directions are those of kWfcSteps.
  std::array<std::vector<std::uint64_t>, 4> before;
};

/// (row, column) from a cell to its neighbor.
inline constexpr std::array<std::array<int, 2>, 4> kWfcSteps = {{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}};

namespace detail {

/// The inner product with numbers of RandomState(0).randint(1 - 2^63, 2^63), wrapping.
class PatternHash {
 public:
  explicit PatternHash(std::size_t size) {
    envpool::NumpyLegacyRandom random(0);
    while (factors_.size() < size) {
      const std::uint64_t high = random();
      const std::uint64_t bits = high << 32 | random();
      if (bits != ~std::uint64_t{0}) factors_.push_back(bits + 1 - (std::uint64_t{1} << 63));
    }
  }
  std::int64_t operator()(std::span<const std::int64_t> values) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += static_cast<std::uint64_t>(values[i]) * factors_[i];
    }
    return static_cast<std::int64_t>(sum);
  }

 private:
  std::vector<std::uint64_t> factors_;
};

/// A table of numbers that can be rotated.
struct Tiles2 {
  int height, width;
  std::vector<std::int64_t> cells;

  std::int64_t At(int row, int col) const { return cells[row % height * width + col % width]; }
  Tiles2 Mirrored() const {
    Tiles2 out{height, width, {}};
    for (int r = 0; r < height; ++r) {
      for (int c = 0; c < width; ++c) out.cells.push_back(At(r, width - 1 - c));
    }
    return out;
  }
  Tiles2 Turned() const {
    Tiles2 out{width, height, {}};
    for (int r = 0; r < width; ++r) {
      for (int c = 0; c < height; ++c) out.cells.push_back(At(height - 1 - c, r));
    }
    return out;
  }
};

}  // namespace detail

inline Patterns PatternsOf(const Picture& picture, int size) {
  using Cells = std::vector<std::int64_t>;
  const detail::PatternHash hash_pixel(3), hash_pattern(static_cast<std::size_t>(size * size));
  detail::Tiles2 tiles{picture.height, picture.width, {}};
  std::map<std::int64_t, bool> walls;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    const std::array<std::int64_t, 3> rgb = {picture.rgb[i], picture.rgb[i + 1],
                                             picture.rgb[i + 2]};
    tiles.cells.push_back(hash_pixel(rgb));
    walls[tiles.cells.back()] = rgb[0] == 0;
  }
  struct Found {
    Cells cells;
    int pictures;
  };
  std::map<std::int64_t, Found> found;  // in the order of the numbers
  for (int turn = 0; turn < 8; ++turn) {
    if (turn > 0) tiles = turn % 2 == 1 ? tiles.Mirrored() : tiles.Turned();
    std::map<std::int64_t, Cells> here;
    for (int row = 0; row < tiles.height; ++row) {
      for (int col = 0; col < tiles.width; ++col) {
        Cells cells;
        for (int r = 0; r < size; ++r) {
          for (int c = 0; c < size; ++c) cells.push_back(tiles.At(row + r, col + c));
        }
        here.emplace(hash_pattern(cells), cells);
      }
    }
    for (auto& [hash, cells] : here)
      ++found.try_emplace(hash, Found{cells, 0}).first->second.pictures;
  }
  Patterns patterns;
  patterns.count = static_cast<int>(found.size());
  patterns.words = (patterns.count + 63) / 64;
  std::vector<const Cells*> all;
  for (const auto& [hash, one] : found) {
    patterns.weight.push_back(one.pictures);
    patterns.wall.push_back(walls[one.cells[0]]);
    all.push_back(&one.cells);
  }
  // minigrid compares patterns that are shifted by (column, row), but uses the result for the
  // neighbor at (row, column).
  const auto fits = [size](const Cells& p, const Cells& q, int right, int down) {
    for (int r = std::max(0, down); r < std::min(size, size + down); ++r) {
      for (int c = std::max(0, right); c < std::min(size, size + right); ++c) {
        if (p[r * size + c] != q[(r - down) * size + c - right]) {
          return false;
        }
      }
    }
    return true;
  };
  const auto words = static_cast<std::size_t>(patterns.words);
  for (std::size_t d = 0; d < 4; ++d) {
    patterns.before[d].assign(all.size() * words, 0);
    for (std::size_t p = 0; p < all.size(); ++p) {
      for (std::size_t q = 0; q < all.size(); ++q) {
        if (fits(*all[p], *all[q], kWfcSteps[d][0], kWfcSteps[d][1])) {
          patterns.before[d][q * words + p / 64] |= std::uint64_t{1} << p % 64;
        }
      }
    }
  }
  return patterns;
}

}  // namespace envpool::minigrid
