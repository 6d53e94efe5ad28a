// SPDX-License-Identifier: Apache-2.0
// AnswerFieldCall: an environment's answers to the pool's methods about fields, states and
// rollouts. envpool_mujoco/_pool_fields.py has the requests.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/model_fields.h"
#include "envpool_mujoco/simulation.h"

namespace envpool::mujoco {

/// Throws Error; the caller adds the method's name.
inline std::string AnswerFieldCall(Simulation& simulation, const std::string& request) {
  StateReader in(request.data(), request.size());
  StateWriter out;
  std::string what, name;
  in.Read(what, name);
  if (what == "state") {
    const Simulation::DataScope scope(simulation, Simulation::Restore::kState);
    const mjModel& model = simulation.model();
    std::vector<mjtNum> state(static_cast<std::size_t>(mj_stateSize(&model, mjSTATE_FULLPHYSICS)));
    mj_getState(&model, &simulation.data(), state.data(), mjSTATE_FULLPHYSICS);
    out.Write(model.nu, model.nmocap, model.nsensordata, state);
    return out.Take();
  }
  if (what == "rollout") {
    std::uint64_t steps = 0;
    std::vector<mjtNum> start, controls, states, sensors;
    in.Read(steps, start, controls);
    const Simulation::DataScope scope(simulation, Simulation::Restore::kState);
    simulation.Rollout(start, static_cast<std::size_t>(steps), controls, states, sensors);
    out.Write(states, sensors);
    return out.Take();
  }
  const auto fields = ModelFields::Of(simulation.shared());
  if (what == "read") {
    const Simulation::DataScope scope(simulation, Simulation::Restore::kState);
    const ModelField& field = fields->at(fields->Readable(name, "name"));
    std::vector<double> values;
    for (int i = 0; i < field.size(); ++i) values.push_back(field.Read(simulation.model(), i));
    out.Write(field.pointed ? field.rows : 0, field.columns, values);
  } else if (what == "set") {
    std::vector<double> values;
    in.Read(values);
    fields->Check(name, values, "name");
    simulation.SetField(name, values);
  } else {
    throw Error(ErrorKind::kConfig, "a call '" + what + "'", "an unknown one",
                "'read', 'set', 'state' or 'rollout'", "install wheels of the same version");
  }
  return out.Take();
}

}  // namespace envpool::mujoco
