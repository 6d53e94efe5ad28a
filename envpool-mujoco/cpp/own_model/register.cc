// SPDX-License-Identifier: Apache-2.0
#include "own_model/register.h"

#include "envpool/module.h"
#include "envpool/pixels.h"
#include "own_model/mujoco_xml.h"

namespace envpool::mujoco {

void RegisterOwnModel(pybind11::module_& m) {
  envpool::Register<MujocoXml>(m, "MujocoXml");
  envpool::Register<envpool::FromPixels<MujocoXml>>(m, "MujocoXmlPixels");
}

}  // namespace envpool::mujoco
