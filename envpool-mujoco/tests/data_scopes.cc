// SPDX-License-Identifier: Apache-2.0
// Uses a simulation that borrows mjData where it has none, or has it already.
#include <mujoco/mujoco.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "envpool_mujoco/simulation.h"
#include "envpool_mujoco/workspaces.h"

using envpool::mujoco::SharedModel;
using envpool::mujoco::Simulation;
using envpool::mujoco::Workspaces;

namespace {

std::string TextOf(const std::function<void()>& use) {
  try {
    use();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

void Use(Simulation& simulation, int way) {
  switch (way) {
    case 0:
      simulation.data().qpos[0] = 1;
      break;
    case 1:
      simulation.Reset();
      break;
    case 2:
      simulation.Forward();
      break;
    case 3:
      simulation.Step(1);
      break;
    case 4:
      simulation.StepInSync(1);
      break;
    case 5:
      simulation.FollowMotion();
      break;
    case 6:
      static_cast<void>(simulation.Warnings());
      break;
    case 7:
      const Simulation::ScopedStateRestore restore(simulation);
      break;
  }
}

}  // namespace

/// Writes into `text` what is said where `way` is used after a scope; where it is -1, where a scope
/// begins in another. Returns whether all of it works within a scope, also after these errors.
extern "C" bool use_without_data(const char* path, int way, char* text, int size) {
  const SharedModel model(mj_loadXML(path, nullptr, nullptr, 0),
                          [](const mjModel* one) { mj_deleteModel(const_cast<mjModel*>(one)); });
  Simulation simulation(model, Workspaces::Of(model));
  using Restore = Simulation::Restore;
  const auto within = [&](double value) {
    const Simulation::DataScope scope(simulation, Restore::kState);
    simulation.data().qpos[0] = value;
    for (int i = 0; i < 8; ++i) Use(simulation, i);
    simulation.data().qpos[0] = value;
  };
  within(0.5);
  const std::string said = TextOf([&] {
    if (way >= 0) return Use(simulation, way);
    const Simulation::DataScope scope(simulation, Restore::kState);
    const Simulation::DataScope inner(simulation, Restore::kNothing);
  });
  std::strncpy(text, said.c_str(), static_cast<std::size_t>(size) - 1);
  bool as_left = false;
  {
    const Simulation::DataScope scope(simulation, Restore::kState);
    as_left = simulation.data().qpos[0] == 0.5;
  }
  within(0.25);
  Simulation own(model);  // has its own data, always
  for (int i = 0; i < 8; ++i) Use(own, i);
  return as_left;
}
