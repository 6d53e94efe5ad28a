// SPDX-License-Identifier: Apache-2.0
// Heights of a ground of nine patches: flat, hilly or rough, and sometimes a relief. ChaseTagField
// of myosuite 2.12.2. The last row and column are unchanged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "envpool/random/numpy_random.h"

namespace envpool::myosuite {

class PatchyGround {
 public:
  static constexpr int kSide = 100, kPatch = kSide / 3, kPatches = 3;
  static constexpr std::size_t kNumbers = std::size_t{kPatch} * kPatch;  // of a patch

  /// The ranges, in m, from which maximum heights are drawn; `relief` has kNumbers heights.
  PatchyGround(std::vector<double> hills, std::vector<double> rough, std::vector<double> reliefs,
               const std::vector<double>& relief)
      : hills_(std::move(hills)),
        rough_(std::move(rough)),
        reliefs_(std::move(reliefs)),
        relief_(relief),
        waves_(kNumbers),
        values_(kNumbers) {
    const double end = 10 * std::numbers::pi, step = end / static_cast<double>(kNumbers - 1);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      const double place = i == kNumbers - 1 ? end : static_cast<double>(i) * step;
      waves_[i] = std::sin(place + std::numbers::pi / 2) - 1;
    }
    Normalize(waves_);
    Normalize(relief_);
  }

  void Draw(NumpyRandom& gen, float* heights) {
    int hilly = 0;
    for (int row = 0; row < kPatches; ++row) {
      for (int column = 0; column < kPatches; ++column) {
        // At most two hilly patches.
        auto kind = gen.Integers(0, 3);
        while (kind == kHilly && hilly >= 2) kind = gen.Integers(0, 3);
        if (kind == kHilly) ++hilly;
        if (kind == kHilly) {
          Hills(gen);
        } else if (kind == kRough) {
          Rough(gen);
        } else {
          std::fill(values_.begin(), values_.end(), 0.0);
        }
        Put(row, column, heights);
      }
    }
    if (gen.Random() >= 0.2) return;
    const auto row = static_cast<int>(gen.Integers(0, 3));
    const auto column = static_cast<int>(gen.Integers(0, 3));
    Relief(gen);
    Put(row, column, heights);
  }
  /// Flattens the patch of a place, in m from the middle. Its row is taken from x, as in the
  /// reference, although x goes along the columns.
  void Flatten(double x, double y, float* heights) {
    std::fill(values_.begin(), values_.end(), 0.0);
    Put(PatchOf(x), PatchOf(y), heights);
  }

 private:
  static constexpr int kHilly = 1, kRough = 2;
  static constexpr double kWidth = 12;  // in m

  static int PatchOf(double place) {
    const int cell = static_cast<int>(place / (kWidth / kSide) + kSide / 2.0);
    return std::clamp(cell, 0, kSide - 2) / kPatch;
  }
  /// Scales to 0 .. 1.
  static void Normalize(std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double least = *low, range = *high - *low;
    for (double& value : values) value = (value - least) / range;
  }
  double& At(int row, int column) {
    return values_[static_cast<std::size_t>(row * kPatch + column)];
  }
  void Hills(NumpyRandom& gen) {
    const double height = gen.Uniform(hills_[0], hills_[1]);
    const bool turned = gen.Random() < 0.5;
    for (int row = 0; row < kPatch; ++row) {
      for (int column = 0; column < kPatch; ++column) {
        // Rotated by half a turn, and then perhaps by a quarter.
        const std::size_t from = kNumbers - 1 - static_cast<std::size_t>(row * kPatch + column);
        const double value = waves_[from] * height;
        (turned ? At(kPatch - 1 - column, row) : At(row, column)) = value;
      }
    }
  }
  void Rough(NumpyRandom& gen) {
    for (double& value : values_) value = gen.Uniform(-1.0, 1.0);
    Normalize(values_);
    const double height = gen.Uniform(rough_[0], rough_[1]);
    for (double& value : values_) value = value * height - 0.02;
  }
  void Relief(NumpyRandom& gen) {
    const double height = gen.Uniform(reliefs_[0], reliefs_[1]);
    for (int row = 0; row < kPatch; ++row) {
      for (int column = 0; column < kPatch; ++column) {
        const int from = (kPatch - 1 - row) * kPatch + column;
        At(row, column) = relief_[static_cast<std::size_t>(from)] * height;
      }
    }
  }
  void Put(int row, int column, float* heights) {
    for (int i = 0; i < kPatch; ++i) {
      float* const to = heights + (row * kPatch + i) * kSide + column * kPatch;
      for (int k = 0; k < kPatch; ++k) to[k] = static_cast<float>(At(i, k));
    }
  }

  const std::vector<double> hills_, rough_, reliefs_;
  std::vector<double> relief_, waves_, values_;
};

}  // namespace envpool::myosuite
