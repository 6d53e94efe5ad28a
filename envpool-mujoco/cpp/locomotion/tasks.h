// SPDX-License-Identifier: Apache-2.0
// The tasks of dm_control's locomotion: a function per task, defined in its file.
#pragma once

#include <memory>
#include <string>

#include "dm_control/task.h"

namespace envpool::mujoco {

std::unique_ptr<Task> MakeEscapeBowl(const mjModel& model);
std::unique_ptr<Task> MakeGoToTarget(const mjModel& model);
std::unique_ptr<Task> MakeHeterogeneousForage(const mjModel& model);
std::unique_ptr<Task> MakeHumanoidRunGaps(const mjModel& model);
std::unique_ptr<Task> MakeHumanoidRunWalls(const mjModel& model);
std::unique_ptr<Task> MakeRodentRunGaps(const mjModel& model);
std::unique_ptr<Task> MakeTwoTouch(const mjModel& model);

/// A task by its name, as "cmu_humanoid_go_to_target"; null if there is no such task.
std::unique_ptr<Task> MakeLocomotion(const std::string& task, const mjModel& model);

}  // namespace envpool::mujoco
