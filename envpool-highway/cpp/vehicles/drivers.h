// SPDX-License-Identifier: Apache-2.0
// The parameters of the drivers in one environment's traffic. In the package they are attributes of
// classes, which an intersection changes for the whole process.
//
// The reference is highway_env.vehicle.behavior: IDMVehicle, LinearVehicle, AggressiveVehicle,
// DefensiveVehicle.
#pragma once

#include <array>
#include <string>

#include "envpool/error.h"

namespace envpool::highway {

struct Drivers {
  double acc_max = 6.0;                          ///< limit of any acceleration, in m/s^2
  double comfort_acc_max = 3.0;                  ///< desired, in m/s^2
  double comfort_acc_min = -5.0;                 ///< desired when braking, in m/s^2
  double distance_wanted = 10.0;                 ///< to the car ahead, in metres
  double time_wanted = 1.5;                      ///< to the car ahead, in seconds
  double lane_change_min_acc_gain = 0.2;         ///< in m/s^2
  double lane_change_max_braking_imposed = 2.0;  ///< on the car behind, in m/s^2
  double lane_change_delay = 1.0;                ///< in seconds
  bool linear = false;                           ///< true: linear controllers
  std::array<double, 3> acceleration_parameters{0.3, 0.3, 2.0};
  std::array<double, 2> steering_parameters{5.0, 5.0 * (1 / 0.6)};
};

/// The drivers of a class of the package. Throws OptionError for an unknown class.
inline Drivers DriversOf(const std::string& type) {
  const int kind = Chosen("other_vehicles_type", type,
                          {"IDMVehicle", "LinearVehicle", "AggressiveVehicle", "DefensiveVehicle"});
  Drivers drivers;
  if (kind == 0) return drivers;
  drivers.linear = true;
  drivers.time_wanted = 2.5;
  if (kind == 1) return drivers;
  // AggressiveVehicle and DefensiveVehicle: MERGE_ACC_GAIN, MERGE_VEL_RATIO, MERGE_TARGET_VEL.
  const double gain = kind == 2 ? 0.8 : 1.2, ratio = 0.75, speed = 30;
  drivers.lane_change_min_acc_gain = 1.0;
  drivers.acceleration_parameters = {gain / ((1 - ratio) * speed), gain / (ratio * speed),
                                     kind == 2 ? 0.5 : 2.0};
  return drivers;
}

}  // namespace envpool::highway
