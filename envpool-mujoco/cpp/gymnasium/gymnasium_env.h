// SPDX-License-Identifier: Apache-2.0
// The shared part of Gymnasium's MuJoCo tasks: MujocoEnv of gymnasium.envs.mujoco.
//
//   struct HopperSpec : GymnasiumSpec {
//     static auto DefaultConfig() {
//       return GymnasiumOptions("hopper.xml", 4) + envpool::Dict{"healthy_reward"_ = 1.0};
//     }
//     static auto StateSpec(const auto& config) {
//       return GymnasiumState(config, size_of_observation, Scalars({"x_position"}));
//     }
//     static auto ActionSpec(const auto& config) { return GymnasiumAction(config); }
//   };
//   class Hopper final : public GymnasiumEnv<HopperSpec> {
//     void Start() override { ... }                    // draws qpos and qvel
//     double Advance() override { ... }                // simulates; returns the reward
//     double* Observe(double* out) const override { ... }
//     void Tell(const Infos& info, bool first) const override { ... }
//   };
//
// Formulas are Gymnasium's, in its order of roundings, with float32 where NumPy has float32.
// `version` is the task id's version: 2 and 3 as in EnvPool, 4 and 5 as in Gymnasium.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/frame_stack.h"
#include "envpool/numpy_math.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"

