// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-nethack. Python: `envpool.make("NetHackScore-v0")`.

#include "envpool/module.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "library/game_library.h"
#include "nethack_env.h"

PYBIND11_MODULE(_nethack, m) {
  envpool::Register<envpool::nethack::NethackEnv>(m, "Nethack");
  m.def("problem_of_own_loader", &envpool::nethack::ProblemOfOwnLoader, pybind11::arg("path"),
        "Why the own loader cannot read a library; empty where it can.");
  m.def("loads", &envpool::nethack::Game::loads,
        "Games of this process that were loaded from memory, and by keys.");
}
