// SPDX-License-Identifier: Apache-2.0
#include "dm_control/dm_control_env.h"

#include <mujoco/mujoco.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dm_control/physics.h"
#include "dm_control/tasks.h"
#include "envpool/env.h"
#include "envpool/frame_stack.h"
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "envpool/random/numpy_legacy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"

namespace envpool::mujoco {
namespace {
using namespace envpool::literals;

template <typename Config>
SharedModel ModelOf(const Config& config) {
  return ModelStore::Load(config["model"_], "model");
}

/// The model that a task is simulated on.
SharedModel SimulatedModel(const SharedModel& model, const Task& task) {
  return task.SameWithoutMidphase() ? ModelStore::Quick(model) : model;
}

struct DmControlSpec : SimulatedSpec<DmControlSpec> {
  static SharedModel Model(const auto& config) {
    const SharedModel model = ModelOf(config);
    return SimulatedModel(model, *MakeTask(config["domain"_], config["task_name"_], *model));
  }
  static auto DefaultConfig() {
    return envpool::Dict{"domain"_ = std::string(), "task_name"_ = std::string(),
                         "model"_ = std::string(),  "frame_skip"_ = 1,
                         "frame_stack"_ = 1,        "render_quality"_ = "full"} +
           FieldOptions();
  }
  static auto StateSpec(const auto& config) {
    const int stack = config["frame_stack"_];
    CheckFrames(config["frame_skip"_], stack);
    QualityOf(config["render_quality"_]);  // throws OptionError for an unknown value
    const SharedModel model = ModelOf(config);
    envpool::SpecList observations;
    const auto task = MakeTask(config["domain"_], config["task_name"_], *model);
    for (auto [name, shape] : task->Observations()) {
      if (stack > 1) shape.insert(shape.begin(), stack);
      const std::string key = "obs:" + name;
      observations.arrays.push_back(
          task->IsWhole(name) ? envpool::MakeArraySpec(key, envpool::Spec<std::int64_t>(shape))
                              : envpool::MakeArraySpec(key, envpool::Spec<double>(shape)));
    }
    return envpool::Dict{"obs"_ = std::move(observations),
                         "info:model"_ = FieldInfos(config, SimulatedModel(model, *task)),
                         "info:mujoco_warning"_ = envpool::Spec<int>({mjNWARNING})};
  }

  static auto ActionSpec(const auto& config) {
    const SharedModel model = ModelOf(config);
    const int count = ModelSizes(*model).nu;
    std::vector<double> low, high;
    for (int i = 0; i < count; ++i) {
      const bool limited = model->actuator_ctrllimited[i] != 0;
      low.push_back(limited ? model->actuator_ctrlrange[2 * i] : -mjMAXVAL);
      high.push_back(limited ? model->actuator_ctrlrange[2 * i + 1] : mjMAXVAL);
    }
    return envpool::Dict{
        "action"_ = envpool::Spec<double>({envpool::kPlayers, count}, std::tuple(low, high))};
  }
};

class DmControl final : public SimulatedEnv<DmControlSpec, envpool::NumpyLegacyRandom> {
 public:
  DmControl(const Spec& spec, int env_id)
      : SimulatedEnv(spec, env_id, DmControlSpec::Model(spec.config),
                     DmControlLook(*ModelOf(spec.config)), kFrameSize, DataOwner::kEnvironment),
        task_(MakeTask(spec.config["domain"_], spec.config["task_name"_], *ModelOf(spec.config))),
        physics_(simulation(), gen_),
        sizes_(Sizes(*task_)),
        whole_(Whole(*task_)),
        frame_count_(static_cast<std::size_t>(spec.config["frame_stack"_])),
        seen_(frame_count_ * std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0})),
        frames_(spec.config["frame_stack"_], seen_.size() / frame_count_) {
    task_->Prepare(physics_);
  }

  bool IsTruncated() const { return ended_; }

 private:
  static constexpr FrameSize kFrameSize{320, 240};  // that of Physics.render

  // reset_context. Values that follow from the model's initial state are not computed, since few
  // tasks read them: those tasks call Forward.
  void StartEpisode() override {
    ended_ = false;
    simulation().Reset();
    task_->Start(physics_);
  }
  void ComputeStart(bool /*changed*/) override { physics_.Forward(); }
  double Advance(const Action& action) override {
    std::copy_n(action["action"_].data(), nu(), data().ctrl);
    task_->Advance(physics_, frame_skip());
    const double reward = task_->Reward(physics_);
    Terminate(task_->Terminates(physics_));
    ended_ = task_->EndsWithoutFailure(physics_);
    return reward;
  }
  void Save(StateWriter& out) const override {
    frames_.SaveState(out);
    out.Write(ended_);
    task_->Save(out);
  }
  void Load(StateReader& in) override {
    frames_.LoadState(in);
    in.Read(ended_);
    task_->Load(in);
  }

  /// The size of each array of the observation.
  static std::vector<std::size_t> Sizes(const Task& task) {
    std::vector<std::size_t> sizes;
    for (const auto& [name, shape] : task.Observations()) {
      std::size_t size = 1;
      for (const int length : shape) size *= static_cast<std::size_t>(length);
      sizes.push_back(size);
    }
    return sizes;
  }

  static std::byte* Put(const double* values, std::size_t count, bool whole, std::byte* out) {
    static_assert(sizeof(double) == sizeof(std::int64_t));
    if (!whole) {
      std::memcpy(out, values, count * sizeof(double));
      return out + count * sizeof(double);
    }
    for (std::size_t i = 0; i < count; ++i, out += sizeof(std::int64_t)) {
      const auto number = static_cast<std::int64_t>(values[i]);
      std::memcpy(out, &number, sizeof(number));
    }
    return out;
  }
  static std::vector<bool> Whole(const Task& task) {
    std::vector<bool> whole;
    for (const auto& [name, shape] : task.Observations()) whole.push_back(task.IsWhole(name));
    return whole;
  }

  void WriteResult(State& state, bool first) override {
    const auto observe = [this](double* out) { return task_->Observe(physics_, out); };
    frames_.Write(first, observe, seen_.data());
    const std::size_t size = seen_.size() / frame_count_;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::byte* out = state["obs"_][i].data;
      for (std::size_t k = 0; k < frame_count_; ++k) {
        out = Put(seen_.data() + k * size + begin, sizes_[i], whole_[i], out);
      }
      begin += sizes_[i];
    }
  }

  const std::unique_ptr<Task> task_;
  Physics physics_;
  std::vector<std::size_t> sizes_;  // of the arrays of an observation
  std::vector<bool> whole_;         // true for arrays of integers
  const std::size_t frame_count_;
  std::vector<double> seen_;  // all arrays, one after the other
  FrameStack<double> frames_;
  bool ended_ = false;
};

}  // namespace

void RegisterDmControl(pybind11::module_& m) {
  envpool::Register<DmControl>(m, "DmControl");
  envpool::Register<envpool::FromPixels<DmControl>>(m, "DmControlPixels");
  m.def(
      "add_model",
      [](const std::string& name, const std::string& xml, const ModelFiles& files) {
        return ModelStore::Add(name, xml, files);
      },
      pybind11::arg("name"), pybind11::arg("xml"), pybind11::arg("files"),
      "Keeps the text of a model and the files that it names; returns a key for the option model.");
}

}  // namespace envpool::mujoco
