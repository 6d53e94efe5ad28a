// SPDX-License-Identifier: Apache-2.0
// The motion of cars in one step of the simulation.
//
// The reference is highway_env.vehicle: kinematics.Vehicle.step and dynamics.BicycleVehicle.
#pragma once

#include <array>

#include "../road/road.h"

namespace envpool::highway {

/// x, y, heading, speed, lateral speed and yaw rate of a bicycle.
using BicycleState = std::array<double, 6>;

inline BicycleState StateOf(const Vehicle& v) {
  return {v.position.x, v.position.y, v.heading, v.speed, v.lateral_speed, v.yaw_rate};
}

/// BicycleVehicle.derivative_func: the derivative of a state with the car's controls, per second.
inline BicycleState Derivative(const Vehicle& v, const BicycleState& q) {
  constexpr double kMass = 1, kAxle = 2.5;                      // to each axle, in metres
  constexpr double kInertia = 1.0 / 12 * kMass * (25.0 + 4.0);  // of a rectangle of 5 by 2
  constexpr double kFriction = 15.0 * kMass;                    // of each wheel
  const double speed = q[3], lateral = q[4], yaw = q[5];
  const double angle_front = std::atan2(lateral + kAxle * yaw, speed);
  const double angle_rear = std::atan2(lateral - kAxle * yaw, speed);
  double front = 2 * kFriction * (v.steering - angle_front);
  double rear = 2 * kFriction * (0 - angle_rear);
  if (std::abs(speed) < 1) {  // no slip at low speed
    front = -kMass * lateral - kInertia / kAxle * yaw;
    rear = -kMass * lateral + kInertia / kAxle * yaw;
  }
  const Vec moved = Rotated(Direction(q[2]), {speed, lateral});
  return {moved.x,
          moved.y,
          yaw,
          v.acceleration,
          1 / kMass * (front + rear) - yaw * speed,
          1 / kInertia * (kAxle * front - kAxle * rear)};
}

namespace detail {

inline void MoveBicycle(Vehicle& v, double dt) {
  v.steering = Clip(v.steering, -kPi / 2, kPi / 2);
  v.yaw_rate = Clip(v.yaw_rate, -2 * kPi, 2 * kPi);
  const BicycleState q = StateOf(v);
  const auto at = [&](const BicycleState& slope, double time) {
    BicycleState state;
    for (std::size_t i = 0; i < 6; ++i) state[i] = q[i] + slope[i] * time;
    return state;
  };
  // The Runge-Kutta method of the fourth order.
  const BicycleState f1 = Derivative(v, q), f2 = Derivative(v, at(f1, dt / 2)),
                     f3 = Derivative(v, at(f2, dt / 2)), f4 = Derivative(v, at(f3, dt));
  BicycleState next;
  for (std::size_t i = 0; i < 6; ++i) {
    next[i] = q[i] + dt / 6 * (f1[i] + 2 * f2[i] + 2 * f3[i] + f4[i]);
  }
  v.position = {next[0], next[1]};
  v.heading = next[2];
  v.speed = next[3];
  v.lateral_speed = next[4];
  v.yaw_rate = next[5];
}

inline void MoveKinematic(Vehicle& v, double dt) {
  const double beta = std::atan(0.5 * std::tan(v.steering)), speed = v.speed;
  v.position = v.position + dt * (speed * Direction(v.heading + beta));
  if (v.has_impact) {
    v.position = v.position + v.impact;
    v.crashed = true;
    v.has_impact = false;
  }
  v.heading += speed * std::sin(beta) / (v.length / 2) * dt;
  v.speed += v.acceleration * dt;
}

}  // namespace detail

/// Vehicle.step: a car moves for `dt` seconds with its current steering and acceleration.
inline void Move(const Network& network, Vehicle& v, double dt) {
  if (v.kind == Kind::kDriver) v.timer += dt;
  if (v.crashed) {
    v.steering = 0;
    v.acceleration = -1.0 * v.speed;
  }
  if (v.speed > v.max_speed) {
    v.acceleration = std::min(v.acceleration, 1.0 * (v.max_speed - v.speed));
  } else if (v.speed < v.min_speed) {
    v.acceleration = std::max(v.acceleration, 1.0 * (v.min_speed - v.speed));
  }
  if (v.kind == Kind::kBicycle) {
    detail::MoveBicycle(v, dt);
  } else {
    detail::MoveKinematic(v, dt);
  }
  v.direction = Direction(v.heading);
  v.lane = network.ClosestLane(v.position, v.heading, v.lane, v.local);
}

}  // namespace envpool::highway
