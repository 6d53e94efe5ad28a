// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-highway: one class has all tasks, and the option scenario chooses.
// Python: `envpool.make("highway-v0")`.

#include "envpool/module.h"

#include "envpool/pixels.h"
#include "highway_env.h"
#include "tasks/all.h"

PYBIND11_MODULE(_highway, m) {
  using namespace envpool::highway;
  AddScenarios(PackageScenarios());
  envpool::Register<HighwayEnv>(m, "Highway");
  envpool::Register<envpool::FromPixels<HighwayEnv>>(m, "HighwayPixels");
}
