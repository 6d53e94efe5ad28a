// SPDX-License-Identifier: Apache-2.0
// hopper: stand or hop on one leg, in a plane.
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Hopper final : public Task {
 public:
  Hopper(const mjModel& model, bool hops)
      : Task(model),
        hops_(hops),
        torso_(Names(model).body("torso")),
        foot_(Names(model).body("foot")),
        velocity_(Names(model).sensor("torso_subtreelinvel")),
        touch_{Names(model).sensor("touch_toe"), Names(model).sensor("touch_heel")} {}

  // The position along the track is not observed.
  Layout Observations() const override {
    return {{"position", {nq() - 1}}, {"velocity", {nv()}}, {"touch", {2}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }

  void Start(Physics& physics) override { RandomizeJoints(physics); }

  double* Observe(const Physics& physics, double* out) const override {
    out = Velocities(physics, Copy(physics.data().qpos + 1, nq() - 1, out));
    return LogOfTouch(physics, touch_, out);
  }

  double Reward(const Physics& physics) const override {
    const mjData& data = physics.data();
    const double height = data.xipos[3 * torso_ + kZ] - data.xipos[3 * foot_ + kZ];
    const double standing = Tolerance(height, {.lower = 0.6, .upper = 2});
    if (!hops_) return standing * ((SmallControl(physics) + 4) / 5);
    return standing * Tolerance(data.sensordata[velocity_], {.lower = 2,
                                                             .upper = kInfinity,
                                                             .margin = 1,
                                                             .shape = Shape::kLinear,
                                                             .at_margin = 0.5});
  }

 private:
  const bool hops_;
  const int torso_, foot_, velocity_;
  const std::vector<int> touch_;
};

}  // namespace

std::unique_ptr<Task> MakeHopper(const std::string& task, const mjModel& model) {
  if (task == "stand") return std::make_unique<Hopper>(model, false);
  if (task == "hop") return std::make_unique<Hopper>(model, true);
  return nullptr;
}

}  // namespace envpool::mujoco
