// SPDX-License-Identifier: Apache-2.0
// Random poses: dm_control.suite.utils.randomizers.
//
//   RandomizeJoints(physics);        // within their limits; rotations without limits all around
//   auto turn = RandomRotation(physics.random());
#pragma once

#include <algorithm>
#include <array>
#include <numbers>

#include "dm_control/physics.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

/// A rotation, uniform over all: randn(4), normalized.
inline std::array<double, 4> RandomRotation(envpool::NumpyLegacyRandom& random) {
  std::array<double, 4> rotation;
  for (double& x : rotation) x = random.Randn();
  Normalize(rotation);
  return rotation;
}

namespace detail {
/// Around a random axis, by an angle below `limit`.
inline void SmallRotation(envpool::NumpyLegacyRandom& random, double limit, mjtNum* out) {
  Vec3 axis;
  for (double& x : axis) x = random.Randn();
  Normalize(axis);
  mju_axisAngle2Quat(out, axis.data(), random.Random() * limit);
}
}  // namespace detail

/// randomize_limited_and_rotational_joints. Where a free joint is stays, and which way it points is
/// of one sixteenth of all rotations, as it is there.
inline void RandomizeJoints(Physics& physics) {
  envpool::NumpyLegacyRandom& random = physics.random();
  const mjModel& model = physics.model();
  for (int joint = 0; joint < model.njnt; ++joint) {
    mjtNum* qpos = physics.data().qpos + model.jnt_qposadr[joint];
    const mjtNum* range = model.jnt_range + 2 * joint;
    const int type = model.jnt_type[joint];
    const bool limited = model.jnt_limited[joint] != 0;
    if (limited && (type == mjJNT_HINGE || type == mjJNT_SLIDE)) {
      *qpos = random.Uniform(range[0], range[1]);
    } else if (limited && type == mjJNT_BALL) {
      detail::SmallRotation(random, range[1], qpos);
    } else if (!limited && type == mjJNT_HINGE) {
      *qpos = random.Uniform(-std::numbers::pi, std::numbers::pi);
    } else if (!limited && type == mjJNT_BALL) {
      std::ranges::copy(RandomRotation(random), qpos);
    } else if (!limited && type == mjJNT_FREE) {
      std::array<double, 4> rotation;
      for (double& x : rotation) x = random.Random();
      Normalize(rotation);
      std::ranges::copy(rotation, qpos + 3);
    }
  }
}

/// The same until nothing touches.
inline void RandomizeJointsWithoutContact(Physics& physics) {
  do {
    RandomizeJoints(physics);
  } while (physics.Touches());
}

}  // namespace envpool::mujoco
