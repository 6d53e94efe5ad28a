// SPDX-License-Identifier: Apache-2.0
// The operations that NumPy delegates to its BLAS, with equal rounding: dot products of any length,
// and a matrix of three rows times a vector.
//
//   const double away = LongNorm(qvel, 33);       // np.linalg.norm(qvel)
//   ThreeRows(jacobian, qvel, nv, velocity);      // jacobian @ qvel
//
// The order is that of OpenBLAS on x86-64 CPUs with AVX2, as in NumPy's wheels; it was found by
// experiments (OPENBLAS_CORETYPE=Haswell selects it on other CPUs). For CPUs with AVX-512 and for
// ARM OpenBLAS has other code with other last bits.
#pragma once

#include <cmath>

#include "envpool/numpy_math.h"

namespace envpool::mujoco {

/// np.dot of two vectors. Of each 16 products, 4 go to each of 4 accumulators of 4 lanes, fused;
/// the rest is added one after the other, each product rounded.
inline double LongDot(const double* a, const double* b, int count) {
  constexpr int kLanes = 4, kAccumulators = 4, kBlock = kLanes * kAccumulators;
  const int blocks = count / kBlock * kBlock;
  double sum = 0;
  if (blocks > 0) {
    double acc[kAccumulators][kLanes] = {};
    for (int i = 0; i < blocks; i += kBlock) {
      for (int k = 0; k < kBlock; ++k) {
        double& lane = acc[k / kLanes][k % kLanes];
        lane = std::fma(a[i + k], b[i + k], lane);
      }
    }
    double halves[2];
    for (int k = 0; k < 2; ++k) {
      halves[k] = ((acc[0][k] + acc[0][k + 2]) + (acc[1][k] + acc[1][k + 2])) +
                  ((acc[2][k] + acc[2][k + 2]) + (acc[3][k] + acc[3][k + 2]));
    }
    sum = halves[0] + halves[1];
  }
  return numpy::Dot(a + blocks, b + blocks, count - blocks, sum);
}

/// np.linalg.norm of a vector of any length, without `axis`.
inline double LongNorm(const double* values, int count) {
  return std::sqrt(LongDot(values, values, count));
}

/// np.linalg.norm(values, axis=-1) of one row, which does not use the BLAS.
inline double RowNorm(const double* values, int count) {
  return std::sqrt(numpy::SumOfSquares(values, count));
}

/// matrix @ vector, for 3 rows of `count` numbers. The first two rows use two lanes, the third uses
/// four, each product rounded; the last `count` % 4 are fused.
inline void ThreeRows(const double* matrix, const double* vector, int count, double* out) {
  const int whole = count / 4 * 4, rest = count - whole;
  for (int row = 0; row < 3; ++row) {
    const double* a = matrix + row * count;
    double lanes[4] = {};
    for (int i = 0; i < whole; ++i) lanes[row < 2 ? i % 2 : i % 4] += a[i] * vector[i];
    double sum = row < 2 ? lanes[0] + lanes[1] : (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    const double *ends = a + whole, *last = vector + whole;
    if (rest == 1) sum = std::fma(ends[0], last[0], sum);
    if (rest > 1) {
      double tail = std::fma(ends[0], last[0], ends[1] * last[1]);
      if (rest == 3) tail = std::fma(ends[2], last[2], tail);
      sum += tail;
    }
    out[row] = sum;
  }
}

}  // namespace envpool::mujoco
