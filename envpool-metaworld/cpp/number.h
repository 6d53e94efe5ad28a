// SPDX-License-Identifier: Apache-2.0
// Number: a scalar of the reference's rewards, with the type in which NumPy would compute it.
//
//   Number grip = Number::Single(action[3]);    // float32
//   Number reward = 2.0 * grip;                 // float32: a Python float does not count
//   reward = reward + Number::Double(x);        // float64
//
// An action is float32 and an observation float64, and rewards mix both with Python's floats. The
// type of a result decides its rounding (NEP 50 of NumPy).
#pragma once

#include <algorithm>

namespace envpool::metaworld {

class Number {
 public:
  /// A float of Python.
  Number(double value) : Number(value, Kind::kPython) {}
  /// np.float32.
  static Number Single(float value) { return {static_cast<double>(value), Kind::kSingle}; }
  /// np.float64.
  static Number Double(double value) { return {value, Kind::kDouble}; }

  double value() const { return value_; }

  friend Number operator+(Number a, Number b) {
    return Rounded(a, b, [](double x, double y) { return x + y; });
  }
  friend Number operator-(Number a, Number b) {
    return Rounded(a, b, [](double x, double y) { return x - y; });
  }
  friend Number operator*(Number a, Number b) {
    return Rounded(a, b, [](double x, double y) { return x * y; });
  }
  friend Number operator/(Number a, Number b) {
    return Rounded(a, b, [](double x, double y) { return x / y; });
  }
  friend bool operator>(Number a, Number b) { return As(a, b) > As(b, a); }
  friend bool operator>=(Number a, Number b) { return As(a, b) >= As(b, a); }

 private:
  enum class Kind : unsigned char { kPython, kSingle, kDouble };
  Number(double value, Kind kind) : value_(value), kind_(kind) {}

  // The value of `a` in an operation with `b`.
  static double As(Number a, Number b) {
    const bool single = std::max(a.kind_, b.kind_) == Kind::kSingle;
    return single ? static_cast<double>(static_cast<float>(a.value_)) : a.value_;
  }
  // The double result of two floats, rounded once more, equals the float result.
  template <typename Operation>
  static Number Rounded(Number a, Number b, Operation operation) {
    const Kind kind = std::max(a.kind_, b.kind_);
    const double result = operation(As(a, b), As(b, a));
    if (kind != Kind::kSingle) return {result, kind};
    return {static_cast<double>(static_cast<float>(result)), kind};
  }

  double value_;
  Kind kind_;
};

}  // namespace envpool::metaworld
