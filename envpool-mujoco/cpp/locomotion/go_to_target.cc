// SPDX-License-Identifier: Apache-2.0
// go_to_target: a walker is rewarded within a metre of a mark on the floor, and fails if any part
// but its feet touches the floor. GoToTarget of dm_control.locomotion.tasks.go_to_target, as in the
// example cmu_humanoid_go_to_target.
#include "dm_control/names.h"
#include "dm_control/vectors.h"
#include "locomotion/locomotion_task.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {
namespace {

class GoToTarget final : public LocomotionTask {
 public:
  explicit GoToTarget(const mjModel& model)
      : LocomotionTask(model, kCmuHumanoid),
        floor_(Names(model).geom("groundplane")),
        target_(Names(model).site("target")) {}

  Layout Observations() const override {
    Layout layout = walker().Observations();
    layout.push_back({"walker.target", {3}});
    return layout;
  }

  void Prepare(Physics& physics) override {
    site_pos_ = physics.Own(&mjModel::site_pos, 3 * physics.model().nsite);
  }

  void Start(Physics& physics) override {
    // dm_control draws the target before it compiles the model, so before everything else.
    mjtNum* target = site_pos_ + 3 * target_;
    for (const int i : {kX, kY}) target[i] = physics.random().Uniform(-kHalf, kHalf);
    target[kZ] = 0;
    walker().Stand(physics);
    const double x = physics.random().Uniform(-kHalf, kHalf);
    walker().Shift(physics, x, physics.random().Uniform(-kHalf, kHalf), 0);
  }

  void Advance(Physics& physics, int steps) override {
    physics.Step(steps, Simulation::Sensors::kNone);
    // dm_control's walker sets the controls in a way that makes the next read recompute everything:
    // forces and accelerations are those of the end of the step.
    physics.ForwardWithActuators();
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = walker().Observe(physics, out);
    const int root = walker().root();
    const Vec3 away = Difference(site_pos_ + 3 * target_, physics.xpos(root));
    return std::ranges::copy(TimesMatrix(away.data(), physics.xmat(root)), out).out;
  }

  double Reward(const Physics& physics) const override {
    const mjtNum* target = site_pos_ + 3 * target_;
    const mjtNum* root = physics.xpos(walker().root());
    const double away[2] = {target[kX] - root[kX], target[kY] - root[kY]};
    return numpy::Norm(away, 2) < kTolerance ? 1 : 0;
  }

  bool Terminates(const Physics& physics) const override {
    // dm_control takes the id of the target's site for a geom's id, too: both are 0 here.
    return walker().Falls(physics, [this](int geom) { return geom == floor_ || geom == target_; });
  }

 private:
  static constexpr double kHalf = 8.0 / 2;  // half of the floor's half-width
  static constexpr double kTolerance = 1;   // metres

  const int floor_, target_;
  mjtNum* site_pos_ = nullptr;
};

}  // namespace

std::unique_ptr<Task> MakeGoToTarget(const mjModel& model) {
  return std::make_unique<GoToTarget>(model);
}

}  // namespace envpool::mujoco
