// SPDX-License-Identifier: Apache-2.0
// Adroit: a hand of 24 joints on an arm that opens a door, hammers a nail, turns a pen or carries a
// ball. AdroitHandDoorEnv and the other classes of gymnasium_robotics 1.4.2. Its rewards are those
// since version 1.2.1: distance from the object is rewarded, while the paper punishes it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/rotations.h"
#include "robot_env.h"

namespace envpool::robotics {

/// An initial state: numbers by the names of Gymnasium-Robotics' `set_env_state`.
using AdroitState = std::map<std::string, std::vector<double>>;

/// Sizes of a task's observation, action, joint positions (as many as velocities), and of the rest
/// of its state; by the option `adroit_task`.
struct AdroitSizes {
  int observation, action, joints;
  std::map<std::string, int> places;
};
inline AdroitSizes AdroitSizesOf(const std::string& task) {
  Chosen("adroit_task", task, {"door", "hammer", "pen", "relocate"});
  if (task == "door") return {39, 28, 30, {{"door_body_pos", 3}}};
  if (task == "hammer") return {46, 26, 33, {{"board_pos", 3}}};
  if (task == "pen") return {45, 24, 30, {{"desired_orien", 4}}};
  return {39, 30, 36, {{"obj_pos", 3}, {"target_pos", 3}}};
}

/// Throws OptionError unless the state has exactly the entries of this task's states.
inline void CheckAdroitState(const AdroitState& state, const std::string& task) {
  if (state.empty()) return;
  const AdroitSizes sizes = AdroitSizesOf(task);
  std::map<std::string, int> wanted = sizes.places;
  wanted["qpos"] = wanted["qvel"] = sizes.joints;
  const auto text = [](const auto& parts, const auto& size_of) {
    std::string all;
    for (const auto& [name, part] : parts) {
      all += (all.empty() ? "" : ", ") + name + " of " + std::to_string(size_of(part));
    }
    return all;
  };
  const auto size_of_part = [](const std::vector<double>& part) { return part.size(); };
  bool fits = state.size() == wanted.size();
  for (const auto& [name, size] : wanted) {
    const auto given = state.find(name);
    fits = fits && given != state.end() && given->second.size() == static_cast<std::size_t>(size);
  }
  if (fits) return;
  throw OptionError("initial_state_dict", text(state, size_of_part),
                    text(wanted, [](int size) { return size; }) + " numbers, all of them",
                    "pass what the reference's set_env_state takes");
}

struct AdroitSpec : RobotSpec {
  static auto DefaultConfig() {
    return RobotOptions("adroit_hand/adroit_door.xml", 5) +
           Dict{"adroit_task"_ = "door", "reward_type"_ = "dense"};
  }
  static auto StateSpec(const auto& config) {
    CheckOptions(config);
    IsSparse(config["reward_type"_]);
    const int size = AdroitSizesOf(config["adroit_task"_]).observation;
    return Dict{"obs"_ = Spec<double>(Stacked(size, config["frame_stack"_])),
                "info:success"_ = Spec<bool>({}),
                "info:model"_ = mujoco::FieldInfos(config, TaskModel(config))};
  }
  static auto ActionSpec(const auto& config) {
    return UnitActions(AdroitSizesOf(config["adroit_task"_]).action);
  }
  /// The initial state of the episode; empty: it is drawn.
  static auto ResetOptions(const auto& config) {
    return Dict{"initial_state_dict"_ = AdroitState{}} + RobotSpec::ResetOptions(config);
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    CheckAdroitState(options["initial_state_dict"_], config["adroit_task"_]);
    RobotSpec::CheckResetOptions(options, config);
  }
};

/// The part of an Adroit environment that differs between the four tasks.
class AdroitTask {
 public:
  using Vector = std::array<double, 3>;

  virtual ~AdroitTask() = default;
  /// Draws the initial places of objects, and moves them in the model.
  virtual void Place(Simulation& simulation, NumpyRandom& random) = 0;
  /// Moves the objects to a state's places.
  virtual void Move(const AdroitState& state) = 0;
  /// Called after the first mj_forward of an episode.
  virtual void Begin(const mjData&) {}
  virtual double* Observe(const mjModel& model, const mjData& data, double* out) const = 0;
  /// Returns whether the task is done, and computes the dense reward.
  virtual bool Judge(const mjModel& model, const mjData& data, double* reward) const = 0;
  virtual CameraConfig Camera() const = 0;
  virtual void Save(StateWriter&) const {}
  virtual void Load(StateReader&) {}

