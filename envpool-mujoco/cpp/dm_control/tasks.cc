// SPDX-License-Identifier: Apache-2.0
#include "dm_control/tasks.h"

#include <map>
#include <vector>

#include "envpool/error.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {

std::unique_ptr<Task> MakeTask(const std::string& domain, const std::string& task,
                               const mjModel& model) {
  static const std::map<std::string, TaskMaker> makers = {{"acrobot", MakeAcrobot},
                                                          {"ball_in_cup", MakeBallInCup},
                                                          {"cartpole", MakeCartpole},
                                                          {"cheetah", MakeCheetah},
                                                          {"dog", MakeDog},
                                                          {"finger", MakeFinger},
                                                          {"fish", MakeFish},
                                                          {"hopper", MakeHopper},
                                                          {"humanoid", MakeHumanoid},
                                                          {"humanoid_CMU", MakeHumanoidCmu},
                                                          {"locomotion", MakeLocomotion},
                                                          {"lqr", MakeLqr},
                                                          {"manipulator", MakeManipulator},
                                                          {"pendulum", MakePendulum},
                                                          {"point_mass", MakePointMass},
                                                          {"quadruped", MakeQuadruped},
                                                          {"reacher", MakeReacher},
                                                          {"stacker", MakeStacker},
                                                          {"swimmer", MakeSwimmer},
                                                          {"walker", MakeWalker}};
  const auto maker = makers.find(domain);
  if (maker == makers.end()) {
    std::vector<std::string> domains;
    for (const auto& item : makers) domains.push_back(item.first);
    throw envpool::OptionError("domain", "'" + domain + "'", "a domain of dm_control's suite",
                               "leave the option out", domains);
  }
  try {
    if (auto made = maker->second(task, model)) return made;
  } catch (const MujocoError& error) {
    throw envpool::OptionError("model", "one of which is said: " + std::string(error.what()),
                               "the model of the domain " + domain, "leave the option out");
  }
  throw envpool::OptionError("task_name", "'" + task + "'", "a task of the domain " + domain,
                             "leave the option out");
}

}  // namespace envpool::mujoco
