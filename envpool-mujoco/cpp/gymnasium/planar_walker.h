// SPDX-License-Identifier: Apache-2.0
// The shared part of Hopper and Walker2d: robots in a plane with rewards for moving forward and for
// staying upright. Gymnasium's versions 5 and 4.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

template <typename Config>
auto PlanarWalkerState(const Config& config) {
  const ModelSizes sizes = TaskSizes(config, {.positions = 3});
  const int size =
      sizes.nq + sizes.nv - (config["exclude_current_positions_from_observation"_] ? 1 : 0);
  if (config["version"_] < 5) {
    return GymnasiumState(config, size, Scalars({"x_position", "x_velocity"}));
  }
  return GymnasiumState(config, size,
                        Scalars({"x_position", "z_distance_from_origin", "x_velocity",
                                 "reward_forward", "reward_ctrl", "reward_survive"}));
}

template <typename Description>
class PlanarWalker : public GymnasiumEnv<Description> {
 public:
  using Base = GymnasiumEnv<Description>;
  using Base::Base;

 protected:
  using Base::data;
  using Base::nq;
  using Base::nv;
  using Base::version;

  /// True if it has not fallen.
  virtual bool IsHealthy() const = 0;

 private:
  using typename Base::Infos;

  void Start() override {
    this->DrawPositions(this->spec_.config["reset_noise_scale"_]);
    this->DrawUniformVelocities(this->spec_.config["reset_noise_scale"_]);
  }

  double Advance() override {
    const auto& config = this->spec_.config;
    const double before = data().qpos[0];
    this->Simulate();
    velocity_ = (data().qpos[0] - before) / this->dt();
    forward_ = config["forward_reward_weight"_] * velocity_;
    const bool ends = config["terminate_when_unhealthy"_];
    const bool healthy = IsHealthy();
    this->Terminate(!healthy && ends);
    // Version 4 gives this reward in the last step as well.
    survive_ = healthy || (ends && version() < 5) ? config["healthy_reward"_] : 0.0;
    ctrl_cost_ = static_cast<float>(config["ctrl_cost_weight"_]) * this->SquaredAction();
    return forward_ + survive_ - ctrl_cost_;
  }

  double* Observe(double* out) const override {
    constexpr double kMostVelocity = 10;
    const int skip = this->spec_.config["exclude_current_positions_from_observation"_] ? 1 : 0;
    out = this->Copy(data().qpos + skip, nq() - skip, out);
    return this->CopyClipped(data().qvel, nv(), -kMostVelocity, kMostVelocity, out);
  }

  void Tell(const Infos& info, bool first) const override {
    if (first && version() < 5) return;
    info["x_position"] = data().qpos[0];
    if (version() >= 5) info["z_distance_from_origin"] = data().qpos[1] - this->initial_qpos()[1];
    if (first) return;
    info["x_velocity"] = velocity_;
    if (version() < 5) return;
    info["reward_forward"] = forward_;
    info["reward_ctrl"] = -ctrl_cost_;
    info["reward_survive"] = survive_;
  }

  double velocity_ = 0, forward_ = 0, survive_ = 0;
  float ctrl_cost_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
