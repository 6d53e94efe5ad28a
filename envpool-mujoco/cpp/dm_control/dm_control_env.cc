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
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/fields_env.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"

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

struct DmControlSpec : FieldsSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"domain"_ = std::string(), "task_name"_ = std::string(),
                         "model"_ = std::string(),  "frame_skip"_ = 1,
                         "frame_stack"_ = 1,        "render_quality"_ = "full"} +
           FieldOptions();
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    const FieldValues& values = options["model_fields"_].values;
    if (values.empty()) return;
    const SharedModel model = ModelOf(config);
    const auto task = MakeTask(config["domain"_], config["task_name"_], *model);
    CheckFields(values, SimulatedModel(model, *task), "model_fields");
  }

  static auto StateSpec(const auto& config) {
    const int stack = config["frame_stack"_];
    CheckFrames(config["frame_skip"_], stack);
    QualityOf(config["render_quality"_]);  // or it is refused
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

class DmControl final : public FieldsEnv<DmControlSpec, envpool::NumpyLegacyRandom> {
 public:
  DmControl(const Spec& spec, int env_id)
      : FieldsEnv(spec, env_id),
        task_(MakeTask(spec.config["domain"_], spec.config["task_name"_], *ModelOf(spec.config))),
        physics_(SimulatedModel(ModelOf(spec.config), *task_), gen_),
        frame_skip_(spec.config["frame_skip"_]),
        nu_(ModelSizes(physics_.model()).nu),
        renderer_(spec.config["render_quality"_], DmControlLook(physics_.model()), kFrameSize),
        sizes_(Sizes(*task_)),
        whole_(Whole(*task_)),
        frame_count_(static_cast<std::size_t>(spec.config["frame_stack"_])),
        seen_(frame_count_ * std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0})),
        frames_(spec.config["frame_stack"_], seen_.size() / frame_count_) {
    task_->Prepare(physics_);
    UseFields(physics_.simulation());
  }

  bool IsDone() override { return terminated_; }
  bool IsTruncated() const { return ended_; }

  void Reset() override {
    physics_.simulation().RestoreFields();
    physics_.Restart([this] {
      task_->Start(physics_);
      DrawFields();
    });
    terminated_ = ended_ = false;
    Write(0.0, true);
  }

  void Step(const Action& action) override {
    std::copy_n(action["action"_].data(), nu_, physics_.data().ctrl);
    task_->Advance(physics_, frame_skip_);
    const double reward = task_->Reward(physics_);
    terminated_ = task_->Terminates(physics_);
    ended_ = task_->EndsWithoutFailure(physics_);
    Write(reward, false);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return renderer_.Size(width, height);
  }
  void CheckRender(int /*width*/, int /*height*/, int camera_id) const {
    renderer_.Check(physics_.simulation(), camera_id);
  }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    Draw({width, height}, camera_id, rgb);
  }
  void RenderDepth(int width, int height, int camera_id, float* depth) {
    Draw({width, height}, camera_id, depth);
  }

  void SaveState(envpool::StateWriter& out) const {
    physics_.SaveState(out);
    frames_.SaveState(out);
    out.Write(terminated_, ended_);
    task_->Save(out);
  }
  void LoadState(envpool::StateReader& in) {
    physics_.LoadState(in);
    frames_.LoadState(in);
    in.Read(terminated_, ended_);
    task_->Load(in);
  }

 private:
  void Draw(FrameSize size, int camera_id, Pixels to) {
    const auto free_camera = [this] { return ModelCamera(physics_.model()); };
    renderer_.Draw(physics_.simulation(), size, camera_id, free_camera, to);
  }

  static constexpr FrameSize kFrameSize{320, 240};  // that of Physics.render

  /// How many numbers each array of the observation has.
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

  void Write(double reward, bool first) {
    const auto observe = [this](double* out) { return task_->Observe(physics_, out); };
    frames_.Write(first, observe, seen_.data());
    State state = Allocate();
    const std::size_t size = seen_.size() / frame_count_;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::byte* out = state["obs"_][i].data;
      for (std::size_t k = 0; k < frame_count_; ++k) {
        out = Put(seen_.data() + k * size + begin, sizes_[i], whole_[i], out);
      }
      begin += sizes_[i];
    }
    std::ranges::copy(physics_.Warnings(), state["info:mujoco_warning"_].data());
    TellFields(state);
    state["reward"_] = reward;
  }

  const std::unique_ptr<Task> task_;
  Physics physics_;
  const int frame_skip_, nu_;
  Renderer renderer_;
  std::vector<std::size_t> sizes_;  // of the arrays of an observation
  std::vector<bool> whole_;         // whether their numbers are
  const std::size_t frame_count_;
  std::vector<double> seen_;  // all of them, one after the other
  FrameStack<double> frames_;
  bool terminated_ = false, ended_ = false;
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
