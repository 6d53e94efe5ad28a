// SPDX-License-Identifier: Apache-2.0
#include "bimanual.h"
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "register.h"
#include "table_tennis.h"

namespace envpool::myosuite {

void RegisterArmChallenges(pybind11::module_& m) {
  Register<Bimanual>(m, "Bimanual");
  Register<FromPixels<Bimanual>>(m, "BimanualPixels");
  Register<TableTennis>(m, "TableTennis");
  Register<FromPixels<TableTennis>>(m, "TableTennisPixels");
}

}  // namespace envpool::myosuite
