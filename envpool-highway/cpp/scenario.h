// SPDX-License-Identifier: Apache-2.0
// A task as data: how its road is made and populated, and what is paid for.
//
//   inline const Scenario kStraight{
//       .name = "straight",
//       .network = [](const Options&, NumpyRandom&) { ... },
//       .populate = [](World& world) { ... },
//       .terms = {Term<"collision_reward">(Crashed), Term<"high_speed_reward">(FastEnough)}};
//   AddScenarios({kStraight});
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world.h"

namespace envpool::highway {

/// One term of a reward: what is measured of an agent's car, and which option weighs it.
struct RewardTerm {
  std::string_view name;
  double (*weight)(const Options& options);
  double (*value)(const World& world, const Vehicle& agent);
};
/// A term whose weight is the option of its name.
template <FixedString kName>
RewardTerm Term(double (*value)(const World&, const Vehicle&)) {
  return {kName.view(), [](const Options& options) -> double { return options[Key<kName>{}]; },
          value};
}
/// A term that the package reports, and multiplies rewards with, and does not weigh.
inline RewardTerm Reported(std::string_view name, double (*value)(const World&, const Vehicle&)) {
  return {name, [](const Options&) { return 0.0; }, value};
}

struct Scenario {
  std::string_view name;
  /// Makes the lanes. `rng` is there for a road that is drawn anew in each episode.
  Network (*network)(const Options& options, NumpyRandom& rng);
  /// Puts cars on the empty road, the agents' among them.
  void (*populate)(World& world);
  /// Terms of the reward, in the order in which they are added up.
  std::vector<RewardTerm> terms{};
  /// What an agent is paid for its terms; null: their weighted sum.
  double (*reward)(const World& world, const Vehicle& agent, const double* values) = nullptr;
  /// Whether the episode is over; null: if the first agent's car has crashed.
  bool (*terminated)(const World& world) = nullptr;
  /// Whether it is for one of several agents; null: if its car has crashed.
  bool (*agent_terminated)(const World& world, const Vehicle& agent) = nullptr;
  /// The info is_success of an agent; null: the task has none.
  bool (*success)(const World& world, const Vehicle& agent) = nullptr;
  /// Called before a step, and after it.
  void (*before_step)(World& world) = nullptr;
  void (*after_step)(World& world) = nullptr;
  /// Whether the network is made anew in each episode; null: never.
  bool (*redraws_network)(const Options& options) = nullptr;
  /// Throws OptionError for options of which there is no such task; null: all are fine.
  void (*check)(const Options& options) = nullptr;
  /// Whether the reward is the mean of all agents, and not that of the first one.
  bool mean_of_agents = false;
  /// Whether an observation is made before the cars move.
  bool observes_before_moving = false;
};

/// The terms of a reward, times their weights, added up in order.
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

/// Makes tasks known, before their environments are registered.
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

// Measures that several tasks share.

inline double Crashed(const World&, const Vehicle& v) { return v.crashed; }
inline double OnRoad(const World& world, const Vehicle& v) { return world.road.IsOnRoad(v); }
/// Whether the agent's last decision was a change of lanes.
inline double ChangedLanes(const World& world, const Vehicle& v) {
  const int choice = world.action_of(v).choice;
  return choice == 0 || choice == 2;
}
/// A speed, with the option reward_speed_range mapped to 0 .. 1.
inline double ScaledSpeed(const World& world, double speed) {
  const std::vector<double>& range = world.options["reward_speed_range"_];
  return LinearMap(speed, range[0], range[1], 0, 1);
}
/// The lane that a car goes for, or is on if it does not follow lanes.
inline LaneIndex WantedLane(const Vehicle& v) { return v.IsControlled() ? v.target_lane : v.lane; }

}  // namespace envpool::highway
