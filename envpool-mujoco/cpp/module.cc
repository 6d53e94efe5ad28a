// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-mujoco. Python: `envpool.make("Ant-v5")`. Each part is a separate
// translation unit, so that they compile in parallel.

#include <mujoco/mujoco.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>

#include "dm_control/dm_control_env.h"
#include "envpool/binding/translate.h"
#include "envpool_mujoco/detail/load_model.h"
#include "envpool_mujoco/version.h"
#include "gl_python.h"
#include "gymnasium/register.h"
#include "own_model/register.h"
#include "soccer/register.h"

PYBIND11_MODULE(_mujoco, m) {
  envpool::python::TranslateErrors();
  m.def("mujoco_version", mj_versionString, "The version of MuJoCo's library.");
  m.def("load_plugins", envpool::mujoco::LoadPlugins, "Makes the plugins of a folder known.");
  m.attr("api") = std::pair(envpool::mujoco::kApi, mjVERSION_HEADER);
  envpool::mujoco::RegisterGl(m);
  envpool::mujoco::RegisterGymnasium(m);
  envpool::mujoco::RegisterGymnasiumPixels(m);
  envpool::mujoco::RegisterOwnModel(m);
  envpool::mujoco::RegisterDmControl(m);
  envpool::mujoco::RegisterSoccer(m);
}
