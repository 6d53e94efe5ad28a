// SPDX-License-Identifier: Apache-2.0
// MountainCarContinuous: as MountainCar, with an engine that takes any force in [-1, 1].
// Gymnasium's MountainCarContinuous-v0.
//
//   envpool::Register<envpool::classic::MountainCarContinuous>(m, "MountainCarContinuous");
//
// Observation: position and velocity. Action: the force; a force beyond the limits acts as the
// limit but costs its full square. Reward: -0.1 force^2, and 100 at the goal. Terminal: position >=
// 0.45, on the right hill.
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

struct MountainCarContinuousSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 90.0, "goal_velocity"_ = 0.0};
  }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Box<float>({2}, {-1.2f, -0.07f}, {0.6f, 0.07f})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 1}, -1, 1)};
  }
  static auto ResetOptions(const auto& /*config*/) { return StartRange(-0.6, -0.4); }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    CheckStartRange(options);
  }
};

class MountainCarContinuous final
    : public envpool::Env<MountainCarContinuousSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return done_; }

  void Reset() override {
    const auto& start = reset_options();
    position_ = gen_.Uniform(start["low"_], start["high"_]);
    velocity_ = 0;
    first_step_ = true;
    done_ = false;
    Write(0);
  }

  void Step(const Action& action) override {
    const float force = action["action"_];
    // Gymnasium starts an episode in double precision and uses float32 from the first step on.
    if (first_step_) {
      Move<double>(force);
    } else {
      Move<float>(force);
    }
    first_step_ = false;
    const double cost = static_cast<double>(force) * static_cast<double>(force) * 0.1;
    Write((done_ ? 100.0 : 0.0) - cost);
  }

  void SaveState(envpool::StateWriter& out) const {
    out.Write(position_, velocity_, first_step_, done_);
  }
  void LoadState(envpool::StateReader& in) { in.Read(position_, velocity_, first_step_, done_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kMountainCarFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kMountainCarFrame,
               [this](const Canvas& canvas) { DrawMountainCar(canvas, position_, kGoal); });
  }

 private:
  static constexpr double kGoal = 0.45;

  // One step in the precision `Real`, rounded as NumPy rounds (NEP 50: a Python number takes the
  // precision of the array scalar that it is combined with).
  template <typename Real>
  void Move(float force) {
    constexpr double kPower = 0.0015, kGravity = 0.0025;  // per step
    constexpr auto kMinPosition = static_cast<Real>(-1.2), kMaxPosition = static_cast<Real>(0.6);
    constexpr auto kMaxSpeed = static_cast<Real>(0.07);

    auto position = static_cast<Real>(position_);
    auto velocity = static_cast<Real>(velocity_);
    const double slope = kGravity * std::cos(static_cast<double>(3 * position));
    if (force < -1.0f || force > 1.0f) {  // the limit is a Python number, the force a float32
      const double limit = force < 0 ? -1.0 : 1.0;
      velocity += static_cast<Real>(limit * kPower - slope);
    } else {
      velocity += static_cast<Real>(force * static_cast<float>(kPower) - static_cast<float>(slope));
    }
    velocity = std::clamp(velocity, -kMaxSpeed, kMaxSpeed);
    position += velocity;
    position = std::clamp(position, kMinPosition, kMaxPosition);
    if (position == kMinPosition && velocity < 0) velocity = 0;
    done_ = position >= static_cast<Real>(kGoal) && velocity >= static_cast<Real>(goal_velocity_);
    position_ = static_cast<double>(static_cast<float>(position));
    velocity_ = static_cast<double>(static_cast<float>(velocity));
  }

  void Write(double reward) {
    State state = Allocate();
    state["obs"_].Assign(position_, velocity_);
    state["reward"_] = reward;
  }

  const double goal_velocity_ = spec_.config["goal_velocity"_];
  double position_ = 0, velocity_ = 0;
  bool first_step_ = true;
  bool done_ = true;
};

}  // namespace envpool::classic
