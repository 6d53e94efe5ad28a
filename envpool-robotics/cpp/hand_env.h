// SPDX-License-Identifier: Apache-2.0
// The Shadow hand: 24 joints, 20 actuators. The shared part of its tasks; MujocoHandEnv of
// gymnasium_robotics.
#pragma once

#include <string>
#include <vector>

#include "robot_env.h"

namespace envpool::robotics {

/// The model's joints that belong to the robot, which their names' prefix tells.
inline std::vector<int> RobotJoints(const mjModel& model) {
  std::vector<int> joints;
  for (int joint = 0; joint < model.njnt; ++joint) {
    const char* name = mj_id2name(&model, mjOBJ_JOINT, joint);
    if (name != nullptr && std::string(name).rfind("robot", 0) == 0) joints.push_back(joint);
  }
  return joints;
}

template <typename Description>
class HandEnv : public GoalEnv<Description> {
 public:
  using Base = GoalEnv<Description>;
  using typename Base::Action;
  using typename Base::Spec;

 protected:
  static constexpr int kActuators = 20, kJoints = 24;

  HandEnv(const Spec& spec, int env_id)
      : Base(spec, env_id, TaskModel(spec.config)), joints_(RobotJoints(this->model())) {
    const mjModel& model = this->model();
    if (model.nu == kActuators && joints_.size() == kJoints) return;
    throw OptionError("xml_file",
                      "a model with " + std::to_string(model.nu) + " actuators and " +
                          std::to_string(joints_.size()) + " joints that are named 'robot...'",
                      "the Shadow hand, with 20 and 24", "pass a model of this hand");
  }

  /// Sets the controls: -1 to 1 is the range of each actuator.
  void Control(const float* action) {
    for (int i = 0; i < kActuators; ++i) {
      const double low = this->model().actuator_ctrlrange[2 * i];
      const double high = this->model().actuator_ctrlrange[2 * i + 1];
      const double value = action == nullptr ? 0.0 : std::clamp(action[i], -1.0f, 1.0f);
      const double wanted = (high + low) / 2.0 + value * ((high - low) / 2.0);
      this->data().ctrl[i] = std::clamp(wanted, low, high);
    }
  }
  /// robot_get_obs: positions of the robot's joints, then their velocities.
  double* ObserveRobot(double* out) const {
    const mjModel& model = this->model();
    for (const int joint : joints_) *out++ = this->data().qpos[model.jnt_qposadr[joint]];
    for (const int joint : joints_) *out++ = this->data().qvel[model.jnt_dofadr[joint]];
    return out;
  }
  CameraConfig Camera() const override {
    return {.distance = 0.5, .lookat = {{1, 0.96, 0.14}}, .azimuth = 55, .elevation = -25};
  }

 private:
  const std::vector<int> joints_;
};

}  // namespace envpool::robotics
