// SPDX-License-Identifier: Apache-2.0
// Sawyer: an arm at a table with one of Meta-World's fifty tasks. SawyerXYZEnv of metaworld.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/frame_stack.h"
#include "envpool/random/numpy_legacy_random.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/per_model.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"
#include "goals.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
using namespace envpool::literals;
using mujoco::ModelStore;
using mujoco::SharedModel;
using mujoco::Simulation;

/// The model of a task, with welds that pull as the reference sets them.
inline SharedModel TaskModel(const std::string& folder, const TaskDefinition& definition) {
  const std::filesystem::path path = std::filesystem::path(folder) / "sawyer_xyz" / definition.xml;
  const SharedModel model = ModelStore::Load(path.string(), "task_names");
  return ModelStore::Edited(model, "welded", [](mjModel& edited) {
    constexpr double kWeld[] = {0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5};
    for (int i = 0; i < edited.neq; ++i) {
      if (edited.eq_type[i] == mjEQ_WELD) std::copy_n(kWeld, 11, edited.eq_data + mjNEQDATA * i);
    }
  });
}

/// The arrays of the option `model_info`, which need one shape in all tasks.
template <typename Config>
SpecList TaskFieldInfos(const Config& config) {
  SpecList infos;
  if (config["model_info"_].empty() && config["randomize"_].empty()) return infos;
  const std::vector<std::string>& names = config["task_names"_];
  for (const std::string& name : names) {
    SpecList own = mujoco::FieldInfos(config, TaskModel(config["base_path"_], FindTask(name)));
    for (std::size_t i = 0; i < infos.arrays.size(); ++i) {
      if (infos.arrays[i].shape == own.arrays[i].shape) continue;
      throw OptionError("model_info", "a field of another shape in '" + name + "'",
                        "fields of one shape in all tasks of a pool, as 'opt.gravity'",
                        "make a pool for each task");
    }
    infos = std::move(own);
  }
  return infos;
}

struct SawyerSpec : mujoco::SimulatedSpec<SawyerSpec> {
  static constexpr int kObserved = 2 * Tabletop::kObserved + 3;

  static auto DefaultConfig() {
    return Dict{"task_names"_ = std::vector<std::string>{"reach-v3"},
                "one_hot"_ = false,
                "goals"_ = "random",
                "partially_observable"_ = true,
                "terminate_on_success"_ = false,
                "frame_skip"_ = 5,
                "frame_stack"_ = 1,
                "camera_name"_ = "",
                "render_quality"_ = "full"} +
           mujoco::FieldOptions();
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    const std::vector<std::string>& names = config["task_names"_];
    const mujoco::FieldValues& values = options["model_fields"_].values;
    for (std::size_t i = 0; i < names.size() && !values.empty(); ++i) {
      mujoco::CheckFields(values, TaskModel(config["base_path"_], FindTask(names[i])),
                          "model_fields");
    }
  }
  static auto StateSpec(const auto& config) {
    const std::vector<std::string>& names = config["task_names"_];
    if (names.empty()) {
      throw OptionError("task_names", "none", "one task or more, as ['reach-v3']", "name some");
    }
    // A reset lasts kSettling actions.
    CheckFrames(config["frame_skip"_], config["frame_stack"_], 200);
    mujoco::QualityOf(config["render_quality"_]);
    GoalsOf(config["goals"_]);
    std::vector<double> low(kHandLow, kHandLow + 4), high(kHandHigh, kHandHigh + 4);
    low.resize(Tabletop::kObserved, -kInfinity), high.resize(Tabletop::kObserved, kInfinity);
    const std::vector<double> low_of_now = low, high_of_now = high;
    low.insert(low.end(), low_of_now.begin(), low_of_now.end());
    high.insert(high.end(), high_of_now.begin(), high_of_now.end());
    for (std::size_t i = 0; i < 3; ++i) {
      double least = kInfinity, most = -kInfinity;
      for (const std::string& name : names) {
        const Bounds goal = FindTask(name).GoalBounds();
        least = std::min(least, goal.low[i]);
        most = std::max(most, goal.high[i]);
      }
      low.push_back(config["partially_observable"_] ? 0 : least);
      high.push_back(config["partially_observable"_] ? 0 : most);
    }
    if (config["one_hot"_]) low.resize(low.size() + names.size(), 0);
    if (config["one_hot"_]) high.resize(high.size() + names.size(), 1);
    const int size = static_cast<int>(low.size()), stack = config["frame_stack"_];
    const auto repeat = [stack](const std::vector<double>& one) {
      std::vector<double> all;
      for (int i = 0; i < stack; ++i) all.insert(all.end(), one.begin(), one.end());
      return all;
    };
    const auto truth = envpool::Spec<double>({}, {0.0, 1.0}), any = envpool::Spec<double>({});
    return Dict{"obs"_ = envpool::Spec<double>(envpool::Stacked(size, stack),
                                               std::tuple(repeat(low), repeat(high))),
                "info:model"_ = TaskFieldInfos(config),
                "info:success"_ = truth,
                "info:near_object"_ = any,
                "info:grasp_success"_ = truth,
                "info:grasp_reward"_ = any,
                "info:in_place_reward"_ = any,
                "info:obj_to_target"_ = any,
                "info:unscaled_reward"_ = any,
                "info:task_id"_ = envpool::Spec<int>({}, {0, static_cast<int>(names.size()) - 1})};
  }
  static auto ActionSpec(const auto&) {
    return Dict{"action"_ = envpool::Spec<float>({kPlayers, 4}, std::tuple(-1.0f, 1.0f))};
  }

