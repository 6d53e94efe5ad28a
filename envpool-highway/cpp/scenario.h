// SPDX-License-Identifier: Apache-2.0
// A task as data: functions that make and populate its road, and the terms of its reward.
//
//   inline const Scenario kStraight{
//       .name = "straight",
//       .network = [](const Options&, NumpyRandom&) { ... },
//       .populate = [](Scene& scene) { ... },
//       .terms = {Term<"collision_reward">(Crashed), Term<"high_speed_reward">(FastEnough)}};
//   AddScenarios({kStraight});
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene.h"

namespace envpool::highway {

/// One term of a reward: a measure of an agent's car, and the option that is its weight.
struct RewardTerm {
  std::string_view name;
  double (*weight)(const Options& options);
  double (*value)(const Scene& scene, const Vehicle& agent);
};
/// A term whose weight is the option of the same name.
template <FixedString kName>
RewardTerm Term(double (*value)(const Scene&, const Vehicle&)) {
  return {kName.view(), [](const Options& options) -> double { return options[Key<kName>{}]; },
          value};
}
/// A term without a weight: the package reports it, and multiplies rewards by it.
inline RewardTerm Reported(std::string_view name, double (*value)(const Scene&, const Vehicle&)) {
  return {name, [](const Options&) { return 0.0; }, value};
}

struct Scenario {
  std::string_view name;
  /// Makes the lanes. `rng` is for a road that is drawn in each episode.
  Network (*network)(const Options& options, NumpyRandom& rng);
  /// Puts cars on the empty road, the agents' among them.
  void (*populate)(Scene& scene);
  /// Terms of the reward, in the order of their sum.
  std::vector<RewardTerm> terms{};
  /// The reward of an agent from its terms; null: their weighted sum.
  double (*reward)(const Scene& scene, const Vehicle& agent, const double* values) = nullptr;
  /// True if the episode is over; null: if the first agent's car has crashed.
  bool (*terminated)(const Scene& scene) = nullptr;
  /// True if the episode is over for one of several agents; null: if its car has crashed.
  bool (*agent_terminated)(const Scene& scene, const Vehicle& agent) = nullptr;
  /// The info is_success of an agent; null: the task has none.
  bool (*success)(const Scene& scene, const Vehicle& agent) = nullptr;
  /// Called before each step, and after it.
  void (*before_step)(Scene& scene) = nullptr;
  void (*after_step)(Scene& scene) = nullptr;
  /// True if the network is made again in each episode; null: never.
  bool (*redraws_network)(const Options& options) = nullptr;
  /// Throws OptionError for options that the task cannot have; null: all are allowed.
  void (*check)(const Options& options) = nullptr;
  /// true: the reward is the mean of all agents; false: the first agent's.
  bool mean_of_agents = false;
  /// true: an observation is made before the cars move.
  bool observes_before_moving = false;
};

/// The sum of the terms times their weights, in order.
inline double WeightedSum(const Scenario& scenario, const Options& options, const double* values) {
  double sum = 0;
  for (std::size_t i = 0; i < scenario.terms.size(); ++i) {
    sum += scenario.terms[i].weight(options) * values[i];
  }
  return sum;
}

namespace detail {
inline std::vector<Scenario>& Scenarios() {
  static std::vector<Scenario> scenarios;
  return scenarios;
}
}  // namespace detail

/// Registers tasks. Call it before their environments are registered.
inline void AddScenarios(const std::vector<Scenario>& scenarios) {
  for (const Scenario& scenario : scenarios) detail::Scenarios().push_back(scenario);
}
/// The task that the option `scenario` names. Throws OptionError.
inline const Scenario& ScenarioOf(const Options& options) {
  std::vector<std::string> names;
  for (const Scenario& scenario : detail::Scenarios()) names.emplace_back(scenario.name);
  return detail::Scenarios()[static_cast<std::size_t>(
      Chosen("scenario", options["scenario"_], names))];
}

// Measures that several tasks use.

inline double Crashed(const Scene&, const Vehicle& v) { return v.crashed; }
inline double OnRoad(const Scene& scene, const Vehicle& v) { return scene.road.IsOnRoad(v); }
/// 1 if the agent's last decision was a change of lanes.
inline double ChangedLanes(const Scene& scene, const Vehicle& v) {
  const int choice = scene.action_of(v).choice;
  return choice == 0 || choice == 2;
}
/// A speed, mapped from the option reward_speed_range to 0 .. 1.
inline double ScaledSpeed(const Scene& scene, double speed) {
  const std::vector<double>& range = scene.options["reward_speed_range"_];
  return LinearMap(speed, range[0], range[1], 0, 1);
}
/// The target lane of a car, or its own lane if it does not follow lanes.
inline LaneIndex WantedLane(const Vehicle& v) { return v.IsControlled() ? v.target_lane : v.lane; }

}  // namespace envpool::highway
