// SPDX-License-Identifier: Apache-2.0
// point_mass: push a mass to the target, in a plane; in the hard task the motors pull in random
// directions.
#include <array>
#include <cmath>

#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

class PointMass final : public Task {
 public:
  PointMass(const mjModel& model, bool random_directions)
      : Task(model),
        random_directions_(random_directions),
        mass_(Names(model).geom("pointmass")),
        target_(Names(model).geom("target")) {}

  Layout Observations() const override { return {{"position", {nq()}}, {"velocity", {nv()}}}; }

  void Prepare(Physics& physics) override {
    if (random_directions_) pulls_ = physics.Own(&mjModel::wrap_prm, physics.model().nwrap);
  }
  void Start(Physics& physics) override {
    RandomizeJoints(physics);
    if (!random_directions_) return;
    const auto first = Direction(physics);
    auto second = first;
    double along = 1;
    while (std::fabs(along) > 0.9) {
      second = Direction(physics);
      along = numpy::Dot(first.data(), second.data(), 2);
    }
    std::ranges::copy(first, pulls_);
    std::ranges::copy(second, pulls_ + 2);
  }

  double* Observe(const Physics& physics, double* out) const override {
    return Velocities(physics, Positions(physics, out));
  }
  double Reward(const Physics& physics) const override {
    const double size = physics.model().geom_size[3 * target_];
    const double away = Distance(physics.geom_xpos(target_), physics.geom_xpos(mass_));
    const double near = Tolerance(away, {.upper = size, .margin = size});
    return near * ((SmallControl(physics) + 4) / 5);
  }

 private:
  static std::array<double, 2> Direction(Physics& physics) {
    std::array<double, 2> direction;
    for (double& x : direction) x = physics.random().Randn();
    Normalize(direction);
    return direction;
  }

  const bool random_directions_;
  const int mass_, target_;
  mjtNum* pulls_ = nullptr;  // of both motors, along x and y
};

}  // namespace

std::unique_ptr<Task> MakePointMass(const std::string& task, const mjModel& model) {
  if (task == "easy") return std::make_unique<PointMass>(model, false);
  if (task == "hard") return std::make_unique<PointMass>(model, true);
  return nullptr;
}

}  // namespace envpool::mujoco
