// SPDX-License-Identifier: Apache-2.0
// Reach: fingertips should reach places. ReachEnvV0 of myosuite 2.12.2.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "muscle_env.h"
#include "rigid_fingers.h"

namespace envpool::myosuite {

struct ReachSpec : MuscleSpec<ReachSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("simhive/myo_sim/finger/myofinger_v0.xml", 10) + SiteOptions() +
           Dict{"target_low"_ = std::vector<double>{0.1, -0.1, 0.1},
                "target_high"_ = std::vector<double>{0.27, 0.1, 0.3}, "far_th"_ = 0.35,
                "rigid_fingers"_ = false};
  }
  static SharedModel Model(const auto& config) {
    if (!config["rigid_fingers"_]) return TaskModel(config);
    return WithCondition(
        ModelStore::Built(mujoco::ModelIn(config), "rigid fingers", StiffenFingers),
        ConditionOf(config["muscle_condition"_]));
  }
  static auto StateSpec(const auto& config) {
    const int count = CheckSites(config);
    const SharedModel model = Model(config);
    return MuscleState(config, model, static_cast<int>(model->nq + model->nv) + 2 * count);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Reach final : public MuscleEnv<ReachSpec> {
 public:
  Reach(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        low_(spec.config["target_low"_]),
        high_(spec.config["target_high"_]),
        far_(spec.config["far_th"_]) {
    FindSites(spec.config["sites"_]);
  }

 private:
  void Look(bool placed) override {
    if (!placed) Place();
  }
  void Start() override {
    for (std::size_t i = 0; i < low_.size(); ++i) {
      site_pos()[3 * static_cast<std::size_t>(targets()[i / 3]) + i % 3] =
          gen_.Uniform(low_[i], high_[i]);
    }
  }
  double* Observe(double* out) const override { return WriteTips(WriteJoints(out)); }
  Verdict Judge(const double* end, double /*effort*/) const override {
    const int count = static_cast<int>(low_.size());
    const auto sites = static_cast<double>(tips().size());
    const double distance = mujoco::RowNorm(end - count, count);
    // The first steps of an episode cannot end it.
    const double limit =
        data().time > 2 * dt() ? far_ * sites : std::numeric_limits<double>::infinity();
    const double near = sites * 0.0125;
    const bool far = distance > limit;
    const double bonus = 1.0 * (distance < 2 * near) + 1.0 * (distance < near);
    return {(-distance + 4.0 * bonus) + 50 * (-1.0 * far), -distance, distance < near, far};
  }

  const std::vector<double> low_, high_;
  const double far_;
};

}  // namespace envpool::myosuite
