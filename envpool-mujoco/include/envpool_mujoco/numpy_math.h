// SPDX-License-Identifier: Apache-2.0
// NumPy's arithmetic, rounding by rounding: the references compute rewards with it.
//
//   const float cost = Sum(squares, 8);        // np.sum(squares)
//   const double away = Norm(&qpos[0], 2);     // np.linalg.norm(qpos[:2])
//
// The module must be compiled without contraction of a * b + c (-ffp-contract=off).
#pragma once

#include <cmath>
#include <type_traits>

namespace envpool::mujoco {

/// np.sum of a contiguous array with the elements value(0) .. value(count - 1): one after the other
/// up to 7, then in 8 lanes, and of more than 128 the sums of two halves.
template <typename Value>
std::invoke_result_t<const Value&, int> PairwiseSum(const Value& value, int begin, int count) {
  using Real = std::invoke_result_t<const Value&, int>;
  constexpr int kLanes = 8, kBlock = 128;
  if (count > kBlock) {
    const int half = count / 2 - count / 2 % kLanes;
    return PairwiseSum(value, begin, half) + PairwiseSum(value, begin + half, count - half);
  }
  int i = 0;
  Real sum = -Real{0};
  if (count >= kLanes) {
    Real lanes[kLanes];
    for (; i < kLanes; ++i) lanes[i] = value(begin + i);
    for (; i + kLanes <= count; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) lanes[k] += value(begin + i + k);
    }
    sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
          ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
  for (; i < count; ++i) sum += value(begin + i);
  return sum;
}

/// np.sum(values).
template <typename Real>
Real Sum(const Real* values, int count) {
  return PairwiseSum([values](int i) { return values[i]; }, 0, count);
}

/// np.sum(np.square(values)).
template <typename Real>
Real SumOfSquares(const Real* values, int count) {
  return PairwiseSum([values](int i) { return values[i] * values[i]; }, 0, count);
}

/// `sum` plus a * b as NumPy adds the products of a vector and a matrix, by np.einsum and v.dot(m):
/// fused on ARM, where every CPU can, and rounded twice on x86-64.
inline double AddProduct(double a, double b, double sum) {
#ifdef __aarch64__
  return std::fma(a, b, sum);
#else
  return sum + a * b;
#endif
}

/// `sum` plus np.dot of two vectors of fewer than 16 numbers. Each product is rounded, as by the
/// BLAS in NumPy's wheels, but for x86-64 CPUs with AVX-512 and ARM's without SVE: for those it has
/// other code, which fuses.
inline double Dot(const double* a, const double* b, int count, double sum = 0) {
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// np.linalg.norm of a short vector.
inline double Norm(const double* values, int count) {
  return std::sqrt(Dot(values, values, count));
}

/// x ** 2 of a NumPy scalar: the C library's pow, which rounds 1 value in 1,000 otherwise than x *
/// x does.
inline double PowerOf2(double x) {
  // Compilers turn pow(x, 2) into x * x unless the exponent is hidden from them.
  static const volatile double two = 2;
  return std::pow(x, two);
}

}  // namespace envpool::mujoco
