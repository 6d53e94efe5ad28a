// SPDX-License-Identifier: Apache-2.0
// Observations that are dicts: KinematicsGoalObservation and AttributesObservation.
#pragma once

#include <string>
#include <vector>

#include "envpool/option_checks.h"
#include "features.h"
#include "observer.h"

namespace envpool::highway {

/// A car and its goal, in the form for HER.
class KinematicsGoal final : public Observer {
 public:
  explicit KinematicsGoal(const Options& options) : scales_(options["observation_scales"_]) {
    std::vector<std::string> names = options["observation_features"_];
    if (names.empty()) names = {"presence", "x", "y", "vx", "vy"};
    features_ = FeaturesOf(names, false);
    CheckLength("observation_scales", scales_, features_.size());
  }
  std::vector<ArraySpec> Specs(bool players) const override {
    const std::vector<int> shape = Shape(players, {static_cast<int>(features_.size())});
    std::vector<ArraySpec> specs;
    for (const char* name : {"obs:observation", "obs:achieved_goal", "obs:desired_goal"}) {
      specs.push_back(MakeArraySpec(name, Spec<double>(shape)));
    }
    return specs;
  }
  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    const Vehicle& goal = scene.road.objects[static_cast<std::size_t>(ego.goal)];
    const auto write = [&](std::byte* to, const Vehicle& thing) {
      auto* out = reinterpret_cast<double*>(to);
      for (std::size_t i = 0; i < features_.size(); ++i) {
        out[i] = ValueOf(features_[i], scene.road.network, thing, nullptr, true) / scales_[i];
      }
    };
    write(arrays[0], ego);
    write(arrays[1], ego);
    write(arrays[2], goal);
  }

 private:
  std::vector<Feature> features_;
  std::vector<double> scales_;
};

/// LaneKeepingEnv's attributes: the state of a bicycle and its derivative, with noise, and the
/// state relative to the lane that it should keep.
class Attributes final : public Observer {
 public:
  explicit Attributes(const Options& options) {
    for (const std::string& name : options["observation_attributes"_]) {
      names_.push_back("obs:" + name);
      attributes_.push_back(
          Chosen("observation_attributes", name, {"state", "derivative", "reference_state"}));
    }
    if (names_.empty()) {
      throw OptionError("observation_attributes", "none", "state, derivative, reference_state",
                        "name one of them");
    }
    CheckNotNegative("state_noise", options["state_noise"_]);
    CheckNotNegative("derivative_noise", options["derivative_noise"_]);
  }
  std::vector<ArraySpec> Specs(bool players) const override {
    std::vector<ArraySpec> specs;
    for (const std::string& name : names_) {
      specs.push_back(MakeArraySpec(name, Spec<double>(Shape(players, {4, 1}))));
    }
    return specs;
  }
  void DrawForSpace(Scene& scene) override {
    for (int attribute : attributes_) {
      for (int i = 0; attribute < 2 && i < 4; ++i) scene.rng.Random();
    }
  }
  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    static constexpr std::size_t kRows[4] = {1, 2, 4, 5};  // y, heading, lateral speed, yaw rate
    const BicycleState state = StateOf(ego);
    for (std::size_t n = 0; n < attributes_.size(); ++n) {
      auto* out = reinterpret_cast<double*>(arrays[n]);
      if (attributes_[n] == 2) {
        const Lane& lane = FollowedLane(scene);
        const Local at = lane.LocalCoordinates(ego.position);
        out[0] = state[1] - at.r;
        out[1] = lane.HeadingAt(at.s);
        out[2] = out[3] = 0;
        continue;
      }
      const double noise =
          attributes_[n] == 0 ? scene.options["state_noise"_] : scene.options["derivative_noise"_];
      const BicycleState values = attributes_[n] == 0 ? state : Derivative(ego, state);
      for (std::size_t i = 0; i < 4; ++i) {
        out[i] = values[kRows[i]] + scene.rng.Uniform(-noise, noise);
      }
    }
  }
  /// The straight lane, then the sine.
  static const Lane& FollowedLane(const Scene& scene) {
    const Network& network = scene.road.network;
    return network.lane(scene.stage == 0 ? network.At("c", "d", 0) : network.At("a", "b", 0));
  }

 private:
  std::vector<std::string> names_;
  std::vector<int> attributes_;
};

}  // namespace envpool::highway