 protected:
  static Vector At(const mjtNum* places, int i) {
    return {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
  }
  static Vector Minus(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  }
  static double Length(const Vector& v) { return numpy::Norm(v.data(), 3); }
  static double* Put(const Vector& v, double* out) { return std::copy(v.begin(), v.end(), out); }
};

class AdroitDoor final : public AdroitTask {
 public:
  explicit AdroitDoor(Simulation& simulation)
      : frame_(mujoco::BodyOf(simulation.model(), "frame")),
        grasp_(mujoco::SiteOf(simulation.model(), "S_grasp")),
        handle_(mujoco::SiteOf(simulation.model(), "S_handle")),
        hinge_(mujoco::VelocityOf(simulation.model(), "door_hinge")),
        body_pos_(simulation.Own(&mjModel::body_pos, 3 * simulation.sizes().nbody)) {}

  void Place(Simulation&, NumpyRandom& random) override {
    constexpr double kRanges[][2] = {{-0.3, -0.2}, {0.25, 0.35}, {0.252, 0.35}};
    for (int i = 0; i < 3; ++i) {
      body_pos_[3 * frame_ + i] = random.Uniform(kRanges[i][0], kRanges[i][1]);
    }
  }
  void Move(const AdroitState& state) override {
    std::copy_n(state.at("door_body_pos").begin(), 3, body_pos_ + 3 * frame_);
  }
  double* Observe(const mjModel& model, const mjData& data, double* out) const override {
    const Vector palm = At(data.site_xpos, grasp_), handle = At(data.site_xpos, handle_);
    const double angle = data.qpos[hinge_];
    out = std::copy(data.qpos + 1, data.qpos + model.nq - 2, out);
    *out++ = data.qpos[model.nq - 1];  // position of the latch
    *out++ = angle;
    out = Put(Minus(palm, handle), Put(handle, Put(palm, out)));
    *out++ = angle > 1.0 ? 1.0 : -1.0;
    return out;
  }
  bool Judge(const mjModel& model, const mjData& data, double* reward) const override {
    const double angle = data.qpos[hinge_];
    const Vector palm = At(data.site_xpos, grasp_), handle = At(data.site_xpos, handle_);
    double sum = 0.1 * Length(Minus(palm, handle));
    sum += -0.1 * (angle - 1.57) * (angle - 1.57);
    sum += -1e-5 * numpy::SumOfSquares(data.qvel, static_cast<int>(model.nv));
    if (angle > 0.2) sum += 2;
    if (angle > 1.0) sum += 8;
    if (angle > 1.35) sum += 10;
    *reward = sum;
    return angle >= 1.35;
  }
  CameraConfig Camera() const override { return {.distance = 1.5, .azimuth = 90}; }

 private:
  const int frame_, grasp_, handle_, hinge_;
  mjtNum* const body_pos_;
};

class AdroitHammer final : public AdroitTask {
 public:
  explicit AdroitHammer(Simulation& simulation)
      : board_(mujoco::BodyOf(simulation.model(), "nail_board")),
        hammer_(mujoco::BodyOf(simulation.model(), "Object")),
        grasp_(mujoco::SiteOf(simulation.model(), "S_grasp")),
        head_(mujoco::SiteOf(simulation.model(), "tool")),
        nail_(mujoco::SiteOf(simulation.model(), "S_target")),
        goal_(mujoco::SiteOf(simulation.model(), "nail_goal")),
        impact_(mujoco::NumberOf(simulation.model(), mjOBJ_SENSOR, "S_nail")),
        body_pos_(simulation.Own(&mjModel::body_pos, 3 * simulation.sizes().nbody)) {}

