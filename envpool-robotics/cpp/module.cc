// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-robotics. Python: `envpool.make("FetchReach-v4")`.
#include "envpool_mujoco/module.h"

#include "register.h"

PYBIND11_MODULE(_robotics, m) {
  namespace robotics = envpool::robotics;
  envpool::mujoco::RegisterFamily(m);
  robotics::RegisterFetch(m);
  robotics::RegisterHand(m);
  robotics::RegisterAdroit(m);
  robotics::RegisterMaze(m);
  robotics::RegisterKitchen(m);
}
