// SPDX-License-Identifier: Apache-2.0
// All tasks of the package.
#pragma once

#include "intersections.h"
#include "lane_keeping.h"
#include "merges.h"
#include "parking.h"
#include "racetracks.h"
#include "roundabouts.h"
#include "straight_roads.h"
#include "two_ways.h"

namespace envpool::highway {

inline std::vector<Scenario> PackageScenarios() {
  return {HighwayScenario(),
          ExitScenario(),
          MergeScenario(),
          MergeGenericScenario(),
          RoundaboutScenario(),
          RoundaboutGenericScenario(),
          ParkingScenario(),
          IntersectionScenario(),
          RacetrackScenario("racetrack", RacetrackNetwork, PopulateRacetrack),
          RacetrackScenario("racetrack_large", RacetrackLargeNetwork, PopulateRacetrack),
          RacetrackScenario("racetrack_oval", RacetrackOvalNetwork, PopulateOval),
          TwoWayScenario(),
          UTurnScenario(),
          LaneKeepingScenario()};
}

}  // namespace envpool::highway
