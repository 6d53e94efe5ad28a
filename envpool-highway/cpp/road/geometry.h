// SPDX-License-Identifier: Apache-2.0
// Numbers and points as the reference computes them: each function rounds like the function of
// highway_env.utils, or of NumPy, that it is named after.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "envpool/numpy_math.h"

namespace envpool::highway {

inline constexpr double kPi = std::numbers::pi;

/// A point or a direction, in metres.
struct Vec {
  double x = 0, y = 0;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
inline Vec operator*(double k, Vec a) { return {k * a.x, k * a.y}; }
/// As BLAS, which adds to 0.0: no product is -0.0.
inline double Dot(Vec a, Vec b) { return 0.0 + a.x * b.x + a.y * b.y; }
inline double Norm(Vec a) { return std::sqrt(a.x * a.x + a.y * a.y); }

/// The unit vector of an angle.
inline Vec Direction(double angle) {
  const auto [sin, cos] = numpy::SinCos(angle);
  return {cos, sin};
}

/// utils.wrap_to_pi: the angle in [-pi, pi). An angle in this range is returned without a division,
/// which would not change it.
inline double WrapToPi(double angle) {
  const double shifted = angle + kPi;
  if (shifted >= 0 && shifted < 2 * kPi) return shifted - kPi;
  return numpy::NormalizedAngle(angle);
}
/// utils.not_zero: x, moved to a distance of at least 0.01 from 0.
inline double NotZero(double x) {
  if (std::abs(x) > 1e-2) return x;
  return x >= 0 ? 1e-2 : -1e-2;
}
/// np.clip.
inline double Clip(double x, double low, double high) { return std::min(std::max(x, low), high); }
/// utils.lmap: linear, from the range x0 .. x1 to the range y0 .. y1.
inline double LinearMap(double v, double x0, double x1, double y0, double y1) {
  return y0 + (v - x0) * (y1 - y0) / (x1 - x0);
}
/// np.deg2rad.
inline double Radians(double degrees) { return degrees * (kPi / 180.0); }

/// A matrix of two rows, ((cos, -sin), (sin, cos)), times a vector: BLAS fuses the first product.
inline Vec Rotated(Vec direction, Vec p) {
  const double c = direction.x, s = direction.y;
  return {std::fma(c, p.x, -s * p.y), std::fma(s, p.x, c * p.y)};
}
/// The transposed matrix, ((cos, sin), (-sin, cos)), times a vector.
inline Vec RotatedBack(Vec direction, Vec p) {
  const double c = direction.x, s = direction.y;
  return {std::fma(c, p.x, s * p.y), std::fma(-s, p.x, c * p.y)};
}
/// The first matrix times several vectors at once: BLAS fuses the second product.
inline Vec RotatedWithOthers(Vec direction, Vec p) {
  const double c = direction.x, s = direction.y;
  return {std::fma(-s, p.y, c * p.x), std::fma(c, p.y, s * p.x)};
}

}  // namespace envpool::highway
