// SPDX-License-Identifier: Apache-2.0
// Vectors of three numbers, with NumPy's rounding.
//
//   const Vec3 to_target = Difference(target, nose);
//   const Vec3 seen = TimesMatrix(to_target.data(), head_xmat);   // to_target.dot(xmat)
#pragma once

#include <array>
#include <cmath>

#include "envpool/numpy_math.h"

namespace envpool::mujoco {

using Vec3 = std::array<double, 3>;

inline Vec3 Difference(const double* a, const double* b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
/// v.dot(m) with a matrix in rows, rounded like AddProduct. BLAS adds the result to zeros, so there
/// is no -0.
inline Vec3 TimesMatrix(const double* v, const double* m) {
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum = numpy::AddProduct(v[k], m[3 * k + i], sum);
    out[i] = sum + 0.0;
  }
  return out;
}
/// A row of a.dot(m) for a matrix `a`: here BLAS fuses multiplication and addition on every CPU
/// that can.
inline Vec3 RowTimesMatrix(const double* row, const double* m) {
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum = std::fma(row[k], m[3 * k + i], sum);
    out[i] = sum + 0.0;
  }
  return out;
}
/// np.linalg.norm(a - b).
inline double Distance(const double* a, const double* b) {
  const Vec3 difference = Difference(a, b);
  return numpy::Norm(difference.data(), 3);
}
/// v / np.linalg.norm(v), in place.
template <std::size_t N>
void Normalize(std::array<double, N>& v) {
  const double norm = numpy::Norm(v.data(), static_cast<int>(N));
  for (double& x : v) x /= norm;
}

}  // namespace envpool::mujoco
