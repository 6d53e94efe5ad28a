// SPDX-License-Identifier: Apache-2.0
// A crossing of four roads with a right of way: intersection-v0, -v1, -v2 and with several agents.
//
// The reference is highway_env.envs.intersection_env. Nodes: (o)uter or (i)nner, then (r)ight or
// (l)eft, then 0 south, 1 west, 2 north, 3 east.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "../scenario.h"

namespace envpool::highway {

namespace detail {

inline std::string Named(const char* letters, int corner) {
  return letters + std::to_string(corner);
}
/// True if a lane leads away from the middle.
inline bool LeadsOut(const Scene& scene, LaneIndex lane) {
  const Network& network = scene.road.network;
  const Network::Edge& edge = network.edge(lane);
  return network.name(edge.from).find("il") != std::string::npos &&
         network.name(edge.to).find('o') != std::string::npos;
}
/// np_random.choice(range(4), size=2, replace=False): Floyd's sample, then a shuffle.
inline std::pair<int, int> TwoOfFour(NumpyRandom& rng) {
  int first = static_cast<int>(rng.Integers(0, 3)), second = static_cast<int>(rng.Integers(0, 4));
  if (second == first) second = 3;
  if (rng.Integers(0, 2) == 0) std::swap(first, second);
  return {first, second};
}

struct Spawn {
  double longitudinal = 0, position_deviation = 1, speed_deviation = 1, probability = 0.6;
  bool go_straight = false;
};
/// IntersectionEnv._spawn_vehicle: adds a car, with some probability, on a road that leads in.
inline void SpawnVehicle(Scene& scene, const Spawn& spawn) {
  NumpyRandom& rng = scene.rng;
  if (rng.Uniform(0, 1) > spawn.probability) return;
  auto [from, to] = TwoOfFour(rng);
  if (spawn.go_straight) to = (from + 2) % 4;
  const double s = spawn.longitudinal + 5.0 + rng.StandardNormal() * spawn.position_deviation;
  const double speed = 8.0 + rng.StandardNormal() * spawn.speed_deviation;
  const LaneIndex lane = scene.road.network.At(Named("o", from), Named("ir", from), 0);
  Vehicle v = scene.road.MakeOnLane(Kind::kDriver, lane, s, speed);
  for (const Vehicle& other : scene.road.vehicles) {
    if (Norm(other.position - v.position) < 15) return;
  }
  scene.PlanRoute(v, Named("o", to));
  scene.RandomizeBehavior(v);
  scene.road.Add(v);
}

}  // namespace detail

inline Network IntersectionNetwork(const Options&, NumpyRandom&) {
  using detail::Named;
  constexpr double half = 2;              // half a lane's width
  constexpr double right = 9, left = 13;  // radii of turns
  constexpr double outer = right + half, access = 100;
  Network network;
  for (int corner = 0; corner < 4; ++corner) {
    const double angle = Radians(90.0 * corner);
    const Vec direction{std::cos(angle), std::sin(angle)};
    const auto at = [direction](double x, double y) { return Rotated(direction, {x, y}); };
    const int priority = corner % 2 == 1 ? 3 : 1;  // the horizontal road has the right of way
    const auto add = [&](const std::string& from, const std::string& to, Lane lane, int of_lane,
                         LineType left_line, LineType right_line) {
      network.AddLane(from, to, lane.Priority(of_lane).SpeedLimit(10).Lines(left_line, right_line));
    };
    const std::string in = Named("ir", corner);
    const std::string to_right = Named("il", (corner + 3) % 4);
    add(Named("o", corner), in, Lane::Straight(at(half, access + outer), at(half, outer)), priority,
        kStriped, kContinuous);
    add(in, to_right,
        Lane::Arc(at(outer, outer), right, angle + Radians(180), angle + Radians(270)), priority,
        kNoLine, kContinuous);
    add(in, Named("il", (corner + 1) % 4),
        Lane::Arc(at(-left + half, left - half), left, angle + Radians(0), angle + Radians(-90),
                  false),
        priority - 1, kNoLine, kNoLine);
    add(in, Named("il", (corner + 2) % 4), Lane::Straight(at(half, outer), at(half, -outer)),
        priority, kStriped, kNoLine);
    add(to_right, Named("o", (corner + 3) % 4),
        Lane::Straight(at(outer, half), at(access + outer, half)), priority, kNoLine, kContinuous);
  }
  return network;
}
inline void PopulateIntersection(Scene& scene) {
  const Options& o = scene.options;
  Road& road = scene.road;
  road.regulated = true;
  road.drivers.distance_wanted = 7;
  road.drivers.comfort_acc_max = 6;
  road.drivers.comfort_acc_min = -3;
  const int count = o["initial_vehicle_count"_];
  for (int i = 0; i < count - 1; ++i) {  // at np.linspace(0, 80, count)
    detail::SpawnVehicle(scene, {.longitudinal = i * (80.0 / (count - 1))});
  }
  for (int i = 0; i < 3 * static_cast<int>(o["simulation_frequency"_]); ++i) scene.Simulate();
  detail::SpawnVehicle(scene, {.longitudinal = 60,
                               .position_deviation = 0.1,
                               .speed_deviation = 0,
                               .probability = 1,
                               .go_straight = true});
  for (int i = 0; i < o["controlled_vehicles"_]; ++i) {
    const LaneIndex lane =
        road.network.At(detail::Named("o", i % 4), detail::Named("ir", i % 4), 0);
    std::string destination = o["destination"_];
    if (destination.empty()) {
      destination = detail::Named("o", static_cast<int>(scene.rng.Integers(1, 4)));
    }
    const double s = 60.0 + 5.0 * scene.rng.Normal(1.0, 1.0);
    Vehicle v = scene.MakeAgent(
        {road.network.lane(lane).Position(s, 0), road.network.lane(lane).HeadingAt(60)}, 10);
    scene.PlanRoute(v, destination);
    if (v.kind == Kind::kMdp) {
      v.speed_index = road.SpeedToIndex(10);
      v.target_speed = road.target_speeds[static_cast<std::size_t>(v.speed_index)];
    }
    scene.AddAgent(v);
    scene.Remove([&](const Vehicle& other) { return Norm(other.position - v.position) < 20; });
  }
}
inline bool HasArrived(const Scene& scene, const Vehicle& v) {
  return detail::LeadsOut(scene, v.lane) && v.local.s >= 25;
}
inline const Scenario& IntersectionScenario() {
  static const Scenario scenario{
      .name = "intersection",
      .network = IntersectionNetwork,
      .populate = PopulateIntersection,
      .terms = {Term<"collision_reward">(Crashed),
                Term<"high_speed_reward">([](const Scene& scene, const Vehicle& v) {
                  return Clip(ScaledSpeed(scene, v.speed), 0, 1);
                }),
                Term<"arrived_reward">([](const Scene& scene, const Vehicle& v) {
                  return HasArrived(scene, v) ? 1.0 : 0.0;
                }),
                Reported("on_road_reward", OnRoad)},
      .reward =
          [](const Scene& scene, const Vehicle&, const double* values) {
            const Options& o = scene.options;
            double reward = values[2] != 0 ? static_cast<double>(o["arrived_reward"_])
                                           : WeightedSum(IntersectionScenario(), o, values);
            reward *= values[3];
            if (!o["normalize_reward"_]) return reward;
            return LinearMap(reward, o["collision_reward"_], o["arrived_reward"_], 0, 1);
          },
      .terminated =
          [](const Scene& scene) {
            bool any = false, all = true;
            for (std::size_t i = 0; i < scene.agents.size(); ++i) {
              any = any || scene.agent(i).crashed;
              all = all && HasArrived(scene, scene.agent(i));
            }
            return any || all ||
                   (scene.options["offroad_terminal"_] && !scene.road.IsOnRoad(scene.agent(0)));
          },
      .agent_terminated = [](const Scene& scene,
                             const Vehicle& v) { return v.crashed || HasArrived(scene, v); },
      .after_step =
          [](Scene& scene) {
            scene.Remove([&](const Vehicle& v) {
              const double end = scene.road.network.lane(v.lane).length() - 4 * v.length;
              return detail::LeadsOut(scene, v.lane) && v.local.s >= end;
            });
            detail::SpawnVehicle(scene, {.probability = scene.options["spawn_probability"_]});
          },
      .check =
          [](const Options& o) {
            const double frequency = o["simulation_frequency"_];
            if (frequency != std::floor(frequency) || frequency < 2) {
              throw OptionError("simulation_frequency", highway::detail::Text(frequency),
                                "a whole number, 2 or more", "pass one: rules hold twice a second");
            }
            CheckRange("initial_vehicle_count", o["initial_vehicle_count"_], 0, 1000);
            CheckRange("spawn_probability", o["spawn_probability"_], 0, 1);
            const std::string& destination = o["destination"_];
            if (!destination.empty()) {
              Chosen("destination", destination, {"o0", "o1", "o2", "o3"});
            }
          },
      .mean_of_agents = true};
  return scenario;
}

}  // namespace envpool::highway
