// SPDX-License-Identifier: Apache-2.0
// Arm: the arm in a plane, with a hand of two fingers, of the domains manipulator and stacker.
//
//   class Stack final : public Arm { ... };
//   do {
//     RandomizeArm(physics);
//     ...
//   } while (physics.Touches());
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "dm_control/task.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

class Arm : public Task {
 public:
  Simulation::Sensors sensors() const final { return Simulation::Sensors::kAll; }

 protected:
  explicit Arm(const mjModel& model) : Task(model), hand_(Names(model).body("hand")) {
    const Names names(model);
    for (const char* name : {"arm_root", "arm_shoulder", "arm_elbow", "arm_wrist", "finger",
                             "fingertip", "thumb", "thumbtip"}) {
      joints_.push_back(names.joint(name));
    }
    for (const char* name :
         {"palm_touch", "finger_touch", "thumb_touch", "fingertip_touch", "thumbtip_touch"}) {
      touch_.push_back(names.sensor(name));
    }
    finger_ = names.qpos("finger");
    thumb_ = names.qpos("thumb");
  }

  static Layout ArmLayout() {
    return {{"arm_pos", {8, 2}}, {"arm_vel", {8}}, {"touch", {5}}, {"hand_pos", {4}}};
  }

  /// Draws any angles, with equal angles for both halves of the hand.
  void RandomizeArm(Physics& physics) const {
    const mjModel& model = physics.model();
    mjtNum* qpos = physics.data().qpos;
    for (const int joint : joints_) {
      const bool limited = model.jnt_limited[joint] != 0;
      const double low = limited ? model.jnt_range[2 * joint] : -std::numbers::pi;
      const double high = limited ? model.jnt_range[2 * joint + 1] : std::numbers::pi;
      qpos[model.jnt_qposadr[joint]] = physics.random().Uniform(low, high);
    }
    qpos[finger_] = qpos[thumb_];
  }

  double* ObserveArm(const Physics& physics, double* out) const {
    const mjModel& model = physics.model();
    for (const int joint : joints_) {
      const double angle = physics.data().qpos[model.jnt_qposadr[joint]];
      *out++ = std::sin(angle);
      *out++ = std::cos(angle);
    }
    for (const int joint : joints_) *out++ = physics.data().qvel[model.jnt_dofadr[joint]];
    out = LogOfTouch(physics, touch_, out);
    return ObservePose(physics, hand_, out);
  }
  /// Position and orientation in the plane.
  static double* ObservePose(const Physics& physics, int body, double* out) {
    const mjtNum* quat = physics.data().xquat + 4 * body;
    out = ObservePlace(physics, body, out);
    *out++ = quat[0];
    *out++ = quat[2];
    return out;
  }
  static double* ObservePlace(const Physics& physics, int body, double* out) {
    *out++ = physics.xpos(body)[kX];
    *out++ = physics.xpos(body)[kZ];
    return out;
  }
  static double SiteDistance(const Physics& physics, int a, int b) {
    return Distance(physics.site_xpos(a), physics.site_xpos(b));
  }

 private:
  const int hand_;
  int finger_, thumb_;  // indices in qpos
  std::vector<int> joints_, touch_;
};

}  // namespace envpool::mujoco
