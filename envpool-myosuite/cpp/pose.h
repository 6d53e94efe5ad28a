// SPDX-License-Identifier: Apache-2.0
// Pose: joints should reach a pose. PoseEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "muscle_env.h"

namespace envpool::myosuite {

struct PoseSpec : MuscleSpec<PoseSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/elbow/myoelbow_1dof6muscles.xml", 10) + SiteOptions() +
           Dict{"target_low"_ = std::vector<double>{0.0},
                "target_high"_ = std::vector<double>{2.27},
                "target_type"_ = "generate",
                "reset_type"_ = "init",
                "pose_thd"_ = 0.35,
                "act_reg_weight"_ = 1.0,
                "weight_body"_ = "",
                "weight_low"_ = 0.1,
                "weight_high"_ = 2.0};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    if (model->nq != model->njnt) {
      throw OptionError("xml_file", "a model with a ball or free joint",
                        "one whose joints are hinges and slides", "pass such a model");
    }
    const int count = static_cast<int>(model->nq);
    CheckGoal(config, count, "one for each joint of the model");
    Chosen("target_type", config["target_type"_], {"generate", "fixed"});
    Chosen("reset_type", config["reset_type"_], {"init", "random"});
    return MuscleState(config, model, 2 * count + static_cast<int>(model->nv));
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Pose final : public MuscleEnv<PoseSpec> {
 public:
  Pose(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        low_(spec.config["target_low"_]),
        high_(spec.config["target_high"_]),
        draws_target_(std::string(spec.config["target_type"_]) == "generate"),
        draws_start_(std::string(spec.config["reset_type"_]) == "random"),
        near_(spec.config["pose_thd"_]),
        effort_weight_(spec.config["act_reg_weight"_]),
        weight_low_(spec.config["weight_low"_]),
        weight_high_(spec.config["weight_high"_]),
        target_(low_) {
    FindSites(spec.config["sites"_]);
    const std::string& body = spec.config["weight_body"_];
    if (body.empty()) return;
    weight_ = mujoco::NumberOf(model(), mjOBJ_BODY, body, "weight_body");
    if (model().body_geomadr[weight_] < 0) {
      throw OptionError("weight_body", "the body '" + body + "', which has no geom",
                        "a body with a geom, whose size follows the mass", "name another, or ''");
    }
    if (!(weight_low_ > 0 && weight_high_ >= weight_low_)) {
      throw OptionError(
          "weight_low",
          std::to_string(weight_low_) + ", and weight_high " + std::to_string(weight_high_),
          "0 < weight_low <= weight_high", "pass masses in kg");
    }
    mass_ = simulation().Own(&mjModel::body_mass, simulation().sizes().nbody);
    size_ = simulation().Own(&mjModel::geom_size, 3 * static_cast<int>(model().ngeom));
  }

 private:
  void Start() override {
    if (weight_ >= 0) {
      const double weight = gen_.Uniform(weight_low_, weight_high_);
      mass_[weight_] = weight;
      size_[3 * model().body_geomadr[weight_]] = 0.01 + 2.5 * weight / 100;
    }
    if (draws_target_) {
      for (std::size_t i = 0; i < target_.size(); ++i) target_[i] = gen_.Uniform(low_[i], high_[i]);
    }
    // Frames show the goals of the tips.
    std::copy(target_.begin(), target_.end(), data().qpos);
    Place();
    for (std::size_t i = 0; i < tips().size(); ++i) {
      std::copy_n(data().site_xpos + 3 * tips()[i], 3, site_pos() + 3 * targets()[i]);
    }
    if (!draws_start_) return;
    for (int i = 0; i < nq(); ++i) {
      const mjtNum* const range = model().jnt_range + 2 * i;
      position()[static_cast<std::size_t>(i)] = gen_.Uniform(range[0], range[1]);
    }
  }
  double* Observe(double* out) const override {
    out = WriteJoints(out);
    for (int i = 0; i < nq(); ++i) *out++ = target_[static_cast<std::size_t>(i)] - data().qpos[i];
    return out;
  }
  Verdict Judge(const double* end, double effort) const override {
    const double distance = mujoco::RowNorm(end - nq(), nq());
    const bool far = distance > 4 * std::numbers::pi / 2;
    const double bonus = 1.0 * (distance < near_) + 1.0 * (distance < 1.5 * near_);
    const double penalty = -1.0 * far;
    const double sum = ((-distance + 4.0 * bonus) + effort_weight_ * -effort) + 50 * penalty;
    return {sum, -distance, distance < near_, far};
  }
  void SaveTask(StateWriter& out) const override { out.Write(target_); }
  void LoadTask(StateReader& in) override {
    std::vector<double> target;
    in.Read(target);
    if (target.size() != target_.size())
      throw std::out_of_range("the saved pose is of another model");
    target_ = std::move(target);
  }

  const std::vector<double> low_, high_;
  const bool draws_target_, draws_start_;
  const double near_, effort_weight_, weight_low_, weight_high_;
  std::vector<double> target_;
  int weight_ = -1;  // index of the carried body; -1: none
  mjtNum *mass_ = nullptr, *size_ = nullptr;
};

}  // namespace envpool::myosuite
