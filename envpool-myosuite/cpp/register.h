// SPDX-License-Identifier: Apache-2.0
// Functions that register the environments, each with its variant that observes images.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::myosuite {

/// A hand with a key, an object to hold, a pen, or objects of many shapes.
void RegisterHands(pybind11::module_& m);
/// A torso, and the challenges of a hand with a die, an object to bring, or two balls.
void RegisterHandChallenges(pybind11::module_& m);
/// The challenges of arms: table tennis, and passing an object.
void RegisterArmChallenges(pybind11::module_& m);
/// The challenges of legs: a run with a prosthesis, a chase and soccer.
void RegisterLegChallenges(pybind11::module_& m);

}  // namespace envpool::myosuite
