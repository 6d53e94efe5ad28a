// SPDX-License-Identifier: Apache-2.0
// Ant: walk forward on four legs. Gymnasium's Ant-v5 and -v4; -v3 as in EnvPool, where forces on
// bodies are observed and always zero.
#pragma once

#include <charconv>

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

struct AntSpec : GymnasiumSpec {
  static auto DefaultConfig() {
    return GymnasiumOptions("ant.xml", 5) +
           envpool::Dict{"forward_reward_weight"_ = 1.0,
                         "ctrl_cost_weight"_ = 0.5,
                         "contact_cost_weight"_ = 5e-4,
                         "healthy_reward"_ = 1.0,
                         "main_body"_ = "1",
                         "terminate_when_unhealthy"_ = true,
                         "healthy_z_range"_ = std::vector{0.2, 1.0},
                         "contact_force_range"_ = std::vector{-1.0, 1.0},
                         "reset_noise_scale"_ = 0.1,
                         "exclude_current_positions_from_observation"_ = true,
                         "include_cfrc_ext_in_observation"_ = true,
                         "use_contact_forces"_ = false};
  }
  static auto StateSpec(const auto& config) {
    const ModelSizes sizes = TaskSizes(config, {.positions = 3, .velocities = 2});
    int size =
        sizes.nq + sizes.nv - (config["exclude_current_positions_from_observation"_] ? 2 : 0);
    if (config["version"_] < 5) {  // its forces have their own name
      size += config["use_contact_forces"_] ? 6 * sizes.nbody : 0;
    } else {
      if (config["use_contact_forces"_]) {
        throw OptionError("use_contact_forces", "True", "False, since version 5",
                          "pass include_cfrc_ext_in_observation, or version=4");
      }
      size += config["include_cfrc_ext_in_observation"_] ? 6 * (sizes.nbody - 1) : 0;
    }
    InfoNames names = Scalars({"x_position", "y_position", "distance_from_origin", "x_velocity",
                               "y_velocity", "reward_forward", "reward_ctrl", "reward_survive"});
    names.push_back({config["version"_] == 4 ? "forward_reward" : "reward_contact", {}});
    return GymnasiumState(config, size, names);
  }
  static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
};

class Ant final : public GymnasiumEnv<AntSpec> {
 public:
  Ant(const Spec& spec, int env_id)
      : GymnasiumEnv(spec, env_id),
        healthy_z_("healthy_z_range", spec.config["healthy_z_range"_]),
        force_("contact_force_range", spec.config["contact_force_range"_]),
        main_body_(MainBody(spec.config["main_body"_])),
        shows_forces_(spec.config["version"_] < 5
                          ? spec.config["use_contact_forces"_]
                          : spec.config["include_cfrc_ext_in_observation"_]) {}

 private:
  void Start() override {
    DrawPositions(spec_.config["reset_noise_scale"_]);
    DrawNormalVelocities(spec_.config["reset_noise_scale"_]);
  }
  CameraConfig Camera() const override { return {.distance = 4.0}; }
  // The reward of version 5 includes them as well.
  bool ShowsBodyForces() const override { return version() >= 5 || shows_forces_; }

  double Advance() override {
    const auto& config = spec_.config;
    const double x_before = x_, y_before = y_;
    Simulate();
    x_velocity_ = (x_ - x_before) / dt();
    y_velocity_ = (y_ - y_before) / dt();
    ctrl_cost_ = static_cast<float>(config["ctrl_cost_weight"_]) * SquaredAction();
    const bool healthy = IsHealthy();
    Terminate(!healthy && config["terminate_when_unhealthy"_]);
    const bool new_rules = version() >= 5;
    const bool rewarded = healthy || (!new_rules && config["terminate_when_unhealthy"_]);
    survive_ = rewarded ? config["healthy_reward"_] : 0.0;
    forward_ = x_velocity_ * config["forward_reward_weight"_];  // 1 before version 5
    double costs = ctrl_cost_;
    if (new_rules || shows_forces_) {
      contact_cost_ = ContactCost();
      costs = ctrl_cost_ + contact_cost_;
    }
    return forward_ + survive_ - costs;
  }

  void Measure() override {
    x_ = data().xpos[3 * main_body_];
    y_ = data().xpos[3 * main_body_ + 1];
  }

  bool IsHealthy() const {
    const auto finite = [](double x) { return std::isfinite(x); };
    const double z = data().qpos[2];
    return std::all_of(data().qpos, data().qpos + nq(), finite) &&
           std::all_of(data().qvel, data().qvel + nv(), finite) && healthy_z_.low <= z &&
           z <= healthy_z_.high;
  }
  double ContactCost() const {
    const double* forces = data().cfrc_ext;
    const auto square = [&](int i) {
      const double force = std::clamp(forces[i], force_.low, force_.high);
      return force * force;
    };
    return spec_.config["contact_cost_weight"_] * numpy::PairwiseSum(square, 0, 6 * nbody());
  }

  double* Observe(double* out) const override {
    const int skip = spec_.config["exclude_current_positions_from_observation"_] ? 2 : 0;
    out = Copy(data().qpos + skip, nq() - skip, out);
    out = Copy(data().qvel, nv(), out);
    if (!shows_forces_) return out;
    const int world = version() >= 5 ? 1 : 0;  // number of bodies left out
    return CopyClipped(data().cfrc_ext + 6 * world, 6 * (nbody() - world), force_.low, force_.high,
                       out);
  }

  void Tell(const Infos& info, bool first) const override {
    const bool new_rules = version() >= 5;
    if (first && !new_rules) return;
    const double place[] = {new_rules ? data().qpos[0] : x_, new_rules ? data().qpos[1] : y_};
    info["x_position"] = place[0];
    info["y_position"] = place[1];
    info["distance_from_origin"] = numpy::Norm(place, 2);
    if (first) return;
    info["x_velocity"] = x_velocity_;
    info["y_velocity"] = y_velocity_;
    info["reward_forward"] = forward_;
    // In version 4 the cost of contacts replaces that of the controls.
    info["reward_ctrl"] = version() == 4 && shows_forces_ ? -contact_cost_ : -ctrl_cost_;
    info["reward_survive"] = survive_;
    if (version() == 4) {
      info["forward_reward"] = forward_;
    } else {
      info["reward_contact"] = -contact_cost_;
    }
  }

  // The body's index, from its number or its name.
  int MainBody(const std::string& body) const {
    const bool number = !body.empty() && body.find_first_not_of("0123456789") == body.npos;
    int id = mj_name2id(&model(), mjOBJ_BODY, body.c_str());
    if (number) std::from_chars(body.data(), body.data() + body.size(), id);
    if (id >= 0 && id < nbody()) return id;
    throw envpool::OptionError("main_body", "'" + body + "'",
                               "a name, or a number of 0 .. " + std::to_string(nbody() - 1),
                               "pass a body of the model");
  }

  const Range healthy_z_, force_;
  const int main_body_;
  const bool shows_forces_;
  double x_ = 0, y_ = 0, x_velocity_ = 0, y_velocity_ = 0;
  double forward_ = 0, survive_ = 0, contact_cost_ = 0;
  float ctrl_cost_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::mujoco
