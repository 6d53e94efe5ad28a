// SPDX-License-Identifier: Apache-2.0
// Closed tracks: racetrack-v0, racetrack-large-v0 and racetrack-oval-v0.
//
// The reference is highway_env.envs.racetrack_env.
#pragma once

#include <cmath>
#include <string>

#include "../scenario.h"

namespace envpool::highway {

namespace detail {

/// Adds lanes of five metres; angles are in degrees.
class TrackBuilder {
 public:
  explicit TrackBuilder(double speed_limit) : speed_limit_(speed_limit) {}

  void Straight(const char* from, const char* to, Vec start, Vec end, LineType left,
                LineType right) {
    Add(from, to, Lane::Straight(start, end), left, right);
  }
  void Arc(const char* from, const char* to, Vec center, double radius, double start, double end,
           LineType left, LineType right, bool clockwise = false) {
    Add(from, to, Lane::Arc(center, radius, Radians(start), Radians(end), clockwise), left, right);
  }
  const Network& network() const { return network_; }

 private:
  void Add(const char* from, const char* to, Lane lane, LineType left, LineType right) {
    network_.AddLane(from, to, lane.Width(5).SpeedLimit(speed_limit_).Lines(left, right));
  }

  double speed_limit_;
  Network network_;
};

/// RoadNetwork.random_lane_index.
inline LaneIndex RandomLane(Scene& scene) {
  const Network& network = scene.road.network;
  std::vector<int> starts;  // first edges of the nodes
  for (const Network::Edge& edge : network.edges()) {
    if (starts.empty() || starts.back() != edge.from) starts.push_back(edge.from);
  }
  const int from =
      starts[static_cast<std::size_t>(scene.rng.Choice(static_cast<std::int64_t>(starts.size())))];
  std::vector<std::int16_t> edges;
  for (std::size_t i = 0; i < network.edges().size(); ++i) {
    if (network.edges()[i].from == from) edges.push_back(static_cast<std::int16_t>(i));
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  const std::int16_t edge = edges[static_cast<std::size_t>(scene.rng.Choice(count))];
  const int lanes = network.LanesBeside({edge, 0});
  return {edge, static_cast<std::int16_t>(scene.rng.Integers(0, lanes))};
}

}  // namespace detail

inline Network RacetrackNetwork(const Options&, NumpyRandom&) {
  detail::TrackBuilder track(10);
  constexpr LineType n = kNoLine, s = kStriped, c = kContinuous;
  track.Straight("a", "b", {42, 0}, {100, 0}, c, s);
  track.Straight("a", "b", {42, 5}, {100, 5}, s, c);
  track.Arc("b", "c", {100, -20}, 20, 90, -1, c, n);
  track.Arc("b", "c", {100, -20}, 25, 90, -1, s, c);
  track.Straight("c", "d", {120, -20}, {120, -30}, c, n);
  track.Straight("c", "d", {125, -20}, {125, -30}, s, c);
  track.Arc("d", "e", {105, -30}, 15, 0, -181, c, n);
  track.Arc("d", "e", {105, -30}, 20, 0, -181, s, c);
  track.Arc("e", "f", {70, -30}, 20, 0, 136, c, s, true);
  track.Arc("e", "f", {70, -30}, 15, 0, 137, n, c, true);
  track.Straight("f", "g", {55.7, -15.7}, {35.7, -35.7}, c, n);
  track.Straight("f", "g", {59.3934, -19.2}, {39.3934, -39.2}, s, c);
  track.Arc("g", "h", {18.1, -18.1}, 25, 315, 170, c, n);
  track.Arc("g", "h", {18.1, -18.1}, 30, 315, 165, s, c);
  track.Arc("h", "i", {18.1, -18.1}, 25, 170, 56, c, n);
  track.Arc("h", "i", {18.1, -18.1}, 30, 170, 58, s, c);
  track.Arc("i", "a", {43.2, 23.4}, 23.5, 240, 270, c, s, true);
  track.Arc("i", "a", {43.2, 23.4}, 18.5, 238, 268, n, c, true);
  return track.network();
}

inline Network RacetrackLargeNetwork(const Options& options, NumpyRandom&) {
  detail::TrackBuilder track(options["speed_limit"_]);
  constexpr LineType n = kNoLine, s = kStriped, c = kContinuous;
  constexpr double w = 5;
  const Vec first_start{155.7, -45.7}, first_end{135.7 + -30, -65.7 + -30};
  const Vec second_start{159.3934, -49.2}, second_end{139.3934 + -30, -69.2 + -30};
  const auto beyond = [](Vec a, Vec b) {  // mirrors a at b
    return Vec{a.x + 2 * (b.x - a.x), a.y + 2 * (b.y - a.y)};
  };
  const Vec starts[3] = {first_start, second_start, beyond(first_start, second_start)};
  const Vec ends[3] = {first_end, second_end, beyond(first_end, second_end)};
  const Vec turn{118.1 + -30, -48.1 + -30}, last{42, -15};
  const Vec leaving{std::cos(Radians(205)), std::sin(Radians(205))};
  const Vec arriving{std::cos(Radians(30)), std::sin(Radians(30))};
  for (int i = 0; i < 3; ++i) {
    const double k = i * w;
    const LineType left = i == 0 ? c : i == 1 ? s : n;
    const LineType right = i == 0 ? n : i == 1 ? s : c;
    track.Straight("a", "b", {42, k}, {200, k}, left, i == 0 ? s : right);
    track.Arc("b", "c", {200, -20}, 20 + k, 90, -1, left, right);
    track.Straight("c", "d", {220 + k, -20}, {220 + k, -61}, left, right);
    track.Arc("d", "e", {205, -60}, 15 + k, 0, -181, left, right);
    track.Arc("e", "f", {170, -60}, 20 - k, 0, i == 0 ? 136 : 137, left, right, true);
    track.Straight("f", "g", starts[i], ends[i], left, right);
    track.Arc("g", "h", turn, 25 + k, 317, i == 0 ? 202 : 205, left, right);
    track.Straight("h", "i", turn + (25 + k) * leaving,
                   {last.x - (15 + k) * arriving.x, last.y - (15 + k) * arriving.y}, left, right);
    track.Arc("i", "a", last, 15 + k, i == 2 ? 212 : 210, i == 1 ? 90 : 88, left, right);
  }
  return track.network();
}

inline Network RacetrackOvalNetwork(const Options& options, NumpyRandom& rng) {
  detail::TrackBuilder track(10);
  constexpr LineType n = kNoLine, s = kStriped, c = kContinuous;
  // The package draws the length from a generator without a seed.
  const double given = options["length"_];
  const double length = given == 0 ? static_cast<double>(rng.Integers(100, 200)) : given;
  const int lanes =
      options["no_lanes"_] == 0 ? static_cast<int>(rng.Integers(2, 7)) : options["no_lanes"_];
  for (int i = 0; i < lanes; ++i) {
    const double k = i * 5;
    const LineType left = i == 0 ? c : s, right = i == lanes - 1 ? c : n;
    track.Straight("a", "b", {0, k}, {length + 1, k}, left, i == 0 ? s : right);
    track.Arc("b", "c", {length, -20}, 20 + k, 90, 0, left, right);
    track.Straight("c", "d", {length + 20 + k, -20}, {length + 20 + k, -50}, left, right);
    track.Arc("d", "e", {length + 5, -50}, 15 + k, 0, -90, left, right);
    track.Straight("e", "f", {length + 5, -(65 + k)}, {-5, -(65 + k)}, left, right);
    track.Arc("f", "g", {-5, -50}, 15 + k, -90, -180, left, right);
    track.Straight("g", "h", {-20 - k, -50}, {-20 - k, -20}, left, right);
    track.Arc("h", "a", {0, -20}, 20 + k, 180, 90, left, i == 0 ? n : c);
  }
  return track.network();
}

/// The first agent starts on one of the first road's first `lanes` lanes.
inline void PopulateTrack(Scene& scene, int lanes) {
  const Options& o = scene.options;
  Road& road = scene.road;
  NumpyRandom& rng = scene.rng;
  LaneIndex lane;
  for (int i = 0; i < o["controlled_vehicles"_]; ++i) {
    if (i == 0) {
      lane = road.network.At("a", "b", static_cast<int>(rng.Integers(0, lanes)));
    } else {
      lane = detail::RandomLane(scene);
    }
    const double limit = road.network.lane(lane).speed_limit();
    scene.AddAgent(scene.MakeAgent(road.PoseOn(lane, rng.Uniform(20, 50)), limit));
  }
  if (o["other_vehicles"_] == 0) return;
  const double ahead = rng.Uniform(0, road.network.lane(road.network.At("b", "c", 0)).length());
  road.Add(road.MakeOnLane(Kind::kDriver, road.network.At("b", "c", lane.id), ahead,
                           6.0 + rng.Uniform(0, 3)));
  const auto others = rng.Integers(0, o["other_vehicles"_]);
  for (std::int64_t i = 0; i < others; ++i) {
    const LaneIndex drawn = detail::RandomLane(scene);
    const double s = rng.Uniform(0, road.network.lane(drawn).length());
    const Vehicle v = road.MakeOnLane(Kind::kDriver, drawn, s, 6.0 + rng.Uniform(0, 3));
    bool is_free = true;
    for (const Vehicle& other : road.vehicles) {
      if (Norm(v.position - other.position) < 20) is_free = false;
    }
    if (is_free) road.Add(v);
  }
}
// Two lanes also on the large track, which has three.
inline void PopulateRacetrack(Scene& scene) { PopulateTrack(scene, 2); }
inline void PopulateOval(Scene& scene) {
  Road& road = scene.road;
  const double length = road.network.lane(road.network.At("a", "b", 0)).length() - 1;
  const auto block = [&](double x, double y) {
    road.AddObject(road.Make(Kind::kObstacle, {{x, y}}, 0));
  };
  if (scene.options["block_lane"_]) {
    for (double before : {40.0, 43.0, 46.0, 49.0}) {
      block(length - before, 3.75);
      block(length - before, 6.25);
    }
  }
  if (scene.options["force_decision"_]) {
    for (double y : {-1.25, 1.25, 8.85, 11.25}) block(length - 90.0, y);
  }
  PopulateTrack(scene, road.network.LanesBeside(road.network.At("a", "b", 0)));
}

/// np.linalg.norm of the float32 action; of all agents' actions if there are several.
inline double ActionNorm(const Scene& scene, const Vehicle&) {
  float sum = 0;
  for (const AgentAction& action : scene.actions) {
    for (int i = 0; i < action.num_values; ++i) sum += action.values[i] * action.values[i];
  }
  return std::sqrt(sum);
}
inline const std::vector<RewardTerm>& RacetrackTerms() {
  static const std::vector<RewardTerm> terms{
      Term<"lane_centering_reward">([](const Scene& scene, const Vehicle& v) {
        return 1 / (1 + scene.options["lane_centering_cost"_] * numpy::Square(v.local.r));
      }),
      Term<"action_reward">(ActionNorm), Term<"collision_reward">(Crashed),
      Reported("on_road_reward", OnRoad)};
  return terms;
}
/// The sum mixes types. A straight lane's coordinates are Python floats, which take the type of the
/// float32 that they are added to; an arc's are NumPy's float64.
inline double RacetrackReward(const Scene& scene, const Vehicle& v, const double* values) {
  const Options& o = scene.options;
  const double centering = o["lane_centering_reward"_] * values[0];
  const double crash = o["collision_reward"_] * values[2];
  const bool has_action = scene.actions.front().num_values > 0;
  const float action = static_cast<float>(o["action_reward"_]) * static_cast<float>(values[1]);
  double reward;
  if (!has_action) {
    reward = centering + o["action_reward"_] * values[1] + crash;
  } else if (scene.road.network.lane(v.lane).kind() == Lane::Kind::kArc) {
    reward = centering + static_cast<double>(action) + crash;
  } else {
    reward =
        static_cast<double>(static_cast<float>(centering) + action + static_cast<float>(crash));
  }
  return LinearMap(reward, o["collision_reward"_], 1, 0, 1) * values[3];
}
inline Scenario RacetrackScenario(std::string_view name,
                                  Network (*network)(const Options&, NumpyRandom&),
                                  void (*populate)(Scene&)) {
  return {.name = name,
          .network = network,
          .populate = populate,
          .terms = RacetrackTerms(),
          .reward = RacetrackReward,
          .terminated =
              [](const Scene& scene) {
                const Vehicle& ego = scene.agent(0);
                return ego.crashed ||
                       (scene.options["terminate_off_road"_] && !scene.road.IsOnRoad(ego));
              },
          .redraws_network =
              [](const Options& o) {
                return o["scenario"_] == "racetrack_oval" &&
                       (o["length"_] == 0 || o["no_lanes"_] == 0);
              },
          .check =
              [](const Options& o) {
                CheckRange("other_vehicles", o["other_vehicles"_], 0, 1000);
                CheckRange("speed_limit", o["speed_limit"_], 0.1, 1000);
                CheckRange("length", o["length"_], 0, 100000);
                if (o["no_lanes"_] != 0) CheckRange("no_lanes", o["no_lanes"_], 2, 100);
              }};
}

}  // namespace envpool::highway
