// SPDX-License-Identifier: Apache-2.0
// walker: stand, walk or run on two legs, in a plane.
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Walker final : public Task {
 public:
  Walker(const mjModel& model, double speed)
      : Task(model),
        speed_(speed),
        nbody_(ModelSizes(model).nbody),
        torso_(Names(model).body("torso")),
        velocity_(Names(model).sensor("torso_subtreelinvel")) {}

  Layout Observations() const override {
    return {{"orientations", {2 * (nbody_ - 1)}}, {"height", {}}, {"velocity", {nv()}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kMotion; }

  void Start(Physics& physics) override { RandomizeJoints(physics); }

  double* Observe(const Physics& physics, double* out) const override {
    for (int body = 1; body < nbody_; ++body) {
      *out++ = physics.axis(body, kX, kX);
      *out++ = physics.axis(body, kX, kZ);
    }
    *out++ = physics.xpos(torso_)[kZ];
    return Velocities(physics, out);
  }

  double Reward(const Physics& physics) const override {
    const double standing =
        Tolerance(physics.xpos(torso_)[kZ], {.lower = 1.2, .upper = kInfinity, .margin = 1.2 / 2});
    const double upright = (1 + physics.axis(torso_, kZ, kZ)) / 2;
    const double stands = (3 * standing + upright) / 4;
    if (speed_ == 0) return stands;
    const double move = Tolerance(physics.data().sensordata[velocity_], {.lower = speed_,
                                                                         .upper = kInfinity,
                                                                         .margin = speed_ / 2,
                                                                         .shape = Shape::kLinear,
                                                                         .at_margin = 0.5});
    return stands * (5 * move + 1) / 6;
  }

 private:
  const double speed_;
  const int nbody_, torso_, velocity_;
};

}  // namespace

std::unique_ptr<Task> MakeWalker(const std::string& task, const mjModel& model) {
  if (task == "stand") return std::make_unique<Walker>(model, 0);
  if (task == "walk") return std::make_unique<Walker>(model, 1);
  if (task == "run") return std::make_unique<Walker>(model, 8);
  return nullptr;
}

}  // namespace envpool::mujoco
