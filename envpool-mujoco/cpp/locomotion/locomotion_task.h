// SPDX-License-Identifier: Apache-2.0
// LocomotionTask: a task of dm_control's locomotion, with a walker. composer.Environment compiles a
// model for each episode; here the values that differ between episodes are written into one model.
//
//   class GoToTarget final : public LocomotionTask {
//     explicit GoToTarget(const mjModel& model) : LocomotionTask(model, kCmuHumanoid) {}
//     ...
//   };
#pragma once

#include "dm_control/task.h"
#include "locomotion/walker.h"

namespace envpool::mujoco {

class LocomotionTask : public Task {
 public:
  LocomotionTask(const mjModel& model, const WalkerAnatomy& anatomy)
      : Task(model), walker_(model, anatomy) {}

  /// Without the middle phase contacts come in another order: last bits differ.
  bool SameWithoutMidphase() const override { return false; }

 protected:
  const Walker& walker() const { return walker_; }
  /// Simulates `steps` steps, and calls `after` after each.
  template <typename After>
  void StepByStep(Physics& physics, int steps, const After& after) const {
    for (int left = steps; left > 0; --left) {
      physics.Step(1, left == 1 ? Simulation::Sensors::kAll : Simulation::Sensors::kNone);
      after();
    }
  }

 private:
  const Walker walker_;
};

}  // namespace envpool::mujoco
