// SPDX-License-Identifier: Apache-2.0
#include "adroit.h"
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "register.h"

namespace envpool::robotics {

void RegisterAdroit(pybind11::module_& m) {
  Register<Adroit>(m, "Adroit");
  Register<FromPixels<Adroit>>(m, "AdroitPixels");
}

}  // namespace envpool::robotics
