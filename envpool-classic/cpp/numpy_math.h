// SPDX-License-Identifier: Apache-2.0
// NumPy's arithmetic where it differs from what a C++ compiler makes of the same formula.
// Gymnasium's environments compute with NumPy scalars; only the same roundings give the same
// trajectories.
//
//   const double torque_cost = classic::Square(torque);   // torque ** 2
//   const auto [sin, cos] = classic::SinCos(theta);       // np.sin(theta), np.cos(theta)
//
// The module must be compiled without contraction of a * b + c (-ffp-contract=off), and with the
// sine and the cosine of one angle as two calls (-fno-builtin-sin -fno-builtin-cos).
#pragma once

#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>

namespace classic {

/// x ** 2 of a NumPy scalar: the C library's pow, which rounds 1 value in 1,200 otherwise than
/// x * x does. (`np.square` is x * x.)
template <typename Real>
Real Square(Real x) {
  // Compilers turn pow(x, 2) into x * x unless the exponent is hidden from them.
  static const volatile Real two{2};
  return std::pow(x, two);
}

struct SineCosine {
  double sin, cos;
};

namespace detail {
/// Whether sincos returns what sin and cos do. Before 2.36, glibc for x86-64 had no sincos with
/// fused multiply-add (its bug 29193), and one of 1,700 results has another last bit.
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

struct SineCosine32 {
  float sin, cos;
};

/// np.sin and np.cos of a float32 in (-pi/4, pi/4), bit for bit those of NumPy on a CPU with
/// fused multiply-add. (On one without, NumPy calls the C library, and 1 sine in 200 differs in
/// its last bit.) The coefficients are the minimax polynomials' of NumPy's float32 kernel.
inline SineCosine32 SinCos32(float x) {
  const float square = x * x;
  const auto horner = [square](float sum, float coefficient) {
    return std::fma(sum, square, coefficient);
  };
  const float odd =
      horner(horner(horner(0x1.7d3bbcp-19f, -0x1.a06bbap-13f), 0x1.11119ap-7f), -0x1.555556p-3f);
  const float even =
      horner(horner(horner(0x1.98e616p-16f, -0x1.6c06dcp-10f), 0x1.55553cp-5f), -0x1p-1f);
  return {std::fma(odd * square, x, x), horner(even, 1.0f)};
}

/// ((angle + pi) % (2 * pi)) - pi with Python's %: the angle in [-pi, pi).
inline double NormalizedAngle(double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  double rest = std::fmod(angle + std::numbers::pi, kTurn);
  if (rest < 0) rest += kTurn;
  return rest - std::numbers::pi;
}

}  // namespace classic
