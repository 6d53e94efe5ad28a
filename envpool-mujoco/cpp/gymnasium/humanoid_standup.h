// SPDX-License-Identifier: Apache-2.0
// HumanoidStandup: get up from lying on the back. Gymnasium's HumanoidStandup-v5 and -v4.
#pragma once

#include "gymnasium/humanoid_body.h"

namespace envpool::mujoco {

struct HumanoidStandupSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return HumanoidBodyOptions("humanoidstandup.xml") +
           envpool::Dict{
               "uph_cost_weight"_ = 1.0, "impact_cost_weight"_ = 0.5e-6,
               "impact_cost_range"_ = std::vector{-std::numeric_limits<double>::infinity(), 10.0}};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 3, .velocities = 6});
    InfoNames names = Scalars({"reward_linup", "reward_quadctrl", "reward_impact"});
    if (config["version"_] >= 5) {
      for (const auto& info : Scalars({"x_position", "y_position", "z_distance_from_origin"})) {
        names.push_back(info);
      }
      names = WithTendons(std::move(names), sizes);
    }
    return GymnasiumState(config, HumanoidBodySize(config, sizes), names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class HumanoidStandup final : public HumanoidBody<HumanoidStandupSpec> {
 public:
  HumanoidStandup(const Spec& spec, int env_id)
      : HumanoidBody(spec, env_id), cost_("impact_cost_range", spec.config["impact_cost_range"_]) {}

 private:
  CameraConfig Camera() const override {
    return {.distance = 4.0, .lookat = {{0.0, 0.0, 0.8925}}, .elevation = -20.0};
  }

  double Advance() override {
    const auto& config = spec_.config;
    Simulate();
    // Gymnasium's option uph_cost_weight has no effect, here neither.
    up_ = data().qpos[2] / model().opt.timestep;
    ctrl_cost_ = config["ctrl_cost_weight"_] * SquaredControls();
    impact_cost_ =
        std::clamp(config["impact_cost_weight"_] * SquaredForces(), cost_.low, cost_.high);
    return up_ - ctrl_cost_ - impact_cost_ + 1;
  }

  void Tell(const Infos& info, bool first) const override {
    if (version() >= 5) {
      info["x_position"] = data().qpos[0];
      info["y_position"] = data().qpos[1];
      info["z_distance_from_origin"] = data().qpos[2] - initial_qpos()[2];
      TellTendons(info);
    }
    if (first) return;
    info["reward_linup"] = up_;
    info["reward_quadctrl"] = -ctrl_cost_;
    info["reward_impact"] = -impact_cost_;
  }

  const Range cost_;
  double up_ = 0, ctrl_cost_ = 0, impact_cost_ = 0;
};

}  // namespace envpool::mujoco
