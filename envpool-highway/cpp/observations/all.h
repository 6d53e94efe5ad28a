// SPDX-License-Identifier: Apache-2.0
// Makes the observer of the options.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "goals.h"
#include "grayscale.h"
#include "kinematics.h"
#include "lidar.h"
#include "observer.h"
#include "occupancy_grid.h"
#include "parts.h"
#include "time_to_collision.h"

namespace envpool::highway {

/// Throws OptionError.
inline std::unique_ptr<Observer> MakeObserver(const Options& options) {
  const std::string& scenario = options["scenario"_];
  const std::string& type = options["observation_type"_];
  const auto needs = [&](const char* task, bool is_there) {
    if (is_there) return;
    throw OptionError("observation_type", type, std::string(type) + " for " + task,
                      "choose another observation for this task");
  };
  switch (Chosen(
      "observation_type", type,
      {"Kinematics", "ExitObservation", "OccupancyGrid", "TimeToCollision", "KinematicsGoal",
       "AttributesObservation", "LidarObservation", "GrayscaleObservation", "TupleObservation"})) {
    case 0:
      return std::make_unique<Kinematics>(options, false);
    case 1:
      needs("exit-v0", scenario == "exit");
      return std::make_unique<Kinematics>(options, true);
    case 2:
      return std::make_unique<OccupancyGrid>(options);
    case 3:
      return std::make_unique<TimeToCollision>(options);
    case 4:
      needs("parking-v0", scenario == "parking");
      return std::make_unique<KinematicsGoal>(options);
    case 5:
      needs("lane-keeping-v0", scenario == "lane_keeping");
      return std::make_unique<Attributes>(options);
    case 6:
      return std::make_unique<Lidar>(options);
    case 7:
      return std::make_unique<Grayscale>(options);
    default:
      break;
  }
  std::vector<std::unique_ptr<Observer>> parts;
  for (const ObservationPart& part : options["observation_configs"_]) {
    parts.push_back(MakeObserver(OptionsOfPart(options, part)));
  }
  if (parts.empty()) {
    throw OptionError(
        "observation_configs", "none", "a list of observations",
        "pass observation={'type': 'TupleObservation', 'observation_configs': [...]}");
  }
  return std::make_unique<Parts>(std::move(parts));
}

}  // namespace envpool::highway
