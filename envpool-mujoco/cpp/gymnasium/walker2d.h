// SPDX-License-Identifier: Apache-2.0
// Walker2d: walk forward on two legs, in a plane. Gymnasium's Walker2d-v5 and -v4, which have
// different models.
#pragma once

#include "gymnasium/planar_walker.h"

namespace envpool::mujoco {

struct Walker2dSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("walker2d_v5.xml", 4) +
           envpool::Dict{"forward_reward_weight"_ = 1.0,
                         "ctrl_cost_weight"_ = 1e-3,
                         "healthy_reward"_ = 1.0,
                         "terminate_when_unhealthy"_ = true,
                         "healthy_z_range"_ = std::vector{0.8, 2.0},
                         "healthy_angle_range"_ = std::vector{-1.0, 1.0},
                         "reset_noise_scale"_ = 5e-3,
                         "exclude_current_positions_from_observation"_ = true};
  }
  static auto StateSpec(const auto& config) { return PlanarWalkerState(config); }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Walker2d final : public PlanarWalker<Walker2dSpec> {
 public:
  Walker2d(const Spec& spec, int env_id)
      : PlanarWalker(spec, env_id),
        z_("healthy_z_range", spec.config["healthy_z_range"_]),
        angle_("healthy_angle_range", spec.config["healthy_angle_range"_]) {}

 private:
  CameraConfig Camera() const override {
    return {.distance = 4.0, .lookat = {{0.0, 0.0, 1.15}}, .elevation = -20.0};
  }

  bool IsHealthy() const override {
    return z_.contains(data().qpos[1]) && angle_.contains(data().qpos[2]);
  }

  const Range z_, angle_;
};

}  // namespace envpool::mujoco
