// SPDX-License-Identifier: Apache-2.0
// Random poses: dm_control.suite.utils.randomizers.
//
// RandomizeJoints(physics);        // within limits; joints without limits by any angle
//   auto turn = RandomRotation(physics.random());
#pragma once

#include <algorithm>
#include <array>
#include <numbers>

#include "dm_control/physics.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

/// A uniformly distributed rotation: randn(4), normalized.
inline std::array<double, 4> RandomRotation(envpool::NumpyLegacyRandom& random) {
  std::array<double, 4> rotation;
  for (double& x : rotation) x = random.Randn();
  Normalize(rotation);
  return rotation;
}

namespace detail {
/// A rotation around a random axis, by an angle below `limit`.
inline void SmallRotation(envpool::NumpyLegacyRandom& random, double limit, mjtNum* out) {
  Vec3 axis;
  for (double& x : axis) x = random.Randn();
  Normalize(axis);
  mju_axisAngle2Quat(out, axis.data(), random.Random() * limit);
}
}  // namespace detail

/// randomize_limited_and_rotational_joints. A free joint keeps its position; its rotation is one of
/// a sixteenth of all rotations, as in dm_control.
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

/// Repeats RandomizeJoints until no geoms touch.
inline void RandomizeJointsWithoutContact(Physics& physics) {
  do {
    RandomizeJoints(physics);
  } while (physics.Touches());
}

}  // namespace envpool::mujoco
