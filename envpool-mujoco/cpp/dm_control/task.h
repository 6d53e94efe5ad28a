// SPDX-License-Identifier: Apache-2.0
// Task: a dm_control task without its model. Each domain has a file here, with the formulas of the
// domain's module in dm_control.suite, in its order of roundings.
//
//   class Pendulum final : public Task {
//    public:
//     explicit Pendulum(const mjModel& model) : Task(model), pole_(Names(model).body("pole")) {}
//     Layout Observations() const override { return {{"orientation", {2}}, {"velocity", {1}}}; }
//     void Start(Physics& physics) override { physics.data().qpos[0] = ...; }
//     double* Observe(const Physics& physics, double* out) const override { ... }
//     double Reward(const Physics& physics) const override { ... }
//   };
//
// A task contains indices into its model and no simulation, so that a task can be made only to get
// its observations.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dm_control/names.h"
#include "dm_control/physics.h"
#include "dm_control/rewards.h"
#include "envpool/numpy_math.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/model_store.h"

namespace envpool::mujoco {

/// Names and shapes of observations, in order; a single number has the shape {}.
using Layout = std::vector<std::pair<std::string, std::vector<int>>>;

class Task {
 public:
  explicit Task(const mjModel& model) : sizes_(model) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;

  virtual Layout Observations() const = 0;
  /// The sensors that observations and reward read.
  virtual Simulation::Sensors sensors() const { return Simulation::Sensors::kNone; }
  /// True if ModelStore::Quick of the model gives the same numbers, as the comparison with
  /// dm_control shows. False if the order of contacts changes without the middle phase.
  virtual bool SameWithoutMidphase() const { return true; }
  /// Called once, before the first episode: copies the arrays of the model that episodes change,
  /// and makes the draws of dm_control's constructor.
  virtual void Prepare(Physics&) {}
  /// initialize_episode: draws a new state.
  virtual void Start(Physics& physics) = 0;
  /// Simulates the controls for `steps` steps, and computes the values that follow from them.
  virtual void Advance(Physics& physics, int steps) { physics.Step(steps, sensors()); }
  /// get_observation: writes the arrays one after the other, and returns their end.
  virtual double* Observe(const Physics& physics, double* out) const = 0;
  /// get_reward.
  virtual double Reward(const Physics& physics) const = 0;
  /// get_termination: true if the episode ends here with a discount of 0.
  virtual bool Terminates(const Physics&) const { return false; }
  /// True if the episode ends here with a discount of 1.
  virtual bool EndsWithoutFailure(const Physics&) const { return false; }
  /// True if an observation consists of integers, in an int64 array.
  virtual bool IsWhole(const std::string& /*observation*/) const { return false; }
  /// Writes the values kept from an episode's start, beside the simulation.
  virtual void Save(envpool::StateWriter&) const {}
  virtual void Load(envpool::StateReader&) {}

 protected:
  int nq() const { return sizes_.nq; }
  int nv() const { return sizes_.nv; }
  int nu() const { return sizes_.nu; }
  int na() const { return sizes_.na; }

  static double* Copy(const mjtNum* from, int count, double* out) {
    return std::copy_n(from, count, out);
  }
  /// np.log1p of sensors that have one number each.
  static double* LogOfTouch(const Physics& physics, const std::vector<int>& sensors, double* out) {
    for (const int sensor : sensors) *out++ = std::log1p(physics.data().sensordata[sensor]);
    return out;
  }
  double* Positions(const Physics& physics, double* out) const {
    return Copy(physics.data().qpos, nq(), out);
  }
  double* Velocities(const Physics& physics, double* out) const {
    return Copy(physics.data().qvel, nv(), out);
  }
  /// From 1 for no controls to 0 for full controls: the mean over the actuators.
  double SmallControl(const Physics& physics) const {
    const auto one = [&](int i) {
      return ToleranceInArray(physics.data().ctrl[i],
                              {.margin = 1, .shape = Shape::kQuadratic, .at_margin = 0});
    };
    return numpy::PairwiseSum(one, 0, nu()) / nu();
  }

 private:
  const ModelSizes sizes_;
};

/// Makes a task of a domain for its model; null if the domain has no such task.
using TaskMaker = std::unique_ptr<Task> (*)(const std::string& task, const mjModel& model);

}  // namespace envpool::mujoco
