// SPDX-License-Identifier: Apache-2.0
// np.exp of float32, rounded like NumPy's loops for AVX2 and AVX-512: a quotient of polynomials,
// which differs from the correctly rounded value in two of five cases.
#pragma once

#include <cmath>
#include <limits>

namespace envpool::myosuite {

/// np.exp(x) of an element of an array.
inline float FloatExp(float x) {
  if (std::isnan(x)) return x;
  if (x > 88.72283935546875f) return std::numeric_limits<float>::infinity();
  if (x < -103.97208404541015625f) return 0.0f;
  constexpr float kToInteger = 12582912.0f;  // 1.5 * 2**23: adding it rounds to an integer
  const float shifted = x * 1.442695040888963407359924681001892137f + kToInteger;
  const float power = shifted - kToInteger;
  // ln 2 in two parts.
  const float rest = std::fma(power, -1.42860677e-6f, std::fma(power, -6.93145752e-1f, x));
  constexpr float kOver[] = {5.082762527590693718096e-04f, 6.757896990527504603057e-03f,
                             5.114512081637298353406e-02f, 2.473615434895520810817e-01f,
                             7.257664613233124478488e-01f, 9.999999999980870924916e-01f};
  constexpr float kUnder[] = {2.159509375685829852307e-02f, -2.742335390411667452936e-01f, 1.0f};
  float over = kOver[0], under = kUnder[0];
  for (int i = 1; i < 6; ++i) over = std::fma(over, rest, kOver[i]);
  for (int i = 1; i < 3; ++i) under = std::fma(under, rest, kUnder[i]);
  return std::ldexp(over / under, static_cast<int>(power));
}

}  // namespace envpool::myosuite
