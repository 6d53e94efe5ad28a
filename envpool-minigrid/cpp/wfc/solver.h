// SPDX-License-Identifier: Apache-2.0
// Wave function collapse: gives every cell of a square a pattern, so that neighbors overlap.
//
//   WaveSolver solver(patterns, 23, false);
//   solver.Run(random);
//   const bool wall = patterns.wall[solver.PatternOf(row, col)];
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "envpool/random/numpy_random.h"
#include "patterns.h"

namespace envpool::minigrid {

class WaveSolver {
 public:
  /// `wraps`: true if the cells of opposite sides are neighbors.
  WaveSolver(const Patterns& patterns, int size, bool wraps)
      : patterns_(patterns),
        size_(size),
        words_(patterns.words),
        wraps_(wraps),
        left_(size * size),
        queued_(size * size) {
    Open();
  }

  /// Returns true if patterns were found for all cells within 1,000 attempts.
  bool Run(envpool::NumpyRandom& random) {
    preference_.resize(left_.size());
    for (double& one : preference_) one = random.Random() * 0.1;
    const std::vector<std::uint64_t> open = wave_;
    const std::vector<int> left = left_;
    for (int attempt = 0; attempt < 1000 && consistent_; ++attempt) {
      wave_ = open;
      left_ = left;
      if (Solve(random)) return true;
    }
    return false;
  }

  int PatternOf(int row, int col) const {
    int found = 0;
    ForEach(SetOf(row * size_ + col), [&](int pattern) { found = pattern; });
    return found;
  }

 private:
  const std::uint64_t* SetOf(int cell) const { return wave_.data() + words_ * cell; }
  std::uint64_t* SetOf(int cell) { return wave_.data() + words_ * cell; }
  /// Calls visit(pattern) for each pattern in a set.
  void ForEach(const std::uint64_t* set, auto&& visit) const {
    for (int w = 0; w < words_; ++w) {
      for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
        visit(64 * w + std::countr_zero(rest));
      }
    }
  }

  // Sets all patterns as possible. At a border, patterns without any neighbor on that side are
  // excluded.
  void Open() {
    const int count = patterns_.count, cells = size_ * size_;
    wave_.assign(words_ * cells, ~std::uint64_t{0});
    std::vector<std::uint64_t> every(words_, ~std::uint64_t{0});
    if (count % 64 != 0) every.back() = (std::uint64_t{1} << count % 64) - 1;
    std::array<std::vector<std::uint64_t>, 4> some;  // patterns with a neighbor
    for (int d = 0; d < 4; ++d) {
      some[d].assign(words_, 0);
      for (int i = 0; i < count * words_; ++i) some[d][i % words_] |= patterns_.before[d][i];
    }
    for (int cell = 0; cell < cells; ++cell) {
      Keep(cell, every);
      for (int d = 0; d < 4; ++d) {
        if (Neighbor(cell, d) < 0) Keep(cell, some[d]);
      }
      Count(cell);
      Queue(cell);
      consistent_ = consistent_ && left_[cell] > 0;
    }
    consistent_ = consistent_ && Close();
  }

  bool Solve(envpool::NumpyRandom& random) {
    if (patterns_.count == 1) return true;
    for (bool first = true;; first = false) {
      // The first of the cells with the fewest patterns left, shifted by preferences.
      int cell = -1;
      double least = std::numeric_limits<double>::infinity();
      for (int i = 0; i < size_ * size_; ++i) {
        if (left_[i] > 1 && preference_[i] + left_[i] < least) {
          least = preference_[i] + left_[i];
          cell = i;
        }
      }
      if (cell < 0 && !first) return true;
      cell = std::max(cell, 0);  // minigrid draws once even if no choice is left
      const int pattern = Choose(cell, random);
      std::fill_n(SetOf(cell), words_, 0);
      SetOf(cell)[pattern / 64] = std::uint64_t{1} << pattern % 64;
      left_[cell] = 1;
      Queue(cell);
      if (!Close()) return false;
    }
  }

  // choice(n, p): the first pattern whose cumulative probability is above a number in [0, 1).
  int Choose(int cell, envpool::NumpyRandom& random) {
    double sum = 0, total = 0;
    ForEach(SetOf(cell), [&](int pattern) { sum += patterns_.weight[pattern]; });
    cumulated_.clear();
    ForEach(SetOf(cell), [&](int pattern) {
      total += patterns_.weight[pattern] / sum;
      cumulated_.emplace_back(pattern, total);
    });
    const double drawn = random.Random();
    return std::find_if(cumulated_.begin(), cumulated_.end() - 1,
                        [&](const auto& one) { return one.second / total > drawn; })
        ->first;
  }

  // Removes patterns without a possible neighbor, until nothing changes. False: a cell has none
  // left.
  bool Close() {
    while (!queue_.empty()) {
      const int cell = queue_.back();
      queue_.pop_back();
      queued_[cell] = 0;
      for (int d = 0; d < 4; ++d) {
        const int next = Neighbor(cell, d);
        if (next < 0) continue;
        // In the opposite direction the neighbor has this cell.
        const std::uint64_t* before = patterns_.before[(d + 2) % 4].data();
        allowed_.assign(words_, 0);
        ForEach(SetOf(cell), [&](int pattern) {
          for (int w = 0; w < words_; ++w) allowed_[w] |= before[pattern * words_ + w];
        });
        if (!Keep(next, allowed_)) continue;
        Count(next);
        if (left_[next] == 0) {
          for (const int waiting : queue_) queued_[waiting] = 0;
          queue_.clear();
          return false;
        }
        Queue(next);
      }
    }
    return true;
  }

  // Returns true if a pattern was removed.
  bool Keep(int cell, const std::vector<std::uint64_t>& allowed) {
    std::uint64_t* set = SetOf(cell);
    bool changed = false;
    for (int w = 0; w < words_; ++w) {
      changed = changed || (set[w] & ~allowed[w]) != 0;
      set[w] &= allowed[w];
    }
    return changed;
  }
  void Count(int cell) {
    left_[cell] = 0;
    for (int w = 0; w < words_; ++w) left_[cell] += std::popcount(SetOf(cell)[w]);
  }
  void Queue(int cell) {
    if (queued_[cell] != 0) return;
    queued_[cell] = 1;
    queue_.push_back(cell);
  }
  /// -1: beyond the border.
  int Neighbor(int cell, int d) const {
    int row = cell / size_ + kWfcSteps[d][0], col = cell % size_ + kWfcSteps[d][1];
    if (wraps_) {
      row = (row + size_) % size_;
      col = (col + size_) % size_;
    }
    return row < 0 || col < 0 || row >= size_ || col >= size_ ? -1 : row * size_ + col;
  }

  const Patterns& patterns_;
  int size_, words_;
  bool wraps_;
  std::vector<std::uint64_t> wave_;  // the sets of patterns of all cells
  std::vector<int> left_;            // number of patterns left in each cell
  std::vector<char> queued_;
  std::vector<int> queue_;
  std::vector<double> preference_;
  std::vector<std::pair<int, double>> cumulated_;
  std::vector<std::uint64_t> allowed_;
  bool consistent_ = true;  // true if every cell's pattern fits its neighbors
};

}  // namespace envpool::minigrid
