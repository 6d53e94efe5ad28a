// SPDX-License-Identifier: Apache-2.0
// HandManipulate: turn a block, an egg or a pen in the hand. MujocoManipulateEnv and
// MujocoManipulateTouchSensorsEnv of gymnasium_robotics.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/rotations.h"
#include "hand_env.h"

namespace envpool::robotics {

/// The 24 rotations that turn a cube onto itself: get_parallel_rotations, as quaternions.
inline const std::vector<mujoco::Quaternion>& CubeRotations() {
  static const std::vector<mujoco::Quaternion> all = [] {
    using std::numbers::pi;
    const double quarter = pi / 2, turns[] = {0, quarter, -quarter, pi};
    std::vector<mujoco::Euler> angles;
    std::vector<mujoco::Quaternion> rotations;
    for (const double x : turns) {
      for (const double y : turns) {
        for (const double z : turns) {
          mujoco::Euler angle = mujoco::EulerOf(mujoco::MatrixOf(mujoco::Euler{x, y, z}));
          for (double& a : angle) a = std::nearbyint(a / quarter);
          if (angle[0] == -2) angle[0] = 2;
          if (angle[2] == -2) angle[2] = 2;
          for (double& a : angle) a *= quarter;
          if (std::find(angles.begin(), angles.end(), angle) != angles.end()) continue;
          angles.push_back(angle);
          rotations.push_back(mujoco::QuaternionOf(angle));
        }
      }
    }
    return rotations;
  }();
  return all;
}

struct HandManipulateSpec : RobotSpec {
  static constexpr int kTouchSensors = 92;

  static auto DefaultConfig() {
    return RobotOptions("hand/manipulate_block.xml", 20) +
           Dict{"reward_type"_ = "sparse",
                "target_position"_ = "random",
                "target_rotation"_ = "xyz",
                "target_position_low0"_ = -0.04,
                "target_position_high0"_ = 0.04,
                "target_position_low1"_ = -0.06,
                "target_position_high1"_ = 0.02,
                "target_position_low2"_ = 0.0,
                "target_position_high2"_ = 0.06,
                "randomize_initial_position"_ = true,
                "randomize_initial_rotation"_ = true,
                "ignore_z_target_rotation"_ = false,
                "distance_threshold"_ = 0.01,
                "rotation_threshold"_ = 0.1,
                "touch_get_obs"_ = "off"};
  }
  static auto StateSpec(const auto& config) {
    IsSparse(config["reward_type"_]);
    Chosen("target_position", config["target_position"_], {"ignore", "fixed", "random"});
    Chosen("target_rotation", config["target_rotation"_], {"xyz", "z", "parallel"});
    Chosen("touch_get_obs", config["touch_get_obs"_], {"off", "boolean", "sensordata", "log"});
    CheckEnds("target_position_low0", config["target_position_low0"_], "target_position_high0",
              config["target_position_high0"_]);
    CheckEnds("target_position_low1", config["target_position_low1"_], "target_position_high1",
              config["target_position_high1"_]);
    CheckEnds("target_position_low2", config["target_position_low2"_], "target_position_high2",
              config["target_position_high2"_]);
    const bool touch = std::string(config["touch_get_obs"_]) != "off";
    return GoalState(config, 61 + (touch ? kTouchSensors : 0), 7) +
           Dict{
               "info:is_success"_ = Spec<float>({}, {0.0f, 1.0f}),
               "info:distance"_ = Spec<double>({}, {0.0, std::numeric_limits<double>::infinity()})};
  }
  static auto ActionSpec(const auto&) { return UnitActions(20); }
};

class HandManipulate final : public HandEnv<HandManipulateSpec> {
 public:
  HandManipulate(const Spec& spec, int env_id)
      : HandEnv(spec, env_id),
        sparse_(IsSparse(spec.config["reward_type"_])),
        position_(spec.config["target_position"_]),
        rotation_(spec.config["target_rotation"_]),
        touch_(spec.config["touch_get_obs"_]),
        object_(mujoco::PlaceOf(model(), "object:joint")),
        object_speed_(mujoco::VelocityOf(model(), "object:joint")),
        shown_(mujoco::PlaceOf(model(), "target:joint")),
        middle_(mujoco::SiteOf(model(), "object:center")) {
    for (int i = 0; touch_ != "off" && i < model().nsensor; ++i) {
      const char* name = mj_id2name(&model(), mjOBJ_SENSOR, i);
      if (name != nullptr && std::string(name).find("robot0:TS_") != std::string::npos) {
        sensors_.push_back(i);
      }
    }
    if (touch_ != "off" && sensors_.size() != HandManipulateSpec::kTouchSensors) {
      throw OptionError("touch_get_obs",
                        "a model with " + std::to_string(sensors_.size()) +
                            " sensors that are named 'robot0:TS_...'",
                        "one with 92, as hand/manipulate_block_touch_sensors.xml",
                        "pass another xml_file, or touch_get_obs='off'");
    }
    InResetData([this] { simulation().Forward(); });
  }

 private:
  static constexpr double kPalm = 0.04;  // metres: an object below it has fallen

