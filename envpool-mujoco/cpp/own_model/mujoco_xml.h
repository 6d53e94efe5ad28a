// SPDX-License-Identifier: Apache-2.0
// MujocoXml: a task with the user's model, described by options only.
//
//   envpool.make("MujocoXml-v0", num_envs=64, xml_file="robot.xml", frame_skip=5,
//                observation=["qpos", "qvel", "gyro"], reward={"speed": 1.0, "effort": -0.01},
//                terminate={"height": (0.3, 2.0)}, keyframe="home", reset_noise_scale=0.01)
//
// After the `frame_skip` steps of an action everything is recomputed, so that sensors measure the
// state that the observation shows; the option `stage` can reduce this.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
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
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"
#include "own_model/sensor.h"

namespace envpool::mujoco {
using namespace envpool::literals;

/// A part of an observation: `count` numbers at data().*array + begin.
struct Observed {
  Observed(const mjModel& model, const std::string& part);
  const double* Find(const mjData& data) const { return data.*array + begin; }

  std::string name;
  double* mjData::* array;
  int begin = 0, count = 0;
};

/// The index of the keyframe with this name or number (some have no name); -1 for none.
inline int KeyframeOf(const mjModel& model, const std::string& name) {
  int id = name.empty() ? -1 : mj_name2id(&model, mjOBJ_KEY, name.c_str());
  if (id >= 0 || name.empty()) return id;
  const bool number = name.find_first_not_of("0123456789") == name.npos;
  if (number) std::from_chars(name.data(), name.data() + name.size(), id);
  const int count = static_cast<int>(model.nkey);
  if (id >= 0 && id < count) return id;
  throw envpool::OptionError("keyframe", "'" + name + "'",
                             "the name of a <key> of the model, its number of 0 .. " +
                                 std::to_string(count - 1) + ", or ''",
                             "name one of the " + std::to_string(count) + " keyframes");
}

/// Pixels per side of a camera's image.
inline int CameraSide(const std::string& option, int pixels) {
  constexpr int kMost = 4096;
  if (pixels >= 1 && pixels <= kMost) return pixels;
  throw envpool::OptionError(option, std::to_string(pixels), "1 .. " + std::to_string(kMost),
                             "pass a size in this range");
}

/// The computation after the steps of an action: none, the values that follow from positions and
/// velocities, or all.
enum class Stage : unsigned char { kNone, kVelocity, kAll };

/// The option `stage`, "auto": the stage that observation, reward and end of an episode need.
/// Throws OptionError if a smaller stage is given.
template <typename Config>
Stage StageOf(const mjModel& model, const Config& config) {
  Stage needed = config["cameras"_].empty() ? Stage::kNone : Stage::kVelocity;
  std::string by = "cameras";
  const auto need = [&](Stage stage, const std::string& who) {
    if (stage <= needed) return;
    needed = stage;
    by = who;
  };
  const auto sensor = [&](int id, const std::string& who) {
    need(model.sensor_needstage[id] == mjSTAGE_ACC ? Stage::kAll : Stage::kVelocity, who);
  };
  for (const std::string& part : config["observation"_]) {
    if (part == "qacc") need(Stage::kAll, "'qacc'");
    for (int id = 0; id < static_cast<int>(model.nsensor); ++id) {
      const char* name = mj_id2name(&model, mjOBJ_SENSOR, id);
      const bool whole = part == "sensordata";
      if (whole || (name != nullptr && part == name)) sensor(id, "'" + part + "'");
    }
  }
  const auto named = [&](const std::string& text) {
    const int id = mj_name2id(&model, mjOBJ_SENSOR, text.substr(0, text.find('[')).c_str());
    if (id >= 0) sensor(id, "'" + text + "'");
  };
  for (const auto& [text, weight] : config["reward"_]) named(text);
  for (const auto& [text, range] : config["terminate"_]) named(text);
  const int chosen =
      envpool::Chosen("stage", config["stage"_], {"none", "velocity", "all", "auto"});
  if (chosen == 3) return needed;
  if (static_cast<Stage>(chosen) >= needed) return static_cast<Stage>(chosen);
  const char* wanted = needed == Stage::kAll ? "'all'" : "'velocity' or 'all'";
  throw envpool::OptionError("stage",
                             "'" + std::string(config["stage"_]) + "' with " + by + " to read",
                             std::string(wanted) + ", or 'auto'", "pass one of these");
}

/// True if MuJoCo searches the contacts of any two bodies in one order only: no body has two geoms
/// that may collide, so that there is no middle phase.
inline bool HasOneOrder(const mjModel& model) {
  for (int body = 0; body < static_cast<int>(model.nbody); ++body) {
    int colliding = 0;
    const int begin = model.body_geomadr[body];
    for (int geom = begin; geom < begin + model.body_geomnum[body]; ++geom) {
      colliding += (model.geom_contype[geom] | model.geom_conaffinity[geom]) != 0 ? 1 : 0;
    }
    if (colliding > 1) return false;
  }
  return true;
}

struct MujocoXmlSpec : SimulatedSpec<MujocoXmlSpec> {
  /// The simulated model. Frames may show contacts in MuJoCo's order, so only steps that take time
  /// are replaced.
  static SharedModel Model(const auto& config) {
    const SharedModel model = ModelStore::Load(config["xml_file"_]);
    return config["quick_contacts"_] || HasOneOrder(*model) ? ModelStore::Quick(model) : model;
  }
  static auto DefaultConfig() {
    return envpool::Dict{"xml_file"_ = "",
                         "frame_skip"_ = 1,
                         "observation"_ = std::vector<std::string>{"qpos", "qvel"},
                         "flat_observation"_ = true,
                         "cameras"_ = std::vector<std::string>{},
                         "camera_width"_ = 84,
                         "camera_height"_ = 84,
                         "reward"_ = std::map<std::string, double>{},
                         "terminate"_ = std::map<std::string, std::pair<double, double>>{},
                         "keyframe"_ = "",
                         "reset_noise_scale"_ = 0.0,
                         "substep_controls"_ = false,
                         "stage"_ = "all",
                         "quick_contacts"_ = false,
                         "render_quality"_ = "full"} +
           FieldOptions();
  }
  static auto StateSpec(const auto& config) {
    CheckFrames(config["frame_skip"_], 1);
    QualityOf(config["render_quality"_]);  // throws OptionError for an unknown value
    envpool::CheckNotNegative("reset_noise_scale", config["reset_noise_scale"_]);
    const SharedModel model = ModelStore::Load(config["xml_file"_]);
    StageOf(*model, config);  // throws OptionError for an unknown value
    envpool::SpecMap<double> observations, terms;
    int size = 0;
    for (const std::string& part : config["observation"_]) {
      const Observed observed(*model, part);
      size += observed.count;
      if (!config["flat_observation"_]) {
        observations.Add(observed.name, envpool::Spec<double>({observed.count}));
      }
    }
    if (config["flat_observation"_]) {
      observations.Add(config["cameras"_].empty() ? "" : "state", envpool::Spec<double>({size}));
    }
    envpool::SpecMap<std::uint8_t> images;
    const int width = CameraSide("camera_width", config["camera_width"_]);
    const int height = CameraSide("camera_height", config["camera_height"_]);
    for (const std::string& camera : config["cameras"_]) {
      NamedCamera(*model, "cameras", camera);  // throws OptionError for an unknown camera
      images.Add(camera, envpool::Box<std::uint8_t>({3, height, width}, 0, 255));
    }
    for (const auto& [sensor, weight] : config["reward"_]) {
      Sensor(*model, "reward", sensor);  // throws OptionError here for an unknown sensor
      terms.Add("reward_" + sensor, envpool::Spec<double>({}));
    }
    for (const auto& [sensor, range] : config["terminate"_]) Sensor(*model, "terminate", sensor);
    KeyframeOf(*model, config["keyframe"_]);
    return envpool::Dict{"obs"_ = std::move(observations), "obs:camera"_ = std::move(images),
                         "info"_ = std::move(terms),
                         "info:model"_ = FieldInfos(config, Model(config)),
                         "info:mujoco_warning"_ = envpool::Spec<int>({mjNWARNING})};
  }
  static auto ActionSpec(const auto& config) {
    const SharedModel model = ModelStore::Load(config["xml_file"_]);
    const int count = ModelSizes(*model).nu;
    std::vector<float> low, high;
    for (int i = 0; i < count; ++i) {
      constexpr float kInf = std::numeric_limits<float>::infinity();
      const bool limited = model->actuator_ctrllimited[i] != 0;
      low.push_back(limited ? static_cast<float>(model->actuator_ctrlrange[2 * i]) : -kInf);
      high.push_back(limited ? static_cast<float>(model->actuator_ctrlrange[2 * i + 1]) : kInf);
    }
    std::vector<int> shape{envpool::kPlayers, count};
    if (config["substep_controls"_]) {
      const int steps = config["frame_skip"_];
      CheckFrames(steps, 1);
      shape.insert(shape.begin() + 1, steps);
      const std::vector<float> one_low = low, one_high = high;
      for (int i = 1; i < steps; ++i) {
        low.insert(low.end(), one_low.begin(), one_low.end());
        high.insert(high.end(), one_high.begin(), one_high.end());
      }
    }
    return envpool::Dict{"action"_ = envpool::Spec<float>(std::move(shape), std::tuple(low, high))};
  }
};

class MujocoXml final : public SimulatedEnv<MujocoXmlSpec, envpool::NumpyRandom> {
 public:
  MujocoXml(const Spec& spec, int env_id)
      : SimulatedEnv(spec, env_id, MujocoXmlSpec::Model(spec.config), kMujocoLook),
        substep_controls_(spec.config["substep_controls"_]),
        stage_(StageOf(model(), spec.config)),
        keyframe_(KeyframeOf(model(), spec.config["keyframe"_])) {
    for (const std::string& part : spec.config["observation"_]) {
      observed_.emplace_back(model(), part);
    }
    for (const auto& [sensor, weight] : spec.config["reward"_]) {
      terms_.push_back({Sensor(model(), "reward", sensor), weight});
    }
    for (const std::string& camera : spec.config["cameras"_]) {
      cameras_.push_back(NamedCamera(model(), "cameras", camera));
      CheckCanDraw(cameras_.back());
    }
    for (const auto& [sensor, range] : spec.config["terminate"_]) {
      limits_.push_back({Sensor(model(), "terminate", sensor), range.first, range.second});
    }
  }

