// SPDX-License-Identifier: Apache-2.0
// The actions of agents, and their effect on the agents' cars.
//
// The reference is highway_env.envs.common.action.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "envpool/spec.h"
#include "scene.h"

namespace envpool::highway {

class Actions {
 public:
  /// Throws OptionError.
  explicit Actions(const Options& options)
      : type_(static_cast<Type>(
            Chosen("action_type", options["action_type"_],
                   {"DiscreteMetaAction", "ContinuousAction", "DiscreteAction"}))),
        longitudinal_(options["action_longitudinal"_]),
        lateral_(options["action_lateral"_]),
        clip_(options["action_clip"_]),
        per_axis_(options["action_actions_per_axis"_]),
        speed_range_(options["action_speed_range"_]),
        acceleration_(options["action_acceleration_range"_]),
        steering_(options["action_steering_range"_]) {
    if (!longitudinal_ && !lateral_) {
      throw OptionError("action_lateral", "no longitudinal and no lateral actions",
                        "one of them, or both", "leave one of them true");
    }
    CheckRange("action_actions_per_axis", per_axis_, 2, 100);
    if (!speed_range_.empty()) CheckBounds("action_speed_range", speed_range_);
    const std::vector<double>& speeds = options["action_target_speeds"_];
    if (speeds.size() < 2 || !(speeds.front() < speeds.back())) {
      throw OptionError("action_target_speeds", "a list of " + std::to_string(speeds.size()),
                        "two speeds or more, ascending", "pass them in m/s, the least first");
    }
    const bool bicycle = options["action_dynamical"_];
    kind_ = type_ == Type::kMeta ? Kind::kMdp : bicycle ? Kind::kBicycle : Kind::kVehicle;
  }

  /// The kind of the agents' cars.
  Kind kind() const { return kind_; }
  bool meta() const { return type_ == Type::kMeta; }
  /// The number of actions, if they are discrete.
  int count() const {
    if (type_ == Type::kMeta) return longitudinal_ && lateral_ ? 5 : 3;
    return longitudinal_ && lateral_ ? per_axis_ * per_axis_ : per_axis_;
  }

  ArraySpec Spec() const {
    if (type_ != Type::kContinuous) return MakeArraySpec("action", Discrete(count()));
    return MakeArraySpec("action", Box<float>({kPlayers, num_values()}, -1, 1));
  }
  /// The size of one agent's action in bytes.
  std::size_t size() const {
    return sizeof(float) * static_cast<std::size_t>(type_ == Type::kContinuous ? num_values() : 1);
  }

  AgentAction Read(const std::byte* from) const {
    AgentAction action;
    if (type_ == Type::kContinuous) {
      action.num_values = num_values();
      std::memcpy(action.values, from, size());
    } else {
      std::memcpy(&action.choice, from, sizeof(action.choice));
    }
    return action;
  }
  /// Applies an action to a car.
  void Take(const Road& road, Vehicle& v, const AgentAction& action) const {
    if (type_ == Type::kMeta) return Decide(road, v, DecisionOf(action.choice));
    float values[2] = {action.values[0], action.values[1]};
    if (type_ == Type::kDiscrete) {
      const int first = longitudinal_ && lateral_ ? action.choice / per_axis_ : action.choice;
      values[0] = OnAxis(first);
      values[1] = OnAxis(action.choice % per_axis_);
    } else if (!speed_range_.empty()) {
      v.min_speed = speed_range_[0];
      v.max_speed = speed_range_[1];
    }
    v.acceleration = longitudinal_ ? Mapped(values[0], acceleration_) : 0;
    v.steering = lateral_ ? Mapped(values[longitudinal_ ? 1 : 0], steering_) : 0;
  }

  /// get_available_actions: sets `mask[i]` if decision i would have an effect on a car.
  void WriteAvailable(const Road& road, const Vehicle& v, bool* mask) const {
    const auto reachable = [&](int side) {
      const LaneIndex lane{v.lane.edge, static_cast<std::int16_t>(v.lane.id + side)};
      return lane.id >= 0 && lane.id < road.network.LanesBeside(v.lane) &&
             road.network.lane(lane).IsReachableFrom(v.position);
    };
    for (int i = 0; i < count(); ++i) {
      switch (DecisionOf(i)) {
        case Decision::kLaneLeft:
          mask[i] = reachable(-1);
          break;
        case Decision::kLaneRight:
          mask[i] = reachable(1);
          break;
        case Decision::kFaster:
          mask[i] = v.speed_index < static_cast<int>(road.target_speeds.size()) - 1;
          break;
        case Decision::kSlower:
          mask[i] = v.speed_index > 0;
          break;
        default:
          mask[i] = true;
      }
    }
  }

 private:
  enum class Type { kMeta, kContinuous, kDiscrete };

  int num_values() const { return longitudinal_ && lateral_ ? 2 : 1; }
  Decision DecisionOf(int choice) const {
    static constexpr Decision kLongitudinal[3] = {Decision::kSlower, Decision::kIdle,
                                                  Decision::kFaster};
    return longitudinal_ && !lateral_ ? kLongitudinal[choice] : static_cast<Decision>(choice);
  }
  /// np.linspace(-1, 1, actions_per_axis) in float32.
  float OnAxis(int i) const {
    if (i == per_axis_ - 1) return 1;
    const float step = 2.0f / static_cast<float>(per_axis_ - 1);
    return static_cast<float>(i) * step + -1.0f;
  }
  /// utils.lmap of a float32 from [-1, 1]; the result is a float32.
  double Mapped(float value, const std::vector<double>& range) const {
    if (clip_) value = std::min(std::max(value, -1.0f), 1.0f);
    return static_cast<float>(range[0]) +
           (value - -1.0f) * static_cast<float>(range[1] - range[0]) / 2.0f;
  }

  Type type_;
  Kind kind_;
  bool longitudinal_, lateral_, clip_;
  int per_axis_;
  std::vector<double> speed_range_, acceleration_, steering_;
};

}  // namespace envpool::highway
