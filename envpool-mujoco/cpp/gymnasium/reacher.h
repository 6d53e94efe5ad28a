// SPDX-License-Identifier: Apache-2.0
// Reacher: reach a random point with an arm of two links. Gymnasium's Reacher-v5 and -v4; version 4
// rewards the state before the action.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct ReacherSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("reacher.xml", 2) +
           envpool::Dict{"reward_dist_weight"_ = 1.0, "reward_control_weight"_ = 1.0};
  }
  static auto StateSpec(const auto& config) {
    const int size = TaskSizes(config, {.positions = 4, .velocities = 2}).nq + 4 +
                     (config["version"_] >= 5 ? 2 : 3);
    return GymnasiumState(config, size, Scalars({"reward_dist", "reward_ctrl"}));
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Reacher final : public GymnasiumEnv<ReacherSpec> {
 public:
  Reacher(const Spec& spec, int env_id)
      : GymnasiumEnv(spec, env_id), fingertip_(BodyOf("fingertip")), target_(BodyOf("target")) {}

 private:
  struct Vector {
    double values[3];
  };

  void Start() override {
    constexpr double kNoise = 0.1, kReach = 0.2, kVelocityNoise = 0.005;
    for (int i = 0; i < nq(); ++i) {
      data().qpos[i] = gen_.Uniform(-kNoise, kNoise) + initial_qpos()[i];
    }
    double goal[2];
    do {
      for (double& x : goal) x = gen_.Uniform(-kReach, kReach);
    } while (!(numpy::Norm(goal, 2) < kReach));
    std::copy_n(goal, 2, data().qpos + nq() - 2);
    DrawUniformVelocities(kVelocityNoise);
    std::fill_n(data().qvel + nv() - 2, 2, 0.0);
  }

  double Advance() override {
    const double before = distance_;
    Simulate();
    reward_dist_ = -(version() >= 5 ? distance_ : before) * spec_.config["reward_dist_weight"_];
    reward_ctrl_ = -SquaredAction() * static_cast<float>(spec_.config["reward_control_weight"_]);
    return reward_dist_ + reward_ctrl_;
  }

  void Measure() override { distance_ = numpy::Norm(ToTarget().values, 3); }
  Vector ToTarget() const {
    const double* tip = data().xpos + 3 * fingertip_;
    const double* target = data().xpos + 3 * target_;
    return {{tip[0] - target[0], tip[1] - target[1], tip[2] - target[2]}};
  }

  double* Observe(double* out) const override {
    const double* qpos = data().qpos;
    for (int i = 0; i < 2; ++i) *out++ = std::cos(qpos[i]);
    for (int i = 0; i < 2; ++i) *out++ = std::sin(qpos[i]);
    out = Copy(qpos + 2, nq() - 2, out);
    out = Copy(data().qvel, 2, out);
    return Copy(ToTarget().values, version() >= 5 ? 2 : 3, out);
  }

  void Tell(const Infos& info, bool first) const override {
    if (first) return;
    info["reward_dist"] = reward_dist_;
    info["reward_ctrl"] = reward_ctrl_;
  }

  const int fingertip_, target_;
  double distance_ = 0, reward_dist_ = 0;
  float reward_ctrl_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