  // _reset_sim: it keeps controls and the solver's warm start, since it does not call mj_resetData.
  void StartEpisode() override {
    constexpr int kMostTries = 1000;
    int tries = 0;
    while (!TryStart()) {
      if (++tries == kMostTries) throw std::runtime_error("the object falls off the hand");
    }
    DrawGoal();
    Measure(true);
    Compare();
  }
  bool TryStart() {
    constexpr double kNoise = 0.005;
    constexpr int kSettle = 10;
    data().time = 0;
    std::copy_n(model().qpos0, nq(), data().qpos);
    std::fill_n(data().qvel, nv(), 0.0);
    simulation().Forward();
    double* place = data().qpos + object_;
    mujoco::Quaternion turn;
    std::copy_n(place + 3, 4, turn.begin());
    if (spec_.config["randomize_initial_rotation"_]) turn = mujoco::Times(turn, DrawTurn());
    if (spec_.config["randomize_initial_position"_] && position_ != "fixed") {
      for (int i = 0; i < 3; ++i) place[i] += 0.0 + kNoise * gen_.StandardNormal();
    }
    turn = mujoco::Normalized(turn);
    std::copy(turn.begin(), turn.end(), place + 3);
    for (int i = 0; i < kSettle; ++i) {
      Control(nullptr);
      simulation().Step(frame_skip());
    }
    simulation().Forward();
    return data().site_xpos[3 * middle_ + 2] > kPalm;
  }
  mujoco::Quaternion DrawTurn() {
    using std::numbers::pi;
    const double angle = gen_.Uniform(-pi, pi);
    if (rotation_ == "xyz") {
      mujoco::Euler axis;
      for (double& x : axis) x = gen_.Uniform(-1.0, 1.0);
      return mujoco::TurnAbout(angle, axis);
    }
    const mujoco::Quaternion turn = mujoco::TurnAbout(angle, {0, 0, 1});
    if (rotation_ == "z") return turn;
    const auto& all = CubeRotations();
    const auto which = gen_.Integers(0, static_cast<std::int64_t>(all.size()));
    return mujoco::Times(turn, all[static_cast<std::size_t>(which)]);
  }
  void DrawGoal() {
    const auto& config = spec_.config;
    const double* place = data().qpos + object_;
    double offset[3] = {};
    if (position_ == "random") {
      offset[0] = gen_.Uniform(config["target_position_low0"_], config["target_position_high0"_]);
      offset[1] = gen_.Uniform(config["target_position_low1"_], config["target_position_high1"_]);
      offset[2] = gen_.Uniform(config["target_position_low2"_], config["target_position_high2"_]);
    }
    for (std::size_t i = 0; i < 3; ++i) goal()[i] = place[i] + offset[i];
    const mujoco::Quaternion turn = mujoco::Normalized(DrawTurn());
    std::copy(turn.begin(), turn.end(), goal().begin() + 3);
  }

  double Advance(const Action& action) override {
    Control(action["action"_].data());
    simulation().Step(frame_skip());
    Measure(false);
    Compare();
    if (sparse_) return Succeeds() ? 0.0 : -1.0;
    return -(10.0 * distance_ + angle_);
  }

  // _goal_distance: between places, in metres, and between rotations, in rad.
  void Compare() {
    const double *at = achieved(), *to = goal().data();
    distance_ = 0;
    if (position_ != "ignore") {
      const double away[] = {at[0] - to[0], at[1] - to[1], at[2] - to[2]};
      distance_ = mujoco::RowNorm(away, 3);
    }
    mujoco::Quaternion a, b;
    std::copy_n(at + 3, 4, a.begin());
    std::copy_n(to + 3, 4, b.begin());
    if (spec_.config["ignore_z_target_rotation"_]) {
      mujoco::Euler euler = mujoco::EulerOf(a);
      euler[2] = mujoco::EulerOf(b)[2];
      a = mujoco::QuaternionOf(euler);
    }
    const double w = mujoco::Times(a, mujoco::Conjugate(b))[0];
    angle_ = 2 * std::acos(std::clamp(w, -1.0, 1.0));
  }
  bool Succeeds() const {
    return distance_ < spec_.config["distance_threshold"_] &&
           angle_ < spec_.config["rotation_threshold"_];
  }

  void Achieve(double* out) const override { std::copy_n(data().qpos + object_, 7, out); }
  void Observe(double* out) const override {
    out = ObserveRobot(out);
    out = std::copy_n(data().qvel + object_speed_, 6, out);
    out = std::copy_n(data().qpos + object_, 7, out);
    for (const int sensor : sensors_) {
      const double force = data().sensordata[sensor];
      *out++ = touch_ == "boolean" ? (force > 0.0 ? 1.0 : 0.0)
               : touch_ == "log"   ? std::log(force + 1.0)
                                   : force;
    }
  }
  void Tell(const State& state, bool first) const override {
    state["info:is_success"_] = !first && Succeeds() ? 1.0f : 0.0f;
    state["info:distance"_] = distance_;
  }
  void ShowGoals(mjData& data) const override {
    // Beside the object: its place has no meaning.
    std::copy(goal().begin(), goal().end(), data.qpos + shown_);
    if (position_ == "ignore") data.qpos[shown_] += 0.15;
    const mujoco::LibraryCall call;
    mj_kinematics(&model(), &data);
  }
  void SaveTask(StateWriter& out) const override { out.Write(distance_, angle_); }
  void LoadTask(StateReader& in) override { in.Read(distance_, angle_); }

  const bool sparse_;
  const std::string position_, rotation_, touch_;
  const int object_, object_speed_, shown_, middle_;
  std::vector<int> sensors_;
  double distance_ = 0, angle_ = 0;
};

}  // namespace envpool::robotics
