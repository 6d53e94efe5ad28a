// SPDX-License-Identifier: Apache-2.0
// Park in a given spot: parking-v0, parking-ActionRepeat-v0 and parking-parked-v0.
//
// The reference is highway_env.envs.parking_env.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../scenario.h"

namespace envpool::highway {

inline Network ParkingNetwork(const Options&, NumpyRandom&) {
  constexpr int kSpots = 14;  // in each of two rows
  Network network;
  for (int i = 0; i < kSpots; ++i) {
    const double x = (i + 1 - kSpots / 2) * 4.0 - 2.0;
    network.AddLane("a", "b", Lane::Straight({x, 10}, {x, 18}).Lines(kContinuous, kContinuous));
    network.AddLane("b", "c", Lane::Straight({x, -10}, {x, -18}).Lines(kContinuous, kContinuous));
  }
  return network;
}
inline void PopulateParking(Scene& scene) {
  const Options& o = scene.options;
  Road& road = scene.road;
  std::vector<LaneIndex> empty_spots;
  for (std::int16_t edge = 0; edge < 2; ++edge) {
    for (std::int16_t id = 0; id < 14; ++id) empty_spots.push_back({edge, id});
  }
  const auto take = [&](LaneIndex spot) { std::erase(empty_spots, spot); };
  const auto draw = [&] {
    const auto count = static_cast<std::int64_t>(empty_spots.size());
    const LaneIndex spot = empty_spots[static_cast<std::size_t>(scene.rng.Choice(count))];
    take(spot);
    return spot;
  };
  const int agents = o["controlled_vehicles"_];
  for (int i = 0; i < agents; ++i) {
    const double x = (i - agents / 2) * 10.0;
    scene.AddAgent(scene.MakeAgent({{x, 0}, 2.0 * kPi * scene.rng.Uniform(0, 1)}, 0));
    take(scene.agent(static_cast<std::size_t>(i)).lane);
  }
  for (int i = 0; i < agents; ++i) {
    const Lane& lane = road.network.lane(draw());
    const Pose pose{lane.Position(lane.length() / 2, 0), lane.HeadingAt(0)};
    scene.agent(static_cast<std::size_t>(i)).goal =
        road.AddObject(road.Make(Kind::kLandmark, pose, 0));
  }
  for (int i = 0; i < o["vehicles_count"_] && !empty_spots.empty(); ++i) {
    road.Add(road.MakeOnLane(Kind::kVehicle, draw(), 4, 0));
  }
  if (!o["add_walls"_]) return;
  constexpr double kWidth = 70, kHeight = 42;
  const auto add_wall = [&](Pose pose, double length) {
    Vehicle wall = road.Make(Kind::kObstacle, pose, 0);
    wall.Resize(length, 1);
    road.AddObject(wall);
  };
  for (double y : {-kHeight / 2, kHeight / 2}) add_wall({{0, y}}, kWidth);
  for (double x : {-kWidth / 2, kWidth / 2}) add_wall({{x, 0}, kPi / 2}, kHeight);
}

/// ParkingEnv.compute_reward of a car's achieved and desired goal: minus the root of the weighted
/// differences, with the package's features and scales.
inline double GoalReward(const Scene& scene, const Vehicle& v) {
  static constexpr double kScales[6] = {100, 100, 5, 5, 1, 1};
  const Vehicle& goal = scene.road.objects[static_cast<std::size_t>(v.goal)];
  const auto features = [](const Vehicle& thing) {
    const Vec velocity = thing.IsVehicle() ? thing.Velocity() : Vec{0, 0};
    return std::array<double, 6>{thing.position.x, thing.position.y,  velocity.x,
                                 velocity.y,       thing.direction.x, thing.direction.y};
  };
  const auto achieved = features(v), desired = features(goal);
  double away[6];
  for (std::size_t i = 0; i < 6; ++i) {
    away[i] = std::abs(achieved[i] / kScales[i] - desired[i] / kScales[i]);
  }
  return -std::sqrt(numpy::Dot(away, scene.options["reward_weights"_].data(), 6));
}
inline bool HasParked(const Scene& scene, const Vehicle& v) {
  return GoalReward(scene, v) > -scene.options["success_goal_reward"_];
}
inline bool AnyCrashed(const Scene& scene) {
  for (std::size_t i = 0; i < scene.agents.size(); ++i) {
    if (scene.agent(i).crashed) return true;
  }
  return false;
}
inline const Scenario& ParkingScenario() {
  static const Scenario scenario{
      .name = "parking",
      .network = ParkingNetwork,
      .populate = PopulateParking,
      .reward =
          [](const Scene& scene, const Vehicle& v, const double*) {
            int crashed = 0;
            for (std::size_t i = 0; i < scene.agents.size(); ++i) {
              crashed += scene.agent(i).crashed ? 1 : 0;
            }
            return GoalReward(scene, v) + scene.options["collision_reward"_] * crashed;
          },
      .terminated =
          [](const Scene& scene) { return AnyCrashed(scene) || HasParked(scene, scene.agent(0)); },
      .agent_terminated = [](const Scene& scene,
                             const Vehicle& v) { return v.crashed || HasParked(scene, v); },
      .success = HasParked,
      .check =
          [](const Options& o) {
            CheckLength("reward_weights", o["reward_weights"_], 6);
            CheckRange("vehicles_count", o["vehicles_count"_], 0, 1000);
            // Each car takes the spot closest to it, and has another spot as its goal.
            CheckRange("controlled_vehicles", o["controlled_vehicles"_], 1, 5);
          }};
  return scenario;
}

}  // namespace envpool::highway
