// SPDX-License-Identifier: Apache-2.0
// ball_in_cup: catch the ball, which hangs on a string, with the cup.
#include <cmath>

#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class BallInCup final : public Task {
 public:
  explicit BallInCup(const mjModel& model)
      : Task(model),
        ball_x_(Names(model).qpos("ball_x")),
        ball_z_(Names(model).qpos("ball_z")),
        ball_(Names(model).body("ball")),
        ball_geom_(Names(model).geom("ball")),
        target_(Names(model).site("target")) {}

  Layout Observations() const override { return {{"position", {nq()}}, {"velocity", {nv()}}}; }

  void Start(Physics& physics) override {
    do {
      physics.data().qpos[ball_x_] = physics.random().Uniform(-0.2, 0.2);
      physics.data().qpos[ball_z_] = physics.random().Uniform(0.2, 0.5);
    } while (physics.Touches());
  }

  double* Observe(const Physics& physics, double* out) const override {
    return Velocities(physics, Positions(physics, out));
  }

  double Reward(const Physics& physics) const override {
    const double radius = physics.model().geom_size[3 * ball_geom_];
    for (const int i : {kX, kZ}) {
      const double away = std::fabs(physics.site_xpos(target_)[i] - physics.xpos(ball_)[i]);
      if (!(away < physics.model().site_size[3 * target_ + i] - radius)) return 0;
    }
    return 1;
  }

 private:
  const int ball_x_, ball_z_, ball_, ball_geom_, target_;
};

}  // namespace

std::unique_ptr<Task> MakeBallInCup(const std::string& task, const mjModel& model) {
  if (task == "catch") return std::make_unique<BallInCup>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
