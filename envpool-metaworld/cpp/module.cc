// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-metaworld. Python: `envpool.make("MetaWorld/reach-v3")`.
#include "envpool/module.h"

#include "envpool/pixels.h"
#include "envpool_mujoco/module.h"
#include "sawyer.h"

PYBIND11_MODULE(_metaworld, m) {
  namespace metaworld = envpool::metaworld;
  envpool::mujoco::RegisterFamily(m);
  envpool::Register<metaworld::Sawyer>(m, "Sawyer");
  envpool::Register<envpool::FromPixels<metaworld::Sawyer>>(m, "SawyerPixels");
}
