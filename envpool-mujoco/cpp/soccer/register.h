// SPDX-License-Identifier: Apache-2.0
// Soccer: two teams of dm_control.locomotion.soccer as one environment of several players.
//
//   RegisterSoccer(m);    // in the module's definition
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::mujoco {

/// Adds the environment `Soccer` to the module.
void RegisterSoccer(pybind11::module_& m);

}  // namespace envpool::mujoco
