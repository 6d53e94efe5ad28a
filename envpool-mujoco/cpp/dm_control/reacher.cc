// SPDX-License-Identifier: Apache-2.0
// reacher: reach a target with an arm of two links, in a plane.
#include <cmath>
#include <numbers>

#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Reacher final : public Task {
 public:
  Reacher(const mjModel& model, double target_size)
      : Task(model),
        target_size_(target_size),
        target_(Names(model).geom("target")),
        finger_(Names(model).geom("finger")) {}

  Layout Observations() const override {
    return {{"position", {nq()}}, {"to_target", {2}}, {"velocity", {nv()}}};
  }

  void Prepare(Physics& physics) override {
    const mjtSize count = 3 * physics.model().ngeom;
    physics.Own(&mjModel::geom_size, count)[3 * target_] = target_size_;
    position_ = physics.Own(&mjModel::geom_pos, count) + 3 * target_;
  }
  void Start(Physics& physics) override {
    RandomizeJoints(physics);
    const double angle = physics.random().Uniform(0, 2 * std::numbers::pi);
    const double radius = physics.random().Uniform(0.05, 0.20);
    position_[kX] = radius * std::sin(angle);
    position_[kY] = radius * std::cos(angle);
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Positions(physics, out);
    for (const double x : ToTarget(physics)) *out++ = x;
    return Velocities(physics, out);
  }
  double Reward(const Physics& physics) const override {
    const mjtNum* sizes = physics.model().geom_size;
    const auto away = ToTarget(physics);
    return Tolerance(numpy::Norm(away.data(), 2),
                     {.upper = sizes[3 * target_] + sizes[3 * finger_]});
  }

 private:
  std::array<double, 2> ToTarget(const Physics& physics) const {
    const mjtNum* target = physics.geom_xpos(target_);
    const mjtNum* finger = physics.geom_xpos(finger_);
    return {target[kX] - finger[kX], target[kY] - finger[kY]};
  }

  const double target_size_;
  const int target_, finger_;
  mjtNum* position_ = nullptr;  // of the target
};

}  // namespace

std::unique_ptr<Task> MakeReacher(const std::string& task, const mjModel& model) {
  if (task == "easy") return std::make_unique<Reacher>(model, 0.05);
  if (task == "hard") return std::make_unique<Reacher>(model, 0.015);
  return nullptr;
}

}  // namespace envpool::mujoco