  void Place(Simulation&, NumpyRandom& random) override {
    body_pos_[3 * board_ + 2] = random.Uniform(0.1, 0.25);
  }
  void Move(const AdroitState& state) override {
    std::copy_n(state.at("board_pos").begin(), 3, body_pos_ + 3 * board_);
  }
  double* Observe(const mjModel& model, const mjData& data, double* out) const override {
    const auto clip = [](double x) { return std::clamp(x, -1.0, 1.0); };
    mujoco::Quaternion turn;
    std::copy_n(data.xquat + 4 * hammer_, 4, turn.begin());
    out = std::copy(data.qpos, data.qpos + model.nq - 6, out);
    out = std::transform(data.qvel + model.nv - 6, data.qvel + model.nv, out, clip);
    out = Put(At(data.xpos, hammer_), Put(At(data.site_xpos, grasp_), out));
    out = Put(At(data.site_xpos, nail_), Put(mujoco::EulerOf(turn), out));
    // The reference takes the sensor's id for its address.
    *out++ = clip(data.sensordata[impact_]);
    return out;
  }
  bool Judge(const mjModel& model, const mjData& data, double* reward) const override {
    const Vector hammer = At(data.xpos, hammer_), palm = At(data.site_xpos, grasp_);
    const Vector head = At(data.site_xpos, head_), nail = At(data.site_xpos, nail_);
    const double distance = Length(Minus(nail, At(data.site_xpos, goal_)));
    double sum = 0.1 * Length(Minus(palm, hammer));
    sum -= Length(Minus(head, nail));
    sum -= 10 * distance;
    sum -= 1e-2 * mujoco::LongNorm(data.qvel, static_cast<int>(model.nv));
    if (hammer[2] > 0.04 && head[2] > 0.04) sum += 2;
    if (distance < 0.020) sum += 25;
    if (distance < 0.010) sum += 75;
    *reward = sum;
    return distance < 0.01;
  }
  CameraConfig Camera() const override { return {.distance = 2.0, .azimuth = 45}; }

 private:
  const int board_, hammer_, grasp_, head_, nail_, goal_, impact_;
  mjtNum* const body_pos_;
};

class AdroitPen final : public AdroitTask {
 public:
  explicit AdroitPen(Simulation& simulation)
      : target_(mujoco::BodyOf(simulation.model(), "target")),
        pen_(mujoco::BodyOf(simulation.model(), "Object")),
        wanted_(mujoco::SiteOf(simulation.model(), "eps_ball")),
        pen_ends_{mujoco::SiteOf(simulation.model(), "object_top"),
                  mujoco::SiteOf(simulation.model(), "object_bottom")},
        target_ends_{mujoco::SiteOf(simulation.model(), "target_top"),
                     mujoco::SiteOf(simulation.model(), "target_bottom")},
        body_quat_(simulation.Own(&mjModel::body_quat, 4 * simulation.sizes().nbody)) {}

  void Place(Simulation&, NumpyRandom& random) override {
    const double x = random.Uniform(-1, 1), y = random.Uniform(-1, 1);
    const mujoco::Quaternion turn = mujoco::QuaternionOf(mujoco::Euler{x, y, 0.0});
    std::copy(turn.begin(), turn.end(), body_quat_ + 4 * target_);
  }
  void Move(const AdroitState& state) override {
    std::copy_n(state.at("desired_orien").begin(), 4, body_quat_ + 4 * target_);
  }
  void Begin(const mjData& data) override {
    pen_length_ = Length(Along(data, pen_ends_));
    target_length_ = Length(Along(data, target_ends_));
  }
  double* Observe(const mjModel& model, const mjData& data, double* out) const override {
    const Vector pen = At(data.xpos, pen_), wanted = At(data.site_xpos, wanted_);
    const Vector points = Direction(data, pen_ends_, pen_length_);
    const Vector should = Direction(data, target_ends_, target_length_);
    out = std::copy(data.qpos, data.qpos + model.nq - 6, out);
    out = std::copy(data.qvel + model.nv - 6, data.qvel + model.nv, Put(pen, out));
    return Put(Minus(points, should), Put(Minus(pen, wanted), Put(should, Put(points, out))));
  }
  bool Judge(const mjModel&, const mjData& data, double* reward) const override {
    const Vector pen = At(data.xpos, pen_);
    const Vector points = Direction(data, pen_ends_, pen_length_);
    const Vector should = Direction(data, target_ends_, target_length_);
    const double distance = Length(Minus(pen, At(data.site_xpos, wanted_)));
    const double similarity = numpy::Dot(points.data(), should.data(), 3);
    double sum = -distance + similarity;
    if (distance < 0.075 && similarity > 0.9) sum += 10;
    if (distance < 0.075 && similarity > 0.95) sum += 50;
    if (pen[2] < 0.075) sum -= 5;
    *reward = sum;
    return distance < 0.075 && similarity > 0.95;
  }
  CameraConfig Camera() const override { return {.distance = 1.0, .azimuth = -45}; }
  void Save(StateWriter& out) const override { out.Write(pen_length_, target_length_); }
  void Load(StateReader& in) override { in.Read(pen_length_, target_length_); }

