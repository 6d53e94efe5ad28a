// SPDX-License-Identifier: Apache-2.0
// Swimmer: swim forward with three links, in a plane. Gymnasium's Swimmer-v5 and -v4.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct SwimmerSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("swimmer.xml", 4) +
           envpool::Dict{"forward_reward_weight"_ = 1.0, "ctrl_cost_weight"_ = 1e-4,
                         "reset_noise_scale"_ = 0.1,
                         "exclude_current_positions_from_observation"_ = true};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 2});
    const int size =
        sizes.nq + sizes.nv - (config["exclude_current_positions_from_observation"_] ? 2 : 0);
    InfoNames names = Scalars({"x_position", "y_position", "distance_from_origin", "x_velocity",
                               "y_velocity", "reward_ctrl"});
    const bool new_rules = config["version"_] >= 5;
    names.push_back({new_rules ? "reward_forward" : "reward_fwd", {}});
    if (!new_rules) names.push_back({"forward_reward", {}});
    return GymnasiumState(config, size, names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Swimmer final : public GymnasiumEnv<SwimmerSpec> {
 public:
  using GymnasiumEnv::GymnasiumEnv;

 private:
  void Start() override {
    DrawPositions(spec_.config["reset_noise_scale"_]);
    DrawUniformVelocities(spec_.config["reset_noise_scale"_]);
  }

  double Advance() override {
    const double x = data().qpos[0], y = data().qpos[1];
    Simulate();
    x_velocity_ = (data().qpos[0] - x) / dt();
    y_velocity_ = (data().qpos[1] - y) / dt();
    forward_ = spec_.config["forward_reward_weight"_] * x_velocity_;
    ctrl_cost_ = static_cast<float>(spec_.config["ctrl_cost_weight"_]) * SquaredAction();
    return forward_ - ctrl_cost_;
  }

  double* Observe(double* out) const override {
    const int skip = spec_.config["exclude_current_positions_from_observation"_] ? 2 : 0;
    return Copy(data().qvel, nv(), Copy(data().qpos + skip, nq() - skip, out));
  }

  void Tell(const Infos& info, bool first) const override {
    const bool new_rules = version() >= 5;
    if (first && !new_rules) return;
    info["x_position"] = data().qpos[0];
    info["y_position"] = data().qpos[1];
    info["distance_from_origin"] = numpy::Norm(data().qpos, 2);
    if (first) return;
    info["x_velocity"] = x_velocity_;
    info["y_velocity"] = y_velocity_;
    info["reward_ctrl"] = -ctrl_cost_;
    info[new_rules ? "reward_forward" : "reward_fwd"] = forward_;
    if (!new_rules) info["forward_reward"] = forward_;
  }

  double x_velocity_ = 0, y_velocity_ = 0, forward_ = 0;
  float ctrl_cost_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
