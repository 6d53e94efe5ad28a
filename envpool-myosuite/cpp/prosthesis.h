// SPDX-License-Identifier: Apache-2.0
// The controller of a leg whose knee and ankle are motors: four states of a gait cycle, in each of
// which both joints are springs. OSLController of myosuite 2.12.2, after the Open Source Leg.
//
//   Prosthesis leg(model);
//   leg.Begin(Prosthesis::State::kEarlyStance);
//   leg.Control(model, data, load, data.ctrl);
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>
#include <string>

#include "envpool/numpy_math.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/names.h"

namespace envpool::myosuite {

class Prosthesis {
 public:
  enum class State : int { kEarlyStance, kLateStance, kEarlySwing, kLateSwing };

  explicit Prosthesis(const mjModel& model)
      : joints_{JointOf(model, "knee", 142.272), JointOf(model, "ankle", 168.192)} {
    Weigh(model);
  }

  /// Call it when masses have changed.
  void Weigh(const mjModel& model) {
    weight_ = numpy::Sum(model.body_mass, static_cast<int>(model.nbody)) * 9.81;
  }

  void Begin(State state) { state_ = state; }
  /// Goes to the next state if its condition holds, then writes both motors' controls. `load`: on
  /// the leg, in N.
  void Control(const mjModel& model, const mjData& data, double load, mjtNum* ctrl) {
    Joint &knee = joints_[0], &ankle = joints_[1];
    if (IsOver(load, data.qpos[knee.place], data.qvel[knee.speed], data.qpos[ankle.place])) {
      state_ = static_cast<State>((static_cast<int>(state_) + 1) % 4);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Joint& joint = joints_[i];
      const Spring& spring = kSprings[static_cast<std::size_t>(state_)][i];
      const double pull = spring.stiffness * (spring.angle - data.qpos[joint.place]) -
                          spring.damping * data.qvel[joint.speed];
      const double torque = std::min(std::max(pull, -1 * joint.peak), joint.peak);
      const double low = model.actuator_ctrlrange[2 * joint.motor];
      const double high = model.actuator_ctrlrange[2 * joint.motor + 1];
      const double control =
          std::min(std::max(torque / model.actuator_gear[6 * joint.motor], low), high);
      // The motors take the share of their range as their control, as in the reference.
      ctrl[joint.motor] = (control - (low + high) / 2.0) / ((high - low) / 2.0);
    }
  }
  void SaveState(StateWriter& out) const { out.Write(state_); }
  void LoadState(StateReader& in) { in.Read(state_); }

 private:
  static constexpr double kDegree = std::numbers::pi / 180.0;
  struct Joint {
    int motor, place, speed;
    double peak;  // in Nm
  };
  struct Spring {
    double stiffness, damping, angle;  // in Nm/rad, Nms/rad and rad
  };
  static constexpr Spring kSprings[4][2] = {
      {{99.372, 3.180, 5 * kDegree}, {19.874, 0, -2 * kDegree}},
      {{99.372, 1.272, 8 * kDegree}, {79.498, 0.063, -20 * kDegree}},
      {{39.749, 0.063, 60 * kDegree}, {7.949, 0, 25 * kDegree}},
      {{15.899, 3.816, 5 * kDegree}, {7.949, 0, 15 * kDegree}},
  };

  bool IsOver(double load, double knee, double knee_speed, double ankle) const {
    switch (state_) {
      case State::kEarlyStance:
        return load > 0.25 * weight_ || ankle > 6 * kDegree;
      case State::kLateStance:
        return load < 0.15 * weight_;
      case State::kEarlySwing:
        return knee > 50 * kDegree || knee_speed < 3 * kDegree;
      case State::kLateSwing:
        return load > 0.4 * weight_ || knee < 30 * kDegree;
    }
    return false;
  }
  static Joint JointOf(const mjModel& model, const std::string& name, double peak) {
    const std::string joint = "osl_" + name + "_angle_r";
    return {mujoco::ActuatorOf(model, "osl_" + name + "_torque_actuator"),
            mujoco::PlaceOf(model, joint), mujoco::VelocityOf(model, joint), peak};
  }

  double weight_ = 0;  // total weight in N
  std::array<Joint, 2> joints_;
  State state_ = State::kEarlyStance;
};

}  // namespace envpool::myosuite
