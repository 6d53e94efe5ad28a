// SPDX-License-Identifier: Apache-2.0
// The environments of Gymnasium's tasks, as a part of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::mujoco {

void RegisterGymnasium(pybind11::module_& m);
/// Registers the same environments with images as observations: "AntPixels" and so on.
void RegisterGymnasiumPixels(pybind11::module_& m);

}  // namespace envpool::mujoco
