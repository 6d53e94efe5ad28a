// SPDX-License-Identifier: Apache-2.0
// A road and the things on it: the network, cars and objects in the order in which they were made,
// and the search for the neighbors of a car.
//
// The reference is highway_env.road.road.Road.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../vehicles/drivers.h"
#include "../vehicles/vehicle.h"
#include "envpool/random/numpy_random.h"

namespace envpool::highway {

class Road {
 public:
  Network network;
  Drivers drivers;
  std::vector<double> target_speeds{20, 25, 30};  ///< for cars with decisions, in m/s, ascending
  bool connected_lanes = false;                   ///< true: drivers see past the ends of their lane
  bool regulated = false;                         ///< true: the road has rules of right of way
  std::vector<Vehicle> vehicles, objects;
  int steps = 0;  ///< number of steps since the road was made

  void Clear() {
    vehicles.clear();
    objects.clear();
    steps = 0;
    Moved();
  }

  /// Makes a car of this kind. Add puts it on the road.
  Vehicle Make(Kind kind, Pose pose, double speed) const {
    Vehicle v;
    v.kind = kind;
    v.position = pose.position;
    v.heading = pose.heading;
    v.direction = Direction(pose.heading);
    v.speed = speed;
    v.Resize(v.IsVehicle() ? 5 : 2, 2);
    v.lane = network.ClosestLane(v.position, v.heading, {}, v.local);
    if (!v.IsControlled()) return v;
    v.target_lane = v.lane;
    v.target_speed = speed;
    if (kind == Kind::kMdp) {
      v.speed_index = SpeedToIndex(speed);
      v.target_speed = target_speeds[static_cast<std::size_t>(v.speed_index)];
    } else {
      v.acceleration_parameters = drivers.acceleration_parameters;
      v.steering_parameters = drivers.steering_parameters;
      v.timer = std::fmod((v.position.x + v.position.y) * kPi, drivers.lane_change_delay);
      if (v.timer < 0) v.timer += drivers.lane_change_delay;
    }
    return v;
  }
  /// Makes a car in the middle of a lane, in the lane's direction.
  Vehicle MakeOnLane(Kind kind, LaneIndex lane, double s, double speed) const {
    return Make(kind, PoseOn(lane, s), speed);
  }
  Pose PoseOn(LaneIndex lane, double s) const {
    return {network.lane(lane).Position(s, 0), network.lane(lane).HeadingAt(s)};
  }
  /// Puts a car on the road; returns its index among the cars.
  int Add(const Vehicle& vehicle) {
    vehicles.push_back(vehicle);
    Moved();
    return static_cast<int>(vehicles.size()) - 1;
  }
  int AddObject(const Vehicle& object) {
    objects.push_back(object);
    Moved();
    return static_cast<int>(objects.size()) - 1;
  }

  /// MDPVehicle.speed_to_index.
  int SpeedToIndex(double speed) const {
    const double first = target_speeds.front(), last = target_speeds.back();
    const auto most = static_cast<double>(target_speeds.size() - 1);
    return static_cast<int>(Clip(std::nearbyint((speed - first) / (last - first) * most), 0, most));
  }
  /// randomize_behavior: draws a driver's parameters.
  void RandomizeBehavior(Vehicle& v, NumpyRandom& rng) const {
    if (drivers.linear) {
      // LinearVehicle's ranges, also for its subclasses.
      static constexpr double kAcceleration[3] = {0.3, 0.3, 2.0};
      static constexpr double kSteering[2] = {5.0, 5.0 * (1 / 0.6)}, kReach[2] = {0.07, 1.5};
      for (std::size_t i = 0; i < 3; ++i) {
        const double low = 0.5 * kAcceleration[i], high = 1.5 * kAcceleration[i];
        v.acceleration_parameters[i] = low + rng.Uniform(0, 1) * (high - low);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const double low = kSteering[i] - kReach[i], high = kSteering[i] + kReach[i];
        v.steering_parameters[i] = low + rng.Uniform(0, 1) * (high - low);
      }
    }
    v.delta = rng.Uniform(3.5, 4.5);
  }

