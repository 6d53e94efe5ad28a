// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-mujoco. Python: `envpool.make("Ant-v5")`.

#include "envpool/module.h"

#include "dm_control/dm_control_env.h"
#include "gymnasium/ant.h"
#include "gymnasium/half_cheetah.h"

PYBIND11_MODULE(_mujoco, m) {
  envpool::Register<mujoco::Ant>(m, "Ant");
  envpool::Register<mujoco::HalfCheetah>(m, "HalfCheetah");
  mujoco::RegisterDmControl(m);
}
