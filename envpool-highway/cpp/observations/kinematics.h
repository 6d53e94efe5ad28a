// SPDX-License-Identifier: Apache-2.0
// A table of the nearest cars: the reference's KinematicObservation and ExitObservation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "features.h"
#include "observer.h"

namespace envpool::highway {

class Kinematics final : public Observer {
 public:
  /// `exit`: as in ExitObservation, the own x is along the exit lane, and only cars are included.
  Kinematics(const Options& options, bool exit)
      : exit_(exit),
        count_(options["observation_vehicles_count"_]),
        absolute_(options["observation_absolute"_]),
        shuffled_(Chosen("observation_order", options["observation_order"_],
                         {"sorted", "shuffled"}) == 1),
        normalize_(options["observation_normalize"_]),
        clip_(options["observation_clip"_]),
        see_behind_(options["observation_see_behind"_]),
        intentions_(options["observation_observe_intentions"_]),
        obstacles_(options["observation_include_obstacles"_] && !exit),
        own_ranges_(options["observation_features_range"_].empty()),
        ranges_(options["observation_features_range"_]) {
    CheckRange("observation_vehicles_count", count_, 1, 1000);
    std::vector<std::string> names = options["observation_features"_];
    if (names.empty()) names = {"presence", "x", "y", "vx", "vy"};
    features_ = FeaturesOf(names, false);
    if (!own_ranges_) return;
    ranges_.Set(Feature::kX, -200, 200);
    ranges_.Set(Feature::kVx, -80, 80);
    ranges_.Set(Feature::kVy, -80, 80);
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    const std::vector<int> shape{count_, static_cast<int>(features_.size())};
    return {MakeArraySpec("obs", Spec<float>(Shape(players, shape)))};
  }
  void Begin() override { width_ = 0; }

  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    const Network& network = scene.road.network;
    if (own_ranges_ && width_ == 0) {  // computed at the first observation of an episode, and kept
      width_ = 4.0 * network.LanesBeside(ego.lane);
    }
    if (own_ranges_) ranges_.Set(Feature::kY, -width_, width_);
    FindNear(scene.road, ego);
    const auto rows = std::min<std::size_t>(static_cast<std::size_t>(count_), 1 + near_.size());
    auto* out = reinterpret_cast<float*>(arrays[0]);
    const std::size_t columns = features_.size();
    std::fill_n(out, static_cast<std::size_t>(count_) * columns, 0.0f);
    for (std::size_t i = 0; i < rows; ++i) {
      const Vehicle& v = i == 0 ? ego : *near_[i - 1].thing;
      const Vehicle* origin = i == 0 || absolute_ ? nullptr : &ego;
      for (std::size_t k = 0; k < columns; ++k) {
        double value = ValueOf(features_[k], network, v, origin, i == 0 || intentions_);
        if (i == 0 && exit_ && features_[k] == Feature::kX) {
          value = network.lane(network.At("1", "2", -1)).LocalCoordinates(ego.position).s;
        }
        out[i * columns + k] = static_cast<float>(Normalized(features_[k], value));
      }
    }
    if (shuffled_) ShuffleOthers(scene.rng, out);
  }
  void Save(StateWriter& out) const override { out.Write(width_); }
  void Load(StateReader& in) override { in.Read(width_); }

 private:
  static constexpr double kPerception = 5.0 * 40.0;  // metres

  struct Near {
    const Vehicle* thing;
    double distance;  // along the own lane
  };
  /// Road.close_objects_to. (For a table of one row the package cuts nothing off, and returns more
  /// rows than it declares; here the table has one row.)
  void FindNear(const Road& road, const Vehicle& ego) {
    near_.clear();
    const auto look = [&](const Vehicle& v, bool behind) {
      if (&v == &ego || !(Norm(v.position - ego.position) < kPerception)) return;
      const double distance = road.LaneDistance(ego, v);
      if (behind || -2 * ego.length < distance) near_.push_back({&v, std::abs(distance)});
    };
    for (const Vehicle& v : road.vehicles) look(v, see_behind_);
    if (obstacles_) {
      for (const Vehicle& o : road.objects) look(o, false);
    }
    const auto nearer = [](const Near& a, const Near& b) { return a.distance < b.distance; };
    if (!shuffled_ || exit_) std::stable_sort(near_.begin(), near_.end(), nearer);
  }
  double Normalized(Feature feature, double value) const {
    const FeatureRanges::Range& range = ranges_.at(feature);
    if (!normalize_ || !range.given) return value;
    value = LinearMap(value, range.low, range.high, -1, 1);
    return clip_ ? Clip(value, -1, 1) : value;
  }
  /// np_random.shuffle of the rows after the first. For an array with two dimensions NumPy draws 32
  /// bits, masks them, and repeats until the number is small enough.
  void ShuffleOthers(NumpyRandom& rng, float* out) const {
    const std::size_t columns = features_.size();
    float* rows = out + columns;
    for (std::size_t i = static_cast<std::size_t>(count_) - 2; count_ > 2 && i > 0; --i) {
      std::uint64_t mask = i;
      for (int shift : {1, 2, 4, 8}) mask |= mask >> shift;
      std::uint64_t j;
      do {
        j = static_cast<std::uint64_t>(rng.Integers(0, std::int64_t{1} << 32)) & mask;
      } while (j > i);
      if (j != i)
        std::swap_ranges(rows + i * columns, rows + (i + 1) * columns, rows + j * columns);
    }
  }

  bool exit_;
  int count_;
  bool absolute_, shuffled_, normalize_, clip_, see_behind_, intentions_, obstacles_, own_ranges_;
  FeatureRanges ranges_;
  std::vector<Feature> features_;
  double width_ = 0;  // width of the road in metres at the episode's start
  std::vector<Near> near_;
};

}  // namespace envpool::highway