  bool IsOnRoad(const Vehicle& v) const { return network.lane(v.lane).OnLane(v.local); }
  /// lane_distance_to: the distance from `a` to `b` along a's lane.
  double LaneDistance(const Vehicle& a, const Vehicle& b) const {
    return CoordinateOn(a.lane, b) - a.local.s;
  }
  /// The position of a car along a lane.
  double CoordinateOn(LaneIndex lane, const Vehicle& v) const {
    return v.lane == lane ? v.local.s : network.lane(lane).LocalCoordinates(v.position).s;
  }

  struct Neighbours {
    const Vehicle* front = nullptr;
    const Vehicle* rear = nullptr;
  };
  /// neighbour_vehicles: the next car or obstacle on a lane, ahead and behind.
  Neighbours NeighbourVehicles(const Vehicle& v, LaneIndex lane) {
    const double s = CoordinateOn(lane, v);
    const std::vector<OnLane>& order = InOrder(lane);
    Neighbours found;
    std::size_t i = 0;
    double rear = 0;
    for (; i < order.size() && order[i].s < s; ++i) {
      if (order[i].thing == &v || (found.rear != nullptr && order[i].s == rear)) continue;
      found.rear = order[i].thing;
      rear = order[i].s;
    }
    double front = 0;
    for (; i < order.size() && (found.front == nullptr || order[i].s == front); ++i) {
      if (order[i].thing == &v) continue;
      found.front = order[i].thing;
      front = order[i].s;
    }
    return found;
  }

  /// Must be called whenever a car or an object has moved, come or gone.
  void Moved() { ++moves_; }

 private:
  struct OnLane {
    double s;
    const Vehicle* thing;
  };
  struct LaneOrder {
    std::uint64_t moves = 0;  // the value of moves_ for which it is valid
    std::vector<OnLane> order;
  };

  // The cars and objects on a lane, by position along it; equal positions in the order of the cars.
  // With connected lanes, also those on the lanes before and after. Nothing moves while drivers
  // decide, so each lane is sorted once for all drivers.
  const std::vector<OnLane>& InOrder(LaneIndex index) {
    orders_.resize(static_cast<std::size_t>(network.num_lanes()));
    LaneOrder& known = orders_[static_cast<std::size_t>(network.NumberOf(index))];
    if (known.moves == moves_) return known.order;
    known.moves = moves_;
    known.order.clear();
    FindSearched(index);
    const auto look = [&](const Vehicle& thing) {
      if (thing.kind == Kind::kLandmark) return;
      for (const Searched& searched : searched_) {
        Local at;
        if (!searched.lane->FindOnLane(thing.position, 1, at)) continue;
        Insert(known.order, {at.s + searched.offset, &thing});
        break;
      }
    };
    for (const Vehicle& v : vehicles) look(v);
    for (const Vehicle& o : objects) look(o);
    return known.order;
  }
  static void Insert(std::vector<OnLane>& order, OnLane item) {
    std::size_t i = order.size();
    order.push_back(item);
    for (; i > 0 && order[i - 1].s > item.s; --i) order[i] = order[i - 1];
    order[i] = item;
  }

  struct Searched {
    const Lane* lane;
    double offset;  // added to positions along the lane
  };
  void FindSearched(LaneIndex index) {
    const Lane& lane = network.lane(index);
    searched_.assign(1, {&lane, 0});
    if (!connected_lanes) return;
    const Network::Edge& edge = network.edge(index);
    const auto beside = [&](int e) -> const Lane& {
      const auto& lanes = network.edges()[static_cast<std::size_t>(e)].lanes;
      const auto id = static_cast<std::size_t>(index.id);
      return lanes[id < lanes.size() ? id : 0];
    };
    for (int e : edge.next) searched_.push_back({&beside(e), lane.length()});
    for (int e : edge.previous) searched_.push_back({&beside(e), -beside(e).length()});
  }

  std::uint64_t moves_ = 1;
  std::vector<LaneOrder> orders_;
  std::vector<Searched> searched_;
};

}  // namespace envpool::highway
