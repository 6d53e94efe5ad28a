// SPDX-License-Identifier: Apache-2.0
// The shared part of all tasks here: muscles, and the order of operations in a reset and a step.
// BaseV0 of myosuite 2.12.2.
//
//   class Pose final : public MuscleEnv<PoseSpec> {
//     void Start() override { ... }                        // a new goal and initial state
//     double* Observe(double* out) const override { ... }  // without activations; returns the end
//     Verdict Judge(const double* end, double effort) const override { ... }
//   };
//
// A description is a `PoseSpec : MuscleSpec<PoseSpec>`. Its `kMotors`, if given, defines the effect
// of an action on motors; its `kRests`, if given, whether each reset rests the muscles.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
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
#include "envpool_mujoco/library.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"
#include "muscles.h"

namespace envpool::myosuite {
using namespace envpool::literals;
using mujoco::ModelStore;
using mujoco::SharedModel;
using mujoco::Simulation;

/// Options of every task.
inline auto MuscleOptions(const char* xml_file, int frame_skip) {
  return Dict{"xml_file"_ = std::string(xml_file), "frame_skip"_ = frame_skip, "frame_stack"_ = 1,
              "muscle_condition"_ = "", "render_quality"_ = "full"} +
         mujoco::FieldOptions();
}

/// Options of a task with goals: the sites that should reach them.
inline auto SiteOptions() { return Dict{"sites"_ = std::vector<std::string>{}}; }

/// The unchanged model of a task.
template <typename Config>
SharedModel TaskModel(const Config& config) {
  return WithCondition(ModelStore::Load(mujoco::ModelIn(config)),
                       ConditionOf(config["muscle_condition"_]));
}

/// The shared part of all tasks' descriptions.
template <typename Description>
using MuscleSpec = mujoco::SimulatedSpec<Description>;

/// The arrays of a task whose observation has `size` numbers beside the muscles' activations.
template <typename Config>
auto MuscleState(const Config& config, const SharedModel& model, int size) {
  CheckFrames(config["frame_skip"_], config["frame_stack"_]);
  mujoco::QualityOf(config["render_quality"_]);
  // MyoSuite declares -10 to 10, but clips nothing: a hand's speeds exceed it.
  return Dict{
      "obs"_ = Spec<float>(Stacked(size + static_cast<int>(model->na), config["frame_stack"_])),
      "info:model"_ = mujoco::FieldInfos(config, model),
      "info:time"_ = Spec<double>({}),
      "info:rwd_dense"_ = Spec<double>({}),
      "info:rwd_sparse"_ = Spec<double>({}),
      "info:solved"_ = Spec<bool>({}),
      "info:done"_ = Spec<bool>({})};
}
inline auto MuscleActions(const mjModel& model) {
  const int count = static_cast<int>(model.nu);
  return Dict{"action"_ = Spec<float>({kPlayers, count}, std::tuple(-1.0f, 1.0f))};
}

/// Throws OptionError unless the goal's low and high each have `count` finite numbers, with no low
/// above its high.
template <typename Config>
void CheckGoal(const Config& config, int count, const std::string& what) {
  const std::vector<double>&low = config["target_low"_], &high = config["target_high"_];
  const auto check = [&](const char* option, const std::vector<double>& end) {
    if (static_cast<int>(end.size()) == count) return;
    throw OptionError(option, std::to_string(end.size()) + " numbers",
                      std::to_string(count) + ", " + what, "pass as many");
  };
  check("target_low", low);
  check("target_high", high);
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!(low[i] <= high[i])) {
      throw OptionError("target_high", std::to_string(high[i]),
                        "at least target_low's " + std::to_string(low[i]), "exchange the two");
    }
    if (!std::isfinite(high[i] - low[i])) {
      throw OptionError("target_high", std::to_string(high[i]) + ", too far from target_low",
                        "a finite distance between the two", "pass numbers that are not as large");
    }
  }
}

/// The number of coordinates of the goals of `sites`. Throws OptionError as CheckGoal does, or if
/// there are no sites.
template <typename Config>
int CheckSites(const Config& config) {
  const int count = 3 * static_cast<int>(std::vector<std::string>(config["sites"_]).size());
  CheckGoal(config, count, "three for each of `sites`");
  if (count == 0) throw OptionError("sites", "none", "one or more", "name a site");
  return count;
}

