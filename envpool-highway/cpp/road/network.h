// SPDX-License-Identifier: Apache-2.0
// The lanes of a road, as a graph: nodes have names, and an edge is one or more parallel lanes.
//
//   Network network;
//   network.AddLane("a", "b", Lane::Straight({0, 0}, {100, 0}));
//   network.AddLane("b", "c", Lane::Arc({100, -20}, 20, Radians(90), Radians(0), false));
//   const LaneIndex here = network.ClosestLane({10, 1}, 0.0);
//
// The reference is highway_env.road.road.RoadNetwork. Edges are visited in the order of Python's
// dicts: by the first appearance of their start, then in the order in which they were added.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lane.h"

namespace envpool::highway {

/// One lane of a network.
struct LaneIndex {
  std::int16_t edge = -1;  ///< in the order of the network
  std::int16_t id = 0;     ///< lane of the edge, from the left; -1: not decided yet
  bool operator==(const LaneIndex&) const = default;
};

/// The next lanes of a car's way: at most kMost, the nearest first.
class Route {
 public:
  static constexpr int kMost = 24;

  bool empty() const { return first_ == last_; }
  LaneIndex front() const { return lanes_[first_]; }
  LaneIndex back() const { return lanes_[last_ - 1]; }
  std::span<const LaneIndex> lanes() const {
    return {lanes_.data() + first_, static_cast<std::size_t>(last_ - first_)};
  }
  /// Throws std::length_error if the route is full.
  void Add(LaneIndex lane) {
    if (last_ == kMost) throw std::length_error("a route has at most 24 roads");
    lanes_[static_cast<std::size_t>(last_++)] = lane;
  }
  /// Removes the front.
  void Pop() { ++first_; }

 private:
  std::array<LaneIndex, kMost> lanes_{};
  std::int16_t first_ = 0, last_ = 0;
};

class Network {
 public:
  struct Edge {
    int from, to;                 ///< nodes
    std::vector<Lane> lanes;      ///< from the left
    std::vector<int> next{};      ///< edges that begin where this one ends
    std::vector<int> previous{};  ///< edges that end where this one begins
    int first_lane = 0;           ///< number of its first lane in the network
  };

  /// Adds a lane to the right of the lanes between two nodes.
  void AddLane(const std::string& from, const std::string& to, const Lane& lane) {
    const int a = NodeOrNew(from), b = NodeOrNew(to);
    auto at = edges_.end();
    for (auto edge = edges_.begin(); edge != edges_.end(); ++edge) {
      if (edge->from == a && edge->to == b) {
        edge->lanes.push_back(lane);
        return Number();
      }
      if (edge->from == a) at = edge + 1;
    }
    edges_.insert(at, Edge{a, b, {lane}});
    Number();
  }
  /// RoadNetwork.straight_road_network: parallel lanes along the x axis, with stripes between them.
  void AddStraightRoad(const std::string& from, const std::string& to, int lanes, double start,
                       double length, double speed_limit) {
    for (int i = 0; i < lanes; ++i) {
      AddLane(from, to,
              Lane::Straight({start, i * 4.0}, {start + length, i * 4.0})
                  .SpeedLimit(speed_limit)
                  .Lines(i == 0 ? kContinuousLine : kStriped,
                         i == lanes - 1 ? kContinuousLine : kNoLine));
    }
  }

  const std::vector<Edge>& edges() const { return edges_; }
  std::vector<Edge>& edges() { return edges_; }
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }
  const std::string& from(LaneIndex lane) const { return name(edge(lane).from); }
  const Edge& edge(LaneIndex lane) const { return edges_[static_cast<std::size_t>(lane.edge)]; }
  const Lane& lane(LaneIndex i) const {
    return edge(i).lanes[static_cast<std::size_t>(std::max<int>(i.id, 0))];
  }
  /// The number of lanes of this lane's edge.
  int LanesBeside(LaneIndex lane) const { return static_cast<int>(edge(lane).lanes.size()); }
  /// The number of lanes.
  int num_lanes() const { return num_lanes_; }
  /// The lane's number, from 0.
  int NumberOf(LaneIndex lane) const { return edge(lane).first_lane + lane.id; }

