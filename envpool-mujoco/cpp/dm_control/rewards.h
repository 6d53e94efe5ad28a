// SPDX-License-Identifier: Apache-2.0
// Rates a number from 0 to 1: tolerance() of dm_control.utils.rewards.
//
//   Tolerance(height, {.lower = 1.2, .upper = kInfinity, .margin = 0.6})
//   Tolerance(speed, {.lower = 8, .upper = kInfinity, .margin = 4, .shape = Shape::kLinear,
//                     .at_margin = 0.5})
//
// It is 1 within the bounds and falls to `at_margin` at the distance `margin` from them.
#pragma once

#include <cmath>
#include <limits>

#include "envpool/numpy_math.h"

namespace envpool::mujoco {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The shape of the decrease: _sigmoids.
enum class Shape { kGaussian, kLinear, kQuadratic, kLongTail, kReciprocal };

struct Bounds {
  double lower = 0, upper = 0;
  double margin = 0;
  Shape shape = Shape::kGaussian;
  double at_margin = 0.1;
};

namespace detail {
template <typename Square>
double Fall(double x, const Bounds& range, const Square& square) {
  const double v = range.at_margin;
  switch (range.shape) {
    case Shape::kGaussian:
      return std::exp(-0.5 * square(x * std::sqrt(-2 * std::log(v))));
    case Shape::kLinear: {
      const double scaled = x * (1 - v);
      return std::fabs(scaled) < 1 ? 1 - scaled : 0;
    }
    case Shape::kQuadratic: {
      const double scaled = x * std::sqrt(1 - v);
      return std::fabs(scaled) < 1 ? 1 - square(scaled) : 0;
    }
    case Shape::kLongTail:
      return 1 / (square(x * std::sqrt(1 / v - 1)) + 1);
    case Shape::kReciprocal:
      return 1 / (std::fabs(x) * (1 / v - 1) + 1);
  }
  return 0;
}
template <typename Square>
double Tolerance(double x, const Bounds& range, const Square& square) {
  if (range.lower <= x && x <= range.upper) return 1;
  if (range.margin == 0) return 0;
  return Fall((x < range.lower ? range.lower - x : x - range.upper) / range.margin, range, square);
}
}  // namespace detail

/// The tolerance of a number.
inline double Tolerance(double x, const Bounds& range) {
  return detail::Tolerance(x, range, numpy::Square<double>);
}
/// The tolerance of an element of an array: NumPy rounds its squares otherwise.
inline double ToleranceInArray(double x, const Bounds& range) {
  return detail::Tolerance(x, range, [](double y) { return y * y; });
}

}  // namespace envpool::mujoco
