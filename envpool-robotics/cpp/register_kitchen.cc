// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "kitchen.h"
#include "register.h"

namespace envpool::robotics {

void RegisterKitchen(pybind11::module_& m) {
  Register<Kitchen>(m, "Kitchen");
  Register<FromPixels<Kitchen>>(m, "KitchenPixels");
}

}  // namespace envpool::robotics