 private:
  struct Term {
    Sensor sensor;
    double weight, worth = 0;
  };
  struct Limit {
    Sensor sensor;
    double low, high;
  };

  void StartEpisode() override {
    simulation().Reset(keyframe_);
    for (Term& term : terms_) term.worth = 0;
    const double scale = spec_.config["reset_noise_scale"_];
    if (scale == 0) return;
    for (int i = 0; i < nq(); ++i) data().qpos[i] += gen_.Uniform(-scale, scale);
    for (int i = 0; i < nv(); ++i) data().qvel[i] += gen_.Uniform(-scale, scale);
    mj_normalizeQuat(&model(), data().qpos);
  }

  double Advance(const Action& action) override {
    const float* controls = action["action"_].data();
    simulation().Step(frame_skip(), [&](int i) {
      if (i > 0 && !substep_controls_) return;
      std::copy_n(controls + i * nu(), nu(), data().ctrl);
    });
    if (stage_ == Stage::kAll) simulation().Forward();
    if (stage_ == Stage::kVelocity) simulation().FollowMotion();
    // Also true for a sensor that measures NaN.
    Terminate(std::any_of(limits_.begin(), limits_.end(), [&](const Limit& limit) {
      const double value = limit.sensor.Read(data());
      return !(limit.low <= value && value <= limit.high);
    }));
    double reward = 0;
    for (Term& term : terms_) {
      term.worth = term.weight * term.sensor.Read(data());
      reward += term.worth;
    }
    return reward;
  }