 private:
  using Ends = std::array<int, 2>;
  static Vector Along(const mjData& data, const Ends& ends) {
    return Minus(At(data.site_xpos, ends[0]), At(data.site_xpos, ends[1]));
  }
  static Vector Direction(const mjData& data, const Ends& ends, double length) {
    Vector way = Along(data, ends);
    for (double& x : way) x /= length;
    return way;
  }

  const int target_, pen_, wanted_;
  const Ends pen_ends_, target_ends_;
  mjtNum* const body_quat_;
  double pen_length_ = 1, target_length_ = 1;
};

class AdroitRelocate final : public AdroitTask {
 public:
  explicit AdroitRelocate(Simulation& simulation)
      : ball_(mujoco::BodyOf(simulation.model(), "Object")),
        grasp_(mujoco::SiteOf(simulation.model(), "S_grasp")),
        target_(mujoco::SiteOf(simulation.model(), "target")),
        body_pos_(simulation.Own(&mjModel::body_pos, 3 * simulation.sizes().nbody)),
        site_pos_(
            simulation.Own(&mjModel::site_pos, 3 * static_cast<int>(simulation.model().nsite))) {}

  void Place(Simulation&, NumpyRandom& random) override {
    body_pos_[3 * ball_] = random.Uniform(-0.15, 0.15);
    body_pos_[3 * ball_ + 1] = random.Uniform(-0.15, 0.3);
    site_pos_[3 * target_] = random.Uniform(-0.2, 0.2);
    site_pos_[3 * target_ + 1] = random.Uniform(-0.2, 0.2);
    site_pos_[3 * target_ + 2] = random.Uniform(0.15, 0.35);
  }
  void Move(const AdroitState& state) override {
    std::copy_n(state.at("obj_pos").begin(), 3, body_pos_ + 3 * ball_);
    std::copy_n(state.at("target_pos").begin(), 3, site_pos_ + 3 * target_);
  }
  double* Observe(const mjModel& model, const mjData& data, double* out) const override {
    const Vector ball = At(data.xpos, ball_), palm = At(data.site_xpos, grasp_);
    const Vector target = At(data.site_xpos, target_);
    out = std::copy(data.qpos, data.qpos + model.nq - 6, out);
    return Put(Minus(ball, target), Put(Minus(palm, target), Put(Minus(palm, ball), out)));
  }
  bool Judge(const mjModel&, const mjData& data, double* reward) const override {
    const Vector ball = At(data.xpos, ball_), palm = At(data.site_xpos, grasp_);
    const Vector target = At(data.site_xpos, target_);
    const double distance = Length(Minus(ball, target));
    double sum = 0.1 * Length(Minus(palm, ball));
    if (ball[2] > 0.04) {
      sum += 1.0;
      sum += -0.5 * Length(Minus(palm, target));
      sum += -0.5 * distance;
    }
    if (distance < 0.1) sum += 10.0;
    if (distance < 0.05) sum += 20.0;
    *reward = sum;
    return distance < 0.1;
  }
  CameraConfig Camera() const override { return {.distance = 1.5, .azimuth = 90}; }

