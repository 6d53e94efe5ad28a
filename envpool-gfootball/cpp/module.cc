// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-gfootball. Python:
// `envpool.make("gfootball/academy_empty_goal_close-v1")`.

#include "envpool/module.h"

#include "gfootball_env.h"

PYBIND11_MODULE(_gfootball, m) {
  envpool::Register<envpool::gfootball::FootballEnv>(m, "Football");
}
