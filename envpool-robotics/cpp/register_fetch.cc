// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "fetch.h"
#include "register.h"

namespace envpool::robotics {

void RegisterFetch(pybind11::module_& m) {
  Register<Fetch>(m, "Fetch");
  Register<FromPixels<Fetch>>(m, "FetchPixels");
}

}  // namespace envpool::robotics
