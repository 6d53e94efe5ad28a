// SPDX-License-Identifier: Apache-2.0
// Places and distances, as NumPy rounds them.
#pragma once

#include <cstddef>

#include "envpool/numpy_math.h"

namespace envpool::metaworld {

/// Metres along x, y and z.
struct Vec {
  double at[3] = {0, 0, 0};

  double& operator[](std::size_t i) { return at[i]; }
  double operator[](std::size_t i) const { return at[i]; }
  static Vec Of(const double* numbers) { return {{numbers[0], numbers[1], numbers[2]}}; }

  friend Vec operator+(const Vec& a, const Vec& b) {
    return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
  }
  friend Vec operator-(const Vec& a, const Vec& b) {
    return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
  }
  friend Vec operator*(const Vec& a, const Vec& b) {
    return {{a[0] * b[0], a[1] * b[1], a[2] * b[2]}};
  }
};

/// np.linalg.norm.
inline double Norm(const Vec& v) { return numpy::Norm(v.at, 3); }
inline double Distance(const Vec& a, const Vec& b) { return Norm(a - b); }
/// The same, where one metre counts as `scale`.
inline double Distance(const Vec& a, const Vec& b, const Vec& scale) {
  return Norm((a - b) * scale);
}
/// Along two of the axes.
inline double FlatDistance(const Vec& a, const Vec& b, std::size_t first, std::size_t second) {
  const double away[] = {a[first] - b[first], a[second] - b[second]};
  return numpy::Norm(away, 2);
}
/// Seen from above.
inline double FlatDistance(const Vec& a, const Vec& b) { return FlatDistance(a, b, 0, 1); }

}  // namespace envpool::metaworld