  /// Bounds of the hand and of the gripper's opening.
  static constexpr double kHandLow[] = {-0.525, 0.348, -0.0525, -1.0};
  static constexpr double kHandHigh[] = {0.525, 1.025, 0.7, 1.0};
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
};

class Sawyer final : public mujoco::SimulatedEnv<SawyerSpec, NumpyRandom> {
 public:
  Sawyer(const Spec& spec, int env_id)
      : SimulatedEnv(spec, env_id, TaskModel(spec.config["base_path"_], FactsAt(spec, env_id)),
                     mujoco::LookOf(1000, {})),
        task_id_(TaskId(spec, env_id)),
        definition_(FactsAt(spec, env_id)),
        goal_bounds_(definition_.GoalBounds()),
        hides_goal_(spec.config["partially_observable"_]),
        ends_on_success_(spec.config["terminate_on_success"_]),
        tabletop_(simulation(), definition_, frame_skip()),
        goals_(definition_, GoalsOf(spec.config["goals"_]), seed_),
        seen_(static_cast<std::size_t>(spec.state_spec["obs"_].shape.back())),
        frames_(spec.config["frame_stack"_], seen_.size()) {
    if (spec.config["one_hot"_]) {
      seen_[SawyerSpec::kObserved + static_cast<std::size_t>(task_id_)] = 1;
    }
    if (!definition_.hand_init_repeats) return;
    const std::string recipe = std::string(definition_.name) + ' ' + std::to_string(frame_skip());
    settled_ = mujoco::PerModel<std::vector<mjtNum>>::Get(simulation().shared(), recipe, [this] {
      return InResetData([this] {
        Command(definition_.hand, -1);
        simulation().Step(kSettling * frame_skip() - 1);
        std::vector<mjtNum> state(StateSize());
        mj_getState(&model(), &data(), state.data(), mjSTATE_INTEGRATION);
        return state;
      });
    });
  }

