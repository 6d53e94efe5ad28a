// SPDX-License-Identifier: Apache-2.0
// Humanoid: walk forward on two legs. Gymnasium's Humanoid-v5 and -v4; -v3 as in EnvPool, where
// forces on bodies are observed and always zero.
#pragma once

#include "gymnasium/humanoid_body.h"

namespace envpool::mujoco {

struct HumanoidSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return HumanoidBodyOptions("humanoid.xml") +
           envpool::Dict{
               "forward_reward_weight"_ = 1.25,
               "contact_cost_weight"_ = 5e-7,
               "contact_cost_range"_ = std::vector{-std::numeric_limits<double>::infinity(), 10.0},
               "healthy_reward"_ = 5.0,
               "terminate_when_unhealthy"_ = true,
               "healthy_z_range"_ = std::vector{1.0, 2.0}};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 3, .velocities = 6});
    InfoNames names =
        Scalars({"x_position", "y_position", "distance_from_origin", "x_velocity", "y_velocity"});
    const auto add = [&](const InfoNames& more) {
      names.insert(names.end(), more.begin(), more.end());
    };
    if (config["version"_] >= 5) {
      add(Scalars({"reward_survive", "reward_forward", "reward_ctrl", "reward_contact"}));
      names = WithTendons(std::move(names), sizes);
    } else {
      add(Scalars({"reward_linvel", "reward_quadctrl", "reward_alive"}));
      add(Scalars({config["version"_] == 4 ? "forward_reward" : "reward_impact"}));
    }
    return GymnasiumState(config, HumanoidBodySize(config, sizes), names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Humanoid final : public HumanoidBody<HumanoidSpec> {
 public:
  Humanoid(const Spec& spec, int env_id)
      : HumanoidBody(spec, env_id),
        healthy_z_("healthy_z_range", spec.config["healthy_z_range"_]),
        cost_("contact_cost_range", spec.config["contact_cost_range"_]) {
    OnModelChange();
  }

 private:
  CameraConfig Camera() const override {
    return {.distance = 4.0, .lookat = {{0.0, 0.0, 2.0}}, .elevation = -20.0};
  }

  struct Point {
    double x, y;
  };

  double Advance() override {
    const auto& config = spec_.config;
    const Point before = center_;
    Simulate();
    velocity_ = {(center_.x - before.x) / dt(), (center_.y - before.y) / dt()};
    forward_ = config["forward_reward_weight"_] * velocity_.x;
    const bool ends = config["terminate_when_unhealthy"_];
    const bool healthy = healthy_z_.contains(data().qpos[2]);
    Terminate(!healthy && ends);
    // Version 4 gives this reward in the last step as well.
    survive_ = healthy || (ends && version() < 5) ? config["healthy_reward"_] : 0.0;
    ctrl_cost_ = config["ctrl_cost_weight"_] * SquaredControls();
    if (version() == 4) return forward_ + survive_ - ctrl_cost_;
    contact_cost_ =
        std::clamp(config["contact_cost_weight"_] * SquaredForces(), cost_.low, cost_.high);
    return forward_ + survive_ - (ctrl_cost_ + contact_cost_);
  }

  void OnModelChange() override { mass_ = numpy::Sum(model().body_mass, nbody()); }
  void Measure() override {
    Point sum{0, 0};
    for (int i = 0; i < nbody(); ++i) {
      const double mass = model().body_mass[i];
      sum.x = numpy::AddProduct(mass, data().xipos[3 * i], sum.x);
      sum.y = numpy::AddProduct(mass, data().xipos[3 * i + 1], sum.y);
    }
    center_ = {sum.x / mass_, sum.y / mass_};
  }

  void Tell(const Infos& info, bool first) const override {
    const bool new_rules = version() >= 5;
    if (first && !new_rules) return;
    const double place[] = {new_rules ? data().qpos[0] : center_.x,
                            new_rules ? data().qpos[1] : center_.y};
    info["x_position"] = place[0];
    info["y_position"] = place[1];
    info["distance_from_origin"] = numpy::Norm(place, 2);
    if (new_rules) TellTendons(info);
    if (first) return;
    info["x_velocity"] = velocity_.x;
    info["y_velocity"] = velocity_.y;
    info[new_rules ? "reward_forward" : "reward_linvel"] = forward_;
    info[new_rules ? "reward_ctrl" : "reward_quadctrl"] = -ctrl_cost_;
    info[new_rules ? "reward_survive" : "reward_alive"] = survive_;
    if (version() == 4) {
      info["forward_reward"] = forward_;
    } else {
      info[new_rules ? "reward_contact" : "reward_impact"] = -contact_cost_;
    }
  }

  const Range healthy_z_, cost_;
  double mass_ = 0;              // of all bodies
  Point center_{}, velocity_{};  // of all masses
  double forward_ = 0, survive_ = 0, ctrl_cost_ = 0, contact_cost_ = 0;
};

}  // namespace envpool::mujoco
