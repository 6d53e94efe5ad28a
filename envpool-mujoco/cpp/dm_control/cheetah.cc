// SPDX-License-Identifier: Apache-2.0
// cheetah: run forward on two legs, in a plane.
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Cheetah final : public Task {
 public:
  explicit Cheetah(const mjModel& model) : Task(model), torso_(Names(model).body("torso")) {}

  // The position along the track is not observed.
  Layout Observations() const override { return {{"position", {nq() - 1}}, {"velocity", {nv()}}}; }

  void Start(Physics& physics) override {
    const mjModel& model = physics.model();
    // The first step below depends on values that are computed from the model's initial state.
    physics.Forward();
    for (int joint = 0; joint < model.njnt; ++joint) {
      if (model.jnt_limited[joint] == 0) continue;
      const mjtNum* range = model.jnt_range + 2 * joint;
      physics.data().qpos[joint] = physics.random().Uniform(range[0], range[1]);
    }
    // It comes to rest before the episode.
    physics.Step(200);
    physics.data().time = 0;
  }

  double* Observe(const Physics& physics, double* out) const override {
    return Velocities(physics, Copy(physics.data().qpos + 1, nq() - 1, out));
  }

  double Reward(const Physics& physics) const override {
    return Tolerance(
        physics.subtree_velocity(torso_, kX),
        {.lower = 10, .upper = kInfinity, .margin = 10, .shape = Shape::kLinear, .at_margin = 0});
  }

 private:
  const int torso_;
};

}  // namespace

std::unique_ptr<Task> MakeCheetah(const std::string& task, const mjModel& model) {
  if (task == "run") return std::make_unique<Cheetah>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
