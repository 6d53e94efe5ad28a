// SPDX-License-Identifier: Apache-2.0
// A roundabout with four roads: roundabout-v0 and roundabout-generic-v0.
//
// The reference is highway_env.envs.roundabout_env. Nodes have its names: (s)outh, (e)ast, (n)orth,
// (w)est, then (e)ntry or e(x)it of the circle, then (s)traight's or (r)oad's end.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../scenario.h"

namespace envpool::highway {

namespace detail {

inline constexpr double kEntryAngle = 24;  // degrees between an entry and the direction of its road

/// Adds the circle: lanes of these radii, the inner lane first, around (0, 0).
inline void AddCircle(Network& network, const std::vector<double>& radii) {
  static const char* const kNodes[9] = {"se", "ex", "ee", "nx", "ne", "wx", "we", "sx", "se"};
  constexpr double a = kEntryAngle;
  static constexpr double kAngles[8][2] = {{90 - a, a},         {a, -a},
                                           {-a, -90 + a},       {-90 + a, -90 - a},
                                           {-90 - a, -180 + a}, {-180 + a, -180 - a},
                                           {180 - a, 90 + a},   {90 + a, 90 - a}};
  for (std::size_t lane = 0; lane < radii.size(); ++lane) {
    const LineType left = lane == 0 ? kContinuous : kNoLine;
    const LineType right = lane + 1 == radii.size() ? kContinuous : kStriped;
    for (int i = 0; i < 8; ++i) {
      network.AddLane(
          kNodes[i], kNodes[i + 1],
          Lane::Arc({0, 0}, radii[lane], Radians(kAngles[i][0]), Radians(kAngles[i][1]), false)
              .Lines(left, right));
    }
  }
}
inline Lane EntryRoad(Vec from, Vec to) {
  return Lane::Straight(from, to).Lines(kStriped, kContinuous);
}
inline Lane ExitRoad(Vec from, Vec to) {
  return Lane::Straight(from, to).Lines(kNoLine, kContinuous);
}
inline Lane Curve(Vec from, Vec to, double amplitude, double pulsation, double phase) {
  return Lane::Sine(from, to, amplitude, pulsation, phase).Lines(kContinuous, kContinuous);
}

inline void AddRoundaboutAgent(Scene& scene, double s, double heading_at) {
  const Network& network = scene.road.network;
  const Lane& lane = network.lane(network.At("ser", "ses", 0));
  Vehicle v = scene.MakeAgent({lane.Position(s, 0), lane.HeadingAt(heading_at)}, 8);
  scene.PlanRoute(v, "nxs");
  scene.AddAgent(v);
}

}  // namespace detail

/// MDPVehicle.get_speed_index divided by the number of steps between the default target speeds. A
/// car without target speeds uses the default speeds.
inline double RoundaboutSpeed(const Scene&, const Vehicle& v) {
  const double index = v.kind == Kind::kMdp
                           ? v.speed_index
                           : Clip(std::nearbyint((v.speed - 20.0) / (30.0 - 20.0) * 2), 0, 2);
  return index / 2;
}
inline const std::vector<RewardTerm>& RoundaboutTerms() {
  static const std::vector<RewardTerm> terms{
      Term<"collision_reward">(Crashed), Term<"high_speed_reward">(RoundaboutSpeed),
      Term<"lane_change_reward">(ChangedLanes), Reported("on_road_reward", OnRoad)};
  return terms;
}
inline double RoundaboutReward(const Scene& scene, const Vehicle&, const double* values) {
  const Options& o = scene.options;
  double reward = 0;
  for (std::size_t i = 0; i < RoundaboutTerms().size(); ++i) {
    reward += RoundaboutTerms()[i].weight(o) * values[i];
  }
  if (o["normalize_reward"_]) {
    reward = LinearMap(reward, o["collision_reward"_], o["high_speed_reward"_], 0, 1);
  }
  return reward * values[3];
}

// -------------------------------------------------------------------------------- roundabout

inline Network RoundaboutNetwork(const Options&, NumpyRandom&) {
  using namespace detail;
  Network network;
  AddCircle(network, {20, 24});
  constexpr double access = 170, dev = 85, a = 5, half = dev / 2;
  const double start = 0.2 * dev, end = dev - start, w = 2 * kPi / dev;
  const double in = -kPi / 2, out = -kPi / 2 + w * end;
  network.AddLane("ser", "ses", EntryRoad({2, access}, {2, half}));
  network.AddLane("ses", "se", Curve({2 + a, half}, {2 + a, half - start}, a, w, in));
  network.AddLane("sx", "sxs", Curve({-2 - a, -half + end}, {-2 - a, half}, a, w, out));
  network.AddLane("sxs", "sxr", ExitRoad({-2, half}, {-2, access}));

  network.AddLane("eer", "ees", EntryRoad({access, -2}, {half, -2}));
  network.AddLane("ees", "ee", Curve({half, -2 - a}, {half - start, -2 - a}, a, w, in));
  network.AddLane("ex", "exs", Curve({-half + end, 2 + a}, {half, 2 + a}, a, w, out));
  network.AddLane("exs", "exr", ExitRoad({half, 2}, {access, 2}));

  network.AddLane("ner", "nes", EntryRoad({-2, -access}, {-2, -half}));
  network.AddLane("nes", "ne", Curve({-2 - a, -half}, {-2 - a, -half + start}, a, w, in));
  network.AddLane("nx", "nxs", Curve({2 + a, half - end}, {2 + a, -half}, a, w, out));
  network.AddLane("nxs", "nxr", ExitRoad({2, -half}, {2, -access}));

  network.AddLane("wer", "wes", EntryRoad({-access, 2}, {-half, 2}));
  network.AddLane("wes", "we", Curve({-half, 2 + a}, {-half + start, 2 + a}, a, w, in));
  network.AddLane("wx", "wxs", Curve({half - end, -2 - a}, {-half, -2 - a}, a, w, out));
  network.AddLane("wxs", "wxr", ExitRoad({-half, -2}, {-access, -2}));
  return network;
}
inline void PopulateRoundabout(Scene& scene) {
  static const char* const kDestinations[3] = {"exr", "sxr", "nxr"};
  detail::AddRoundaboutAgent(scene, 125, 140);
  const int incoming = scene.options["incoming_vehicle_destination"_];
  const auto add = [&](const char* from, const char* to, int id, double s, int destination) {
    s = s + scene.rng.StandardNormal() * 2.0;
    const double speed = 16 + scene.rng.StandardNormal() * 2.0;
    const LaneIndex lane = scene.road.network.At(from, to, id);
    Vehicle v = scene.road.MakeOnLane(Kind::kDriver, lane, s, speed);
    if (destination < 0) destination = static_cast<int>(scene.rng.Choice(3));
    scene.PlanRoute(v, kDestinations[destination]);
    scene.RandomizeBehavior(v);
    scene.road.Add(v);
  };
  add("we", "sx", 1, 5, incoming);
  add("we", "sx", 0, 20, -1);
  add("we", "sx", 0, -20, -1);
  add("eer", "ees", 0, 50, -1);
}
inline const Scenario& RoundaboutScenario() {
  static const Scenario scenario{.name = "roundabout",
                                 .network = RoundaboutNetwork,
                                 .populate = PopulateRoundabout,
                                 .terms = RoundaboutTerms(),
                                 .reward = RoundaboutReward,
                                 .check = [](const Options& o) {
                                   CheckRange("incoming_vehicle_destination",
                                              o["incoming_vehicle_destination"_], -1, 2);
                                 }};
  return scenario;
}

// ------------------------------------------------------------------------ roundabout, generic

inline Network RoundaboutGenericNetwork(const Options& o, NumpyRandom&) {
  using namespace detail;
  Network network;
  std::vector<double> radii;
  for (int i = 0; i < o["roundabout_lanes"_]; ++i) {
    radii.push_back(o["roundabout_radius"_] + 4 * i);
  }
  AddCircle(network, radii);
  const double outer = radii.back();
  const auto on_circle = [outer](double degrees) {
    const double angle = Radians(degrees);
    return Vec{outer * std::cos(angle), outer * std::sin(angle)};
  };
  constexpr double alpha = kEntryAngle;
  const Vec se = on_circle(90 - alpha), ex = on_circle(alpha), ee = on_circle(-alpha);
  const Vec nx = on_circle(-90 + alpha), ne = on_circle(-90 - alpha);
  const Vec wx = on_circle(-180 + alpha), we = on_circle(180 - alpha), sx = on_circle(90 + alpha);
  const double dev = std::max(100.0, 2 * outer + 40), access = dev + 40, half = dev / 2;
  const double phase = -kPi / 2;

  double a = (se.x - 2) / 2, w = kPi / (half - se.y);
  network.AddLane("ser", "ses", EntryRoad({2, access}, {2, half}));
  network.AddLane("ses", "se", Curve({2 + a, half}, {2 + a, se.y}, a, w, phase));
  a = (sx.x + 2) / 2, w = kPi / (half - sx.y);
  network.AddLane("sx", "sxs", Curve({sx.x - a, sx.y}, {sx.x - a, half}, a, w, phase));
  network.AddLane("sxs", "sxr", ExitRoad({-2, half}, {-2, access}));

  a = (-2 - ee.y) / 2, w = kPi / (half - ee.x);
  network.AddLane("eer", "ees", EntryRoad({access, -2}, {half, -2}));
  network.AddLane("ees", "ee", Curve({half, -2 - a}, {ee.x, -2 - a}, a, w, phase));
  a = (2 - ex.y) / 2, w = kPi / (half - ex.x);
  network.AddLane("ex", "exs", Curve({ex.x, ex.y + a}, {half, ex.y + a}, a, w, phase));
  network.AddLane("exs", "exr", ExitRoad({half, 2}, {access, 2}));

  a = (-2 - ne.x) / 2, w = kPi / (ne.y - (-half));
  network.AddLane("ner", "nes", EntryRoad({-2, -access}, {-2, -half}));
  network.AddLane("nes", "ne", Curve({-2 - a, -half}, {-2 - a, ne.y}, a, w, phase));
  a = (2 - nx.x) / 2, w = kPi / (nx.y - (-half));
  network.AddLane("nx", "nxs", Curve({nx.x + a, nx.y}, {nx.x + a, -half}, a, w, phase));
  network.AddLane("nxs", "nxr", ExitRoad({2, -half}, {2, -access}));

  a = (we.y - 2) / 2, w = kPi / (we.x - (-half));
  network.AddLane("wer", "wes", EntryRoad({-access, 2}, {-half, 2}));
  network.AddLane("wes", "we", Curve({-half, 2 + a}, {we.x, 2 + a}, a, w, phase));
  a = (wx.y + 2) / 2, w = kPi / (wx.x - (-half));
  network.AddLane("wx", "wxs", Curve({wx.x, wx.y - a}, {-half, wx.y - a}, a, w, phase));
  network.AddLane("wxs", "wxr", ExitRoad({-half, -2}, {-access, -2}));
  return network;
}
inline void PopulateRoundaboutGeneric(Scene& scene) {
  static const char* const kRoads[7][2] = {{"we", "sx"},  {"sx", "se"},   {"ee", "nx"},
                                           {"nx", "ne"},  {"eer", "ees"}, {"ner", "nes"},
                                           {"wer", "wes"}};
  static const char* const kDestinations[4] = {"exr", "sxr", "nxr", "wxr"};
  const Options& o = scene.options;
  const Network& network = scene.road.network;
  const Lane& own = network.lane(network.At("ser", "ses", 0));
  const double start = own.length() - 2.5;
  detail::AddRoundaboutAgent(scene, start, start);
  std::vector<Vec> taken{own.Position(start, 0)};
  for (int i = 0; i < o["vehicles_count"_]; ++i) {
    for (int tried = 0; tried < 10; ++tried) {
      const auto& road = kRoads[scene.rng.Integers(0, 7)];
      const int lanes = network.LanesBeside(network.At(road[0], road[1], 0));
      const LaneIndex index =
          network.At(road[0], road[1], static_cast<int>(scene.rng.Integers(0, lanes)));
      const Lane& lane = network.lane(index);
      const double s = scene.rng.Uniform(5, std::max(5.0, lane.length() - 5));
      const Vec position = lane.Position(s, 0);
      const auto is_near = [position](Vec other) { return Norm(position - other) < 7; };
      if (std::any_of(taken.begin(), taken.end(), is_near)) continue;
      const double speed = 14.0 + scene.rng.StandardNormal() * 2.0;
      Vehicle v = scene.road.MakeOnLane(Kind::kDriver, index, s, speed);
      int destination = std::min<int>(o["incoming_vehicle_destination"_], 3);
      if (destination < 0) destination = static_cast<int>(scene.rng.Integers(0, 4));
      scene.PlanRoute(v, kDestinations[destination]);
      scene.RandomizeBehavior(v);
      scene.road.Add(v);
      taken.push_back(position);
      break;
    }
  }
}
inline const Scenario& RoundaboutGenericScenario() {
  static const Scenario scenario{
      .name = "roundabout_generic",
      .network = RoundaboutGenericNetwork,
      .populate = PopulateRoundaboutGeneric,
      .terms = RoundaboutTerms(),
      .reward = RoundaboutReward,
      .check = [](const Options& o) {
        CheckRange("incoming_vehicle_destination", o["incoming_vehicle_destination"_], -1, 3);
        CheckRange("roundabout_lanes", o["roundabout_lanes"_], 1, 20);
        CheckRange("roundabout_radius", o["roundabout_radius"_], 1, 1000);
        CheckRange("vehicles_count", o["vehicles_count"_], 0, 1000);
      }};
  return scenario;
}

}  // namespace envpool::highway