namespace envpool::mujoco {
using namespace envpool::literals;

/// Options of every task.
inline auto GymnasiumOptions(const char* xml_file, int frame_skip) {
  return envpool::Dict{"xml_file"_ = std::string(xml_file),
                       "frame_skip"_ = frame_skip,
                       "frame_stack"_ = 1,
                       "version"_ = 5,
                       "default_camera_config"_ = std::map<std::string, std::vector<double>>{},
                       "camera_name"_ = "",
                       "max_geom"_ = 1000,
                       "visual_options"_ = std::map<int, bool>{},
                       "post_constraint"_ = true,
                       "render_quality"_ = "full"} +
         FieldOptions();
}

/// The model's path: `xml_file`, in the folder `base_path` unless it begins with "." or "/".
template <typename Config>
std::string ModelPath(const Config& config) {
  const std::string& file = config["xml_file"_];
  if (file.starts_with('.') || file.starts_with('/')) return file;
  return (std::filesystem::path(config["base_path"_]) / file).string();
}
template <typename Config>
SharedModel TaskModel(const Config& config) {
  return ModelStore::Load(ModelPath(config));
}

/// True if the model is one of Gymnasium's, for which the fidelity run shows that ModelStore::Quick
/// gives the same numbers. For other models it is unknown.
template <typename Config>
bool IsGymnasiums(const Config& config) {
  const auto folder = std::filesystem::path(ModelPath(config)).parent_path().generic_string();
  return folder.ends_with("/gymnasium/envs/mujoco/assets");
}
/// The model that is simulated.
template <typename Config>
SharedModel SimulatedModel(const Config& config) {
  const SharedModel model = TaskModel(config);
  // Frames may need what Quick leaves out.
  if (!IsGymnasiums(config) || !config["visual_options"_].empty()) return model;
  return ModelStore::Quick(model);
}

/// The shared part of all tasks' descriptions.
struct GymnasiumSpec : SimulatedSpec<GymnasiumSpec> {
  static SharedModel Model(const auto& config) { return SimulatedModel(config); }
};

/// The least number of each kind of element that a task reads by index.
struct Needs {
  int positions = 0, velocities = 0, sites = 0;
};
/// The sizes of the model. Throws OptionError if it lacks elements that the task reads, before an
/// environment is built.
template <typename Config>
ModelSizes TaskSizes(const Config& config, const Needs& needs) {
  const SharedModel model = TaskModel(config);
  const ModelSizes sizes(*model);
  const int sites = static_cast<int>(model->nsite);
  if (sizes.nq >= needs.positions && sizes.nv >= needs.velocities && sites >= needs.sites) {
    return sizes;
  }
  const auto text = [](int positions, int velocities, int sites) {
    return std::to_string(positions) + " positions, " + std::to_string(velocities) +
           " velocities and " + std::to_string(sites) + " sites";
  };
  throw envpool::OptionError("xml_file", "a model of " + text(sizes.nq, sizes.nv, sites),
                             text(needs.positions, needs.velocities, needs.sites) + " or more",
                             "pass a model of this robot, or use MujocoXml-v0");
}

/// Names and sizes of a task's infos, of float64; an empty size is a single number.
using InfoNames = std::vector<std::pair<std::string, std::vector<int>>>;

inline InfoNames Scalars(std::initializer_list<const char*> names) {
  InfoNames infos;
  for (const char* name : names) infos.push_back({name, {}});
  return infos;
}

template <typename Config>
auto GymnasiumState(const Config& config, int size, const InfoNames& names) {
  const int stack = config["frame_stack"_];
  envpool::Chosen("version", config["version"_], {2, 3, 4, 5});
  if constexpr (envpool::HasField<const Config, "reset_noise_scale">) {
    envpool::CheckNotNegative("reset_noise_scale", config["reset_noise_scale"_]);
  }
  CheckFrames(config["frame_skip"_], stack);
  QualityOf(config["render_quality"_]);              // throws OptionError for an unknown value
  CameraConfigOf(config["default_camera_config"_]);  // throws OptionError for an unknown value
  LookOf(config["max_geom"_], config["visual_options"_]);
  envpool::SpecMap<double> infos;
  for (const auto& [name, shape] : names) infos.Add(name, envpool::Spec<double>(shape));
  return envpool::Dict{"obs"_ = envpool::Spec<double>(envpool::Stacked(size, stack)),
                       "info"_ = std::move(infos),
                       "info:model"_ = FieldInfos(config, SimulatedModel(config)),
                       "info:mujoco_warning"_ = envpool::Spec<int>({mjNWARNING})};
}

/// The actions: one number per actuator, with its range in the model.
template <typename Config>
auto GymnasiumAction(const Config& config) {
  const SharedModel model = TaskModel(config);
  const int count = ModelSizes(*model).nu;
  std::vector<float> low, high;
  for (int i = 0; i < count; ++i) {
    low.push_back(static_cast<float>(model->actuator_ctrlrange[2 * i]));
    high.push_back(static_cast<float>(model->actuator_ctrlrange[2 * i + 1]));
  }
  return envpool::Dict{"action"_ =
                           envpool::Spec<float>({envpool::kPlayers, count}, std::tuple(low, high))};
}

/// A range that is an option: [low, high].
struct Range {
  Range(std::string_view option, const std::vector<double>& values) {
    if (values.size() != 2) {
      throw envpool::OptionError(std::string(option), std::to_string(values.size()) + " numbers",
                                 "two, the lower and the upper end", "pass both ends");
    }
    low = values[0];
    high = values[1];
    if (low <= high) return;
    throw envpool::OptionError(std::string(option),
                               std::to_string(low) + " and " + std::to_string(high),
                               "a lower and an upper end", "exchange the two");
  }
  /// True if x is strictly inside.
  bool contains(double x) const { return low < x && x < high; }
  double low, high;
};

template <typename Description>
class GymnasiumEnv : public SimulatedEnv<Description, envpool::NumpyRandom> {
  using Base = SimulatedEnv<Description, envpool::NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  GymnasiumEnv(const Spec& spec, int env_id)
      : Base(spec, env_id, SimulatedModel(spec.config),
             LookOf(spec.config["max_geom"_], spec.config["visual_options"_])),
        version_(spec.config["version"_]),
        post_constraint_(spec.config["post_constraint"_]),
        frames_(spec.config["frame_stack"_],
                static_cast<std::size_t>(spec.state_spec["obs"_].shape.back())) {}

 protected:
  using Infos = decltype(std::declval<State>()["info"_]);

  using Base::data;
  using Base::model;
  using Base::nbody;
  using Base::nq;
  using Base::nu;
  using Base::nv;

