// SPDX-License-Identifier: Apache-2.0
// DmControl: a task of dm_control's suite as an environment. Environment of dm_control.rl.control.
//
//   RegisterDmControl(m);    // in the module's definition
//
// The options `domain` and `task_name` choose the task; `model` is a key of ModelStore. The names
// of the observations depend on the task: "obs:position".
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::mujoco {

/// Adds the environment `DmControl` and the function `add_model` to the module.
void RegisterDmControl(pybind11::module_& m);

}  // namespace envpool::mujoco
