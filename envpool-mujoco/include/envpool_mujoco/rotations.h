// SPDX-License-Identifier: Apache-2.0
// Quaternions (w, x, y, z), Euler angles and matrices as in gymnasium_robotics.utils.rotations, in
// its order of roundings.
//
//   Quaternion turn = TurnAbout(angle, {0, 0, 1});
//   Euler euler = EulerOf(Times(start, turn));
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "envpool/numpy_math.h"

namespace envpool::mujoco {

using Quaternion = std::array<double, 4>;
using Euler = std::array<double, 3>;
using Matrix3 = std::array<double, 9>;  // row by row

/// q / np.linalg.norm(q).
template <std::size_t N>
std::array<double, N> Normalized(std::array<double, N> q) {
  const double norm = numpy::Norm(q.data(), static_cast<int>(N));
  for (double& x : q) x /= norm;
  return q;
}

/// quat_mul.
inline Quaternion Times(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

/// quat_conjugate.
inline Quaternion Conjugate(const Quaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }

/// quat_from_angle_and_axis of the hand's tasks.
inline Quaternion TurnAbout(double angle, const Euler& axis) {
  const Euler unit = Normalized(axis);
  const double half = angle / 2.0, sine = std::sin(half);
  return Normalized(Quaternion{std::cos(half), sine * unit[0], sine * unit[1], sine * unit[2]});
}

/// mat2euler.
inline Euler EulerOf(const Matrix3& m) {
  const double cy = std::sqrt(m[8] * m[8] + m[5] * m[5]);
  const bool regular = cy > 4 * std::numeric_limits<double>::epsilon();
  return {regular ? -std::atan2(m[5], m[8]) : 0.0, -std::atan2(-m[2], cy),
          regular ? -std::atan2(m[1], m[0]) : -std::atan2(-m[3], m[4])};
}

/// quat2mat.
inline Matrix3 MatrixOf(const Quaternion& q) {
  const double norm = numpy::SumOfSquares(q.data(), 4);
  if (!(norm > std::numeric_limits<double>::epsilon())) return {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double s = 2.0 / norm, w = q[0], x = q[1], y = q[2], z = q[3];
  const double X = x * s, Y = y * s, Z = z * s;
  const double wX = w * X, wY = w * Y, wZ = w * Z;
  const double xX = x * X, xY = x * Y, xZ = x * Z;
  const double yY = y * Y, yZ = y * Z, zZ = z * Z;
  return {1.0 - (yY + zZ), xY - wZ, xZ + wY, xY + wZ,        1.0 - (xX + zZ),
          yZ - wX,         xZ - wY, yZ + wX, 1.0 - (xX + yY)};
}

/// euler2mat.
inline Matrix3 MatrixOf(const Euler& euler) {
  const double ai = -euler[2], aj = -euler[1], ak = -euler[0];
  const double si = std::sin(ai), sj = std::sin(aj), sk = std::sin(ak);
  const double ci = std::cos(ai), cj = std::cos(aj), ck = std::cos(ak);
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
  return {cj * ci,      cj * si,      -sj,      //
          sj * cs - sc, sj * ss + cc, cj * sk,  //
          sj * cc + ss, sj * sc - cs, cj * ck};
}

/// quat2euler.
inline Euler EulerOf(const Quaternion& q) { return EulerOf(MatrixOf(q)); }

/// euler2quat.
inline Quaternion QuaternionOf(const Euler& euler) {
  const double ai = euler[2] / 2, aj = -euler[1] / 2, ak = euler[0] / 2;
  const double si = std::sin(ai), sj = std::sin(aj), sk = std::sin(ak);
  const double ci = std::cos(ai), cj = std::cos(aj), ck = std::cos(ak);
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
  return {cj * cc + sj * ss, cj * cs - sj * sc, -(cj * ss + sj * cc), cj * sc - sj * cs};
}

}  // namespace envpool::mujoco
