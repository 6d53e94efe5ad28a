// SPDX-License-Identifier: Apache-2.0
// What all robots here have in common: a simulation, its pictures, and the order of a reset and a
// step.
//
//   class Arm final : public RobotEnv<ArmSpec> {
//     void Start() override { ... }              // a new episode, to the last mj_forward
//     double Advance(const Action&) override { ... }  // simulates; the reward
//     void Write(State& state) override { ... }  // observations and infos
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
#include "envpool_mujoco/fields_env.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulation.h"
#include "envpool_mujoco/workspaces.h"

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

/// The model of a task.
template <typename Config>
SharedModel TaskModel(const Config& config) {
  return ModelStore::Load(mujoco::ModelIn(config));
}

/// The part of a description that all tasks have in common.
struct RobotSpec : mujoco::FieldsSpec {
  static void CheckResetOptions(const auto& options, const auto& config) {
    mujoco::CheckFields(options["model_fields"_].values, TaskModel(config), "model_fields");
  }
};

/// Throws OptionError unless the options that every task has can be.
template <typename Config>
void CheckOptions(const Config& config) {
  CheckFrames(config["frame_skip"_], config["frame_stack"_]);
  mujoco::QualityOf(config["render_quality"_]);
}

/// Whether `reward_type` asks for the sparse one.
inline bool IsSparse(const std::string& reward_type) {
  return Chosen("reward_type", reward_type, {"sparse", "dense"}) == 0;
}

/// `observation`, `achieved_goal` and `desired_goal`, and what Gymnasium-Robotics and EnvPool tell
/// of Fetch and of the hand.
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
class RobotEnv : public mujoco::FieldsEnv<Description, NumpyRandom> {
  using Base = mujoco::FieldsEnv<Description, NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  RobotEnv(const Spec& spec, int env_id, const SharedModel& model)
      : Base(spec, env_id),
        simulation_(model, mujoco::Workspaces::Of(model)),
        frame_skip_(spec.config["frame_skip"_]),
        renderer_(spec.config["render_quality"_], mujoco::LookOf(1000, {}), kFrameSize) {
    this->UseFields(simulation_);
  }

  bool IsDone() final { return terminated_; }

  void Reset() final {
    const Simulation::Visit visit(simulation_, Simulation::Finds::kState);
    terminated_ = false;
    simulation_.RestoreFields();
    Start();
    if (this->DrawFields()) {
      simulation_.Forward();
      Refresh();
    }
    Result(0.0, true);
  }
  void Step(const Action& action) final {
    const Simulation::Visit visit(simulation_, Simulation::Finds::kState);
    const double reward = Advance(action);
    Result(reward, false);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return renderer_.Size(width, height);
  }
  void CheckRender(int /*width*/, int /*height*/, int camera_id) const {
    renderer_.Check(simulation_, camera_id);
  }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    Draw({width, height}, camera_id, rgb);
  }
  void RenderDepth(int width, int height, int camera_id, float* depth) {
    Draw({width, height}, camera_id, depth);
  }

  void SaveState(StateWriter& out) const {
    simulation_.SaveState(out);
    camera_.SaveState(out);
    out.Write(terminated_);
    Save(out);
  }
  void LoadState(StateReader& in) {
    const Simulation::Visit visit(simulation_, Simulation::Finds::kNothing);
    simulation_.LoadState(in);
    camera_.LoadState(in);
    in.Read(terminated_);
    Load(in);
  }

 protected:
  // In these, data() has all that the next computation begins with. What the last one has left may
  // be another environment's: a task keeps what it has to know of it.

  /// Begins an episode: draws it, and computes what follows by mj_forward.
  virtual void Start() = 0;
  /// After Start: other fields of the model were drawn, and all was computed again.
  virtual void Refresh() {}
  /// Simulates an action; returns the reward and calls Terminate at an end.
  virtual double Advance(const Action& action) = 0;
  /// Writes observations and infos.
  virtual void Write(const State& state, bool first) = 0;
  /// The free camera, where it is not MuJoCo's own.
  virtual CameraConfig Camera() const { return {}; }
  /// Puts goals where they are, in a picture.
  virtual void Show(mjData&) const {}
  /// What the next step depends on beside the simulation.
  virtual void Save(StateWriter&) const {}
  virtual void Load(StateReader&) {}

  Simulation& simulation() { return simulation_; }
  const mjModel& model() const { return simulation_.model(); }
  mjData& data() { return simulation_.data(); }
  const mjData& data() const { return simulation_.data(); }
  int nq() const { return simulation_.sizes().nq; }
  int nv() const { return simulation_.sizes().nv; }
  int nu() const { return simulation_.sizes().nu; }
  int frame_skip() const { return frame_skip_; }
  /// Seconds between two actions.
  double dt() const { return model().opt.timestep * frame_skip_; }
  void Terminate(bool terminated) { terminated_ = terminated; }
  /// `count` numbers from `low` to `high`, drawn one after the other and added to `out`.
  void AddUniform(double low, double high, int count, double* out) {
    for (int i = 0; i < count; ++i) out[i] += this->gen_.Uniform(low, high);
  }

 private:
  void Draw(mujoco::FrameSize size, int camera_id, mujoco::Pixels to) {
    const Simulation::Visit visit(simulation_, Simulation::Finds::kAll);
    const auto free_camera = [this] { return camera_.Of(model(), data(), Camera()); };
    const auto show = [this](mjData& data) { Show(data); };
    renderer_.Draw(simulation_, size, camera_id, free_camera, to, show);
  }

  static constexpr mujoco::FrameSize kFrameSize{480, 480};  // Gymnasium-Robotics' DEFAULT_SIZE

  void Result(double reward, bool first) {
    const State state = this->Allocate();
    Write(state, first);
    this->TellFields(state);
    state["reward"_] = reward;
  }

  Simulation simulation_;
  const int frame_skip_;
  mujoco::Renderer renderer_;
  mujoco::GymnasiumCamera camera_;
  bool terminated_ = false;
};

/// A robot whose observation comes with a goal.
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
  /// Writes what was reached of the goal.
  virtual void Achieve(double* out) const = 0;
  /// Writes the infos.
  virtual void Tell(const State& state, bool first) const = 0;
  /// What else an episode of this task keeps.
  virtual void SaveTask(StateWriter&) const {}
  virtual void LoadTask(StateReader&) {}

  std::vector<double>& goal() { return goal_; }
  const std::vector<double>& goal() const { return goal_; }
  /// What the last observation showed, until the next one.
  const double* achieved() const { return newest() + size_; }
  const double* newest() const { return seen_.data() + (stack_ - 1) * row(); }
  /// Measures the observation of now: it is part of the next result, `first` of an episode.
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

  void Write(const State& state, bool first) final {
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
