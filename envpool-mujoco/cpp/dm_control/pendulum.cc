// SPDX-License-Identifier: Apache-2.0
// pendulum: swing a pole up with a weak motor.
#include <cmath>
#include <numbers>

#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Pendulum final : public Task {
 public:
  explicit Pendulum(const mjModel& model)
      : Task(model), pole_(Names(model).body("pole")), hinge_(Names(model).qpos("hinge")) {}

  Layout Observations() const override { return {{"orientation", {2}}, {"velocity", {nv()}}}; }

  void Start(Physics& physics) override {
    physics.data().qpos[hinge_] = physics.random().Uniform(-std::numbers::pi, std::numbers::pi);
  }
  double* Observe(const Physics& physics, double* out) const override {
    *out++ = physics.axis(pole_, kZ, kZ);
    *out++ = physics.axis(pole_, kX, kZ);
    return Velocities(physics, out);
  }
  double Reward(const Physics& physics) const override {
    static const double within_8_degrees = std::cos(8 * (std::numbers::pi / 180));
    return Tolerance(physics.axis(pole_, kZ, kZ), {.lower = within_8_degrees, .upper = 1});
  }

 private:
  const int pole_, hinge_;
};

}  // namespace

std::unique_ptr<Task> MakePendulum(const std::string& task, const mjModel& model) {
  if (task == "swingup") return std::make_unique<Pendulum>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
