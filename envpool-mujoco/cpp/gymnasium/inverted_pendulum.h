// SPDX-License-Identifier: Apache-2.0
// InvertedPendulum: balance a pole on a cart. Gymnasium's InvertedPendulum-v5 and -v4.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct InvertedPendulumSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("inverted_pendulum.xml", 2) +
           envpool::Dict{"reset_noise_scale"_ = 0.01};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 2});
    const InfoNames names = config["version"_] >= 5 ? Scalars({"reward_survive"}) : InfoNames();
    return GymnasiumState(config, sizes.nq + sizes.nv, names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class InvertedPendulum final : public GymnasiumEnv<InvertedPendulumSpec> {
 public:
  using GymnasiumEnv::GymnasiumEnv;

 private:
  CameraConfig Camera() const override { return {.distance = 2.04}; }

  static constexpr double kMostAngle = 0.2;  // rad

  void Start() override {
    DrawPositions(spec_.config["reset_noise_scale"_]);
    DrawUniformVelocities(spec_.config["reset_noise_scale"_]);
  }

  double Advance() override {
    Simulate();
    const auto finite = [](double x) { return std::isfinite(x); };
    const bool stands = std::all_of(data().qpos, data().qpos + nq(), finite) &&
                        std::all_of(data().qvel, data().qvel + nv(), finite) &&
                        std::abs(data().qpos[1]) <= kMostAngle;
    Terminate(!stands);
    // Version 4 gives this reward in the last step as well.
    reward_ = stands || version() < 5 ? 1 : 0;
    return reward_;
  }

  double* Observe(double* out) const override {
    return Copy(data().qvel, nv(), Copy(data().qpos, nq(), out));
  }

  void Tell(const Infos& info, bool first) const override {
    if (!first && version() >= 5) info["reward_survive"] = reward_;
  }

  double reward_ = 0;
};

}  // namespace envpool::mujoco
