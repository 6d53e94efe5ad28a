// SPDX-License-Identifier: Apache-2.0
// The right of way where roads cross: some drivers wait.
//
// The reference is highway_env.road.regulation.RegulatedRoad.
#pragma once

#include <array>
#include <vector>

#include "motion.h"

namespace envpool::highway {

class RightOfWay {
 public:
  /// RegulatedRoad.enforce_road_rules: a driver whose path will conflict with that of a driver with
  /// priority stops; a driver that waited long enough continues.
  void Enforce(Road& road) {
    for (Vehicle& v : road.vehicles) {
      if (!v.is_yielding) continue;
      v.target_speed = road.network.lane(v.lane).speed_limit();
      v.is_yielding = false;
    }
    const std::size_t n = road.vehicles.size();
    paths_.resize(n);
    for (std::size_t i = 0; i < n; ++i) Predict(road.network, road.vehicles[i], paths_[i]);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        if (!IsConflict(paths_[i], paths_[j])) continue;
        Vehicle& v = Yielding(road.network, road.vehicles[i], road.vehicles[j]);
        if (v.kind != Kind::kDriver) continue;
        v.target_speed = 0;
        v.is_yielding = true;
      }
    }
  }

 private:
  struct Moment {
    Vec position, direction;
  };
  using Path = std::array<Moment, 11>;  // from 0.25 s to 2.75 s
  static constexpr double kStep = 0.25;

  static void Predict(const Network& network, const Vehicle& v, Path& path) {
    if (!v.IsControlled()) {
      Vehicle copy = v;
      copy.acceleration = 0;
      for (Moment& moment : path) {
        Move(network, copy, kStep);
        moment = {copy.position, copy.direction};
      }
      return;
    }
    const auto route = v.route.empty() ? std::span<const LaneIndex>(&v.lane, 1) : v.route.lanes();
    for (std::size_t k = 0; k < path.size(); ++k) {
      const double s = v.local.s + v.speed * (kStep * static_cast<double>(k + 1));
      const auto [position, heading] = network.PoseAlongRoute(route, s, v.lane);
      path[k] = {position, Direction(heading)};
    }
  }
  /// RegulatedRoad.is_conflict_possible.
  static bool IsConflict(const Path& a, const Path& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (Norm(b[k].position - a[k].position) > 5) continue;
      if (HasCornerInside(a[k], b[k]) || HasCornerInside(b[k], a[k])) return true;
    }
    return false;
  }
  /// utils.has_corner_inside, for rectangles of 7.5 by 1.8: corners, middles of sides, the center.
  /// The point is rotated by the rectangle's angle, not back, as in the package.
  static bool HasCornerInside(const Moment& a, const Moment& b) {
    constexpr double l = 1.5 * 5.0 / 2, w = 0.9 * 2.0 / 2;
    static constexpr double kXs[9] = {-1, -1, 1, 1, 0, -1, 1, 0, 0};
    static constexpr double kYs[9] = {-1, 1, 1, -1, 0, 0, 0, -1, 1};
    for (int i = 0; i < 9; ++i) {
      const Vec corner = RotatedWithOthers(a.direction, {kXs[i] * l, kYs[i] * w}) + a.position;
      const Vec turned = Rotated(b.direction, corner - b.position);
      if (-l <= turned.x && turned.x <= l && -w <= turned.y && turned.y <= w) return true;
    }
    return false;
  }
  /// RegulatedRoad.respect_priorities: by the lanes' priorities, else the car behind yields.
  static Vehicle& Yielding(const Network& network, Vehicle& a, Vehicle& b) {
    const int of_a = network.lane(a.lane).priority(), of_b = network.lane(b.lane).priority();
    if (of_a != of_b) return of_a > of_b ? b : a;
    const double to_b = Dot(a.direction, b.position - a.position);
    const double to_a = Dot(b.direction, a.position - b.position);
    return to_b > to_a ? a : b;
  }

  std::vector<Path> paths_;
};

}  // namespace envpool::highway
