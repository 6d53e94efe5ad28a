// SPDX-License-Identifier: Apache-2.0
// Cells around the car, in layers: the reference's OccupancyGridObservation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "features.h"
#include "observer.h"

namespace envpool::highway {

class OccupancyGrid final : public Observer {
 public:
  explicit OccupancyGrid(const Options& options)
      : ranges_(options["observation_features_range"_]),
        align_(options["observation_align_to_vehicle_axes"_]),
        clip_(options["observation_clip"_]),
        image_(options["observation_as_image"_]) {
    if (options["observation_absolute"_]) {
      throw OptionError("observation_absolute", "true", "false for an OccupancyGrid",
                        "leave it out: the package has no absolute grid");
    }
    std::vector<std::string> names = options["observation_features"_];
    if (names.empty()) names = {"presence", "vx", "vy", "on_road"};
    features_ = FeaturesOf(names, true);
    if (options["observation_features_range"_].empty()) {
      ranges_.Set(Feature::kVx, -80, 80);
      ranges_.Set(Feature::kVy, -80, 80);
    }
    const auto& size = options["observation_grid_size"_];
    const auto& step = options["observation_grid_step"_];
    CheckLength("observation_grid_size", size, 2);
    CheckLength("observation_grid_step", step, 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CheckBounds("observation_grid_size", size[i]);
      CheckRange("observation_grid_step", step[i], 0.1, 1000);
      low_[i] = size[i][0];
      step_[i] = step[i];
      count_[i] = static_cast<int>(std::floor((size[i][1] - size[i][0]) / step[i]));
      CheckRange("observation_grid_size", count_[i], 1, 1000);
    }
    reach_ = std::hypot(std::max(std::abs(low_[0]), std::abs(size[0][1])),
                        std::max(std::abs(low_[1]), std::abs(size[1][1])));
    grid_.resize(features_.size() * static_cast<std::size_t>(count_[0] * count_[1]));
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    const std::vector<int> shape{static_cast<int>(features_.size()), count_[0], count_[1]};
    if (image_) return {MakeArraySpec("obs", Box<std::uint8_t>(Shape(players, shape), 0, 255))};
    return {MakeArraySpec("obs", Spec<float>(Shape(players, shape)))};
  }

  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    std::fill(grid_.begin(), grid_.end(), 0.0);
    for (std::size_t layer = 0; layer < features_.size(); ++layer) {
      double* cells = &grid_[layer * static_cast<std::size_t>(count_[0] * count_[1])];
      if (features_[layer] == Feature::kOnRoad) {
        DrawLanes(scene.road.network, ego, cells);
      } else {
        DrawCars(scene.road, ego, features_[layer], cells);
      }
    }
    const auto clipped = [this](double v) { return clip_ || image_ ? Clip(v, -1, 1) : v; };
    if (image_) {
      // A cell without a car is NaN in the package, which is 0 as a byte.
      auto* out = reinterpret_cast<std::uint8_t*>(arrays[0]);
      for (std::size_t i = 0; i < grid_.size(); ++i) {
        out[i] = seen_[i] ? static_cast<std::uint8_t>((clipped(grid_[i]) + 1) / 2 * 255) : 0;
      }
    } else {
      auto* out = reinterpret_cast<float*>(arrays[0]);
      for (std::size_t i = 0; i < grid_.size(); ++i) out[i] = static_cast<float>(clipped(grid_[i]));
    }
    std::fill(seen_.begin(), seen_.end(), false);
  }

 private:
  void Mark(double* cells, const Vehicle& ego, Vec relative, double value) {
    if (align_) relative = RotatedBack(ego.direction, relative);
    const double i = std::floor((relative.x - low_[0]) / step_[0]);
    const double k = std::floor((relative.y - low_[1]) / step_[1]);
    if (!(0 <= i && i < count_[0] && 0 <= k && k < count_[1])) return;
    double& cell = cells[static_cast<int>(i) * count_[1] + static_cast<int>(k)];
    cell = value;
    seen_.resize(grid_.size());
    seen_[static_cast<std::size_t>(&cell - grid_.data())] = true;
  }
  void DrawCars(const Road& road, const Vehicle& ego, Feature feature, double* cells) {
    for (std::size_t i = road.vehicles.size(); i-- > 0;) {  // backwards, so that the first car wins
      const Vehicle& v = road.vehicles[i];
      const auto normalized = [&](Feature f) {
        const double value = ValueOf(f, road.network, v, &ego, true);
        const FeatureRanges::Range& range = ranges_.at(f);
        return range.given ? LinearMap(value, range.low, range.high, -1, 1) : value;
      };
      const auto meters = [&](Feature f) {
        const FeatureRanges::Range& range = ranges_.at(f);
        return range.given ? LinearMap(normalized(f), -1, 1, range.low, range.high) : normalized(f);
      };
      Mark(cells, ego, {meters(Feature::kX), meters(Feature::kY)}, normalized(feature));
    }
  }
  /// fill_road_layer_by_lanes: points along each lane, up to 100 metres ahead and behind; points
  /// beyond a lane's ends become its ends. To save time, lanes outside the grid's reach, repeated
  /// points and points too far along a straight lane are skipped.
  void DrawLanes(const Network& network, const Vehicle& ego, double* cells) {
    const double spacing = std::min(step_[0], step_[1]);
    for (const Network::Edge& edge : network.edges()) {
      for (const Lane& lane : edge.lanes) {
        if (lane.LeastDistance(ego.position) > 2 * reach_) continue;
        const double origin = lane.LocalCoordinates(ego.position).s;
        const double first = origin - 100, last = origin + 100;
        const int count = static_cast<int>(std::ceil((last - first) / spacing));
        const double delta = (first + spacing) - first;  // as np.arange computes it
        const bool straight = lane.kind() == Lane::Kind::kStraight;
        double drawn = -1;
        for (int i = 0; i < count; ++i) {
          const double s = i == 0 ? first : i == 1 ? first + spacing : first + i * delta;
          const double on_lane = Clip(s, 0, lane.length());
          if (on_lane == drawn) continue;
          drawn = on_lane;
          if (straight && std::abs(on_lane - origin) > reach_ + 1) continue;
          Mark(cells, ego, lane.Position(on_lane, 0) - ego.position, 1);
        }
      }
    }
  }

  std::vector<Feature> features_;
  FeatureRanges ranges_;
  bool align_, clip_, image_;
  double low_[2], step_[2];  // metres
  int count_[2];             // cells
  double reach_ = 0;         // distance of the farthest corner in metres
  std::vector<double> grid_;
  std::vector<bool> seen_;
};

}  // namespace envpool::highway
