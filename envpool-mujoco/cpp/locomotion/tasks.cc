// SPDX-License-Identifier: Apache-2.0
#include "locomotion/tasks.h"

namespace envpool::mujoco {

std::unique_ptr<Task> MakeLocomotion(const std::string& task, const mjModel& model) {
  if (task == "cmu_humanoid_go_to_target") return MakeGoToTarget(model);
  if (task == "cmu_humanoid_heterogeneous_forage") return MakeHeterogeneousForage(model);
  if (task == "cmu_humanoid_run_gaps") return MakeHumanoidRunGaps(model);
  if (task == "cmu_humanoid_run_walls") return MakeHumanoidRunWalls(model);
  if (task == "rodent_escape_bowl") return MakeEscapeBowl(model);
  if (task == "rodent_run_gaps") return MakeRodentRunGaps(model);
  if (task == "rodent_two_touch") return MakeTwoTouch(model);
  return nullptr;
}

}  // namespace envpool::mujoco
