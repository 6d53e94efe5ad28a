// SPDX-License-Identifier: Apache-2.0
#include "chase_tag.h"
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "osl_run.h"
#include "register.h"
#include "soccer.h"

namespace envpool::myosuite {

void RegisterLegChallenges(pybind11::module_& m) {
  Register<ChaseTag>(m, "ChaseTag");
  Register<FromPixels<ChaseTag>>(m, "ChaseTagPixels");
  Register<OslRun>(m, "OslRun");
  Register<FromPixels<OslRun>>(m, "OslRunPixels");
  Register<Soccer>(m, "Soccer");
  Register<FromPixels<Soccer>>(m, "SoccerPixels");
}

}  // namespace envpool::myosuite
