// SPDX-License-Identifier: Apache-2.0
// NumPy's arithmetic, rounding by rounding: an environment whose reference computes with NumPy has
// the same trajectories only with the same roundings.
//
//   const double cost = numpy::Square(torque);            // torque ** 2
//   const auto [sin, cos] = numpy::SinCos(theta);         // np.sin(theta), np.cos(theta)
//   const float total = numpy::Sum(squares, 8);           // np.sum(squares)
//   const double away = numpy::Norm(position.data(), 2);  // np.linalg.norm(position[:2])
//
// It holds for code that is compiled as CMake's target envpool::core says: a * b + c is rounded
// twice (-ffp-contract=off), and the sine and the cosine of one angle are two calls
// (-fno-builtin-sin -fno-builtin-cos).
#pragma once

#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <type_traits>

namespace envpool::numpy {

/// x ** 2 of a NumPy scalar: the C library's pow, which rounds 1 value in 1,200 otherwise than
/// x * x does. (`np.square` is x * x.)
template <typename Real>
Real Square(Real x) {
  // Compilers turn pow(x, 2) into x * x unless the exponent is hidden from them.
  static const volatile Real two{2};
  return std::pow(x, two);
}

/// np.sum of a contiguous array with the elements value(begin) .. value(begin + count - 1): one
/// after the other up to 7, then in 8 lanes, and of more than 128 the sums of two halves.
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

/// np.linalg.norm of a vector of fewer than 16 numbers.
inline double Norm(const double* values, int count) {
  return std::sqrt(Dot(values, values, count));
}

/// The sine and the cosine of one angle.
struct SineCosine {
  double sin;  ///< from -1 to 1
  double cos;  ///< from -1 to 1
};

namespace detail {
/// Whether sincos returns the same values as sin and cos. Before 2.36, glibc for x86-64 had no
/// sincos with fused multiply-add (its bug 29193), and one of 1,700 results has another last bit.
inline bool SincosIsBoth(std::string_view glibc) {
  const std::size_t dot = glibc.find('.');
  const auto number = [](std::string_view digits) {
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const int major = number(glibc.substr(0, dot));
  const int minor = dot == glibc.npos ? 0 : number(glibc.substr(dot + 1));
  return major > 2 || (major == 2 && minor >= 36);
}
#ifdef __GLIBC__
inline const bool kSincosIsBoth = SincosIsBoth(gnu_get_libc_version());
#endif
}  // namespace detail

/// np.sin and np.cos of a float64: the C library's. Where its sincos returns the same bits, it
/// takes 60 % of the time of two calls.
inline SineCosine SinCos(double x) {
#ifdef __GLIBC__
  if (detail::kSincosIsBoth) {
    SineCosine result;
    ::sincos(x, &result.sin, &result.cos);
    return result;
  }
#endif
  return {std::sin(x), std::cos(x)};
}

/// The sine and the cosine of one angle, as float32.
struct SineCosine32 {
  float sin;  ///< from -1 to 1
  float cos;  ///< from -1 to 1
};

/// np.sin and np.cos of a float32 of at most 117,435 either way, bit for bit those of NumPy on a
/// CPU with fused multiply-add. (On one without, NumPy calls the C library, and 1 sine in 200
/// differs in its last bit; as it does for larger angles.) The constants are those of NumPy's
/// float32 kernel: pi/2 in three parts, and minimax polynomials on (-pi/4, pi/4).
inline SineCosine32 SinCos32(float x) {
  const float quadrant = std::nearbyint(x * 0x1.45f306p-1f);  // x * 2 / pi
  float angle = std::fma(quadrant, -1.57079601287841796875f, x);
  angle = std::fma(quadrant, -3.1391647326017846353352069854736328125e-07f, angle);
  angle = std::fma(quadrant, -5.390302529957764765544681040410068817436695098876953125e-15f, angle);
  const float square = angle * angle;
  const auto horner = [square](float sum, float coefficient) {
    return std::fma(sum, square, coefficient);
  };
  const float odd =
      horner(horner(horner(0x1.7d3bbcp-19f, -0x1.a06bbap-13f), 0x1.11119ap-7f), -0x1.555556p-3f);
  const float even =
      horner(horner(horner(0x1.98e616p-16f, -0x1.6c06dcp-10f), 0x1.55553cp-5f), -0x1p-1f);
  const float sine = std::fma(odd * square, angle, angle), cosine = horner(even, 1.0f);
  switch (static_cast<int>(quadrant) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

/// ((angle + pi) % (2 * pi)) - pi with Python's %: the angle in [-pi, pi).
inline double NormalizedAngle(double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  double rest = std::fmod(angle + std::numbers::pi, kTurn);
  if (rest < 0) rest += kTurn;
  return rest - std::numbers::pi;
}

}  // namespace envpool::numpy
