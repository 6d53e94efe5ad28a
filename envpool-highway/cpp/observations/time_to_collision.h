// SPDX-License-Identifier: Apache-2.0
// The time until the car would hit another car, for each speed and lane that it could take: the
// reference's TimeToCollisionObservation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "observer.h"

namespace envpool::highway {

class TimeToCollision final : public Observer {
 public:
  explicit TimeToCollision(const Options& options)
      : quantum_(1 / options["policy_frequency"_]),
        cells_(static_cast<int>(options["observation_horizon"_] / quantum_)) {
    CheckRange("observation_horizon", cells_, 1, 10000);
    if (options["action_type"_] != "DiscreteMetaAction") {
      throw OptionError("observation_type", "TimeToCollision with " + options["action_type"_],
                        "TimeToCollision with DiscreteMetaAction",
                        "choose another observation: it counts the target speeds of the action");
    }
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    return {MakeArraySpec("obs", Box<float>(Shape(players, {kShown, kShown, cells_}), 0, 1))};
  }

  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    const Road& road = scene.road;
    const int lanes = road.network.LanesBeside(scene.agent(0).lane);
    const int speeds = static_cast<int>(road.target_speeds.size());
    grid_.assign(static_cast<std::size_t>(speeds * lanes * cells_), 0.0);
    for (int k = 0; k < speeds; ++k) {
      for (const Vehicle& other : road.vehicles) Predict(road, ego, other, k, lanes);
    }
    auto* out = reinterpret_cast<float*>(arrays[0]);
    std::fill_n(out, static_cast<std::size_t>(kShown * kShown * cells_), 1.0f);
    for (int i = 0; i < kShown; ++i) {
      for (int j = 0; j < kShown; ++j) {
        const int k = std::clamp(ego.speed_index + i - 1, 0, speeds - 1);
        const int lane = ego.lane.id + j - 1;
        if (lane < 0 || lane >= lanes) continue;
        for (int t = 0; t < cells_; ++t) {
          out[(i * kShown + j) * cells_ + t] = static_cast<float>(At(k, lane, t, lanes));
        }
      }
    }
  }

 private:
  static constexpr int kShown = 3;  // number of speeds around the own speed, and of lanes

  double& At(int speed, int lane, int time, int lanes) {
    return grid_[static_cast<std::size_t>((speed * lanes + lane) * cells_ + time)];
  }
  /// compute_ttc_grid, for one own speed and one other car.
  void Predict(const Road& road, const Vehicle& ego, const Vehicle& other, int k, int lanes) {
    const double speed = road.target_speeds[static_cast<std::size_t>(k)];
    if (&other == &ego || speed == other.speed) return;
    const double margin = other.length / 2 + ego.length / 2;
    const double costs[3][2] = {{0, 1}, {-margin, 0.5}, {margin, 0.5}};
    for (const auto& [shift, cost] : costs) {
      const double distance = road.LaneDistance(ego, other) + shift;
      const double projected = other.speed * Dot(other.direction, ego.direction);
      const double time = distance / NotZero(speed - projected);
      if (time < 0) continue;
      if (!road.network.IsConnectedRoad(ego.lane, other.lane, ego.route.lanes(), 3)) continue;
      // If the other car's road has another number of lanes, the car may be on any lane.
      const bool same = road.network.LanesBeside(other.lane) == road.network.LanesBeside(ego.lane);
      const int first = same ? other.lane.id : 0, last = same ? other.lane.id : lanes - 1;
      for (const double cell : {std::trunc(time / quantum_), std::ceil(time / quantum_)}) {
        if (!(cell < cells_)) continue;
        for (int lane = first; lane <= std::min(last, lanes - 1); ++lane) {
          double& value = At(k, lane, static_cast<int>(cell), lanes);
          value = std::max(value, cost);
        }
      }
    }
  }

  double quantum_;  // seconds per cell
  int cells_;
  std::vector<double> grid_;
};

}  // namespace envpool::highway
