// SPDX-License-Identifier: Apache-2.0
// Pusher: push a cylinder to a goal with an arm. Gymnasium's Pusher-v5 and -v4, which have
// different models; version 4 rewards the state before the action.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct PusherSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("pusher_v5.xml", 5) + envpool::Dict{"reward_near_weight"_ = 0.5,
                                                                "reward_dist_weight"_ = 1.0,
                                                                "reward_control_weight"_ = 0.1};
  }
  static auto StateSpec(const auto& config) {
    TaskSizes(config, {.positions = kJoints, .velocities = kJoints});
    InfoNames names = Scalars({"reward_dist", "reward_ctrl"});
    if (config["version"_] >= 5) names.push_back({"reward_near", {}});
    return GymnasiumState(config, 2 * kJoints + 9, names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }

  static constexpr int kJoints = 7;  // number of the arm's joints
};

class Pusher final : public GymnasiumEnv<PusherSpec> {
 public:
  Pusher(const Spec& spec, int env_id)
      : GymnasiumEnv(spec, env_id),
        tip_(BodyOf("tips_arm")),
        object_(BodyOf("object")),
        goal_(BodyOf("goal")) {}

 private:
  CameraConfig Camera() const override { return {.distance = 4.0}; }

  void Start() override {
    constexpr double kNear = 0.17, kVelocityNoise = 0.005;
    std::copy_n(initial_qpos(), nq(), data().qpos);
    double cylinder[2];
    do {
      cylinder[0] = gen_.Uniform(-0.3, 0);
      cylinder[1] = gen_.Uniform(-0.2, 0.2);
    } while (!(numpy::Norm(cylinder, 2) > kNear));
    std::copy_n(cylinder, 2, data().qpos + nq() - 4);
    std::fill_n(data().qpos + nq() - 2, 2, 0.0);  // the goal
    DrawUniformVelocities(kVelocityNoise);
    std::fill_n(data().qvel + nv() - 4, 4, 0.0);
  }

  double Advance() override {
    const auto& config = spec_.config;
    const bool new_rules = version() >= 5;
    double to_tip = to_tip_, to_goal = to_goal_;
    Simulate();
    if (new_rules) {
      to_tip = to_tip_;
      to_goal = to_goal_;
    }
    const float squares = -SquaredAction();
    const auto weight = static_cast<float>(config["reward_control_weight"_]);
    if (!new_rules) {  // the old infos have no weights
      reward_dist_ = -to_goal;
      reward_ctrl_ = squares;
      return config["reward_dist_weight"_] * reward_dist_ + weight * squares +
             config["reward_near_weight"_] * -to_tip;
    }
    reward_near_ = -to_tip * config["reward_near_weight"_];
    reward_dist_ = -to_goal * config["reward_dist_weight"_];
    reward_ctrl_ = squares * weight;
    return reward_dist_ + reward_ctrl_ + reward_near_;
  }

  void Measure() override {
    to_tip_ = Distance(object_, tip_);
    to_goal_ = Distance(object_, goal_);
  }
  double Distance(int a, int b) const {
    const double *from = data().xpos + 3 * a, *to = data().xpos + 3 * b;
    const double vector[] = {from[0] - to[0], from[1] - to[1], from[2] - to[2]};
    return numpy::Norm(vector, 3);
  }

  double* Observe(double* out) const override {
    out = Copy(data().qpos, PusherSpec::kJoints, out);
    out = Copy(data().qvel, PusherSpec::kJoints, out);
    for (const int body : {tip_, object_, goal_}) out = Copy(data().xpos + 3 * body, 3, out);
    return out;
  }

  void Tell(const Infos& info, bool first) const override {
    if (first) return;
    info["reward_dist"] = reward_dist_;
    info["reward_ctrl"] = reward_ctrl_;
    if (version() >= 5) info["reward_near"] = reward_near_;
  }

  const int tip_, object_, goal_;
  double to_tip_ = 0, to_goal_ = 0, reward_near_ = 0, reward_dist_ = 0;
  float reward_ctrl_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
