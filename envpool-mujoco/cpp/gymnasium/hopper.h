// SPDX-License-Identifier: Apache-2.0
// Hopper: hop forward on one leg, in a plane. Gymnasium's Hopper-v5 and -v4.
#pragma once

#include <limits>

#include "gymnasium/planar_walker.h"

namespace envpool::mujoco {

struct HopperSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("hopper.xml", 4) +
           envpool::Dict{
               "forward_reward_weight"_ = 1.0,
               "ctrl_cost_weight"_ = 1e-3,
               "healthy_reward"_ = 1.0,
               "terminate_when_unhealthy"_ = true,
               "healthy_state_range"_ = std::vector{-100.0, 100.0},
               "healthy_z_range"_ = std::vector{0.7, std::numeric_limits<double>::infinity()},
               "healthy_angle_range"_ = std::vector{-0.2, 0.2},
               "reset_noise_scale"_ = 5e-3,
               "exclude_current_positions_from_observation"_ = true};
  }
  static auto StateSpec(const auto& config) { return PlanarWalkerState(config); }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Hopper final : public PlanarWalker<HopperSpec> {
 public:
  Hopper(const Spec& spec, int env_id)
      : PlanarWalker(spec, env_id),
        state_("healthy_state_range", spec.config["healthy_state_range"_]),
        z_("healthy_z_range", spec.config["healthy_z_range"_]),
        angle_("healthy_angle_range", spec.config["healthy_angle_range"_]) {}

 private:
  CameraConfig Camera() const override {
    return {.distance = 3.0, .lookat = {{0.0, 0.0, 1.15}}, .elevation = -20.0};
  }

  bool IsHealthy() const override {
    const auto inside = [this](double x) { return state_.contains(x); };
    return std::all_of(data().qpos + 2, data().qpos + nq(), inside) &&
           std::all_of(data().qvel, data().qvel + nv(), inside) && z_.contains(data().qpos[1]) &&
           angle_.contains(data().qpos[2]);
  }

  const Range state_, z_, angle_;
};

}  // namespace envpool::mujoco