/// Throws OptionError unless an option is two numbers, the least and the greatest of a draw, not
/// below `floor`.
inline void CheckRange(const char* option, const std::vector<double>& range,
                       double floor = -std::numeric_limits<double>::infinity()) {
  if (range.size() == 2 && range[0] >= floor && range[0] <= range[1] &&
      std::isfinite(range[1] - range[0])) {
    return;
  }
  std::string got = std::to_string(range.size()) + " numbers";
  if (range.size() == 2) got = std::to_string(range[0]) + " and " + std::to_string(range[1]);
  std::string allowed = "two numbers, the least and the greatest";
  if (std::isfinite(floor)) allowed += ", none below " + std::to_string(floor);
  throw OptionError(option, got, allowed, "pass the ends of what is drawn");
}

/// Throws OptionError unless an option has `count` numbers, none negative.
inline void CheckChanges(const char* option, const std::vector<double>& changes,
                         std::size_t count) {
  if (changes.size() != count) {
    throw OptionError(option, std::to_string(changes.size()) + " numbers", std::to_string(count),
                      "pass as many");
  }
  for (const double change : changes) CheckNotNegative(option, change);
}

/// The least mass that can be drawn, in kg.
constexpr double kLeastMass = 1e-6;

/// The result of a step.
struct Verdict {
  double dense = 0, sparse = 0;
  bool solved = false, done = false;
  std::optional<double> time = {};  // the time in the info, if it is not data().time
};

template <typename Description>
class MuscleEnv : public mujoco::SimulatedEnv<Description, NumpyRandom> {
  using Base = mujoco::SimulatedEnv<Description, NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  MuscleEnv(const Spec& spec, int env_id)
      : Base(spec, env_id, Description::Model(spec.config), mujoco::LookOf(1000, {})),
        // The reference's int(dt / timestep), which can round to frame_skip - 1.
        steps_(std::max(1, static_cast<int>(this->dt() / model().opt.timestep))),
        muscles_(model(), ConditionOf(spec.config["muscle_condition"_]), this->dt(), MotorsOf()),
        start_(InitialPosition(model())),
        velocity_(static_cast<std::size_t>(model().nv)),
        size_(spec.state_spec["obs"_].shape.back()),
        seen_(static_cast<std::size_t>(size_ * static_cast<int>(spec.config["frame_stack"_]))),
        frames_(spec.config["frame_stack"_], static_cast<std::size_t>(size_)) {
    const auto bodies = static_cast<std::size_t>(model().nbody);
    seen_places_.assign(model().body_pos, model().body_pos + 3 * bodies);
    seen_turns_.assign(model().body_quat, model().body_quat + 4 * bodies);
    site_pos_ = simulation().Own(&mjModel::site_pos, 3 * static_cast<int>(model().nsite));
    // The reference takes a step in its constructor; it has an effect if no reset rests the
    // muscles.
    if (!Rests()) muscles_.StepFromRest(model());
  }

 protected:
  using Base::data;
  using Base::model;
  using Base::nq;
  using Base::simulation;

  /// Makes draws that a reset does not observe, or that have an effect later.
  virtual void AfterReset() {}
  /// Called before a step is simulated.
  virtual void BeforeStep() {}
  /// Sets the initial state of Start, which draws again at each call.
  void BeginAgain() {
    simulation().Reset();
    position_ = start_;
    std::fill(velocity_.begin(), velocity_.end(), 0.0);
    Start();
    if (Rests()) muscles_.Rest();
    simulation().Reset();
    std::copy(position_.begin(), position_.end(), data().qpos);
    std::copy(velocity_.begin(), velocity_.end(), data().qvel);
    PutMocap(seen_places_.data(), seen_turns_.data());
    simulation().Forward();
  }
  /// Draws the initial state: a goal, `position()` and `velocity()`. It may use data() for this.
  virtual void Start() = 0;
  /// Computes values for observation and reward beside joints, for instance by Place. `placed`: all
  /// of this state was computed already.
  virtual void Look(bool /*placed*/) {}
  /// Does the same after fields of the model were drawn for a reset. It draws nothing.
  virtual void LookAgain() { Look(true); }
  /// Writes the observation without the muscles' activations; returns its end.
  virtual double* Observe(double* out) const = 0;
  /// Computes reward and end of a step from these numbers, which end at `end`, and from the effort:
  /// the norm of the muscles' activations, divided by their number.
  virtual Verdict Judge(const double* end, double effort) const = 0;
  virtual void SaveTask(StateWriter&) const {}
  virtual void LoadTask(StateReader&) {}

  /// The observed place of a mocap body: x, y, z and a quaternion.
  double* SeenPlace(int body) { return seen_places_.data() + 3 * body; }
  double* SeenTurn(int body) { return seen_turns_.data() + 4 * body; }
  const double* SeenPlace(int body) const { return seen_places_.data() + 3 * body; }
  const double* SeenTurn(int body) const { return seen_turns_.data() + 4 * body; }

