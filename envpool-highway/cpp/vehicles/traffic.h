// SPDX-License-Identifier: Apache-2.0
// One step of the simulation of a road.
#pragma once

#include "collisions.h"
#include "decisions.h"
#include "motion.h"
#include "right_of_way.h"

namespace envpool::highway {

class Traffic {
 public:
  /// Road.step: rules, then all cars move in the order of the list, then collisions.
  void Step(Road& road, double dt) {
    ++road.steps;
    if (road.regulated && road.steps % static_cast<int>(1 / dt / 2) == 0) {
      right_of_way_.Enforce(road);
    }
    for (Vehicle& v : road.vehicles) Move(road.network, v, dt);
    road.Moved();
    collisions_.Handle(road, dt);
  }

 private:
  RightOfWay right_of_way_;
  Collisions collisions_;
};

}  // namespace envpool::highway
