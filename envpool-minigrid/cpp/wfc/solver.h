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
#include <vector>

#include "envpool/random/numpy_random.h"
#include "patterns.h"

namespace minigrid {

class WaveSolver {
 public:
  /// `wraps`: whether the cells of opposite sides are neighbors.
  WaveSolver(const Patterns& patterns, int size, bool wraps)
      : patterns_(patterns),
        size_(size),
        words_(static_cast<std::size_t>(patterns.words)),
        wraps_(wraps),
        cells_(static_cast<std::size_t>(size * size)),
        left_(cells_),
        queued_(cells_) {
    Open();
  }

  /// Whether patterns were found for all cells within 1,000 attempts.
  bool Run(envpool::NumpyRandom& random) {
    preference_.resize(cells_);
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

  std::size_t PatternOf(int row, int col) const {
    const std::uint64_t* set = wave_.data() + words_ * static_cast<std::size_t>(row * size_ + col);
    std::size_t word = 0;
    while (set[word] == 0) ++word;
    return 64 * word + static_cast<std::size_t>(std::countr_zero(set[word]));
  }

 private:
  // Everything possible, but at a border for what can have no neighbor on that side at all.
  void Open() {
    const auto count = static_cast<std::size_t>(patterns_.count);
    std::vector<std::uint64_t> every(words_, 0);
    for (std::size_t p = 0; p < count; ++p) every[p / 64] |= std::uint64_t{1} << p % 64;
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      wave_.insert(wave_.end(), every.begin(), every.end());
    }
    solved_ = count == 1;
    std::array<std::vector<std::uint64_t>, 4> some;  // those with a neighbor
    for (std::size_t d = 0; d < 4; ++d) {
      some[d].assign(words_, 0);
      for (std::size_t q = 0; q < count; ++q) {
        for (std::size_t w = 0; w < words_; ++w) some[d][w] |= patterns_.before[d][q * words_ + w];
      }
    }
    for (int row = 0; row < size_; ++row) {
      for (int col = 0; col < size_; ++col) {
        for (std::size_t d = 0; d < 4; ++d) {
          if (Neighbor(row, col, d) < 0) Keep(row * size_ + col, some[d].data());
        }
      }
    }
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      Count(cell);
      Queue(cell);
      consistent_ = consistent_ && left_[cell] > 0;
    }
    consistent_ = consistent_ && Close();
  }

  bool Solve(envpool::NumpyRandom& random) {
    if (solved_) return true;
    bool open = true;
    for (bool first = true; first || open; first = false) {
      // The first of the cells with the fewest patterns left, as preferences shift it.
      std::size_t cell = 0;
      double least = std::numeric_limits<double>::infinity();
      open = false;
      for (std::size_t i = 0; i < cells_; ++i) {
        if (left_[i] <= 1) continue;
        open = true;
        const double weight = preference_[i] + left_[i];
        if (weight < least) {
          least = weight;
          cell = i;
        }
      }
      if (!open && !first) break;
      const std::size_t pattern = Choose(cell, random);
      std::uint64_t* set = wave_.data() + words_ * cell;
      std::fill_n(set, words_, 0);
      set[pattern / 64] = std::uint64_t{1} << pattern % 64;
      left_[cell] = 1;
      Queue(cell);
      if (!Close()) return false;
    }
    return true;
  }

  // choice(n, p): the first pattern whose cumulated probability is above a number in [0, 1).
  std::size_t Choose(std::size_t cell, envpool::NumpyRandom& random) {
    const std::uint64_t* set = wave_.data() + words_ * cell;
    const auto count = static_cast<std::size_t>(patterns_.count);
    cumulated_.resize(count);
    double sum = 0;
    for (std::size_t p = 0; p < count; ++p) {
      if ((set[p / 64] >> p % 64 & 1) != 0) sum += patterns_.weight[p];
    }
    double total = 0;
    for (std::size_t p = 0; p < count; ++p) {
      if ((set[p / 64] >> p % 64 & 1) != 0) total += patterns_.weight[p] / sum;
      cumulated_[p] = total;
    }
    const double drawn = random.Random();
    std::size_t p = 0;
    while (p + 1 < count && cumulated_[p] / total <= drawn) ++p;
    return p;
  }

  // Takes away what has no neighbor left, until nothing changes. False: nothing is left somewhere.
  bool Close() {
    while (!queue_.empty()) {
      const std::size_t cell = queue_.back();
      queue_.pop_back();
      queued_[cell] = 0;
      const int row = static_cast<int>(cell) / size_, col = static_cast<int>(cell) % size_;
      for (std::size_t d = 0; d < 4; ++d) {
        const int next = Neighbor(row, col, d);
        if (next < 0) continue;
        // The neighbor has this cell in the opposite direction.
        const std::vector<std::uint64_t>& before = patterns_.before[(d + 2) % 4];
        allowed_.assign(words_, 0);
        const std::uint64_t* set = wave_.data() + words_ * cell;
        for (std::size_t w = 0; w < words_; ++w) {
          for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
            const std::size_t q = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
            for (std::size_t v = 0; v < words_; ++v) allowed_[v] |= before[q * words_ + v];
          }
        }
        if (!Keep(next, allowed_.data())) continue;
        const auto changed = static_cast<std::size_t>(next);
        Count(changed);
        if (left_[changed] == 0) {
          for (const std::size_t waiting : queue_) queued_[waiting] = 0;
          queue_.clear();
          return false;
        }
        Queue(changed);
      }
    }
    return true;
  }

  // Whether something was taken away.
  bool Keep(int cell, const std::uint64_t* allowed) {
    std::uint64_t* set = wave_.data() + words_ * static_cast<std::size_t>(cell);
    bool changed = false;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t kept = set[w] & allowed[w];
      changed = changed || kept != set[w];
      set[w] = kept;
    }
    return changed;
  }
  void Count(std::size_t cell) {
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) count += std::popcount(wave_[words_ * cell + w]);
    left_[cell] = count;
  }
  void Queue(std::size_t cell) {
    if (queued_[cell] != 0) return;
    queued_[cell] = 1;
    queue_.push_back(cell);
  }
  int Neighbor(int row, int col, std::size_t d) const {
    int r = row + kWfcSteps[d][0], c = col + kWfcSteps[d][1];
    if (wraps_) {
      r = (r + size_) % size_;
      c = (c + size_) % size_;
    } else if (r < 0 || c < 0 || r >= size_ || c >= size_) {
      return -1;
    }
    return r * size_ + c;
  }

  const Patterns& patterns_;
  int size_;
  std::size_t words_;
  bool wraps_;
  std::size_t cells_;
  std::vector<std::uint64_t> wave_;  // sets of patterns, one after the other
  std::vector<int> left_;            // how many are in each
  std::vector<char> queued_;
  std::vector<std::size_t> queue_;
  std::vector<double> preference_, cumulated_;
  std::vector<std::uint64_t> allowed_;
  bool solved_ = false;     // one pattern is all there is
  bool consistent_ = true;  // whether each cell has a pattern that fits its neighbors
};

}  // namespace minigrid
