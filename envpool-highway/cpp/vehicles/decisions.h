// SPDX-License-Identifier: Apache-2.0
// The drivers' decisions in each step of the simulation: steering, acceleration, lane changes.
//
// The reference is highway_env.vehicle.controller (ControlledVehicle, MDPVehicle) for agents' cars,
// and behavior (IDMVehicle with IDM and MOBIL, LinearVehicle) for traffic.
#pragma once

#include <cmath>

#include "../road/road.h"

namespace envpool::highway {

/// Decisions of an agent, by the numbers of ACTIONS_ALL.
enum class Decision : std::uint8_t { kLaneLeft, kIdle, kLaneRight, kFaster, kSlower, kNone };

namespace detail {

inline constexpr double kTauPursuit = 0.5 * 0.2;  // s
inline constexpr double kKpHeading = 1 / 0.2;     // 1/s
inline constexpr double kKpLateral = 1 / 0.6;     // 1/s
inline constexpr double kKpSpeed = 1 / 0.6;       // 1/s
inline constexpr double kMaxSteering = kPi / 3;   // rad

inline Local LocalOn(const Road& road, const Vehicle& v, LaneIndex lane) {
  return v.lane == lane ? v.local : road.network.lane(lane).LocalCoordinates(v.position);
}

/// ControlledVehicle.steering_control.
inline double Steering(const Road& road, const Vehicle& v, LaneIndex target) {
  const Lane& lane = road.network.lane(target);
  const Local at = LocalOn(road, v, target);
  const double future_heading = lane.HeadingAt(at.s + v.speed * kTauPursuit);
  const double speed = NotZero(v.speed);
  const double command = std::asin(Clip(-kKpLateral * at.r / speed, -1, 1));
  const double heading = future_heading + Clip(command, -kPi / 4, kPi / 4);
  const double rate = kKpHeading * WrapToPi(heading - v.heading);
  const double slip = std::asin(Clip(v.length / 2 / speed * rate, -1, 1));
  return Clip(std::atan(2 * std::tan(slip)), -kMaxSteering, kMaxSteering);
}
/// LinearVehicle.steering_control.
inline double LinearSteering(const Road& road, const Vehicle& v, LaneIndex target) {
  const Lane& lane = road.network.lane(target);
  const Local at = LocalOn(road, v, target);
  const double future_heading = lane.HeadingAt(at.s + v.speed * kTauPursuit);
  const double speed = NotZero(v.speed);
  const double features[2] = {WrapToPi(future_heading - v.heading) * v.length / speed,
                              -at.r * v.length / numpy::Square(speed)};
  return numpy::Dot(v.steering_parameters.data(), features, 2);
}
/// ControlledVehicle.follow_road.
inline void FollowRoad(const Road& road, Vehicle& v) {
  if (road.network.lane(v.target_lane).AfterEnd(LocalOn(road, v, v.target_lane).s)) {
    v.target_lane = road.network.NextLane(v.target_lane, v.route, v.position);
  }
}

/// IDMVehicle.desired_gap.
inline double DesiredGap(const Drivers& drivers, const Vehicle& ego, const Vehicle& front) {
  const double ab = -drivers.comfort_acc_max * drivers.comfort_acc_min;
  const double dv = Dot(ego.Velocity() - front.Velocity(), ego.direction);
  return drivers.distance_wanted + ego.speed * drivers.time_wanted +
         ego.speed * dv / (2 * std::sqrt(ab));
}
/// IDMVehicle.acceleration of `ego`, with the parameters of `self`.
inline double IdmAcceleration(const Road& road, const Vehicle& self, const Vehicle* ego,
                              const Vehicle* front) {
  if (ego == nullptr || !ego->IsVehicle()) return 0;
  const Drivers& drivers = road.drivers;
  double target = ego->IsControlled() ? ego->target_speed : 0;
  const double limit = road.network.lane(ego->lane).speed_limit();
  if (!std::isnan(limit)) target = Clip(target, 0, limit);
  const double share = std::max(ego->speed, 0.0) / std::abs(NotZero(target));
  double acceleration = drivers.comfort_acc_max * (1 - std::pow(share, self.delta));
  if (front != nullptr) {
    const double q = DesiredGap(drivers, *ego, *front) / NotZero(road.LaneDistance(*ego, *front));
    acceleration -= drivers.comfort_acc_max * (q * q);
  }
  return acceleration;
}
/// LinearVehicle.acceleration of `ego`, with the parameters of `self`.
inline double LinearAcceleration(const Road& road, const Vehicle& self, const Vehicle* ego,
                                 const Vehicle* front) {
  double features[3] = {0, 0, 0};  // of target speed, speed ahead, distance ahead
  if (ego != nullptr) {
    if (ego->IsControlled()) features[0] = ego->target_speed - ego->speed;
    const double safe =
        road.drivers.distance_wanted + std::max(ego->speed, 0.0) * road.drivers.time_wanted;
    if (front != nullptr) {
      features[1] = std::min(front->speed - ego->speed, 0.0);
      features[2] = std::min(road.LaneDistance(*ego, *front) - safe, 0.0);
    }
  }
  return numpy::Dot(self.acceleration_parameters.data(), features, 3);
}
inline double Acceleration(const Road& road, const Vehicle& self, const Vehicle* ego,
                           const Vehicle* front) {
  return road.drivers.linear ? LinearAcceleration(road, self, ego, front)
                             : IdmAcceleration(road, self, ego, front);
}

/// IDMVehicle.mobil: true if the driver should change to a lane. The package's politeness is 0, and
/// its factor is finite, so that term is left out.
inline bool Mobil(Road& road, const Vehicle& v, LaneIndex lane) {
  const Drivers& drivers = road.drivers;
  const Road::Neighbours fresh = road.NeighbourVehicles(v, lane);
  if (Acceleration(road, v, fresh.rear, &v) < -drivers.lane_change_max_braking_imposed) {
    return false;
  }
  const double predicted = Acceleration(road, v, &v, fresh.front);
  if (!v.route.empty() && v.route.front().id >= 0) {
    const auto sign = [](int x) { return (x > 0) - (x < 0); };
    return sign(lane.id - v.target_lane.id) == sign(v.route.front().id - v.target_lane.id) &&
           predicted >= -drivers.lane_change_max_braking_imposed;
  }
  const Road::Neighbours old = road.NeighbourVehicles(v, v.lane);
  const double own = Acceleration(road, v, &v, old.front);
  return predicted - own >= drivers.lane_change_min_acc_gain;
}

/// IDMVehicle.change_lane_policy.
inline void ChangeLanes(Road& road, Vehicle& v) {
  if (!(v.lane == v.target_lane)) {
    if (v.lane.edge != v.target_lane.edge) return;
    for (const Vehicle& other : road.vehicles) {
      if (&other == &v || other.lane == v.target_lane || !other.IsControlled() ||
          !(other.target_lane == v.target_lane)) {
        continue;
      }
      const double distance = road.LaneDistance(v, other);
      if (0 < distance && distance < DesiredGap(road.drivers, v, other)) {
        v.target_lane = v.lane;
        break;
      }
    }
    return;
  }
  if (!(road.drivers.lane_change_delay < v.timer)) return;
  v.timer = 0;
  for (int side : {-1, 1}) {
    const LaneIndex lane{v.lane.edge, static_cast<std::int16_t>(v.lane.id + side)};
    if (lane.id < 0 || lane.id >= road.network.LanesBeside(v.lane)) continue;
    if (!road.network.lane(lane).IsReachableFrom(v.position)) continue;
    if (std::abs(v.speed) < 1) continue;
    if (Mobil(road, v, lane)) v.target_lane = lane;
  }
}

}  // namespace detail

/// MDPVehicle.act: applies a decision, then steers and accelerates.
inline void Decide(const Road& road, Vehicle& v, Decision decision) {
  if (decision == Decision::kFaster || decision == Decision::kSlower) {
    const int index = road.SpeedToIndex(v.speed) + (decision == Decision::kFaster ? 1 : -1);
    v.speed_index = std::clamp(index, 0, static_cast<int>(road.target_speeds.size()) - 1);
    v.target_speed = road.target_speeds[static_cast<std::size_t>(v.speed_index)];
    decision = Decision::kNone;
  }
  detail::FollowRoad(road, v);
  if (decision == Decision::kLaneLeft || decision == Decision::kLaneRight) {
    const int id = std::clamp(v.target_lane.id + (decision == Decision::kLaneRight ? 1 : -1), 0,
                              road.network.LanesBeside(v.target_lane) - 1);
    const LaneIndex lane{v.target_lane.edge, static_cast<std::int16_t>(id)};
    if (road.network.lane(lane).IsReachableFrom(v.position)) v.target_lane = lane;
  }
  v.steering = detail::Steering(road, v, v.target_lane);
  v.acceleration = detail::kKpSpeed * (v.target_speed - v.speed);
}

/// IDMVehicle.act, for any driver of the traffic.
inline void Drive(Road& road, Vehicle& v) {
  if (v.crashed) return;
  detail::FollowRoad(road, v);
  if (v.enable_lane_change) detail::ChangeLanes(road, v);
  v.steering = Clip(road.drivers.linear ? detail::LinearSteering(road, v, v.target_lane)
                                        : detail::Steering(road, v, v.target_lane),
                    -detail::kMaxSteering, detail::kMaxSteering);
  const Vehicle* front = road.NeighbourVehicles(v, v.lane).front;
  double acceleration = detail::Acceleration(road, v, &v, front);
  if (!(v.lane == v.target_lane)) {
    front = road.NeighbourVehicles(v, v.target_lane).front;
    acceleration = std::min(acceleration, detail::Acceleration(road, v, &v, front));
  }
  v.acceleration = Clip(acceleration, -road.drivers.acc_max, road.drivers.acc_max);
}

/// Road.act: all drivers decide, in the order of the list; later drivers see earlier decisions.
inline void Act(Road& road) {
  for (Vehicle& v : road.vehicles) {
    if (v.kind == Kind::kMdp) Decide(road, v, Decision::kNone);
    if (v.kind == Kind::kDriver) Drive(road, v);
  }
}

}  // namespace envpool::highway
