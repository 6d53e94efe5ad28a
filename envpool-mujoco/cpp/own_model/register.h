// SPDX-License-Identifier: Apache-2.0
// The environment of a user's own model, as a part of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::mujoco {

void RegisterOwnModel(pybind11::module_& m);

}  // namespace envpool::mujoco
