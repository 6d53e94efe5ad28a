// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-mujoco. Python: `envpool.make("Ant-v5")`. Each part is a translation
// unit of its own, so that they compile side by side.

#include <mujoco/mujoco.h>
#include <pybind11/pybind11.h>

#include "dm_control/dm_control_env.h"
#include "gymnasium/register.h"
#include "own_model/register.h"
#include "rendering/python.h"

PYBIND11_MODULE(_mujoco, m) {
  m.def("mujoco_version", mj_versionString, "The version of MuJoCo's library.");
  mujoco::RegisterGl(m);
  mujoco::RegisterGymnasium(m);
  mujoco::RegisterGymnasiumPixels(m);
  mujoco::RegisterOwnModel(m);
  mujoco::RegisterDmControl(m);
}
