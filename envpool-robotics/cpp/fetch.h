// SPDX-License-Identifier: Apache-2.0
// Fetch: an arm with seven joints and a gripper, moved by a mocap body that its wrist is welded to.
// MujocoFetchEnv of gymnasium_robotics.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/per_model.h"
#include "envpool_mujoco/rotations.h"
#include "robot_env.h"

namespace envpool::robotics {

struct FetchSpec : RobotSpec {
  static auto DefaultConfig() {
    return RobotOptions("fetch/reach.xml", 20) +
           Dict{"reward_type"_ = "sparse",     "has_object"_ = false,
                "block_gripper"_ = true,       "target_in_the_air"_ = true,
                "gripper_extra_height"_ = 0.2, "target_offset_x"_ = 0.0,
                "target_offset_y"_ = 0.0,      "target_offset_z"_ = 0.0,
                "obj_range"_ = 0.15,           "target_range"_ = 0.15,
                "distance_threshold"_ = 0.05,  "initial_slide0"_ = 0.4049,
                "initial_slide1"_ = 0.48,      "initial_slide2"_ = 0.0,
                "initial_object_x"_ = 1.25,    "initial_object_y"_ = 0.53,
                "initial_object_z"_ = 0.4};
  }
  static auto StateSpec(const auto& config) {
    IsSparse(config["reward_type"_]);
    CheckNotNegative("target_range", config["target_range"_]);
    if (config["has_object"_]) CheckObjectRange(config["obj_range"_]);
    return GoalState(config, config["has_object"_] ? 25 : 10, 3) +
           Dict{"info:is_success"_ = Spec<float>({}, {0.0f, 1.0f}),
                "info:distance"_ = Spec<double>({}, {0.0, kInfinity})};
  }
  static auto ActionSpec(const auto&) { return UnitActions(4); }
  /// An object starts at least kClear from the gripper. In a square smaller than kLeastRange fewer
  /// than one draw in thirty is that far, and below 0.071 none is.
  static void CheckObjectRange(double range) {
    if (range >= kLeastRange && range <= kMostRange) return;
    throw OptionError("obj_range", std::to_string(range), "0.08 .. 10", "pass metres");
  }
  static constexpr double kClear = 0.1, kLeastRange = 0.08, kMostRange = 10;  // metres
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
};

/// The arm's pose at the start of an episode, after it has moved to the table.
struct FetchStart {
  double time;
  std::vector<double> qpos, qvel;
  std::array<double, 3> grip;
  double height;  // height of the object
};

class Fetch final : public GoalEnv<FetchSpec> {
 public:
  Fetch(const Spec& spec, int env_id)
      : GoalEnv(spec, env_id, Welded(TaskModel(spec.config))),
        sparse_(IsSparse(spec.config["reward_type"_])),
        has_object_(spec.config["has_object"_]),
        blocked_(spec.config["block_gripper"_]),
        grip_(mujoco::SiteOf(model(), "robot0:grip")),
        object_(has_object_ ? mujoco::SiteOf(model(), "object0") : -1),
        object_place_(has_object_ ? mujoco::PlaceOf(model(), "object0:joint") : -1),
        target_(mujoco::SiteOf(model(), "target0")),
        fingers_{mujoco::PlaceOf(model(), "robot0:l_gripper_finger_joint"),
                 mujoco::PlaceOf(model(), "robot0:r_gripper_finger_joint")},
        welded_(WeldedBody(model())),
        jacobian_(6 * static_cast<std::size_t>(nv())) {
    for (int joint = 0; joint < model().njnt; ++joint) {
      const char* name = mj_id2name(&model(), mjOBJ_JOINT, joint);
      if (name == nullptr || std::string(name).rfind("robot", 0) != 0) continue;
      last_joints_[0] = last_joints_[1];
      last_joints_[1] = joint;
    }
    start_ = mujoco::PerModel<FetchStart>::Get(simulation().shared(), Recipe(spec.config), [this] {
      return InResetData([this] { return Settle(); });
    });
  }

 private:
  void StartEpisode() override {
    simulation().Reset();
    data().time = start_->time;
    std::copy(start_->qpos.begin(), start_->qpos.end(), data().qpos);
    std::copy(start_->qvel.begin(), start_->qvel.end(), data().qvel);
    if (has_object_) PlaceObject();
    simulation().Forward();
    KeepWelded();
    DrawGoal();
    Measure(true);
    distance_ = Distance();
  }