  /// Draws positions and velocities for a new episode.
  virtual void Start() = 0;
  /// Simulates an action; returns the reward, and calls Terminate at an end.
  virtual double Advance() = 0;
  /// Called after everything was computed, also by Simulate: keeps values for the next step.
  virtual void Measure() {}
  /// Writes the observation and returns its end.
  virtual double* Observe(double* out) const = 0;
  /// Writes the infos; if `first`, those of a reset.
  virtual void Tell(const Infos& info, bool first) const = 0;
  /// DEFAULT_CAMERA_CONFIG of the task; empty if Gymnasium does not apply it.
  virtual CameraConfig Camera() const { return {}; }
  /// Writes the state that the next step needs beside the simulation.
  virtual void SaveTask(envpool::StateWriter&) const {}
  virtual void LoadTask(envpool::StateReader&) {}

  int version() const { return version_; }
  const double* initial_qpos() const { return model().qpos0; }

  /// do_simulation: `frame_skip` steps with the action.
  void Simulate() {
    std::copy_n(action_, nu(), data().ctrl);
    this->simulation().Step(this->frame_skip());
    ComputeBodyForces();
    Measure();
  }
  /// True if the observation or the reward of this task includes forces on bodies.
  virtual bool ShowsBodyForces() const { return false; }
  /// np.sum(np.square(action)), in float32 like the action.
  float SquaredAction() const { return numpy::SumOfSquares(action_, nu()); }
  /// The initial positions plus uniform noise; NumPy draws it before other numbers.
  void DrawPositions(double scale) {
    for (int i = 0; i < nq(); ++i) {
      data().qpos[i] = initial_qpos()[i] + this->gen_.Uniform(-scale, scale);
    }
  }
  void DrawUniformVelocities(double scale) {
    for (int i = 0; i < nv(); ++i) data().qvel[i] = 0.0 + this->gen_.Uniform(-scale, scale);
  }
  void DrawNormalVelocities(double scale) {
    for (int i = 0; i < nv(); ++i) data().qvel[i] = 0.0 + scale * this->gen_.StandardNormal();
  }
  /// The index of a body that the task needs.
  int BodyOf(const std::string& name) const {
    const int id = mj_name2id(&model(), mjOBJ_BODY, name.c_str());
    if (id >= 0) return id;
    throw envpool::OptionError("xml_file", "a model without a body '" + name + "'",
                               "models that have it", "name a body of the model so");
  }
  static double* Copy(const double* from, int count, double* out) {
    return std::copy_n(from, count, out);
  }
  static double* CopyClipped(const double* from, int count, double low, double high, double* out) {
    return std::transform(from, from + count, out,
                          [=](double x) { return std::clamp(x, low, high); });
  }

 private:
  void StartEpisode() final {
    this->simulation().Reset();
    Start();
  }
  void ComputeStart(bool /*changed*/) final {
    this->simulation().Forward();
    Measure();
  }
  double Advance(const Action& action) final {
    action_ = action["action"_].data();
    return Advance();
  }
  void WriteResult(State& state, bool first) final {
    frames_.Write(first, [this](double* out) { return Observe(out); }, state["obs"_].data());
    Tell(state["info"_], first);
  }
  void Save(envpool::StateWriter& out) const final {
    frames_.SaveState(out);
    SaveTask(out);
  }
  void Load(envpool::StateReader& in) final {
    frames_.LoadState(in);
    LoadTask(in);
    // They are zero after a reset.
    if (this->simulation().stepped()) ComputeBodyForces();
    Measure();
  }
  // The option replaces the task's whole configuration.
  mjvCamera FreeCamera() final {
    const auto& option = this->spec_.config["default_camera_config"_];
    return this->GymnasiumView(option.empty() ? Camera() : CameraConfigOf(option));
  }

  // Only the observation and the reward read them, and the next mj_step does not need them.
  void ComputeBodyForces() {
    if (!ShowsBodyForces()) return;
    if (post_constraint_) return this->simulation().ComputeBodyForces();
    std::fill_n(data().cfrc_ext, 6 * nbody(), 0.0);  // another environment may have left values
  }
  const int version_;
  const bool post_constraint_;
  FrameStack<double> frames_;
  const float* action_ = nullptr;
};

}  // namespace envpool::mujoco
