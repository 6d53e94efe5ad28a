// SPDX-License-Identifier: Apache-2.0
// Roads with slow cars to overtake: two-way-v0 and u-turn-v0.
//
// The reference is highway_env.envs: two_way_env.py and u_turn_env.py.
#pragma once

#include <algorithm>

#include "../scenario.h"

namespace envpool::highway {

// ----------------------------------------------------------------------------------- two-way

inline Network TwoWayNetwork(const Options&, NumpyRandom&) {
  constexpr double kLength = 800;
  Network network;
  network.AddLane("a", "b", Lane::Straight({0, 0}, {kLength, 0}).Lines(kContinuousLine, kStriped));
  network.AddLane("a", "b", Lane::Straight({0, 4}, {kLength, 4}).Lines(kNoLine, kContinuousLine));
  network.AddLane("b", "a", Lane::Straight({kLength, 0}, {0, 0}).Lines(kNoLine, kNoLine));
  return network;
}
inline void PopulateTwoWay(Scene& scene) {
  const Network& network = scene.road.network;
  const LaneIndex ahead = network.At("a", "b", 1), oncoming = network.At("b", "a", 0);
  scene.AddAgent(scene.MakeAgent({network.lane(ahead).Position(30, 0)}, 30));
  const auto add = [&](LaneIndex lane, double s, double speed, double speed_deviation) {
    s = s + 10.0 * scene.rng.StandardNormal();
    const Pose pose = scene.road.PoseOn(lane, s);
    Vehicle v = scene.MakeDriver(pose, speed + speed_deviation * scene.rng.StandardNormal());
    v.enable_lane_change = false;
    if (lane == oncoming) v.target_lane = lane;
    scene.road.Add(v);
  };
  for (int i = 0; i < 3; ++i) add(ahead, 70.0 + 40.0 * i, 24.0, 2.0);
  for (int i = 0; i < 2; ++i) add(oncoming, 200.0 + 100.0 * i, 20.0, 5.0);
}
inline const Scenario& TwoWayScenario() {
  static const Scenario scenario{
      .name = "two_way",
      .network = TwoWayNetwork,
      .populate = PopulateTwoWay,
      .terms = {Term<"high_speed_reward">([](const Scene& scene, const Vehicle& v) {
                  return v.speed_index / static_cast<double>(scene.road.target_speeds.size() - 1);
                }),
                Term<"left_lane_reward">([](const Scene& scene, const Vehicle& v) {
                  const int last = scene.road.network.LanesBeside(v.lane) - 1;
                  // The package divides by zero if the oncoming lane is the closest.
                  return last == 0 ? 0 : (last - v.target_lane.id) / static_cast<double>(last);
                })},
      .check = [](const Options& o) {
        if (o["action_type"_] != "DiscreteMetaAction") {
          throw OptionError("action_type", o["action_type"_], "DiscreteMetaAction",
                            "leave it out: the reward counts the target speeds of the action");
        }
      }};
  return scenario;
}

// ------------------------------------------------------------------------------------ u-turn

inline Network UTurnNetwork(const Options&, NumpyRandom&) {
  constexpr double kLength = 128;
  Network network;
  network.AddLane("c", "d", Lane::Straight({kLength, 4}, {0, 4}).Lines(kContinuousLine, kStriped));
  network.AddLane("c", "d", Lane::Straight({kLength, 0}, {0, 0}).Lines(kNoLine, kContinuousLine));
  for (int i = 0; i < 2; ++i) {
    network.AddLane("b", "c",
                    Lane::Arc({kLength, 24}, 20 + 4 * i, Radians(90), Radians(-90), false)
                        .Lines(i == 0 ? kContinuous : kNoLine, i == 0 ? kStriped : kContinuous));
  }
  network.AddLane("a", "b",
                  Lane::Straight({0, 44}, {kLength, 44}).Lines(kContinuousLine, kStriped));
  network.AddLane("a", "b", Lane::Straight({0, 48}, {kLength, 48}).Lines(kNoLine, kContinuousLine));
  return network;
}
inline void PopulateUTurn(Scene& scene) {
  const Network& network = scene.road.network;
  Vehicle ego = scene.MakeAgent({network.lane(network.At("a", "b", 0)).Position(0, 0)}, 16);
  scene.PlanRoute(ego, "d");
  scene.AddAgent(ego);
  struct Start {
    const char *from, *to;
    int id;
    double s, speed;
  };
  static constexpr Start kStarts[6] = {{"a", "b", 0, 25, 13.5}, {"a", "b", 1, 56, 14.5},
                                       {"b", "c", 1, 0.5, 4.5}, {"b", "c", 0, 17.5, 5.5},
                                       {"c", "d", 0, 1, 3.5},   {"c", "d", 1, 30, 5.5}};
  for (const Start& start : kStarts) {
    const double s = start.s + scene.rng.StandardNormal() * 2.0;
    const double speed = start.speed + scene.rng.StandardNormal() * 2.0;
    const LaneIndex lane = network.At(start.from, start.to, start.id);
    Vehicle v = scene.road.MakeOnLane(Kind::kDriver, lane, s, speed);
    scene.PlanRoute(v, "d");
    if (&start == kStarts) scene.RandomizeBehavior(v);
    scene.road.Add(v);
  }
}
inline const Scenario& UTurnScenario() {
  static const Scenario scenario{
      .name = "u_turn",
      .network = UTurnNetwork,
      .populate = PopulateUTurn,
      .terms = {Term<"collision_reward">(Crashed),
                Term<"left_lane_reward">([](const Scene& scene, const Vehicle& v) {
                  const int lanes = scene.road.network.LanesBeside(v.lane);
                  return static_cast<double>(v.lane.id) / std::max(lanes - 1, 1);
                }),
                Term<"high_speed_reward">([](const Scene& scene, const Vehicle& v) {
                  return Clip(ScaledSpeed(scene, v.speed), 0, 1);
                }),
                Reported("on_road_reward", OnRoad)},
      .reward = [](const Scene& scene, const Vehicle&, const double* values) {
        const Options& o = scene.options;
        double reward = WeightedSum(UTurnScenario(), o, values);
        if (o["normalize_reward"_]) {
          reward = LinearMap(reward, o["collision_reward"_],
                             o["high_speed_reward"_] + o["left_lane_reward"_], 0, 1);
        }
        return reward * values[3];
      }};
  return scenario;
}

}  // namespace envpool::highway