  void PlaceObject() {
    constexpr int kMostTries = 100'000;
    const double range = spec_.config["obj_range"_];
    double offset[2];
    double* place = data().qpos + object_place_;
    for (int tries = 0; tries < kMostTries; ++tries) {
      for (int i = 0; i < 2; ++i) place[i] = start_->grip[i] + gen_.Uniform(-range, range);
      for (int i = 0; i < 2; ++i) offset[i] = place[i] - start_->grip[i];
      if (!(numpy::Norm(offset, 2) < FetchSpec::kClear)) return;
    }
    throw std::runtime_error("no place for the object: obj_range leaves none beside the gripper");
  }

  void DrawGoal() {
    const auto& config = spec_.config;
    const double range = config["target_range"_];
    for (std::size_t i = 0; i < 3; ++i) goal()[i] = start_->grip[i] + gen_.Uniform(-range, range);
    if (!has_object_) return;
    goal()[0] += config["target_offset_x"_];
    goal()[1] += config["target_offset_y"_];
    goal()[2] = start_->height;
    if (config["target_in_the_air"_] && gen_.Random() < 0.5) goal()[2] += gen_.Uniform(0, 0.45);
  }

  double Advance(const Action& action) override {
    const float* a = action["action"_].data();
    constexpr float kMostMove = 0.05f;
    const auto clipped = [&](int i) { return std::clamp(a[i], -1.0f, 1.0f); };
    const double grip = blocked_ ? 0.0 : static_cast<double>(clipped(3));
    for (int i = 0; i < std::min(nu(), 2); ++i) {
      const int joint = model().actuator_trnid[2 * i];
      const bool direct = model().actuator_biastype[i] == mjBIAS_NONE;
      data().ctrl[i] = direct ? grip : data().qpos[model().jnt_qposadr[joint]] + grip;
    }
    constexpr double kTurn[] = {1, 0, 1, 0};
    for (int i = 0; i < 3; ++i) {
      data().mocap_pos[i] = pose_[static_cast<std::size_t>(i)] + clipped(i) * kMostMove;
    }
    for (int i = 0; i < 4; ++i) {
      data().mocap_quat[i] = pose_[static_cast<std::size_t>(3 + i)] + kTurn[i];
    }
    simulation().Step(frame_skip());
    if (blocked_) {
      for (const int finger : fingers_) data().qpos[finger] = 0;
      simulation().Forward();
    }
    KeepWelded();
    Measure(false);
    distance_ = Distance();
    if (!sparse_) return -distance_;
    return distance_ > spec_.config["distance_threshold"_] ? -1.0 : -0.0;
  }

  double Distance() const {
    const double* at = achieved();
    const double away[] = {at[0] - goal()[0], at[1] - goal()[1], at[2] - goal()[2]};
    return mujoco::RowNorm(away, 3);
  }

  void Achieve(double* out) const override {
    std::copy_n(data().site_xpos + 3 * (has_object_ ? object_ : grip_), 3, out);
  }

  void Observe(double* out) const override {
    const double* grip = data().site_xpos + 3 * grip_;
    double grip_speed[3], object_speed[3], object_turn[3];
    Velocities(grip_, grip_speed, nullptr);
    out = std::copy_n(grip, 3, out);
    if (has_object_) {
      const double* object = data().site_xpos + 3 * object_;
      out = std::copy_n(object, 3, out);
      for (int i = 0; i < 3; ++i) *out++ = object[i] - grip[i];
    }
    for (const int joint : last_joints_) *out++ = data().qpos[model().jnt_qposadr[joint]];
    if (has_object_) {
      mujoco::Matrix3 matrix;
      std::copy_n(data().site_xmat + 9 * object_, 9, matrix.begin());
      const mujoco::Euler euler = mujoco::EulerOf(matrix);
      out = std::copy(euler.begin(), euler.end(), out);
      Velocities(object_, object_speed, object_turn);
      for (int i = 0; i < 3; ++i) *out++ = object_speed[i] - grip_speed[i];
      out = std::copy_n(object_turn, 3, out);
    }
    out = std::copy_n(grip_speed, 3, out);
    for (const int joint : last_joints_) *out++ = data().qvel[model().jnt_dofadr[joint]] * dt();
  }

  // The movement and the rotation of a site during an action.
  void Velocities(int site, double* move, double* turn) const {
    double* moves = jacobian_.data();
    double* turns = turn == nullptr ? nullptr : moves + 3 * nv();
    const mujoco::LibraryCall call;
    mj_jacSite(&model(), &data(), moves, turns, site);
    mujoco::ThreeRows(moves, data().qvel, nv(), move);
    for (int i = 0; i < 3; ++i) move[i] *= dt();
    if (turn == nullptr) return;
    mujoco::ThreeRows(turns, data().qvel, nv(), turn);
    for (int i = 0; i < 3; ++i) turn[i] *= dt();
  }

  void Tell(const State& state, bool first) const override {
    const bool success = !first && distance_ < spec_.config["distance_threshold"_];
    state["info:is_success"_] = success ? 1.0f : 0.0f;
    state["info:distance"_] = distance_;
  }

