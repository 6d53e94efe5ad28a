// SPDX-License-Identifier: Apache-2.0
// Turn a pen by the fingers. PenTwirlFixedEnvV0 and PenTwirlRandomEnvV0 of myosuite 2.12.2.
#pragma once

#include <string>

#include "turned_object.h"

namespace envpool::myosuite {

struct PenTwirlSpec : MuscleSpec<PenTwirlSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_pen.xml", 10) +
           Dict{"target_type"_ = "fixed"};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckSixJoints(*model);
    Chosen("target_type", config["target_type"_], {"generate", "fixed"});
    return MuscleState(config, model, static_cast<int>(model->nq) - 6 + 21);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class PenTwirl final : public TurnedObject<PenTwirlSpec> {
 public:
  PenTwirl(const Spec& spec, int env_id)
      : TurnedObject(spec, env_id),
        draws_(std::string(spec.config["target_type"_]) == "generate"),
        top_(mujoco::SiteOf(model(), "object_top")),
        bottom_(mujoco::SiteOf(model(), "object_bottom")),
        goal_top_(mujoco::SiteOf(model(), "target_top")),
        goal_bottom_(mujoco::SiteOf(model(), "target_bottom")),
        length_(LengthOf(model().site_pos + 3 * top_, model().site_pos + 3 * bottom_)),
        goal_length_(
            LengthOf(model().site_pos + 3 * goal_top_, model().site_pos + 3 * goal_bottom_)) {}

 private:
  void Start() override {
    PalmUp();
    if (!draws_) return;
    const double first = gen_.Uniform(-1, 1), second = gen_.Uniform(-1, 1);
    Aim(first, second);
  }
  void Look(bool placed) override {
    if (!placed) Place();
  }
  Direction Pointing() const override { return Between(At(top_), At(bottom_), length_); }
  Direction Wanted() const override {
    return Between(At(goal_top_), At(goal_bottom_), goal_length_);
  }
  double* Observe(double* out) const override { return WriteTurn(out); }
  const double* At(int site) const { return data().site_xpos + 3 * site; }

  const bool draws_;
  const int top_, bottom_, goal_top_, goal_bottom_;
  const double length_, goal_length_;  // in m
};

}  // namespace envpool::myosuite