  void WriteResult(State& state, bool /*first*/) override {
    const auto observations = state["obs"_];
    if (spec_.config["flat_observation"_]) {
      double* out = observations[0].data();
      for (const Observed& part : observed_) out = std::copy_n(part.Find(data()), part.count, out);
    } else {
      for (std::size_t i = 0; i < observed_.size(); ++i) {
        observations[i].Assign(observed_[i].Find(data()), observations[i].size());
      }
    }
    for (std::size_t i = 0; i < cameras_.size(); ++i) Show(cameras_[i], state["obs:camera"_][i]);
    for (std::size_t i = 0; i < terms_.size(); ++i) state["info"_][i] = terms_[i].worth;
  }

  /// Draws a camera's image: red, green and blue planes one after the other.
  void Show(int camera, const envpool::View<std::uint8_t>& image) {
    const int width = spec_.config["camera_width"_], height = spec_.config["camera_height"_];
    rgb_.resize(image.size());
    DrawNow({width, height}, camera, rgb_.data());
    const std::size_t plane = image.size() / 3;
    for (std::size_t i = 0; i < image.size(); ++i) image.data()[i % 3 * plane + i / 3] = rgb_[i];
  }

  const bool substep_controls_;
  const Stage stage_;
  const int keyframe_;
  std::vector<Observed> observed_;
  std::vector<Term> terms_;
  std::vector<Limit> limits_;
  std::vector<int> cameras_;
  std::vector<std::uint8_t> rgb_;  // one image, as drawn
};

inline Observed::Observed(const mjModel& model, const std::string& part) : name(part) {
  const ModelSizes sizes(model);
  const struct {
    const char* name;
    double* mjData::* array;
    int count;
  } wholes[] = {{"qpos", &mjData::qpos, sizes.nq},
                {"qvel", &mjData::qvel, sizes.nv},
                {"qacc", &mjData::qacc, sizes.nv},
                {"act", &mjData::act, static_cast<int>(model.na)},
                {"ctrl", &mjData::ctrl, sizes.nu},
                {"sensordata", &mjData::sensordata, static_cast<int>(model.nsensordata)}};
  for (const auto& whole : wholes) {
    if (part != whole.name) continue;
    array = whole.array;
    count = whole.count;
    return;
  }
  const int id = mj_name2id(&model, mjOBJ_SENSOR, part.c_str());
  if (id < 0) {
    throw envpool::OptionError(
        "observation", "'" + part + "'",
        "'qpos', 'qvel', 'qacc', 'act', 'ctrl', 'sensordata', or the name of a sensor",
        "correct the list");
  }
  array = &mjData::sensordata;
  begin = model.sensor_adr[id];
  count = model.sensor_dim[id];
}

}  // namespace envpool::mujoco
