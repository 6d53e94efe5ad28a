// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-minigrid: all levels behind one class, which option env_name
// chooses. Python: `envpool.make("MiniGrid-DoorKey-8x8-v0")`.

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
  using namespace minigrid;
  AddLevels({&kBlockedUnlockPickup,
             &kCrossing,
             &kDistShift,
             &kDoorKey,
             &kDynamicObstacles,
             &kEmptyLevel,
             &kFetch,
             &kFourRooms,
             &kGoToDoor,
             &kGoToObject,
             &kKeyCorridor,
             &kLavaGap,
             &kLockedRoom,
             &kMemory,
             &kMultiRoom,
             &kObstructedMaze1D,
             &kObstructedMazeFull,
             &kObstructedMazeFullV1,
             &kPlayground,
             &kPutNear,
             &kRedBlueDoor,
             &kUnlock,
             &kUnlockPickup,
             &kWfc});
  AddLevels({&kLevelGen,
             &babyai::kActionObjDoor,
             &babyai::kBlockedUnlockPickup,
             &babyai::kFindObj,
             &babyai::kGoTo,
             &babyai::kGoToDoor,
             &babyai::kGoToImpUnlock,
             &babyai::kGoToLocal,
             &babyai::kGoToObj,
             &babyai::kGoToObjDoor,
             &babyai::kGoToRedBall,
             &babyai::kGoToRedBallGrey,
             &babyai::kGoToRedBlueBall,
             &babyai::kKeyCorridor,
             &babyai::kKeyInBox,
             &babyai::kMoveTwoAcross,
             &babyai::kOneRoom,
             &babyai::kOpenAny,
             &babyai::kOpenDoor,
             &babyai::kOpenDoorsOrder,
             &babyai::kOpenRedDoor,
             &babyai::kOpenTwoDoors,
             &babyai::kPickUpAny,
             &babyai::kPickupAbove,
             &babyai::kPickupDist,
             &babyai::kPutNext,
             &babyai::kPutNextLocal,
             &babyai::kUnblockPickup,
             &babyai::kUnlock,
             &babyai::kUnlockLocal,
             &babyai::kUnlockPickup,
             &babyai::kUnlockToUnlock});
  envpool::Register<MiniGrid>(m, "MiniGrid");
  envpool::Register<SlowMiniGrid>(m, "SlowMiniGrid");
  // Drawing takes longer than any step.
  envpool::Register<envpool::FromPixels<MiniGrid>>(m, "MiniGridPixels");
}
