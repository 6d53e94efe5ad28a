// SPDX-License-Identifier: Apache-2.0
#include "envpool_mujoco/module.h"

#include "crane.h"
#include "envpool/module.h"
#include "envpool/pixels.h"

PYBIND11_MODULE(_crane, m) {
  envpool::mujoco::RegisterFamily(m);
  envpool::Register<crane::Crane>(m, "Crane");
  envpool::Register<envpool::FromPixels<crane::Crane>>(m, "CranePixels");
}