  CameraConfig Camera() const override {
    return {.distance = 2.5, .lookat = {{1.3, 0.75, 0.55}}, .azimuth = 132, .elevation = -14};
  }
  void ShowGoals(mjData& data) const override {
    std::copy(goal().begin(), goal().end(), data.site_xpos + 3 * target_);
  }
  void SaveTask(StateWriter& out) const override { out.Write(pose_, distance_); }
  void LoadTask(StateReader& in) override { in.Read(pose_, distance_); }

  // The next action moves the mocap body from the last computed pose of the welded body.
  void KeepWelded() {
    std::copy_n(data().xpos + 3 * welded_, 3, pose_.begin());
    std::copy_n(data().xquat + 4 * welded_, 4, pose_.begin() + 3);
  }

  /// reset_mocap_welds: gives both bodies the same pose.
  static SharedModel Welded(const SharedModel& model) {
    return ModelStore::Edited(model, "welded without an offset", [](mjModel& edited) {
      for (int i = 0; i < edited.neq; ++i) {
        if (edited.eq_type[i] != mjEQ_WELD) continue;
        constexpr double kUnit[] = {0, 0, 0, 0, 0, 0, 1};
        std::copy_n(kUnit, 7, edited.eq_data + mjNEQDATA * i);
      }
    });
  }
  /// The body that is welded to the mocap body.
  static int WeldedBody(const mjModel& model) {
    int found = -1, welds = 0;
    for (int i = 0; i < model.neq; ++i) {
      if (model.eq_type[i] != mjEQ_WELD) continue;
      ++welds;
      const int first = model.eq_obj1id[i], second = model.eq_obj2id[i];
      if (model.body_mocapid[first] == 0) found = second;
      if (model.body_mocapid[second] == 0) found = first;
    }
    if (model.nmocap == 1 && welds == 1 && found >= 0) return found;
    throw OptionError("xml_file",
                      "a model with " + std::to_string(model.nmocap) + " mocap bodies and " +
                          std::to_string(welds) + " welds",
                      "a model with one mocap body, welded to the gripper",
                      "pass a model that is made as Gymnasium-Robotics'");
  }

  /// The key of a start: a model and these options.
  template <typename Config>
  static std::string Recipe(const Config& config) {
    std::ostringstream text;
    text.precision(17);
    text << config["frame_skip"_] << ' ' << config["has_object"_] << ' '
         << config["gripper_extra_height"_] << ' ' << config["initial_slide0"_] << ' '
         << config["initial_slide1"_] << ' ' << config["initial_slide2"_] << ' '
         << config["initial_object_x"_] << ' ' << config["initial_object_y"_] << ' '
         << config["initial_object_z"_];
    return text.str();
  }

  /// _env_setup: moves the gripper to the table.
  FetchStart Settle() {
    const auto& config = spec_.config;
    const double slides[] = {config["initial_slide0"_], config["initial_slide1"_],
                             config["initial_slide2"_]};
    for (int i = 0; i < 3; ++i) {
      const std::string name = "robot0:slide" + std::to_string(i);
      data().qpos[mujoco::PlaceOf(model(), name)] = slides[i];
    }
    if (has_object_) {
      const double pose[] = {config["initial_object_x"_],
                             config["initial_object_y"_],
                             config["initial_object_z"_],
                             1,
                             0,
                             0,
                             0};
      std::copy_n(pose, 7, data().qpos + object_place_);
    }
    simulation().Forward();
    simulation().Forward();
    const double* grip = data().site_xpos + 3 * grip_;
    const double offset[] = {-0.498, 0.005, -0.431 + config["gripper_extra_height"_]};
    constexpr double kTurn[] = {1, 0, 1, 0};
    for (int i = 0; i < 3; ++i) data().mocap_pos[i] = offset[i] + grip[i];
    std::copy_n(kTurn, 4, data().mocap_quat);
    simulation().Step(10 * frame_skip());
    FetchStart start{data().time,
                     {data().qpos, data().qpos + nq()},
                     {data().qvel, data().qvel + nv()},
                     {grip[0], grip[1], grip[2]},
                     has_object_ ? data().site_xpos[3 * object_ + 2] : 0.0};
    return start;
  }

  const bool sparse_, has_object_, blocked_;
  const int grip_, object_, object_place_, target_;
  const std::array<int, 2> fingers_;
  const int welded_;
  std::array<int, 2> last_joints_{};
  mutable std::vector<double> jacobian_;
  std::shared_ptr<const FetchStart> start_;
  std::array<double, 7> pose_{};
  double distance_ = 0;
};

}  // namespace envpool::robotics
