// SPDX-License-Identifier: Apache-2.0
// acrobot: swing two links up with a motor at the elbow.
#include <numbers>

#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

class Acrobot final : public Task {
 public:
  Acrobot(const mjModel& model, bool sparse)
      : Task(model),
        sparse_(sparse),
        links_{Names(model).body("upper_arm"), Names(model).body("lower_arm")},
        joints_{Names(model).qpos("shoulder"), Names(model).qpos("elbow")},
        tip_(Names(model).site("tip")),
        target_(Names(model).site("target")) {}

  Layout Observations() const override { return {{"orientations", {4}}, {"velocity", {nv()}}}; }

  void Start(Physics& physics) override {
    for (const int joint : joints_) {
      physics.data().qpos[joint] = physics.random().Uniform(-std::numbers::pi, std::numbers::pi);
    }
  }

  double* Observe(const Physics& physics, double* out) const override {
    for (const int row : {kX, kZ}) {
      for (const int link : links_) *out++ = physics.axis(link, row, kZ);
    }
    return Velocities(physics, out);
  }

  double Reward(const Physics& physics) const override {
    const double distance = Distance(physics.site_xpos(target_), physics.site_xpos(tip_));
    const double radius = physics.model().site_size[3 * target_];
    return Tolerance(distance, {.upper = radius, .margin = sparse_ ? 0.0 : 1.0});
  }

 private:
  const bool sparse_;
  const int links_[2], joints_[2], tip_, target_;
};

}  // namespace

std::unique_ptr<Task> MakeAcrobot(const std::string& task, const mjModel& model) {
  if (task == "swingup") return std::make_unique<Acrobot>(model, false);
  if (task == "swingup_sparse") return std::make_unique<Acrobot>(model, true);
  return nullptr;
}

}  // namespace envpool::mujoco
