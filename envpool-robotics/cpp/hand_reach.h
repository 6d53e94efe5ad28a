// SPDX-License-Identifier: Apache-2.0
// HandReach: bring the fingertips to five places. MujocoHandReachEnv of gymnasium_robotics.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/per_model.h"
#include "envpool_mujoco/rotations.h"
#include "hand_env.h"

namespace envpool::robotics {

struct HandReachSpec : RobotSpec {
  static auto DefaultConfig() {
    return RobotOptions("hand/reach.xml", 20) +
           Dict{"reward_type"_ = "sparse", "distance_threshold"_ = 0.01};
  }
  static auto StateSpec(const auto& config) {
    IsSparse(config["reward_type"_]);
    return GoalState(config, 63, 15) +
           Dict{
               "info:is_success"_ = Spec<float>({}, {0.0f, 1.0f}),
               "info:distance"_ = Spec<double>({}, {0.0, std::numeric_limits<double>::infinity()})};
  }
  static auto ActionSpec(const auto&) { return UnitActions(20); }
};

class HandReach final : public HandEnv<HandReachSpec> {
 public:
  HandReach(const Spec& spec, int env_id)
      : HandEnv(spec, env_id), sparse_(IsSparse(spec.config["reward_type"_])) {
    const char* names[] = {"fftip", "mftip", "rftip", "lftip", "thtip"};
    for (std::size_t i = 0; i < kTips; ++i) {
      tips_[i] = mujoco::SiteOf(model(), std::string("robot0:S_") + names[i]);
      targets_[i] = mujoco::SiteOf(model(), "target" + std::to_string(i));
      shown_[i] = mujoco::SiteOf(model(), "finger" + std::to_string(i));
    }
    start_ =
        mujoco::PerModel<Pose>::Get(simulation().shared(), "open", [this] { return OpenHand(); });
  }

 private:
  static constexpr std::size_t kTips = 5;
  /// The open hand, the initial pose of episodes.
  struct Pose {
    std::array<double, 3> palm;
    std::array<double, 3 * kTips> tips;
  };

  void StartEpisode() override {
    Open();
    DrawGoal();
    Measure(true);
    distance_ = Distance();
  }

  void DrawGoal() {
    constexpr std::size_t kThumb = 4;
    constexpr double kOffset[] = {0.0, -0.09, 0.05}, kNoise = 0.005, kApart = 0.005;
    const auto finger = static_cast<std::size_t>(gen_.Integers(0, 4));
    mujoco::Euler meeting;
    for (std::size_t i = 0; i < 3; ++i) meeting[i] = start_->palm[i] + kOffset[i];
    for (double& x : meeting) x += 0.0 + kNoise * gen_.StandardNormal();
    std::copy(start_->tips.begin(), start_->tips.end(), goal().begin());
    for (const std::size_t tip : {kThumb, finger}) {
      mujoco::Euler way;
      for (std::size_t i = 0; i < 3; ++i) way[i] = meeting[i] - goal()[3 * tip + i];
      way = mujoco::Normalized(way);
      for (std::size_t i = 0; i < 3; ++i) goal()[3 * tip + i] = meeting[i] - kApart * way[i];
    }
    // Otherwise the thumb would always start near its goal.
    if (gen_.Random() < 0.1) std::copy(start_->tips.begin(), start_->tips.end(), goal().begin());
  }

  double Advance(const Action& action) override {
    Control(action["action"_].data());
    simulation().Step(frame_skip());
    Measure(false);
    distance_ = Distance();
    if (!sparse_) return -distance_;
    return distance_ > spec_.config["distance_threshold"_] ? -1.0 : -0.0;
  }

  double Distance() const {
    double away[3 * kTips];
    for (std::size_t i = 0; i < 3 * kTips; ++i) away[i] = achieved()[i] - goal()[i];
    return mujoco::RowNorm(away, 3 * kTips);
  }
  void Observe(double* out) const override { Achieve(ObserveRobot(out)); }
  void Achieve(double* out) const override {
    for (const int tip : tips_) out = std::copy_n(data().site_xpos + 3 * tip, 3, out);
  }
  void Tell(const State& state, bool first) const override {
    const bool success = !first && distance_ < spec_.config["distance_threshold"_];
    state["info:is_success"_] = success ? 1.0f : 0.0f;
    state["info:distance"_] = distance_;
  }
  void ShowGoals(mjData& data) const override {
    for (std::size_t i = 0; i < kTips; ++i) {
      std::copy_n(goal().data() + 3 * i, 3, data.site_xpos + 3 * targets_[i]);
      std::copy_n(data.site_xpos + 3 * tips_[i], 3, data.site_xpos + 3 * shown_[i]);
    }
  }
  void SaveTask(StateWriter& out) const override { out.Write(distance_); }
  void LoadTask(StateReader& in) override { in.Read(distance_); }

  void Open() {
    // DEFAULT_INITIAL_QPOS, in rad.
    static constexpr std::pair<const char*, double> kOpen[] = {
        {"WRJ1", -0.16514339750464327},   {"WRJ0", -0.31973286565062153},
        {"FFJ3", 0.14340512546557435},    {"FFJ2", 0.32028208333591573},
        {"FFJ1", 0.7126053607727917},     {"FFJ0", 0.6705281001412586},
        {"MFJ3", 0.000246444303701037},   {"MFJ2", 0.3152655251085491},
        {"MFJ1", 0.7659800313729842},     {"MFJ0", 0.7323156897425923},
        {"RFJ3", 0.00038520700007378114}, {"RFJ2", 0.36743546201985233},
        {"RFJ1", 0.7119514095008576},     {"RFJ0", 0.6699446327514138},
        {"LFJ4", 0.0525442258033891},     {"LFJ3", -0.13615534724474673},
        {"LFJ2", 0.39872030433433003},    {"LFJ1", 0.7415570009679252},
        {"LFJ0", 0.704096378652974},      {"THJ4", 0.003673823825070126},
        {"THJ3", 0.5506291436028695},     {"THJ2", -0.014515151997119306},
        {"THJ1", -0.0015229223564485414}, {"THJ0", -0.7894883021600622}};
    simulation().Reset();
    for (const auto& [joint, angle] : kOpen) {
      data().qpos[mujoco::PlaceOf(model(), std::string("robot0:") + joint)] = angle;
    }
    simulation().Forward();
  }
  Pose OpenHand() {
    return InResetData([this] {
      Open();
      Pose pose;
      std::copy_n(data().xpos + 3 * mujoco::BodyOf(model(), "robot0:palm"), 3, pose.palm.begin());
      Achieve(pose.tips.data());
      return pose;
    });
  }

  const bool sparse_;
  std::array<int, kTips> tips_, targets_, shown_;
  std::shared_ptr<const Pose> start_;
  double distance_ = 0;
};

}  // namespace envpool::robotics