  std::vector<double>& position() { return position_; }
  std::vector<double>& velocity() { return velocity_; }
  /// Sites, and for each the site that shows its goal.
  const std::vector<int>& tips() const { return tips_; }
  const std::vector<int>& targets() const { return targets_; }
  mjtNum* site_pos() { return site_pos_; }
  /// The constructor of a task with goals calls it.
  void FindSites(const std::vector<std::string>& sites) {
    for (const std::string& site : sites) {
      tips_.push_back(mujoco::NumberOf(model(), mjOBJ_SITE, site, "sites"));
      targets_.push_back(mujoco::NumberOf(model(), mjOBJ_SITE, site + "_target", "sites"));
    }
  }
  /// Writes positions, and velocities times dt; returns the end.
  double* WriteJoints(double* out) const {
    out = std::copy_n(data().qpos, nq(), out);
    for (int i = 0; i < this->nv(); ++i) *out++ = data().qvel[i] * this->dt();
    return out;
  }
  /// Writes the tips' positions, then the vectors to their goals; returns the end.
  double* WriteTips(double* out) const {
    const std::size_t count = 3 * tips_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const double* const tip = data().site_xpos + 3 * tips_[i / 3];
      const double* const target = data().site_xpos + 3 * targets_[i / 3];
      out[i] = tip[i % 3];
      out[count + i] = target[i % 3] - tip[i % 3];
    }
    return out + 2 * count;
  }
  /// Writes positions without the last `object`, and velocities times dt without the last `moves`:
  /// the hand's values, before an object's; returns the end.
  double* WriteHand(double* out, int object, int moves) const {
    out = std::copy_n(data().qpos, nq() - object, out);
    const int count = this->nv() - moves;
    for (int i = 0; i < count; ++i) *out++ = data().qvel[i] * this->dt();
    return out;
  }
  /// The index of a sensor's numbers in sensordata.
  int SensorPlace(const char* name) const {
    return model().sensor_adr[mujoco::NumberOf(model(), mjOBJ_SENSOR, name)];
  }
  /// Writes length, velocity and force in kN of each of these actuators, the last two from -100 to
  /// 100; returns the end.
  double* WriteActuators(const std::vector<int>& which, double* out) const {
    for (const int i : which) *out++ = data().actuator_length[i];
    for (const int i : which) *out++ = std::clamp(data().actuator_velocity[i], -100.0, 100.0);
    for (const int i : which) *out++ = std::clamp(data().actuator_force[i] / 1000, -100.0, 100.0);
    return out;
  }
  /// An episode begins with all joints except the last `rest` numbers at 0, by a multiplication
  /// with 0 as in the reference, which keeps a sign.
  void StretchOut(int rest) {
    for (std::size_t i = 0; i + static_cast<std::size_t>(rest) < position_.size(); ++i) {
      position_[i] *= 0;
    }
  }
  /// A private copy of the model's array with `each` numbers per body, or per geom.
  template <typename T>
  T* OwnBodies(T* mjModel::* member, int each) {
    return simulation().Own(member, each * this->nbody());
  }
  template <typename T>
  T* OwnGeoms(T* mjModel::* member, int each) {
    return simulation().Own(member, each * static_cast<int>(model().ngeom));
  }
  /// Draws three numbers from the same range.
  std::array<double, 3> DrawThree(double low, double high) {
    std::array<double, 3> drawn;
    for (double& value : drawn) value = this->gen_.Uniform(low, high);
    return drawn;
  }
  /// Draws each number within `changes` of the number in `middle`.
  void DrawAround(const double* middle, const std::vector<double>& changes, double* out) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      out[i] = this->gen_.Uniform(middle[i] - changes[i], middle[i] + changes[i]);
    }
  }
  /// Runs `look` in the model's initial state.
  template <typename F>
  void AtTheBeginning(const F& look) {
    this->InResetData([&] {
      Place();
      look();
    });
  }
  /// Computes all observed values, including forces and contacts. The reference computes them in
  /// another mjData, without controls and with a cold start of the solver.
  void SeeAll() {
    mjData& now = data();
    const auto nv = static_cast<std::size_t>(this->nv());
    warm_.assign(now.qacc_warmstart, now.qacc_warmstart + nv);
    std::fill_n(now.qacc_warmstart, nv, 0.0);
    std::fill_n(now.ctrl, this->nu(), 0.0);
    simulation().Forward();
    std::copy(warm_.begin(), warm_.end(), now.qacc_warmstart);
  }
  /// Computes all positions.
  void Place() {
    const mujoco::LibraryCall call;
    mj_kinematics(&model(), &data());
  }

 private:
  static constexpr Motors MotorsOf() {
    if constexpr (requires { Description::kMotors; }) return Description::kMotors;
    return Motors::kAsGiven;
  }
  static constexpr bool Rests() {
    if constexpr (requires { Description::kRests; }) return Description::kRests;
    return true;
  }
  /// The model's initial positions, but the middle of its range for a joint with a motor.
  static std::vector<double> InitialPosition(const mjModel& model) {
    std::vector<double> position(model.qpos0, model.qpos0 + model.nq);
    for (int i = 0; i < model.nu; ++i) {
      if (model.actuator_trntype[i] != mjTRN_JOINT) continue;
      const int joint = model.actuator_trnid[2 * i];
      const int type = model.jnt_type[joint];
      if (type != mjJNT_SLIDE && type != mjJNT_HINGE) continue;
      position[static_cast<std::size_t>(model.jnt_qposadr[joint])] =
          (model.jnt_range[2 * joint] + model.jnt_range[2 * joint + 1]) / 2;
    }
    return position;
  }
  // The reference simulates one mjData and observes another one, in which mocap bodies have other
  // places: in the first they begin each episode at the model's places, in the second they stay
  // where a task has put them, or at the file's places.
  void PutMocap(const double* places, const double* turns) {
    if (model().nmocap == 0) return;
    for (int body = 0; body < this->nbody(); ++body) {
      const int mocap = model().body_mocapid[body];
      if (mocap < 0) continue;
      std::copy_n(places + 3 * body, 3, data().mocap_pos + 3 * mocap);
      std::copy_n(turns + 4 * body, 4, data().mocap_quat + 4 * mocap);
    }
  }
  void StartEpisode() final {
    BeginAgain();
    Look(true);
    AfterReset();
  }
  void ComputeStart(bool changed) final {
    if (changed) {
      std::fill_n(data().qacc_warmstart, this->nv(), 0.0);  // as the solver starts after a reset
      simulation().Forward();
      LookAgain();
    }
    verdict_ = {};
    WriteSeen(true);
    PutMocap(seen_places_.data(), seen_turns_.data());
    simulation().Changed();  // mocap bodies and goals may have moved
  }
  double Advance(const Action& action) final {
    BeforeStep();
    muscles_.Excite(model(), action["action"_].data(), data().ctrl);
    PutMocap(model().body_pos, model().body_quat);
    simulation().Step(steps_);
    PutMocap(seen_places_.data(), seen_turns_.data());
    Look(false);
    WriteSeen(false);
    simulation().Changed();  // the display uses the present places
    this->Terminate(verdict_.done);
    return verdict_.dense;
  }
  void WriteSeen(bool first) {
    const mujoco::ModelSizes& sizes = simulation().sizes();
    const auto observe = [&](double* out) {
      out = Observe(out);
      if (!first) {
        const double norm = mujoco::RowNorm(data().act, sizes.na);
        verdict_ = Judge(out, sizes.na > 0 ? norm / sizes.na : 0.0);
      }
      return std::copy_n(data().act, sizes.na, out);
    };
    frames_.Write(first, observe, seen_.data());
  }
  void WriteResult(State& state, bool /*first*/) final {
    float* out = state["obs"_].data();
    for (std::size_t i = 0; i < seen_.size(); ++i) out[i] = static_cast<float>(seen_[i]);
    state["info:time"_] = verdict_.time.value_or(data().time);
    state["info:rwd_dense"_] = verdict_.dense;
    state["info:rwd_sparse"_] = verdict_.sparse;
    state["info:solved"_] = verdict_.solved;
    state["info:done"_] = verdict_.done;
  }
  void Save(StateWriter& out) const final {
    frames_.SaveState(out);
    muscles_.SaveState(out);
    if (model().nmocap > 0) out.Write(seen_places_, seen_turns_);
    SaveTask(out);
  }
  void Load(StateReader& in) final {
    frames_.LoadState(in);
    muscles_.LoadState(in);
    if (model().nmocap > 0) {
      std::vector<double> places, turns;
      in.Read(places, turns);
      if (places.size() != seen_places_.size() || turns.size() != seen_turns_.size()) {
        throw std::out_of_range("the saved state is of another model");
      }
      seen_places_ = std::move(places);
      seen_turns_ = std::move(turns);
    }
    LoadTask(in);
  }
  mjvCamera FreeCamera() final {
    return this->GymnasiumView({.distance = 1.5, .azimuth = 90, .elevation = -30});
  }

  const int steps_;
  Muscles muscles_;
  const std::vector<double> start_;
  std::vector<double> position_, velocity_, warm_;
  std::vector<double> seen_places_, seen_turns_;  // of all bodies; used for mocap bodies
  std::vector<int> tips_, targets_;
  mjtNum* site_pos_ = nullptr;
  const int size_;
  std::vector<double> seen_;
  FrameStack<double> frames_;
  Verdict verdict_;
};

}  // namespace envpool::myosuite
