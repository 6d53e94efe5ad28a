// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-minigrid: one class has all levels, and option env_name chooses.
// Python: `envpool.make("MiniGrid-DoorKey-8x8-v0")`.

#include "envpool/module.h"

#include "babyai/level_gen.h"
#include "babyai/levels.h"
#include "envpool/pixels.h"
#include "levels/plain.h"
#include "levels/rooms.h"
#include "levels/things.h"
#include "minigrid_env.h"
#include "wfc/level.h"

PYBIND11_MODULE(_minigrid, m) {
  using namespace envpool::minigrid;
  for (const auto& levels :
       {kPlainLevels, kThingLevels, kRoomLevels, {kWfc, kLevelGen}, babyai::kLevels}) {
    AddLevels(levels);
  }
  envpool::Register<MiniGrid>(m, "MiniGrid");
  envpool::Register<SlowMiniGrid>(m, "SlowMiniGrid");
  // Drawing a frame takes longer than a step.
  envpool::Register<envpool::FromPixels<MiniGrid>>(m, "MiniGridPixels");
}
