// SPDX-License-Identifier: Apache-2.0
// The groups of tasks as parts of the module, each a separate translation unit, so that they
// compile in parallel. Each function registers its environments, and their variants with images.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::robotics {

void RegisterFetch(pybind11::module_& m);
void RegisterHand(pybind11::module_& m);
void RegisterAdroit(pybind11::module_& m);
void RegisterMaze(pybind11::module_& m);
void RegisterKitchen(pybind11::module_& m);

}  // namespace envpool::robotics
