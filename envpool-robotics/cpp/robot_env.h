// SPDX-License-Identifier: Apache-2.0
// The shared part of all robots here: options, Gymnasium-Robotics' camera, and observations with a
// goal.
//
//   class Arm final : public RobotEnv<ArmSpec> {
//     void StartEpisode() override { ... }                    // until the last mj_forward
//     double Advance(const Action&) override { ... }          // simulates; returns the reward
//     void WriteResult(State&, bool) override { ... }   // observations and infos
//   };
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/frame_stack.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"

namespace envpool::robotics {
using namespace envpool::literals;
using mujoco::CameraConfig;
using mujoco::ModelStore;
using mujoco::SharedModel;
using mujoco::Simulation;

/// Options of every task.
inline auto RobotOptions(const char* xml_file, int frame_skip) {
  return Dict{"xml_file"_ = std::string(xml_file), "frame_skip"_ = frame_skip, "frame_stack"_ = 1,
              "render_quality"_ = "full"} +
         mujoco::FieldOptions();
}

/// The task's model.
template <typename Config>
SharedModel TaskModel(const Config& config) {
  return ModelStore::Load(mujoco::ModelIn(config));
}

/// The shared part of all tasks' descriptions.
struct RobotSpec : mujoco::SimulatedSpec<RobotSpec> {
  static SharedModel Model(const auto& config) { return TaskModel(config); }
};

/// Throws OptionError for invalid common options.
template <typename Config>
void CheckOptions(const Config& config) {
  CheckFrames(config["frame_skip"_], config["frame_stack"_]);
  mujoco::QualityOf(config["render_quality"_]);
}

/// True if `reward_type` is the sparse reward.
inline bool IsSparse(const std::string& reward_type) {
  return Chosen("reward_type", reward_type, {"sparse", "dense"}) == 0;
}

/// `observation`, `achieved_goal` and `desired_goal`, and the infos of Gymnasium-Robotics and
/// EnvPool for Fetch and the hand.
template <typename Config>
auto GoalState(const Config& config, int size, int goal_size) {
  CheckOptions(config);
  const int stack = config["frame_stack"_];
  return Dict{"obs:observation"_ = Spec<double>(Stacked(size, stack)),
              "obs:achieved_goal"_ = Spec<double>(Stacked(goal_size, stack)),
              "obs:desired_goal"_ = Spec<double>(Stacked(goal_size, stack)),
              "info:model"_ = mujoco::FieldInfos(config, TaskModel(config))};
}

/// `count` actuators, each from -1 to 1.
inline auto UnitActions(int count) {
  return Dict{"action"_ = Spec<float>({kPlayers, count}, std::tuple(-1.0f, 1.0f))};
}

template <typename Description>
class RobotEnv : public mujoco::SimulatedEnv<Description, NumpyRandom> {
  using Base = mujoco::SimulatedEnv<Description, NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  RobotEnv(const Spec& spec, int env_id, const SharedModel& model)
      : Base(spec, env_id, model, mujoco::LookOf(1000, {})) {}

 protected:
  using Base::data;
  using Base::model;

  /// Called after other fields of the model were drawn, and everything was recomputed.
  virtual void Refresh() {}
  /// The free camera, if it differs from MuJoCo's default.
  virtual CameraConfig Camera() const { return {}; }
  /// `count` numbers from `low` to `high`, drawn one after the other and added to `out`.
  void AddUniform(double low, double high, int count, double* out) {
    for (int i = 0; i < count; ++i) out[i] += this->gen_.Uniform(low, high);
  }

 private:
  void ComputeStart(bool changed) final {
    if (!changed) return;
    this->simulation().Forward();
    Refresh();
  }
  mjvCamera FreeCamera() final { return this->GymnasiumView(Camera()); }
};

/// A robot with a goal in its observation.
template <typename Description>
class GoalEnv : public RobotEnv<Description> {
 public:
  using Base = RobotEnv<Description>;
  using typename Base::Spec;
  using typename Base::State;

  GoalEnv(const Spec& spec, int env_id, const SharedModel& model)
      : Base(spec, env_id, model),
        size_(spec.state_spec["obs:observation"_].shape.back()),
        goal_size_(spec.state_spec["obs:achieved_goal"_].shape.back()),
        stack_(spec.config["frame_stack"_]),
        goal_(static_cast<std::size_t>(goal_size_)),
        seen_(static_cast<std::size_t>(stack_ * (size_ + 2 * goal_size_))),
        frames_(stack_, static_cast<std::size_t>(size_ + 2 * goal_size_)) {}

 protected:
  /// Writes the observation.
  virtual void Observe(double* out) const = 0;
  /// Writes the achieved goal.
  virtual void Achieve(double* out) const = 0;
  /// Writes the infos.
  virtual void Tell(const State& state, bool first) const = 0;
  /// Writes the further state of an episode of this task.
  virtual void SaveTask(StateWriter&) const {}
  virtual void LoadTask(StateReader&) {}

  std::vector<double>& goal() { return goal_; }
  const std::vector<double>& goal() const { return goal_; }
  /// The achieved goal in the last observation; valid until the next one.
  const double* achieved() const { return newest() + size_; }
  const double* newest() const { return seen_.data() + (stack_ - 1) * row(); }
  /// Measures the current observation for the next result; `first` of an episode.
  void Measure(bool first) {
    const auto observe = [this](double* out) {
      Observe(out);
      Achieve(out + size_);
      return std::copy(goal_.begin(), goal_.end(), out + size_ + goal_size_);
    };
    frames_.Write(first, observe, seen_.data());
  }

  void Refresh() override { Measure(true); }

 private:
  int row() const { return size_ + 2 * goal_size_; }

  bool ShowsGoals() const final { return true; }
  void WriteResult(State& state, bool first) final {
    double* parts[] = {state["obs:observation"_].data(), state["obs:achieved_goal"_].data(),
                       state["obs:desired_goal"_].data()};
    const int sizes[] = {size_, goal_size_, goal_size_};
    const double* from = seen_.data();
    for (int i = 0; i < stack_; ++i) {
      for (int part = 0; part < 3; ++part) {
        parts[part] = std::copy_n(from, sizes[part], parts[part]);
        from += sizes[part];
      }
    }
    Tell(state, first);
  }
  void Save(StateWriter& out) const final {
    out.Write(goal_, seen_);
    frames_.SaveState(out);
    SaveTask(out);
  }
  void Load(StateReader& in) final {
    std::vector<double> goal, seen;
    in.Read(goal, seen);
    if (goal.size() != goal_.size() || seen.size() != seen_.size()) {
      throw std::out_of_range("the saved state is of another task");
    }
    goal_ = std::move(goal);
    seen_ = std::move(seen);
    frames_.LoadState(in);
    LoadTask(in);
  }

  const int size_, goal_size_, stack_;
  std::vector<double> goal_, seen_;
  FrameStack<double> frames_;
};

}  // namespace envpool::robotics
