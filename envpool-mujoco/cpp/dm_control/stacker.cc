// SPDX-License-Identifier: Apache-2.0
// stacker: stack boxes with an arm, so that one is at the target.
#include <algorithm>
#include <numbers>
#include <string>

#include "dm_control/arm.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Stack final : public Arm {
 public:
  Stack(const mjModel& model, int boxes)
      : Arm(model),
        target_(Names(model).body("target")),
        target_geom_(Names(model).geom("target")),
        target_site_(Names(model).site("target")),
        grasp_(Names(model).site("grasp")) {
    const Names names(model);
    for (int i = 0; i < boxes; ++i) {
      const std::string name = "box" + std::to_string(i);
      boxes_.push_back(
          {names.body(name),
           names.site(name),
           {names.qpos(name + "_x"), names.qpos(name + "_z"), names.qpos(name + "_y")},
           {names.qvel(name + "_x"), names.qvel(name + "_y"), names.qvel(name + "_z")}});
    }
  }

  Layout Observations() const override {
    const int count = static_cast<int>(boxes_.size());
    Layout layout = ArmLayout();
    layout.push_back({"box_pos", {count, 4}});
    layout.push_back({"box_vel", {3 * count}});
    layout.push_back({"target_pos", {2}});
    return layout;
  }

  void Prepare(Physics& physics) override {
    position_ = physics.Own(&mjModel::body_pos, 3 * physics.model().nbody) + 3 * target_;
  }
  void Start(Physics& physics) override {
    auto& random = physics.random();
    mjtNum* qpos = physics.data().qpos;
    do {
      RandomizeArm(physics);
      const auto below = random.Randint(0, static_cast<std::int64_t>(boxes_.size()));
      position_[kZ] = BoxSize(physics) * static_cast<double>(2 * below + 1);
      position_[kX] = random.Uniform(-0.37, 0.37);
      for (const Box& box : boxes_) {
        qpos[box.xzy[0]] = random.Uniform(0.1, 0.3);
        qpos[box.xzy[1]] = random.Uniform(0, 0.7);
        qpos[box.xzy[2]] = random.Uniform(0, 2 * std::numbers::pi);
      }
    } while (physics.Touches());
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = ObserveArm(physics, out);
    for (const Box& box : boxes_) out = ObservePose(physics, box.body, out);
    for (const Box& box : boxes_) {
      for (const int velocity : box.velocities) *out++ = physics.data().qvel[velocity];
    }
    return ObservePlace(physics, target_, out);
  }

  double Reward(const Physics& physics) const override {
    double nearest = kInfinity;
    for (const Box& box : boxes_) {
      nearest = std::min(nearest, SiteDistance(physics, box.site, target_site_));
    }
    const double box_is_close = Tolerance(nearest, {.margin = 2 * BoxSize(physics)});
    const double hand_is_far = Tolerance(SiteDistance(physics, grasp_, target_site_),
                                         {.lower = 0.1, .upper = kInfinity, .margin = 0.01});
    return box_is_close * hand_is_far;
  }

 private:
  struct Box {
    int body, site;
    int xzy[3];         // indices in qpos, in the order of draws
    int velocities[3];  // along x, around y, along z
  };

  double BoxSize(const Physics& physics) const {
    return physics.model().geom_size[3 * target_geom_];
  }

  const int target_, target_geom_, target_site_, grasp_;
  std::vector<Box> boxes_;
  mjtNum* position_ = nullptr;  // position of the target
};

}  // namespace

std::unique_ptr<Task> MakeStacker(const std::string& task, const mjModel& model) {
  if (task == "stack_2") return std::make_unique<Stack>(model, 2);
  if (task == "stack_4") return std::make_unique<Stack>(model, 4);
  return nullptr;
}

}  // namespace envpool::mujoco