 private:
  const int ball_, grasp_, target_;
  mjtNum *const body_pos_, *const site_pos_;
};

class Adroit final : public RobotEnv<AdroitSpec> {
 public:
  Adroit(const Spec& spec, int env_id)
      : RobotEnv(spec, env_id, Softened(TaskModel(spec.config))),
        sparse_(IsSparse(spec.config["reward_type"_])),
        task_(MakeTask(spec.config["adroit_task"_])),
        frames_(spec.config["frame_stack"_],
                static_cast<std::size_t>(spec.state_spec["obs"_].shape.back())) {
    const AdroitSizes sizes = AdroitSizesOf(spec.config["adroit_task"_]);
    if (nu() != sizes.action) {
      throw OptionError("xml_file", "a model with " + std::to_string(nu()) + " actuators",
                        "one with " + std::to_string(sizes.action), "pass a model of this task");
    }
    if (nq() != sizes.joints || nv() != sizes.joints) {
      throw OptionError("xml_file",
                        "a model with " + std::to_string(nq()) + " positions and " +
                            std::to_string(nv()) + " velocities",
                        "one with " + std::to_string(sizes.joints) + ", and as many velocities",
                        "pass a model of this task");
    }
  }

 private:
  void StartEpisode() override {
    simulation().Reset();
    task_->Place(simulation(), gen_);
    simulation().Forward();
    task_->Begin(data());
    if (const AdroitState& state = reset_options()["initial_state_dict"_]; !state.empty()) {
      task_->Move(state);
      std::copy_n(state.at("qpos").begin(), nq(), data().qpos);
      std::copy_n(state.at("qvel").begin(), nv(), data().qvel);
      simulation().Forward();
    }
    success_ = false;
  }
  double Advance(const Action& action) override {
    const float* a = action["action"_].data();
    for (int i = 0; i < nu(); ++i) {
      const double low = model().actuator_ctrlrange[2 * i];
      const double high = model().actuator_ctrlrange[2 * i + 1];
      const double value = std::clamp(a[i], -1.0f, 1.0f);
      data().ctrl[i] = (low + high) / 2 + value * (0.5 * (high - low));
    }
    simulation().Step(frame_skip());
    double reward = 0;
    success_ = task_->Judge(model(), data(), &reward);
    return sparse_ ? (success_ ? 10.0 : -0.1) : reward;
  }
  void WriteResult(State& state, bool first) override {
    const auto observe = [this](double* out) { return task_->Observe(model(), data(), out); };
    frames_.Write(first, observe, state["obs"_].data());
    state["info:success"_] = success_;
  }
  CameraConfig Camera() const override { return task_->Camera(); }
  void Save(StateWriter& out) const override {
    frames_.SaveState(out);
    out.Write(success_);
    task_->Save(out);
  }
  void Load(StateReader& in) override {
    frames_.LoadState(in);
    in.Read(success_);
    task_->Load(in);
  }

  /// The model with the actuators of wrist and fingers as position servos with these gains.
  static SharedModel Softened(const SharedModel& model) {
    return ModelStore::Edited(model, "soft actuators", [](mjModel& edited) {
      const struct {
        const char *first, *last;
        double gain;
      } groups[] = {{"A_WRJ1", "A_WRJ0", 10}, {"A_FFJ3", "A_THJ0", 1}};
      for (const auto& group : groups) {
        const int last = mujoco::ActuatorOf(edited, group.last);
        for (int i = mujoco::ActuatorOf(edited, group.first); i <= last; ++i) {
          const double gain[] = {group.gain, 0, 0}, bias[] = {0, -group.gain, 0};
          std::copy_n(gain, 3, edited.actuator_gainprm + mjNGAIN * i);
          std::copy_n(bias, 3, edited.actuator_biasprm + mjNBIAS * i);
        }
      }
    });
  }
  std::unique_ptr<AdroitTask> MakeTask(const std::string& task) {
    if (task == "door") return std::make_unique<AdroitDoor>(simulation());
    if (task == "hammer") return std::make_unique<AdroitHammer>(simulation());
    if (task == "pen") return std::make_unique<AdroitPen>(simulation());
    return std::make_unique<AdroitRelocate>(simulation());
  }

  const bool sparse_;
  const std::unique_ptr<AdroitTask> task_;
  FrameStack<double> frames_;
  bool success_ = false;
};

}  // namespace envpool::robotics
