// SPDX-License-Identifier: Apache-2.0
// Turn a key by thumb and index finger. KeyTurnEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "muscle_env.h"

namespace envpool::myosuite {

struct KeyTurnSpec : MuscleSpec<KeyTurnSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_keyturn.xml", 10) +
           Dict{"key_init_range"_ = std::vector<double>{0.0, 0.0}, "goal_th"_ = 3.14};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckRange("key_init_range", config["key_init_range"_]);
    return MuscleState(config, model, static_cast<int>(model->nq + model->nv) + 6);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class KeyTurn final : public MuscleEnv<KeyTurnSpec> {
 public:
  KeyTurn(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        range_(spec.config["key_init_range"_]),
        goal_(spec.config["goal_th"_]),
        key_(mujoco::SiteOf(model(), "keyhead")),
        tips_{mujoco::SiteOf(model(), "IFtip"), mujoco::SiteOf(model(), "THtip")},
        places_(OwnBodies(&mjModel::body_pos, 3)) {
    AtTheBeginning([&] { std::copy_n(data().site_xpos + 3 * key_, 3, middle_.begin()); });
  }

 private:
  void Start() override {
    StretchOut(1);
    position().back() = gen_.Uniform(range_[0], range_[1]);
    if (range_[0] == range_[1]) return;
    double* const place = places_ + 3 * (simulation().sizes().nbody - 1);
    for (std::size_t i = 0; i < 3; ++i) place[i] = middle_[i] + gen_.Uniform(-0.01, 0.01);
  }
  void Look(bool placed) override {
    if (!placed) Place();
  }
  double* Observe(double* out) const override {
    out = WriteHand(out, 1, 1);
    *out++ = data().qpos[nq() - 1];
    *out++ = data().qvel[simulation().sizes().nv - 1] * dt();
    for (const int tip : tips_) {
      for (int i = 0; i < 3; ++i) {
        *out++ = data().site_xpos[3 * key_ + i] - data().site_xpos[3 * tip + i];
      }
    }
    return out;
  }
  Verdict Judge(const double* end, double effort) const override {
    constexpr double kFar = 0.1, kPi = std::numbers::pi;
    const double angle = end[-8];
    const double index = std::abs(mujoco::RowNorm(end - 6, 3) - 0.030);
    const double thumb = std::abs(mujoco::RowNorm(end - 3, 3) - 0.030);
    const double bonus = 1.0 * (angle > kPi / 2) + 1.0 * (angle > kPi);
    const double penalty = -1.0 * (index > kFar / 2) - 1.0 * (thumb > kFar / 2);
    const double sum =
        ((((1.0 * angle + 10.0 * -index) + 10.0 * -thumb) + 1.0 * -effort) + 4.0 * bonus) +
        25.0 * penalty;
    return {sum, angle, angle > goal_, index > kFar || thumb > kFar};
  }

  const std::vector<double> range_;
  const double goal_;
  const int key_;
  const std::array<int, 2> tips_;
  mjtNum* const places_;
  std::array<double, 3> middle_{};  // first place of the key's head
};

}  // namespace envpool::myosuite