 private:
  void StartEpisode() override {
    // The reference resets twice, and the model is still as the first reset left it when the hand
    // comes to its position the second time.
    std::array<double, 6> drawn;
    goals_.Select(gen_);
    for (const bool settle : {false, true}) {
      simulation().Reset();
      if (settle) Settle();
      goals_.Draw(gen_, drawn.data());
      definition_.reset_model(tabletop_, drawn.data());
    }
  }
  // The first observation shows positions as the reference left them, also in a changed model.
  void ComputeStart(bool /*changed*/) override {
    tabletop_.Observe(seen_.data());
    std::copy_n(seen_.data(), Tabletop::kObserved, seen_.data() + Tabletop::kObserved);
    WriteGoal();
    std::copy_n(seen_.data(), Tabletop::kObserved, before_.data());
    simulation().Changed();
    step_result_ = kNoStepResult;
  }
  double Advance(const Action& action) override {
    const float* a = action["action"_].data();
    Vec to;
    for (std::size_t i = 0; i < 3; ++i) {
      constexpr float kScale = 0.01f;
      const double moved = data().mocap_pos[i] + std::clamp(a[i], -1.0f, 1.0f) * kScale;
      to[i] = std::min(std::max(moved, definition_.hand_low[i]), definition_.hand_high[i]);
    }
    Command(to, a[3]);
    simulation().Step(frame_skip());
    simulation().Forward();
    std::copy(before_.begin(), before_.end(), seen_.data() + Tabletop::kObserved);
    tabletop_.Observe(seen_.data());
    std::copy_n(seen_.data(), Tabletop::kObserved, before_.data());
    WriteGoal();
    for (const int part : {0, Tabletop::kObserved}) {
      Clip(seen_.data() + part, 4, SawyerSpec::kHandLow, SawyerSpec::kHandHigh);
    }
    if (!hides_goal_) Clip(goal(), 3, goal_bounds_.low.at, goal_bounds_.high.at);
    tabletop_.See(seen_.data());
    tabletop_.grip = a[3];
    step_result_ = definition_.compute_reward(tabletop_);
    Terminate(ends_on_success_ && step_result_.success.value() == 1);
    return step_result_.reward.value();
  }
  void WriteResult(State& state, bool first) override {
    const auto newest = [this](double* out) { return std::copy(seen_.begin(), seen_.end(), out); };
    frames_.Write(first, newest, state["obs"_].data());
    state["info:success"_] = step_result_.success.value();
    state["info:near_object"_] = step_result_.near_object.value();
    state["info:grasp_success"_] = step_result_.grasp_success.value();
    state["info:grasp_reward"_] = step_result_.grasp_reward.value();
    state["info:in_place_reward"_] = step_result_.in_place_reward.value();
    state["info:obj_to_target"_] = step_result_.obj_to_target.value();
    state["info:unscaled_reward"_] = step_result_.reward.value();
    state["info:task_id"_] = task_id_;
  }
  void Save(StateWriter& out) const override {
    frames_.SaveState(out);
    tabletop_.SaveState(out);
    goals_.SaveState(out);
    out.Write(std::string(definition_.name), before_);
  }
  void Load(StateReader& in) override {
    frames_.LoadState(in);
    tabletop_.LoadState(in);
    goals_.LoadState(in);
    std::string name;
    in.Read(name, before_);
    if (name != definition_.name) throw std::out_of_range("the saved state is of the task " + name);
  }
  mjvCamera FreeCamera() override { return GymnasiumView({}); }

  inline static const StepResult kNoStepResult{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  // of a reset
  static constexpr int kSettling = 50;  // actions, in which the hand comes to its place

  static int TaskId(const Spec& spec, int env_id) {
    return env_id % static_cast<int>(spec.config["task_names"_].size());
  }
  static const TaskDefinition& FactsAt(const Spec& spec, int env_id) {
    return FindTask(spec.config["task_names"_][static_cast<std::size_t>(TaskId(spec, env_id))]);
  }
  std::size_t StateSize() const {
    return static_cast<std::size_t>(mj_stateSize(&model(), mjSTATE_INTEGRATION));
  }
  double* goal() { return seen_.data() + 2 * Tabletop::kObserved; }

  /// Sets the position to which the hand is pulled, and the command of the gripper.
  void Command(const Vec& to, float grip) {
    constexpr double kTurn[] = {1, 0, 1, 0};
    std::copy_n(to.at, 3, data().mocap_pos);
    std::copy_n(kTurn, 4, data().mocap_quat);
    data().ctrl[0] = grip;
    data().ctrl[1] = -grip;
  }
  /// Brings the hand to its position. The last step is computed even if the state is known, as the
  /// first observation may show values of that step.
  void Settle() {
    if (settled_ == nullptr) {
      Command(definition_.hand, -1);
      simulation().Step(kSettling * frame_skip());
    } else {
      mj_setState(&model(), &data(), settled_->data(), mjSTATE_INTEGRATION);
      simulation().Step(1);
    }
    tabletop_.init_tcp = tabletop_.tcp();
  }
  void WriteGoal() {
    const Vec shown = hides_goal_ ? Vec() : tabletop_.target_pos();
    std::copy_n(shown.at, 3, goal());
  }
  static void Clip(double* values, int count, const double* low, const double* high) {
    for (int i = 0; i < count; ++i) values[i] = std::min(std::max(values[i], low[i]), high[i]);
  }
  const int task_id_;
  const TaskDefinition& definition_;
  const Bounds goal_bounds_;
  const bool hides_goal_, ends_on_success_;
  Tabletop tabletop_;
  Goals goals_;
  std::vector<double> seen_;
  std::array<double, Tabletop::kObserved> before_{};
  FrameStack<double> frames_;
  std::shared_ptr<const std::vector<mjtNum>> settled_;  // a step before the hand is there
  StepResult step_result_ = kNoStepResult;              // of the last step
};

}  // namespace envpool::metaworld
