// SPDX-License-Identifier: Apache-2.0
// Heights of the ground for legs: 100 x 100 numbers, from corner to corner. TerrainEnvV0 of
// myosuite 2.12.2.
//
//   HillyGround(0.63, heights);   // float[kHeights], in the layout of mjModel::hfield_data
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "envpool/random/numpy_random.h"

namespace envpool::myosuite {

constexpr std::size_t kGroundSide = 100, kHeights = kGroundSide * kGroundSide;

namespace detail {
/// Scales values to 0 .. `height`, rotated by half a turn.
inline void WriteTurned(const std::vector<double>& values, double height, float* out) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least = *low, range = *high - *low;
  for (std::size_t i = 0; i < kHeights; ++i) {
    out[kHeights - 1 - i] = static_cast<float>((values[i] - least) / range * height);
  }
}
}  // namespace detail

/// Every height is drawn.
inline void RoughGround(NumpyRandom& gen, float* out) {
  std::vector<double> values(kHeights);
  for (double& value : values) value = gen.Uniform(-0.5, 0.5);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least = *low, range = *high - *low;
  for (std::size_t i = 0; i < kHeights; ++i) {
    out[i] = static_cast<float>((values[i] - least) / range * 0.08 - 0.02);
  }
}

/// Flat, then waves.
inline void HillyGround(double height, float* out) {
  constexpr std::size_t kFlat = 3000, kWaves = kHeights - kFlat;
  std::vector<double> values(kHeights, -2.0);
  const double end = 3 * std::numbers::pi, step = end / static_cast<double>(kWaves - 1);
  for (std::size_t i = 0; i < kWaves; ++i) {
    const double place = i == kWaves - 1 ? end : static_cast<double>(i) * step;
    values[kFlat + i] = -2 + 0.5 * (std::sin(place + std::numbers::pi / 2) - 1);
  }
  detail::WriteTurned(values, height, out);
}

/// Flat, then twelve stairs of four rows.
inline void Stairs(double height, float* out) {
  constexpr std::size_t kFlatRows = 52, kRows = 4;
  constexpr double kStair = 0.1;
  std::vector<double> values(kHeights, -2.0);
  for (std::size_t row = kFlatRows; row < kGroundSide; ++row) {
    const auto stair = static_cast<double>((row - kFlatRows) / kRows);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(row * kGroundSide), kGroundSide,
                -2 + kStair * stair);
  }
  for (std::size_t i = 0; i < kHeights; ++i) {
    out[kHeights - 1 - i] = static_cast<float>((values[i] + 2) / (2 + kStair * 12) * height);
  }
}

}  // namespace envpool::myosuite
