// SPDX-License-Identifier: Apache-2.0
// A highway with a ramp that leads onto it: merge-v0 and merge-generic-v0.
//
// The reference is highway_env.envs.merge_env.
#pragma once

#include <cmath>
#include <vector>

#include "../scenario.h"

namespace envpool::highway {

namespace detail {

inline constexpr double kRampAmplitude = 3.25;  // metres

/// The obstacle at the end of the ramp.
inline void AddRampEnd(Scene& scene) {
  const Network& network = scene.road.network;
  const Lane& ramp = network.lane(network.At("b", "c", -1));
  scene.road.AddObject(scene.road.Make(Kind::kObstacle, {ramp.Position(ramp.length(), 0)}, 0));
}
inline void AddMergingCar(Scene& scene, double s) {
  const Network& network = scene.road.network;
  const Vec position = network.lane(network.At("j", "k", 0)).Position(s, 0);
  Vehicle v = scene.MakeDriver({position}, 20);
  v.target_speed = 30;
  scene.road.Add(v);
}
inline void AddMergeAgent(Scene& scene) {
  const Network& network = scene.road.network;
  const Lane& lane = network.lane(network.At("a", "b", -1));
  scene.AddAgent(scene.MakeAgent({lane.Position(30, 0)}, 30));
}

}  // namespace detail

/// The sum of the ramp cars' shortfalls of their target speeds.
inline double SlowMerging(const Scene& scene, const Vehicle&) {
  double lack = 0;
  for (const Vehicle& v : scene.road.vehicles) {
    const Network& network = scene.road.network;
    const Network::Edge& edge = network.edge(v.lane);
    if (v.lane.id != 2 || network.name(edge.from) != "b" || network.name(edge.to) != "c") continue;
    if (v.IsControlled()) lack += (v.target_speed - v.speed) / v.target_speed;
  }
  return lack;
}
inline const std::vector<RewardTerm>& MergeTerms() {
  static const std::vector<RewardTerm> terms{
      Term<"collision_reward">(Crashed),
      Term<"right_lane_reward">(
          [](const Scene&, const Vehicle& v) { return static_cast<double>(v.lane.id); }),
      Term<"high_speed_reward">(
          [](const Scene& scene, const Vehicle& v) { return ScaledSpeed(scene, v.speed); }),
      Term<"lane_change_reward">(ChangedLanes), Term<"merging_speed_reward">(SlowMerging)};
  return terms;
}
inline double MergeReward(const Scene& scene, const Vehicle&, const double* values) {
  const Options& o = scene.options;
  double sum = 0;
  for (std::size_t i = 0; i < MergeTerms().size(); ++i) {
    sum += MergeTerms()[i].weight(o) * values[i];
  }
  return LinearMap(sum, o["collision_reward"_] + o["merging_speed_reward"_],
                   o["high_speed_reward"_] + o["right_lane_reward"_], 0, 1);
}

// ------------------------------------------------------------------------------------- merge

inline Network MergeNetwork(const Options&, NumpyRandom&) {
  Network network;
  for (int i = 0; i < 2; ++i) {
    const double y = 4.0 * i;
    const LineType left = i == 0 ? kContinuousLine : kNoLine;
    const LineType right = i == 0 ? kStriped : kContinuousLine;
    network.AddLane("a", "b", Lane::Straight({0, y}, {230, y}).Lines(left, right));
    network.AddLane("b", "c", Lane::Straight({230, y}, {310, y}).Lines(left, kStriped));
    network.AddLane("c", "d", Lane::Straight({310, y}, {460, y}).Lines(left, right));
  }
  const double amplitude = detail::kRampAmplitude;
  const auto walled = [](Lane lane) {
    return lane.Forbidden().Lines(kContinuousLine, kContinuousLine);
  };
  const Lane before = walled(Lane::Straight({0, 14.5}, {150, 14.5}));
  const Lane converging =
      walled(Lane::Sine(before.Position(150, -amplitude), before.Position(230, -amplitude),
                        amplitude, 2 * kPi / (2 * 80), kPi / 2));
  const Vec end = converging.Position(80, 0);
  network.AddLane("j", "k", before);
  network.AddLane("k", "b", converging);
  network.AddLane(
      "b", "c", Lane::Straight(end, end + Vec{80, 0}).Forbidden().Lines(kNoLine, kContinuousLine));
  return network;
}
inline void PopulateMerge(Scene& scene) {
  const Network& network = scene.road.network;
  detail::AddRampEnd(scene);
  scene.AddAgent(scene.MakeAgent({network.lane(network.At("a", "b", 1)).Position(30, 0)}, 30));
  static constexpr double kOthers[3][2] = {{90, 29}, {70, 31}, {5, 31.5}};  // s, speed
  for (const auto& [s, speed] : kOthers) {
    const int id = static_cast<int>(scene.rng.Integers(0, 2));
    const double at = s + scene.rng.Uniform(-5, 5);
    const Vec position = network.lane(network.At("a", "b", id)).Position(at, 0);
    scene.road.Add(scene.MakeDriver({position}, speed + scene.rng.Uniform(-1, 1)));
  }
  detail::AddMergingCar(scene, 110);
}
inline const Scenario& MergeScenario() {
  static const Scenario scenario{.name = "merge",
                                 .network = MergeNetwork,
                                 .populate = PopulateMerge,
                                 .terms = MergeTerms(),
                                 .reward = MergeReward,
                                 .terminated = [](const Scene& scene) {
                                   return scene.agent(0).crashed || scene.agent(0).position.x > 370;
                                 }};
  return scenario;
}

// ----------------------------------------------------------------------------- merge, generic

inline Network MergeGenericNetwork(const Options& o, NumpyRandom&) {
  const int lanes = o["lanes_count"_];
  const double before = o["before_merge_length"_], converge = o["converge_merge_length"_];
  const double parallel = o["parallel_merge_length"_], after = o["after_merge_length"_];
  Network network;
  network.AddStraightRoad("a", "b", lanes, 0, before + converge, 30);
  network.AddStraightRoad("b", "c", lanes, before + converge, parallel, 30);
  network.AddStraightRoad("c", "d", lanes, before + converge + parallel, after, 30);
  const double amplitude = detail::kRampAmplitude;
  const double beside = lanes * 4.0, approach = beside + 2 * amplitude;
  network.AddLane("j", "k",
                  Lane::Straight({0, approach}, {before, approach})
                      .Forbidden()
                      .SpeedLimit(30)
                      .Lines(kContinuousLine, kContinuousLine));
  network.AddLane("k", "b",
                  Lane::Sine({before, beside + amplitude}, {before + converge, beside + amplitude},
                             amplitude, 2 * kPi / (2 * converge), kPi / 2)
                      .Forbidden()
                      .SpeedLimit(30)
                      .Lines(kContinuousLine, kContinuousLine));
  network.AddLane(
      "b", "c",
      Lane::Straight({before + converge, beside}, {before + converge + parallel, beside})
          .Forbidden()
          .SpeedLimit(30)
          .Lines(kStriped, kContinuousLine));
  return network;
}
inline void PopulateMergeGeneric(Scene& scene) {
  const Options& o = scene.options;
  const Network& network = scene.road.network;
  const int lanes = o["lanes_count"_];
  detail::AddRampEnd(scene);
  const double start = 30;
  const Lane& own = network.lane(network.At("a", "b", lanes - 1));
  scene.AddAgent(scene.MakeAgent({own.Position(start, 0)}, 30));
  const double end =
      o["before_merge_length"_] + o["converge_merge_length"_] + o["parallel_merge_length"_];
  std::vector<std::vector<double>> taken(static_cast<std::size_t>(lanes));
  taken.back().push_back(start);
  for (int i = 0; i < o["vehicles_count"_]; ++i) {
    for (int tried = 0; tried < 10; ++tried) {
      const int id = static_cast<int>(scene.rng.Integers(0, lanes));
      const double s = scene.rng.Uniform(0, end);
      std::vector<double>& others = taken[static_cast<std::size_t>(id)];
      const auto is_near = [s](double other) { return !(std::abs(s - other) > 15); };
      if (std::any_of(others.begin(), others.end(), is_near)) continue;
      const Vec position = network.lane(network.At("a", "b", id)).Position(s, 0);
      scene.road.Add(scene.MakeDriver({position}, 30 + scene.rng.Uniform(-2, 2)));
      others.push_back(s);
      break;
    }
  }
  detail::AddMergingCar(scene, start + 30);
}
inline const Scenario& MergeGenericScenario() {
  static const Scenario scenario{
      .name = "merge_generic",
      .network = MergeGenericNetwork,
      .populate = PopulateMergeGeneric,
      .terms = MergeTerms(),
      .reward = MergeReward,
      .terminated =
          [](const Scene& scene) {
            const Options& o = scene.options;
            const double end = o["before_merge_length"_] + o["converge_merge_length"_] +
                               o["parallel_merge_length"_] + o["after_merge_length"_] - 90;
            return scene.agent(0).crashed || scene.agent(0).position.x > end;
          },
      .check =
          [](const Options& o) {
            CheckRange("lanes_count", o["lanes_count"_], 1, 100);
            CheckRange("vehicles_count", o["vehicles_count"_], 0, 10000);
            CheckRange("before_merge_length", o["before_merge_length"_], 1, 1e6);
            CheckRange("converge_merge_length", o["converge_merge_length"_], 1, 1e6);
            CheckRange("parallel_merge_length", o["parallel_merge_length"_], 1, 1e6);
            CheckRange("after_merge_length", o["after_merge_length"_], 90, 1e6);
          }};
  return scenario;
}

}  // namespace envpool::highway
