// SPDX-License-Identifier: Apache-2.0
// The collisions of a step: rectangles that touch, or will touch after their next motion.
//
// The reference is highway_env: vehicle.objects.RoadObject.handle_collisions and
// utils.are_polygons_intersecting.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../road/road.h"

namespace envpool::highway {

/// The corners of a rectangle; the first corner is repeated at the end.
using Polygon = std::array<Vec, 5>;

inline Polygon PolygonOf(const Vehicle& v) {
  const double l = v.length / 2, w = v.width / 2;
  const auto at = [&](double x, double y) {
    return RotatedWithOthers(v.direction, {x, y}) + v.position;
  };
  Polygon polygon{at(-l, -w), at(-l, w), at(l, w), at(l, -w), {}};
  polygon[4] = polygon[0];
  return polygon;
}

namespace detail {

struct Interval {
  double low, high;
};
inline Interval Project(const Polygon& polygon, Vec axis) {
  Interval all{Dot(polygon[0], axis), 0};
  all.high = all.low;
  for (int i = 1; i < 5; ++i) {
    const double d = Dot(polygon[static_cast<std::size_t>(i)], axis);
    all.low = std::min(all.low, d);
    all.high = std::max(all.high, d);
  }
  return all;
}
inline double Gap(Interval a, Interval b) {
  return a.low < b.low ? b.low - a.high : a.low - b.high;
}
inline Vec Center(const Polygon& p) {
  return {(((p[0].x + p[1].x) + p[2].x) + p[3].x) / 4, (((p[0].y + p[1].y) + p[2].y) + p[3].y) / 4};
}

struct Contact {
  bool intersecting = true;    // now
  bool will_intersect = true;  // after the displacement
  double least = std::numeric_limits<double>::infinity();
  Vec axis;  // moving a by `least` along it separates a from b
};
/// are_polygons_intersecting: the separating axis theorem; `moved` is a's motion relative to b's.
/// An axis that separates both ends the search along the sides of that polygon, but not of the
/// other.
inline Contact ContactOf(const Polygon& a, const Polygon& b, Vec moved) {
  Contact contact;
  for (const Polygon* polygon : {&a, &b}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec from = (*polygon)[i], to = (*polygon)[i + 1];
      Vec normal{-to.y + from.y, to.x - from.x};
      const double norm = Norm(normal);
      normal = {normal.x / norm, normal.y / norm};
      Interval of_a = Project(a, normal);
      const Interval of_b = Project(b, normal);
      if (Gap(of_a, of_b) > 0) contact.intersecting = false;
      const double way = Dot(normal, moved);
      (way < 0 ? of_a.low : of_a.high) += way;
      const double gap = Gap(of_a, of_b);
      if (gap > 0) contact.will_intersect = false;
      if (!contact.intersecting && !contact.will_intersect) break;
      if (std::abs(gap) < contact.least) {
        contact.least = std::abs(gap);
        const bool away = Dot(Center(a) - Center(b), normal) > 0;
        contact.axis = away ? normal : Vec{-normal.x, -normal.y};
      }
    }
  }
  return contact;
}

inline void Push(Vehicle& v, Vec by) {
  v.impact = by;
  v.has_impact = true;
}

/// RoadObject.handle_collisions.
inline void HandleCollision(Vehicle& a, Vehicle& b, double dt) {
  if (!(a.check_collisions || b.check_collisions)) return;
  if (Norm(b.position - a.position) > (a.diagonal + b.diagonal) / 2 + a.speed * dt) return;
  const Vec moved = dt * a.Velocity() - dt * b.Velocity();
  const Contact contact = ContactOf(PolygonOf(a), PolygonOf(b), moved);
  if (a.IsSolid() && b.IsSolid()) {
    if (contact.will_intersect) {
      const Vec by = contact.least * contact.axis;
      if (b.kind == Kind::kObstacle) {
        Push(a, by);
      } else {
        Push(a, {by.x / 2, by.y / 2});
        Push(b, {-by.x / 2, -by.y / 2});
      }
    }
    if (contact.intersecting) a.crashed = b.crashed = true;
  } else if (contact.intersecting) {
    if (!a.IsSolid()) a.hit = true;
    if (!b.IsSolid()) b.hit = true;
  }
}

}  // namespace detail

/// Finds the pairs that may touch in a step, without testing every pair.
class Collisions {
 public:
  /// Road.step's second half: each car with the cars after it, and with each object.
  void Handle(Road& road, double dt) {
    FindPairs(road, dt);
    for (const auto& [i, j] : pairs_) {
      Vehicle& other =
          j < road.vehicles.size() ? road.vehicles[j] : road.objects[j - road.vehicles.size()];
      detail::HandleCollision(road.vehicles[i], other, dt);
    }
  }

 private:
  // Pairs of indices (of cars, then of objects) in the package's order: the last pair that touches
  // a car decides its impact. Cars are kept sorted by x, which changes little from step to step. A
  // pair whose x differ by more than the longest reach cannot touch, since a computed norm of a
  // difference is never below the computed difference of x.
  void FindPairs(const Road& road, double dt) {
    const std::size_t n = road.vehicles.size(), all = n + road.objects.size();
    if (order_.size() != all) {
      order_.resize(all);
      for (std::size_t i = 0; i < all; ++i) order_[i] = {0, static_cast<std::uint32_t>(i)};
    }
    double diagonal = 0, speed = 0;
    for (Item& item : order_) {
      const Vehicle& v = item.i < n ? road.vehicles[item.i] : road.objects[item.i - n];
      item.x = v.position.x;
      diagonal = std::max(diagonal, v.diagonal);
      speed = std::max(speed, v.speed);
    }
    for (std::size_t i = 1; i < all; ++i) {
      const Item item = order_[i];
      std::size_t k = i;
      for (; k > 0 && order_[k - 1].x > item.x; --k) order_[k] = order_[k - 1];
      order_[k] = item;
    }
    const double reach = diagonal + speed * dt;
    pairs_.clear();
    for (std::size_t i = 0; i < all; ++i) {
      for (std::size_t k = i + 1; k < all && order_[k].x - order_[i].x <= reach; ++k) {
        const auto [first, second] = std::minmax(order_[i].i, order_[k].i);
        if (first < n) pairs_.emplace_back(first, second);
      }
    }
    std::sort(pairs_.begin(), pairs_.end());
  }

  struct Item {
    double x;
    std::uint32_t i;
  };
  std::vector<Item> order_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

}  // namespace envpool::highway
