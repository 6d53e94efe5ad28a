// SPDX-License-Identifier: Apache-2.0
// MountainCar: an engine too weak for the hill; the car has to swing up. Gymnasium's
// MountainCar-v0.
//
//   envpool::Register<envpool::classic::MountainCar>(m, "MountainCar");
//
// Observation: position and velocity. Action: 0 pushes left, 1 not at all, 2 right. Reward: -1 per
// step. Terminal: position >= 0.5, on the right hill.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_mountain_car.h"
#include "start_range.h"

namespace envpool::classic {
using namespace envpool::literals;

struct MountainCarSpec {
  static constexpr double kMinPosition = -1.2, kMaxPosition = 0.6, kMaxSpeed = 0.07;

  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = -110.0, "goal_velocity"_ = 0.0};
  }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Box<float>({2}, {-1.2f, -0.07f}, {0.6f, 0.07f})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(3)};
  }
  static auto ResetOptions(const auto& /*config*/) { return StartRange(-0.6, -0.4); }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    CheckStartRange(options);
  }
};

class MountainCar final : public envpool::Env<MountainCarSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return done_; }

  void Reset() override {
    const auto& start = reset_options();
    position_ = gen_.Uniform(start["low"_], start["high"_]);
    velocity_ = 0;
    done_ = false;
    Write(0);
  }

  void Step(const Action& action) override {
    // Moore (1990). Units are per step.
    constexpr double kForce = 0.001, kGravity = 0.0025;
    const int push = action["action"_] - 1;
    velocity_ += push * kForce + std::cos(3 * position_) * -kGravity;
    velocity_ = std::clamp(velocity_, -MountainCarSpec::kMaxSpeed, MountainCarSpec::kMaxSpeed);
    position_ += velocity_;
    position_ = std::clamp(position_, MountainCarSpec::kMinPosition, MountainCarSpec::kMaxPosition);
    if (position_ == MountainCarSpec::kMinPosition && velocity_ < 0) velocity_ = 0;
    done_ = position_ >= kGoal && velocity_ >= goal_velocity_;
    Write(-1);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(position_, velocity_, done_); }
  void LoadState(envpool::StateReader& in) { in.Read(position_, velocity_, done_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kMountainCarFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kMountainCarFrame,
               [this](const Canvas& canvas) { DrawMountainCar(canvas, position_, kGoal); });
  }

 private:
  static constexpr double kGoal = 0.5;

  void Write(float reward) {
    State state = Allocate();
    state["obs"_].Assign(position_, velocity_);
    state["reward"_] = reward;
  }

  const double goal_velocity_ = spec_.config["goal_velocity"_];
  double position_ = 0, velocity_ = 0;
  bool done_ = true;
};

}  // namespace envpool::classic
