// SPDX-License-Identifier: Apache-2.0
// Roads that are populated at the start: highway-v0, highway-fast-v0 and exit-v0.
//
// The reference is highway_env.envs: highway_env.py and exit_env.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "../scenario.h"

namespace envpool::highway {

namespace detail {

/// Vehicle.create_random on the road `edge`, ahead of all cars. A negative id or speed is drawn.
inline Vehicle CreateRandom(Scene& scene, Kind kind, std::int16_t edge, int id, double speed,
                            double spacing) {
  const Road& road = scene.road;
  const int lanes = road.network.LanesBeside({edge, 0});
  if (id < 0) id = static_cast<int>(scene.rng.Choice(lanes));
  const LaneIndex index{edge, static_cast<std::int16_t>(id)};
  const Lane& lane = road.network.lane(index);
  if (speed < 0) {
    speed = scene.rng.Uniform(0.7 * lane.speed_limit(), 0.8 * lane.speed_limit());
  }
  const double offset = spacing * (12 + 1.0 * speed) * std::exp(-5.0 / 40 * lanes);
  double s = 3 * offset;
  if (!road.vehicles.empty()) {
    s = -std::numeric_limits<double>::infinity();
    for (const Vehicle& v : road.vehicles) s = std::max(s, lane.LocalCoordinates(v.position).s);
  }
  s += offset * scene.rng.Uniform(0.9, 1.1);
  return road.MakeOnLane(kind, index, s, speed);
}
/// Adds an agent's car at the pose of a random car.
inline void AddRandomAgent(Scene& scene, int id) {
  const double spacing = scene.options["ego_spacing"_];
  const Vehicle v = CreateRandom(scene, Kind::kVehicle, 0, id, 25.0, spacing);
  scene.AddAgent(scene.MakeAgent({v.position, v.heading}, v.speed));
}

}  // namespace detail

// ----------------------------------------------------------------------------------- highway

inline Network HighwayNetwork(const Options& options, NumpyRandom&) {
  Network network;
  network.AddStraightRoad("0", "1", options["lanes_count"_], 0, 10000, 30);
  return network;
}
inline void PopulateHighway(Scene& scene) {
  const Options& o = scene.options;
  const int agents = o["controlled_vehicles"_], others = o["vehicles_count"_];
  for (int i = 0; i < agents; ++i) {
    detail::AddRandomAgent(scene, o["initial_lane_id"_]);
    // near_split: the first groups of other cars are larger by one.
    const int group = others / agents + (i < others % agents ? 1 : 0);
    for (int k = 0; k < group; ++k) {
      Vehicle v = detail::CreateRandom(scene, Kind::kDriver, 0, -1, -1, 1 / o["vehicles_density"_]);
      scene.RandomizeBehavior(v);
      v.check_collisions = o["other_vehicles_check_collisions"_];
      scene.road.Add(v);
    }
  }
}
inline double RightLane(const Scene& scene, const Vehicle& v) {
  const int lanes = scene.road.network.LanesBeside(v.lane);
  return static_cast<double>(WantedLane(v).id) / std::max(lanes - 1, 1);
}
inline double ForwardSpeed(const Scene& scene, const Vehicle& v) {
  return Clip(ScaledSpeed(scene, v.speed * v.direction.x), 0, 1);
}
inline void CheckStraightRoad(const Options& o) {
  CheckRange("lanes_count", o["lanes_count"_], 1, 100);
  CheckRange("vehicles_count", o["vehicles_count"_], 0, 10000);
  CheckRange("initial_lane_id", o["initial_lane_id"_], -1, o["lanes_count"_] - 1);
  CheckRange("vehicles_density", o["vehicles_density"_], 0.01, 100);
}

inline const Scenario& HighwayScenario() {
  static const Scenario scenario{
      .name = "highway",
      .network = HighwayNetwork,
      .populate = PopulateHighway,
      .terms = {Term<"collision_reward">(Crashed), Term<"right_lane_reward">(RightLane),
                Term<"high_speed_reward">(ForwardSpeed), Reported("on_road_reward", OnRoad)},
      .reward =
          [](const Scene& scene, const Vehicle&, const double* values) {
            const Options& o = scene.options;
            double reward = WeightedSum(HighwayScenario(), o, values);
            if (o["normalize_reward"_]) {
              reward = LinearMap(reward, o["collision_reward"_],
                                 o["high_speed_reward"_] + o["right_lane_reward"_], 0, 1);
            }
            return reward * values[3];
          },
      .terminated =
          [](const Scene& scene) {
            const Vehicle& ego = scene.agent(0);
            return ego.crashed || (scene.options["offroad_terminal"_] && !scene.road.IsOnRoad(ego));
          },
      .check = CheckStraightRoad};
  return scenario;
}

// -------------------------------------------------------------------------------------- exit

inline Network ExitNetwork(const Options& options, NumpyRandom&) {
  const int lanes = options["lanes_count"_];
  Network network;
  network.AddStraightRoad("0", "1", lanes, 0, 400, 30);
  network.AddStraightRoad("1", "2", lanes + 1, 400, 100, 30);
  network.AddStraightRoad("2", "3", lanes, 500, 500, 30);
  for (Network::Edge& edge : network.edges()) {
    for (std::size_t i = 0; i < edge.lanes.size(); ++i) {
      edge.lanes[i].SpeedLimit(26 - 3.4 * static_cast<double>(i));
    }
  }
  network.AddLane("2", "exit",
                  Lane::Arc({500, lanes * 4.0 + 150}, 150, 3 * kPi / 2, 2 * kPi).Forbidden());
  return network;
}
inline void PopulateExit(Scene& scene) {
  const Options& o = scene.options;
  for (int i = 0; i < o["controlled_vehicles"_]; ++i) detail::AddRandomAgent(scene, 0);
  // np_random.choice(lanes, p=lanes / sum): lanes further right are more likely.
  const int lanes = o["lanes_count"_];
  const double sum = lanes * (lanes - 1) / 2;
  std::vector<double> cumulated;
  double total = 0;
  for (int i = 0; i < lanes; ++i) cumulated.push_back(total += i / sum);
  for (double& share : cumulated) share /= total;
  for (int i = 0; i < o["vehicles_count"_]; ++i) {
    const double drawn = scene.rng.Random();
    const auto above = std::upper_bound(cumulated.begin(), cumulated.end(), drawn);
    const int id = static_cast<int>(above - cumulated.begin());
    const double limit = scene.road.network.lane({0, static_cast<std::int16_t>(id)}).speed_limit();
    Vehicle v =
        detail::CreateRandom(scene, Kind::kDriver, 0, id, limit, 1 / o["vehicles_density"_]);
    scene.PlanRoute(v, "3");
    v.enable_lane_change = false;
    scene.road.Add(v);
  }
}
/// True if a car's target is the exit, or if it is on the exit.
inline bool TakesExit(const Scene& scene, const Vehicle& v) {
  const LaneIndex wanted = WantedLane(v);
  const Network& network = scene.road.network;
  return wanted == network.At("1", "2", -1) || wanted == network.At("2", "exit", 0);
}

inline const Scenario& ExitScenario() {
  static const Scenario scenario{
      .name = "exit",
      .network = ExitNetwork,
      .populate = PopulateExit,
      .terms = {Term<"collision_reward">(Crashed),
                Term<"goal_reward">([](const Scene& scene, const Vehicle& v) {
                  return TakesExit(scene, v) ? 1.0 : 0.0;
                }),
                Term<"high_speed_reward">([](const Scene& scene, const Vehicle& v) {
                  return Clip(ScaledSpeed(scene, v.speed), 0, 1);
                }),
                Term<"right_lane_reward">([](const Scene&, const Vehicle& v) {
                  return static_cast<double>(WantedLane(v).id);
                })},
      .reward =
          [](const Scene& scene, const Vehicle&, const double* values) {
            const Options& o = scene.options;
            const double reward = WeightedSum(ExitScenario(), o, values);
            if (!o["normalize_reward"_]) return reward;
            return Clip(LinearMap(reward, o["collision_reward"_], o["goal_reward"_], 0, 1), 0, 1);
          },
      .success = TakesExit,
      .check =
          [](const Options& o) {
            CheckStraightRoad(o);
            // The package draws lanes with probabilities that are divided by their sum.
            CheckRange("lanes_count", o["lanes_count"_], 2, 100);
          }};
  return scenario;
}

}  // namespace envpool::highway
