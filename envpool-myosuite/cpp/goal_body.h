// SPDX-License-Identifier: Apache-2.0
// An object, and its desired position and orientation: two sites of a model.
//
//   const GoalBody goal(model, "target_o", "object_o");
//   out = goal.Write(data, offset, out);   // 18 numbers
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>

#include "envpool_mujoco/names.h"
#include "envpool_mujoco/rotations.h"

namespace envpool::myosuite {

struct GoalBody {
  GoalBody(const mjModel& model, const char* goal, const char* thing)
      : target(mujoco::SiteOf(model, goal)), object(mujoco::SiteOf(model, thing)) {}

  /// Writes the positions of the object and its goal, the vector to the goal minus `offset`, both
  /// orientations as Euler angles, and their difference; returns the end.
  double* Write(const mjData& data, const double* offset, double* out) const {
    const double *const at = data.site_xpos + 3 * object, *const goal = data.site_xpos + 3 * target;
    out = std::copy_n(at, 3, out);
    out = std::copy_n(goal, 3, out);
    for (int i = 0; i < 3; ++i) *out++ = goal[i] - at[i] - offset[i];
    const mujoco::Euler turn = TurnOf(data, object), wanted = TurnOf(data, target);
    out = std::copy(turn.begin(), turn.end(), out);
    out = std::copy(wanted.begin(), wanted.end(), out);
    for (std::size_t i = 0; i < 3; ++i) *out++ = wanted[i] - turn[i];
    return out;
  }

  const int target, object;

 private:
  static mujoco::Euler TurnOf(const mjData& data, int site) {
    mujoco::Matrix3 matrix;
    std::copy_n(data.site_xmat + 9 * site, 9, matrix.begin());
    return mujoco::EulerOf(matrix);
  }
};

}  // namespace envpool::myosuite
