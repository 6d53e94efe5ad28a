// SPDX-License-Identifier: Apache-2.0
// Distances to the surroundings of a car, by angle: the reference's LidarObservation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "observer.h"

namespace envpool::highway {

class Lidar final : public Observer {
 public:
  explicit Lidar(const Options& options)
      : cells_(options["observation_cells"_]),
        range_(options["observation_maximum_range"_]),
        normalize_(options["observation_normalize"_]) {
    CheckRange("observation_cells", cells_, 1, 10000);
    CheckRange("observation_maximum_range", range_, 0.1, 1e6);
    angle_ = 2 * kPi / cells_;
    grid_.resize(static_cast<std::size_t>(2 * cells_));
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    const auto high = static_cast<float>(normalize_ ? 1 : range_);
    return {MakeArraySpec("obs", Box<float>(Shape(players, {cells_, 2}), -high, high))};
  }

  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    origin_ = ego.position;
    std::fill(grid_.begin(), grid_.end(), static_cast<float>(range_));
    for (const Vehicle& v : scene.road.vehicles) Trace(ego, v);
    for (const Vehicle& o : scene.road.objects) Trace(ego, o);
    auto* out = reinterpret_cast<float*>(arrays[0]);
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      out[i] = normalize_ ? grid_[i] / static_cast<float>(range_) : grid_[i];
    }
  }
  /// ObservationGraphics.display_grid: arcs, as straight lines from angle to angle.
  std::vector<Vec> Outline() const override {
    std::vector<Vec> points;
    for (int i = 0; i < 2 * cells_; ++i) {
      // np.arange's angles, each twice, and the first angle at the end.
      const int k = (i + 1) / 2 % cells_;
      const double first = -angle_ / 2, step = 2 * kPi / cells_;
      const double delta = (first + step) - first;
      const double angle = k == 0 ? first : k == 1 ? first + step : first + k * delta;
      const double r = std::min<double>(At(i / 2)[0], range_);
      points.push_back({origin_.x + r * std::cos(angle), origin_.y + r * std::sin(angle)});
    }
    return points;
  }
  void Save(StateWriter& out) const override { out.Write(grid_, origin_); }
  void Load(StateReader& in) override { in.Read(grid_, origin_); }

 private:
  void Trace(const Vehicle& ego, const Vehicle& other) {
    if (&other == &ego || !other.IsSolid()) return;
    const Vec origin = ego.position;
    const double center = Norm(other.position - origin);
    if (center > range_) return;
    See(ego, other, CellOf(AngleTo(other.position, origin)), center - other.width / 2);

    const Polygon corners = PolygonOf(other);
    double least = AngleTo(corners[0], origin), most = least;
    for (std::size_t i = 1; i < 4; ++i) {
      const double angle = AngleTo(corners[i], origin);
      least = std::min(least, angle);
      most = std::max(most, angle);
    }
    if (least < -kPi / 2 && most > kPi / 2) {  // the object lies across the angle pi
      std::swap(least, most);
      most += 2 * kPi;
    }
    const int start = CellOf(least), end = CellOf(most);
    const auto look = [&](int from, int to) {
      for (int i = from; i <= to; ++i) See(ego, other, i, DistanceTo(corners, origin, i));
    };
    if (start < end) return look(start, end);
    look(start, cells_ - 1);  // the object lies across the angle 0
    look(0, end);
  }
  void See(const Vehicle& ego, const Vehicle& other, int cell, double distance) {
    if (!(distance <= static_cast<double>(At(cell)[0]))) return;
    const double speed = Dot(other.Velocity() - ego.Velocity(), DirectionOf(cell));
    At(cell)[0] = static_cast<float>(distance);
    At(cell)[1] = static_cast<float>(speed);
  }
  float* At(int cell) { return grid_.data() + static_cast<std::size_t>(2 * cell); }
  const float* At(int cell) const { return grid_.data() + static_cast<std::size_t>(2 * cell); }
  double AngleTo(Vec p, Vec origin) const {
    return std::atan2(p.y - origin.y, p.x - origin.x) + angle_ / 2;
  }
  int CellOf(double angle) const {
    const int cell = static_cast<int>(std::floor(angle / angle_)) % cells_;
    return cell < 0 ? cell + cells_ : cell;
  }
  Vec DirectionOf(int cell) const { return Direction(cell * angle_); }

  /// utils.distance_to_rect: along a ray, by the slabs between opposite sides.
  double DistanceTo(const Polygon& corners, Vec r, int cell) const {
    const Vec q = r + range_ * DirectionOf(cell);
    const auto unit = [](Vec v) {
      const double norm = Norm(v);
      return Vec{v.x / norm, v.y / norm};
    };
    const Vec a = corners[0], b = corners[1], d = corners[3];
    const Vec u = unit(b - a), v = unit(d - a);
    const double along_u = Dot(q - r, u), along_v = Dot(q - r, v);
    double first[2] = {Dot(a - r, u) / along_u, Dot(b - r, u) / along_u};
    double second[2] = {Dot(a - r, v) / along_v, Dot(d - r, v) / along_v};
    if (!(along_u >= 0)) std::swap(first[0], first[1]);
    if (!(along_v >= 0)) std::swap(second[0], second[1]);
    const auto gap = [](double low_a, double high_a, double low_b, double high_b) {
      return low_a < low_b ? low_b - high_a : low_a - high_b;
    };
    if (gap(first[0], first[1], second[0], second[1]) <= 0 && gap(0, 1, first[0], first[1]) <= 0 &&
        gap(0, 1, second[0], second[1]) <= 0) {
      return (second[0] > first[0] ? second[0] : first[0]) * Norm(q - r);
    }
    return std::numeric_limits<double>::infinity();
  }

  int cells_;
  double range_;
  bool normalize_;
  double angle_ = 0;         // of a cell
  std::vector<float> grid_;  // distance and speed of each cell
  Vec origin_;               // place of the last observation
};

}  // namespace envpool::highway
