// SPDX-License-Identifier: Apache-2.0
// Heights of a track of stairs, hills or rough ground, patch after patch, each with its own
// difficulty. TrackField of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "envpool/random/numpy_random.h"

namespace envpool::myosuite {

class TrackGround {
 public:
  /// rows * columns heights, row by row.
  TrackGround(float* heights, int rows, int columns)
      : heights_(heights), rows_(rows), columns_(columns) {}

  void Flatten() { std::fill_n(heights_, rows_ * columns_, 0.0f); }
  /// `difficulties` begin at the end of the run. The last patch stays flat, as in the reference.
  void Stairs(const std::vector<double>& difficulties) {
    ForPatches(difficulties, [&](float* begin, int rows, double difficulty) {
      constexpr int kSteps = 6;
      const int step = rows / kSteps * columns_;
      double height = 0;
      for (int i = 0; i < kSteps; ++i) {
        std::fill_n(begin + i * step, step, static_cast<float>(height));
        height = i < kSteps / 2 ? height + difficulty : height - difficulty;
      }
    });
  }
  void Hills(const std::vector<double>& difficulties) {
    ForPatches(difficulties, [&](float* begin, int rows, double difficulty) {
      const int count = rows * columns_;
      values_.resize(static_cast<std::size_t>(count));
      const double step = std::numbers::pi / (count - 1);
      for (int i = 0; i < count; ++i) {
        const double place = i == count - 1 ? std::numbers::pi : i * step;
        values_[static_cast<std::size_t>(i)] = std::sin(place);
      }
      const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
      const double least = *low, range = *high - *low;
      for (int i = 0; i < count; ++i) {
        const double share = (values_[static_cast<std::size_t>(i)] - least) / range;
        begin[count - 1 - i] = static_cast<float>(share * difficulty);
      }
    });
  }
  /// Every height is drawn. The reference draws from NumPy's global generator, which no seed of an
  /// environment reaches; here the environment's own generator draws.
  void Rough(const std::vector<double>& difficulties, NumpyRandom& gen) {
    ForPatches(difficulties, [&](float* begin, int rows, double difficulty) {
      values_.resize(static_cast<std::size_t>(rows * columns_));
      for (double& value : values_) value = gen.Uniform(-1, 1);
      const double most = gen.Uniform(0, difficulty);
      const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
      const double least = *low, range = *high - *low;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        begin[i] = static_cast<float>((values_[i] - least) / range * most - 0.0);
      }
    });
  }

 private:
  template <typename F>
  void ForPatches(const std::vector<double>& difficulties, const F& fill) {
    const int count = static_cast<int>(difficulties.size()), rows = rows_ / count;
    for (int i = 0; (i + 1) * rows < rows_; ++i) {
      if (i >= count) break;
      fill(heights_ + i * rows * columns_, rows,
           difficulties[static_cast<std::size_t>(count - 1 - i)]);
    }
  }

  float* const heights_;
  const int rows_, columns_;
  std::vector<double> values_;
};

}  // namespace envpool::myosuite
