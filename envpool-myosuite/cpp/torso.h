// SPDX-License-Identifier: Apache-2.0
// Hold the torso upright. TorsoEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "muscle_env.h"

namespace envpool::myosuite {

struct TorsoSpec : MuscleSpec<TorsoSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("simhive/myo_sim/torso/myotorso.xml", 10) +
           Dict{"target_low"_ = std::vector<double>(18, 0.0),
                "target_high"_ = std::vector<double>(18, 0.0), "pose_thd"_ = 0.25};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    const std::vector<double>& low = config["target_low"_];
    const auto count = static_cast<int>(low.size());
    if (count == 0 || count > model->nq) {
      throw OptionError("target_low", std::to_string(count) + " numbers",
                        "1 to " + std::to_string(model->nq) + ", of the model's first joints",
                        "pass as many");
    }
    CheckGoal(config, count, "as many as target_low");
    return MuscleState(config, model, static_cast<int>(model->nq + model->nv) + count);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Torso final : public MuscleEnv<TorsoSpec> {
 public:
  Torso(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        near_(spec.config["pose_thd"_]),
        wanted_(spec.config["target_low"_]) {
    const std::vector<double>& high = spec.config["target_high"_];
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = (wanted_[i] + high[i]) / 2;
  }

 private:
  void Start() override {}
  double* Observe(double* out) const override {
    out = WriteJoints(out);
    for (std::size_t i = 0; i < wanted_.size(); ++i) *out++ = wanted_[i] - data().qpos[i];
    return out;
  }
  Verdict Judge(const double* end, double effort) const override {
    const int count = static_cast<int>(wanted_.size());
    const double distance = mujoco::RowNorm(end - count, count);
    const bool far = distance > std::numbers::pi;
    const double bonus = 1.0 * (distance < near_) + 1.0 * (distance < 1.5 * near_);
    const double sum = ((-distance + 4.0 * bonus) + 1.0 * -effort) + 50 * (-1.0 * far);
    return {sum, -distance, distance < near_, far};
  }

  const double near_;
  std::vector<double> wanted_;  // goal angles of the first joints, in rad
};

}  // namespace envpool::myosuite
