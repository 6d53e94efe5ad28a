// SPDX-License-Identifier: Apache-2.0
// Hold an object at a place. ObjHoldFixedEnvV0 and ObjHoldRandomEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "held_object.h"
#include "muscle_env.h"

namespace envpool::myosuite {

struct ObjHoldSpec : MuscleSpec<ObjHoldSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_hold.xml", 10) +
           Dict{"target_type"_ = "fixed"};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckObjects(*model, 1);
    Chosen("target_type", config["target_type"_], {"generate", "fixed"});
    return MuscleState(config, model, static_cast<int>(model->nq - 7 + model->nv - 6) + 6);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class ObjHold final : public MuscleEnv<ObjHoldSpec> {
 public:
  ObjHold(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        draws_(std::string(spec.config["target_type"_]) == "generate"),
        object_(mujoco::SiteOf(model(), "object")),
        goal_(mujoco::SiteOf(model(), "goal")),
        sizes_(OwnGeoms(&mjModel::geom_size, 3)),
        shown_(simulation().Own(&mjModel::site_size, 3 * static_cast<int>(model().nsite))) {
    AtTheBeginning([&] { std::copy_n(data().site_xpos + 3 * object_, 3, middle_.begin()); });
  }

 private:
  void Start() override {
    StretchOut(7);
    position()[0] = kPalmUp;
    if (!draws_) return;
    for (std::size_t i = 0; i < 3; ++i) {
      site_pos()[3 * static_cast<std::size_t>(goal_) + i] =
          middle_[i] + gen_.Uniform(-0.030, 0.030);
    }
    const std::array<double, 3> size = DrawThree(0.020, 0.030);
    std::copy(size.begin(), size.end(), sizes_ + 3 * (model().ngeom - 1));
    std::copy(size.begin(), size.end(), shown_ + 3 * goal_);
  }
  void Look(bool placed) override {
    if (!placed) Place();
  }
  double* Observe(double* out) const override {
    out = WriteHand(out, 7, 6);
    const double *const object = data().site_xpos + 3 * object_, *const goal =
                                                                     data().site_xpos + 3 * goal_;
    out = std::copy_n(object, 3, out);
    for (int i = 0; i < 3; ++i) *out++ = goal[i] - object[i];
    return out;
  }
  Verdict Judge(const double* end, double /*effort*/) const override {
    const double distance = mujoco::RowNorm(end - 3, 3);
    const bool drops = distance > 0.300;
    const double bonus = 1.0 * (distance < 2 * 0.010) + 1.0 * (distance < 0.010);
    const double sum = (100.0 * -distance + 4.0 * bonus) + 10 * (-1.0 * drops);
    return {sum, -distance, distance < 0.010, drops};
  }

  const bool draws_;
  const int object_, goal_;
  mjtNum *const sizes_, *const shown_;
  std::array<double, 3> middle_{};  // the object's first place
};

}  // namespace envpool::myosuite
