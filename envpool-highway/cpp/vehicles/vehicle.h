// SPDX-License-Identifier: Apache-2.0
// Everything that stands or drives on a road: cars of all kinds, obstacles, goals.
//
// The reference is highway_env.vehicle: objects.RoadObject, kinematics.Vehicle,
// controller.ControlledVehicle and MDPVehicle, behavior.IDMVehicle, dynamics.BicycleVehicle. These
// are classes; here one struct has the fields of all, and is copied as bytes.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "../road/network.h"

namespace envpool::highway {

/// The kind of a thing on the road: kVehicle and later kinds move, kMdp and later follow lanes.
enum class Kind : std::uint8_t {
  kObstacle,  ///< solid, and stands still
  kLandmark,  ///< a goal; cars drive through it
  kVehicle,   ///< a car with given steering and acceleration
  kBicycle,   ///< a kVehicle with friction: it slips
  kMdp,       ///< a car that takes an agent's decisions: faster, slower, left, right
  kDriver     ///< a car of the traffic
};

struct Vehicle {
  Vec position;         ///< in metres
  double heading = 0;   ///< in radians; never wrapped
  double speed = 0;     ///< in m/s, along the heading
  Vec direction{1, 0};  ///< the unit vector of the heading
  Local local;          ///< the coordinates on `lane`
  double length = 5, width = 2, diagonal = 0;
  double steering = 0;      ///< the wheels' angle, in radians
  double acceleration = 0;  ///< in m/s^2
  Vec impact;               ///< metres by which a collision moves it in the next step

  double target_speed = 0;   ///< for kinds that follow lanes
  double delta = 4;          ///< IDM's exponent of the speed
  double timer = 0;          ///< seconds since it last considered a change of lanes
  double lateral_speed = 0;  ///< for a bicycle, in m/s
  double yaw_rate = 0;       ///< for a bicycle, in rad/s
  double min_speed = -40, max_speed = 40;
  std::array<double, 3> acceleration_parameters{};  ///< for a linear driver
  std::array<double, 2> steering_parameters{};      ///< for a linear driver

  LaneIndex lane;                ///< the closest one
  LaneIndex target_lane;         ///< the lane that it follows
  std::int32_t speed_index = 0;  ///< the index in the target speeds, for kMdp
  std::int32_t goal = -1;        ///< index of its goal, a landmark, among the objects
  Kind kind = Kind::kVehicle;
  bool crashed = false;
  bool hit = false;  ///< a landmark that was reached
  bool check_collisions = true;
  bool has_impact = false;
  bool enable_lane_change = true;
  bool is_yielding = false;  ///< waits for a car with the right of way
  bool agent = false;        ///< an agent drives it
  Route route;

  bool IsVehicle() const { return kind >= Kind::kVehicle; }
  bool IsControlled() const { return kind >= Kind::kMdp; }
  bool IsSolid() const { return kind != Kind::kLandmark; }
  Vec Velocity() const { return speed * direction; }
  void Resize(double new_length, double new_width) {
    length = new_length;
    width = new_width;
    diagonal = std::sqrt(length * length + width * width);
  }
};
static_assert(std::is_trivially_copyable_v<Vehicle>);

/// A pose for a new car.
struct Pose {
  Vec position;
  double heading = 0;
};

}  // namespace envpool::highway
