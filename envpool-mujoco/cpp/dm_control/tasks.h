// SPDX-License-Identifier: Apache-2.0
// All domains: a function per domain, defined in its file, and a function that finds a task.
//
//   std::unique_ptr<Task> task = MakeTask("walker", "run", model);
#pragma once

#include <memory>
#include <string>

#include "dm_control/task.h"

namespace envpool::mujoco {

std::unique_ptr<Task> MakeAcrobot(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeBallInCup(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeCartpole(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeCheetah(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeDog(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeFinger(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeFish(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeHopper(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeHumanoid(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeHumanoidCmu(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeLqr(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeManipulator(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakePendulum(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakePointMass(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeQuadruped(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeReacher(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeStacker(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeSwimmer(const std::string& task, const mjModel& model);
std::unique_ptr<Task> MakeWalker(const std::string& task, const mjModel& model);

/// Throws OptionError if there is no such domain or task, or if the model is of another domain.
std::unique_ptr<Task> MakeTask(const std::string& domain, const std::string& task,
                               const mjModel& model);

}  // namespace envpool::mujoco
