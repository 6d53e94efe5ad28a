// SPDX-License-Identifier: Apache-2.0
// One episode of a task: the road, the indices of the agents' cars, and the time.
#pragma once

#include <cstdint>
#include <vector>

#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "options.h"
#include "vehicles/traffic.h"

namespace envpool::highway {

/// An agent's last action.
struct AgentAction {
  std::int32_t choice = -1;     ///< discrete action; -1: none, or none yet
  float values[2] = {0, 0};     ///< values of a continuous action
  std::int32_t num_values = 0;  ///< number of values; 0: none, or none yet
};

class Scene {
 public:
  Scene(const Options& options, NumpyRandom& rng) : options(options), rng(rng) {}

  const Options& options;
  NumpyRandom& rng;
  Road road;
  Kind agent_kind = Kind::kMdp;      ///< kind of the agents' cars
  std::vector<int> agents;           ///< indices of the agents' cars
  std::vector<AgentAction> actions;  ///< the last action of each agent
  double time = 0;                   ///< in seconds, summed as in the package
  std::int64_t steps = 0;            ///< steps of the simulation since the reset
  int stage = 0;                     ///< for a task with a sequence of events

  Vehicle& agent(std::size_t i) { return road.vehicles[static_cast<std::size_t>(agents[i])]; }
  const Vehicle& agent(std::size_t i) const {
    return road.vehicles[static_cast<std::size_t>(agents[i])];
  }
  const AgentAction& action_of(const Vehicle& v) const {
    for (std::size_t i = 0; i + 1 < agents.size(); ++i) {
      if (&agent(i) == &v) return actions[i];
    }
    return actions.back();
  }

  /// Makes a car for an agent.
  Vehicle MakeAgent(Pose pose, double speed) const {
    Vehicle v = road.Make(agent_kind, pose, speed);
    v.agent = true;
    return v;
  }
  /// Puts an agent's car on the road.
  void AddAgent(const Vehicle& v) {
    agents.push_back(road.Add(v));
    actions.emplace_back();
  }
  /// Makes a car of the traffic.
  Vehicle MakeDriver(Pose pose, double speed) const {
    return road.Make(Kind::kDriver, pose, speed);
  }
  /// plan_route_to, for cars that follow lanes.
  void PlanRoute(Vehicle& v, std::string_view destination) const {
    if (v.IsControlled()) v.route = road.network.PlanRoute(v.lane, destination);
  }
  void RandomizeBehavior(Vehicle& v) { road.RandomizeBehavior(v, rng); }
  /// Removes the cars for which `leaves` is true, except agents' cars.
  template <typename Leaves>
  void Remove(const Leaves& leaves) {
    std::erase_if(road.vehicles, [&](const Vehicle& v) { return !v.agent && leaves(v); });
    agents.clear();
    for (std::size_t i = 0; i < road.vehicles.size(); ++i) {
      if (road.vehicles[i].agent) agents.push_back(static_cast<int>(i));
    }
    road.Moved();
  }

  void Begin() {
    road.Clear();
    agents.clear();
    actions.clear();
    time = 0;
    steps = 0;
    stage = 0;
  }
  /// Simulates one step of the traffic.
  void Simulate() {
    Act(road);
    traffic_.Step(road, 1 / options["simulation_frequency"_]);
  }

  void Save(StateWriter& out) const {
    out.Write(road.vehicles, road.objects, road.steps, agents, actions, time, steps, stage);
  }
  void Load(StateReader& in) {
    in.Read(road.vehicles, road.objects, road.steps, agents, actions, time, steps, stage);
    road.Moved();
  }

 private:
  Traffic traffic_;
};

}  // namespace envpool::highway
