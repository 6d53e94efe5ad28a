// SPDX-License-Identifier: Apache-2.0
// HalfCheetah: run forward on two legs, in a plane. Gymnasium's HalfCheetah-v5 and -v4.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct HalfCheetahSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("half_cheetah.xml", 5) +
           envpool::Dict{"forward_reward_weight"_ = 1.0, "ctrl_cost_weight"_ = 0.1,
                         "reset_noise_scale"_ = 0.1,
                         "exclude_current_positions_from_observation"_ = true};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 1});
    const int size =
        sizes.nq + sizes.nv - (config["exclude_current_positions_from_observation"_] ? 1 : 0);
    const char* run = config["version"_] >= 5 ? "reward_forward" : "reward_run";
    return GymnasiumState(config, size, Scalars({"x_position", "x_velocity", run, "reward_ctrl"}));
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class HalfCheetah final : public GymnasiumEnv<HalfCheetahSpec> {
 public:
  using GymnasiumEnv::GymnasiumEnv;

 private:
  void Start() override {
    DrawPositions(spec_.config["reset_noise_scale"_]);
    DrawNormalVelocities(spec_.config["reset_noise_scale"_]);
  }

  CameraConfig Camera() const override { return {.distance = 4.0}; }

  double Advance() override {
    const double before = data().qpos[0];
    Simulate();
    velocity_ = (data().qpos[0] - before) / dt();
    forward_ = spec_.config["forward_reward_weight"_] * velocity_;
    ctrl_cost_ = static_cast<float>(spec_.config["ctrl_cost_weight"_]) * SquaredAction();
    return forward_ - ctrl_cost_;
  }

  double* Observe(double* out) const override {
    const int skip = spec_.config["exclude_current_positions_from_observation"_] ? 1 : 0;
    out = Copy(data().qpos + skip, nq() - skip, out);
    return Copy(data().qvel, nv(), out);
  }

  void Tell(const Infos& info, bool first) const override {
    if (first && version() < 5) return;
    info["x_position"] = data().qpos[0];
    if (first) return;
    info["x_velocity"] = velocity_;
    info[version() >= 5 ? "reward_forward" : "reward_run"] = forward_;
    info["reward_ctrl"] = -ctrl_cost_;
  }

  double velocity_ = 0, forward_ = 0;
  float ctrl_cost_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
