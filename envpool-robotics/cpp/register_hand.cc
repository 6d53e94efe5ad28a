// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "hand_manipulate.h"
#include "hand_reach.h"
#include "register.h"

namespace envpool::robotics {

void RegisterHand(pybind11::module_& m) {
  Register<HandReach>(m, "HandReach");
  Register<FromPixels<HandReach>>(m, "HandReachPixels");
  Register<HandManipulate>(m, "HandManipulate");
  Register<FromPixels<HandManipulate>>(m, "HandManipulatePixels");
}

}  // namespace envpool::robotics
