// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic with about 105 significant bits, as an unevaluated sum of two doubles (Dekker 1971).
// The ziggurat tables need it: computed in plain doubles with the platform's exp() and log(), their
// last bits would depend on the C library.
//
//   const double correctly_rounded_log = Log({x, 0.0}).high;
#pragma once

#include <cmath>

namespace envpool::detail {

// The value is high + low, and `high` is that value rounded to double.
struct DoubleDouble {
  double high;
  double low;
};

// Requires |high| >= |low|.
inline DoubleDouble Normalize(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const double sum = a.high + b.high;
  const double b_part = sum - a.high;
  const double error = (a.high - (sum - b_part)) + (b.high - b_part);
  return Normalize(sum, error + a.low + b.low);
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const double product = a.high * b.high;
  const double error = std::fma(a.high, b.high, -product);
  return Normalize(product, error + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a + -(b * DoubleDouble{first, 0.0});
  const double second = rest.high / b.high;
  const DoubleDouble rest2 = rest + -(b * DoubleDouble{second, 0.0});
  return Normalize(first, second) + DoubleDouble{rest2.high / b.high, 0.0};
}

// Multiplies by 2^exponent, exactly.
inline DoubleDouble Scale(DoubleDouble a, int exponent) {
  return {std::ldexp(a.high, exponent), std::ldexp(a.low, exponent)};
}

inline DoubleDouble Exp(DoubleDouble x) {
  constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  constexpr int kHalvings = 8;  // |argument| < 0.0014, where 11 Taylor terms reach 2^-120
  constexpr int kTerms = 11;
  const double power = std::nearbyint(x.high / kLn2.high);
  const DoubleDouble argument = Scale(x + -(kLn2 * DoubleDouble{power, 0.0}), -kHalvings);
  DoubleDouble result{1.0, 0.0};
  for (int term = kTerms; term > 0; --term) {
    const DoubleDouble divisor{static_cast<double>(term), 0.0};
    result = DoubleDouble{1.0, 0.0} + argument * result / divisor;
  }
  for (int i = 0; i < kHalvings; ++i) {
    result = result * result;
  }
  return Scale(result, static_cast<int>(power));
}

// One Newton step from the library's log() doubles its correct bits.
inline DoubleDouble Log(DoubleDouble x) {
  const DoubleDouble guess{std::log(x.high), 0.0};
  const DoubleDouble excess = x * Exp(-guess) + DoubleDouble{-1.0, 0.0};
  return guess + excess;
}

}  // namespace envpool::detail
