// SPDX-License-Identifier: Apache-2.0
// Vec: a point or a direction in the plane, x to the right and y up, in metres.
//
//   Vec ahead = Direction(heading);
//   double speed = Dot(velocity, ahead);
#pragma once

#include <cmath>

namespace meadow {

struct Vec {
  double x = 0, y = 0;

  Vec& operator+=(Vec v) { return *this = {x + v.x, y + v.y}; }
  Vec& operator-=(Vec v) { return *this = {x - v.x, y - v.y}; }
};

constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec operator*(double s, Vec v) { return {s * v.x, s * v.y}; }
constexpr double Dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
/// The third component of the cross product: positive if b is to the left of a.
constexpr double Cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
inline double Length(Vec v) { return std::sqrt(Dot(v, v)); }
/// The unit vector at `angle`, in radians counter-clockwise from the x axis.
inline Vec Direction(double angle) { return {std::cos(angle), std::sin(angle)}; }
/// A quarter turn to the left.
constexpr Vec Left(Vec v) { return {-v.y, v.x}; }

}  // namespace meadow
