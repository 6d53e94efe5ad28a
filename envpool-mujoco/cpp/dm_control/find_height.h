// SPDX-License-Identifier: Apache-2.0
// FindHeight: _find_non_contacting_height of dm_control.suite.quadruped and
// dm_control.locomotion.tasks.escape.
//
//   FindHeight(physics, root, RandomRotation(physics.random()));   // `root` is an index in qpos
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "dm_control/physics.h"

namespace envpool::mujoco {

/// Puts a free body at the lowest height without a contact. Computes positions and contacts only.
inline void FindHeight(Physics& physics, int root, const std::array<double, 4>& rotation,
                       double x = 0, double y = 0) {
  constexpr int kAttempts = 10000;
  mjtNum* pose = physics.data().qpos + root;
  pose[kX] = x;
  pose[kY] = y;
  std::ranges::copy(rotation, pose + 3);
  double z = 0;
  for (int i = 0; i < kAttempts; ++i) {
    pose[kZ] = z;
    try {
      if (!physics.Touches()) return;
    } catch (const PhysicsError&) {
      // Deep in the ground there may be more contacts than MuJoCo has memory for.
    }
    z += 0.01;
  }
  throw std::runtime_error("no height without contact was found in 10000 attempts");
}

}  // namespace envpool::mujoco
