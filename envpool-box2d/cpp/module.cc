// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-box2d. Python: `envpool.make("LunarLander-v3")`.

#include "envpool/module.h"

#include "bipedal_walker.h"
#include "lunar_lander.h"

PYBIND11_MODULE(_box2d, m) {
  namespace box2d = envpool::box2d;
  envpool::Register<box2d::BipedalWalker>(m, "BipedalWalker");
  envpool::Register<box2d::LunarLander>(m, "LunarLander");
  envpool::Register<box2d::LunarLanderContinuous>(m, "LunarLanderContinuous");
}
