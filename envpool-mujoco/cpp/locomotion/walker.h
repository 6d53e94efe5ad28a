// SPDX-License-Identifier: Apache-2.0
// Walker: the body of a locomotion task, and what it feels. WalkerObservables of
// dm_control.locomotion.walkers.legacy_base, cmu_humanoid and rodent.
//
//   Walker walker(model, kCmuHumanoid);
//   Layout layout = walker.Observations();         // "walker.joints_pos", ...
//   out = walker.Observe(physics, out);
//   walker.Stand(physics);                         // UprightInitializer
//
// Everything of the body is named "walker/..." in the model.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "dm_control/physics.h"
#include "dm_control/task.h"

namespace envpool::mujoco {

/// The names of a walker's bodies, and its standing pose.
struct WalkerAnatomy {
  const char* root;
  const char* head;
  std::array<const char*, 4> end_effectors;
  std::vector<const char*> feet;  // may touch the ground, with all that hangs on them
  double height;                  // of the root's frame, where it stands
  std::array<double, 4> upright;  // its rotation there, of any length
  bool tendons;                   // whether they are observed
  bool touch;                     // whether touch is
};

/// CMUHumanoidPositionControlled, version 2019.
extern const WalkerAnatomy kCmuHumanoid;
/// Rat.
extern const WalkerAnatomy kRodent;

class Walker {
 public:
  Walker(const mjModel& model, const WalkerAnatomy& anatomy);

  /// The observations of a body without a camera, in dm_control's order.
  Layout Observations() const;
  double* Observe(const Physics& physics, double* out) const;

  /// reinitialize_pose: upright at the origin, every joint as the model has it, at rest.
  void Stand(Physics& physics) const;
  /// shift_pose, without a rotation.
  void Shift(Physics& physics, double x, double y, double z) const;
  /// shift_pose, by a rotation around the vertical alone. The walker is at rest.
  void Turn(Physics& physics, double angle) const;

  /// The places of what hangs on the body, in its own frame: global_vector_to_local_frame.
  int root() const { return root_; }
  /// Whether this geom is of the walker and none of its feet.
  bool IsNoFoot(int geom) const { return no_foot_[static_cast<std::size_t>(geom)] != 0; }
  /// Whether an end effector is lower than `height`.
  bool IsBelow(const Physics& physics, double height) const {
    return std::any_of(limbs_.begin(), limbs_.end() - 1,
                       [&](int body) { return physics.xpos(body)[kZ] < height; });
  }
  /// Whether a geom that is no foot touches one for which `ground` is true.
  template <typename Ground>
  bool Falls(const Physics& physics, const Ground& ground) const {
    for (int i = 0; i < physics.data().ncon; ++i) {
      const mjContact& contact = physics.data().contact[i];
      const int a = contact.geom[0], b = contact.geom[1];
      if (a < 0 || b < 0) continue;  // of a flex
      if ((IsNoFoot(a) && ground(b)) || (ground(a) && IsNoFoot(b))) return true;
    }
    return false;
  }

 private:
  struct Sensors {
    int address, count;
  };
  Sensors SensorsOf(const mjModel& model, mjtSensor type) const;

  const WalkerAnatomy& anatomy_;
  int root_, free_qpos_, free_qvel_;
  int activations_ = 0, tendons_ = 0;
  std::vector<int> limbs_;          // bodies: end effectors, and the head
  std::vector<int> joints_;         // of actuators, in their order
  std::vector<int> qpos_, qvel_;    // of these
  std::vector<int> end_effectors_;  // sensors' addresses
  Sensors accelerometer_, force_, gyro_, torque_, touch_, velocimeter_;
  std::vector<signed char> no_foot_;  // by geom
};

}  // namespace envpool::mujoco