  /// The lane between two nodes. Throws std::out_of_range if there is no such lane.
  LaneIndex At(std::string_view from, std::string_view to, int id) const {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (name(edges_[i].from) != from || name(edges_[i].to) != to) continue;
      if (id < 0) id += static_cast<int>(edges_[i].lanes.size());
      if (id < 0 || id >= static_cast<int>(edges_[i].lanes.size())) break;
      return {static_cast<std::int16_t>(i), static_cast<std::int16_t>(id)};
    }
    throw std::out_of_range("no lane " + std::to_string(id) + " from " + std::string(from) +
                            " to " + std::string(to));
  }
  /// The number of a node. Throws std::out_of_range if there is no such node.
  int Node(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<int>(i);
    }
    throw std::out_of_range("no node '" + std::string(name) + "' in this network");
  }

  /// get_closest_lane_index: the lane with the nearest distance and heading, the first of equal
  /// lanes. `hint` is a likely lane, which shortens the search; `at` gets the point's local
  /// coordinates.
  LaneIndex ClosestLane(Vec p, double heading, LaneIndex hint, Local& at) const {
    double bound = std::numeric_limits<double>::infinity();
    Local at_hint;
    if (hint.edge >= 0) {
      at_hint = lane(hint).LocalCoordinates(p);
      bound = lane(hint).DistanceWithHeading(at_hint, heading);
    }
    LaneIndex best = hint;
    double least = bound;
    at = at_hint;
    bool before = true;  // lanes before the hint win if they are equally near
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      for (std::size_t i = 0; i < edges_[e].lanes.size(); ++i) {
        const LaneIndex index{static_cast<std::int16_t>(e), static_cast<std::int16_t>(i)};
        if (index == hint) {
          before = false;
          continue;
        }
        const Lane& lane = edges_[e].lanes[i];
        if (lane.LeastDistance(p) > least) continue;
        const Local local = lane.LocalCoordinates(p);
        if (lane.Distance(local) > least) continue;
        const double distance = lane.DistanceWithHeading(local, heading);
        if (distance < least || (before && distance == least && best == hint)) {
          best = index;
          least = distance;
          at = local;
        }
      }
    }
    return best;
  }

  /// next_lane: the next lane of a car on `now`. Removes the route's first road when it is done.
  LaneIndex NextLane(LaneIndex now, Route& route, Vec p) const {
    int next = -1, next_id = -1;
    if (!route.empty()) {
      if (route.front().edge == now.edge) route.Pop();
      if (!route.empty() && edge(route.front()).from == edge(now).to) {
        next = route.front().edge;
        next_id = route.front().id;
      }
    }
    const Vec projected = lane(now).Position(lane(now).LocalCoordinates(p).s, 0);
    if (next >= 0) return NextLaneGivenNextRoad(now, next, next_id, projected).first;
    LaneIndex best = now;
    double least = std::numeric_limits<double>::infinity();
    for (int e : edge(now).next) {
      const auto [index, distance] = NextLaneGivenNextRoad(now, e, next_id, projected);
      if (distance < least) {
        least = distance;
        best = index;
      }
    }
    return best;
  }

  /// plan_route_to: the shortest way from a lane to a node, breadth first, in the order of names.
  /// The lane alone if there is no way.
  Route PlanRoute(LaneIndex here, std::string_view destination) const {
    Route route;
    route.Add(here);
    const int goal = Node(destination);
    std::vector<std::vector<int>> paths{{edge(here).to}};  // paths of nodes
    for (std::size_t head = 0; head < paths.size(); ++head) {
      const std::vector<int> path = paths[head];
      std::vector<int> nodes;
      for (const Edge& e : edges_) {
        if (e.from == path.back() && std::find(path.begin(), path.end(), e.to) == path.end()) {
          nodes.push_back(e.to);
        }
      }
      std::sort(nodes.begin(), nodes.end(), [this](int a, int b) { return name(a) < name(b); });
      for (int node : nodes) {
        std::vector<int> longer = path;
        longer.push_back(node);
        if (node == goal) {
          for (std::size_t i = 0; i + 1 < longer.size(); ++i) {
            route.Add({EdgeBetween(longer[i], longer[i + 1]), -1});
          }
          return route;
        }
        paths.push_back(std::move(longer));
      }
    }
    return route;
  }

  /// position_heading_along_route: the pose at a distance along a route that begins at `now`. An
  /// empty route is `now` alone. Undecided lanes of the route take the id of `now`.
  std::pair<Vec, double> PoseAlongRoute(std::span<const LaneIndex> route, double s,
                                        LaneIndex now) const {
    const auto head = [&](LaneIndex i) {
      if (i.id >= 0) return i;
      return LaneIndex{i.edge, now.id < LanesBeside(now) ? now.id : std::int16_t{0}};
    };
    LaneIndex i = head(route[0]);
    while (route.size() > 1 && s > lane(i).length()) {
      s -= lane(i).length();
      route = route.subspan(1);
      i = head(route[0]);
    }
    return {lane(i).Position(s, 0), lane(i).HeadingAt(s)};
  }

  /// is_connected_road: true if a car on `a` with `route` may meet a car on `b`.
  bool IsConnectedRoad(LaneIndex a, LaneIndex b, std::span<const LaneIndex> route,
                       int depth) const {
    if (a.edge == b.edge || edge(b).to == edge(a).from) return true;
    if (depth <= 0) return false;
    if (!route.empty() && route[0].edge == a.edge) {
      return IsConnectedRoad(a, b, route.subspan(1), depth);
    }
    if (!route.empty() && edge(route[0]).from == edge(a).to) {
      return IsConnectedRoad(route[0], b, route.subspan(1), depth - 1);
    }
    for (int e : edge(a).next) {
      if (IsConnectedRoad({static_cast<std::int16_t>(e), a.id}, b, route, depth - 1)) return true;
    }
    return false;
  }

 private:
  int NodeOrNew(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
    names_.push_back(name);
    return static_cast<int>(names_.size()) - 1;
  }
  std::int16_t EdgeBetween(int from, int to) const {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].from == from && edges_[i].to == to) return static_cast<std::int16_t>(i);
    }
    return -1;
  }
  void Number() {
    num_lanes_ = 0;
    for (Edge& edge : edges_) {
      edge.first_lane = num_lanes_;
      num_lanes_ += static_cast<int>(edge.lanes.size());
      edge.next.clear();
      edge.previous.clear();
      for (std::size_t i = 0; i < edges_.size(); ++i) {
        if (edges_[i].from == edge.to) edge.next.push_back(static_cast<int>(i));
        if (edges_[i].to == edge.from) edge.previous.push_back(static_cast<int>(i));
      }
    }
  }
  std::pair<LaneIndex, double> NextLaneGivenNextRoad(LaneIndex now, int next, int next_id,
                                                     Vec p) const {
    const std::vector<Lane>& lanes = edges_[static_cast<std::size_t>(next)].lanes;
    const auto distance = [&](int i) {
      const Lane& lane = lanes[static_cast<std::size_t>(i)];
      return lane.Distance(lane.LocalCoordinates(p));
    };
    if (LanesBeside(now) == static_cast<int>(lanes.size())) {
      if (next_id < 0) next_id = now.id;
    } else {
      double least = std::numeric_limits<double>::infinity();
      for (int i = 0; i < static_cast<int>(lanes.size()); ++i) {
        if (const double d = distance(i); d < least) {
          least = d;
          next_id = i;
        }
      }
    }
    return {{static_cast<std::int16_t>(next), static_cast<std::int16_t>(next_id)},
            distance(next_id)};
  }

  std::vector<std::string> names_;
  std::vector<Edge> edges_;
  int num_lanes_ = 0;
};

}  // namespace envpool::highway
