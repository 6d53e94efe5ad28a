// SPDX-License-Identifier: Apache-2.0
// InvertedDoublePendulum: balance a pole on a pole on a cart. Gymnasium's InvertedDoublePendulum-v5
// and -v4.
#pragma once

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct InvertedDoublePendulumSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("inverted_double_pendulum.xml", 5) +
           envpool::Dict{"healthy_reward"_ = 10.0, "reset_noise_scale"_ = 0.1};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 1, .velocities = 3, .sites = 1});
    const bool new_rules = config["version"_] >= 5;
    const int size = 1 + 2 * (sizes.nq - 1) + sizes.nv + (new_rules ? 1 : sizes.nv);
    const InfoNames names =
        new_rules ? Scalars({"reward_survive", "distance_penalty", "velocity_penalty"})
                  : InfoNames();
    return GymnasiumState(config, size, names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class InvertedDoublePendulum final : public GymnasiumEnv<InvertedDoublePendulumSpec> {
 public:
  using GymnasiumEnv::GymnasiumEnv;

 private:
  // Gymnasium's version 5 has a configuration, but does not apply it.
  CameraConfig Camera() const override {
    if (version() >= 5) return {};
    return {.distance = 4.1225, .lookat = {{0.0, 0.0, 0.12250000000000005}}};
  }

  void Start() override {
    DrawPositions(spec_.config["reset_noise_scale"_]);
    DrawNormalVelocities(spec_.config["reset_noise_scale"_]);
  }

  double Advance() override {
    Simulate();
    const double x = data().site_xpos[0], y = data().site_xpos[2];  // of the tip
    const double v1 = data().qvel[1], v2 = data().qvel[2];
    distance_penalty_ = 0.01 * numpy::Square(x) + numpy::Square(y - 2);
    velocity_penalty_ = 1e-3 * numpy::Square(v1) + 5e-3 * numpy::Square(v2);
    const bool fell = y <= 1;
    Terminate(fell);
    // Version 4 gives this reward in the last step as well.
    survive_ = fell && version() >= 5 ? 0.0 : spec_.config["healthy_reward"_];
    return survive_ - distance_penalty_ - velocity_penalty_;
  }

  double* Observe(double* out) const override {
    constexpr double kMost = 10;  // maximum of velocities and forces
    *out++ = data().qpos[0];
    const double* begin = data().qpos + 1;
    const double* end = data().qpos + nq();
    out = std::transform(begin, end, out, [](double angle) { return std::sin(angle); });
    out = std::transform(begin, end, out, [](double angle) { return std::cos(angle); });
    out = CopyClipped(data().qvel, nv(), -kMost, kMost, out);
    return CopyClipped(data().qfrc_constraint, version() >= 5 ? 1 : nv(), -kMost, kMost, out);
  }

  void Tell(const Infos& info, bool first) const override {
    if (first || version() < 5) return;
    info["reward_survive"] = survive_;
    info["distance_penalty"] = -distance_penalty_;
    info["velocity_penalty"] = -velocity_penalty_;
  }

  double survive_ = 0, distance_penalty_ = 0, velocity_penalty_ = 0;
};

}  // namespace envpool::mujoco
