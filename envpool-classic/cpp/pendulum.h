// SPDX-License-Identifier: Apache-2.0
// Pendulum: swing a rod up and hold it there with a limited torque. Gymnasium's Pendulum-v1, and
// the Pendulum-v0 of OpenAI Gym before 0.21.
//
//   envpool::Register<envpool::classic::Pendulum>(m, "Pendulum");
//
// Observation: cos and sin of the angle (0 is upright), angular velocity. Action: the torque (N m),
// clipped to [-2, 2]. Reward: -(angle^2 + 0.1 velocity^2 + 0.001 torque^2). It never terminates.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/numpy_math.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_pendulum.h"
#include "start_range.h"

namespace envpool::classic {
using namespace envpool::literals;

struct PendulumSpec {
  /// `version` 0: the angle moves with the speed before it is limited; 1: with the limited speed.
  static auto DefaultConfig() { return envpool::Dict{"version"_ = 0, "g"_ = 10.0}; }
  static auto StateSpec(const auto& config) {
    envpool::Chosen("version", config["version"_], {0, 1});
    return envpool::Dict{"obs"_ = envpool::Box<float>({3}, {-1, -1, -8}, {1, 1, 8})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 1}, -2, 2)};
  }
  /// The largest angle and speed at the start, in either direction, rad and rad/s; Gymnasium's
  /// names.
  static auto ResetOptions(const auto& /*config*/) {
    return envpool::Dict{"x_init"_ = std::numbers::pi, "y_init"_ = 1.0};
  }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    options.ForEach([](std::string_view name, double most) {
      if (most >= 0 && most <= kFarthestStart) return;
      throw std::invalid_argument(std::string(name) + " " + std::to_string(most) +
                                  " is not in 0 .. 100");
    });
  }
};

class Pendulum final : public envpool::Env<PendulumSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return false; }

  void Reset() override {
    const double angle = reset_options()["x_init"_], speed = reset_options()["y_init"_];
    theta_ = gen_.Uniform(-angle, angle);
    theta_dot_ = gen_.Uniform(-speed, speed);
    moved_ = false;
    Write(0);
  }

  void Step(const Action& action) override {
    constexpr double kMaxSpeed = 8, kTau = 0.05;  // rad/s, s per step
    torque_ = std::clamp<float>(action["action"_], -2, 2);
    moved_ = true;
    const double cost = numpy::Square(numpy::NormalizedAngle(theta_)) +
                        0.1 * numpy::Square(theta_dot_) +
                        static_cast<double>(0.001f * numpy::Square(torque_));
    const bool old_version = spec_.config["version"_] == 0;
    const double fall =
        old_version ? -gravity_ * std::sin(theta_ + std::numbers::pi) : gravity_ * std::sin(theta_);
    const double speed = theta_dot_ + (fall + static_cast<double>(3 * torque_)) * kTau;
    theta_dot_ = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
    theta_ += (old_version ? speed : theta_dot_) * kTau;
    Write(-cost);
  }

  void SaveState(envpool::StateWriter& out) const {
    out.Write(theta_, theta_dot_, torque_, moved_);
  }
  void LoadState(envpool::StateReader& in) { in.Read(theta_, theta_dot_, torque_, moved_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kPendulumFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    std::optional<double> torque;
    if (moved_) torque = torque_;
    DrawAtSize(rgb, {width, height}, kPendulumFrame,
               [&](const Canvas& canvas) { DrawPendulum(canvas, theta_, torque); });
  }

 private:
  void Write(double reward) {
    const auto [sin, cos] = numpy::SinCos(theta_);
    State state = Allocate();
    state["obs"_].Assign(cos, sin, theta_dot_);
    state["reward"_] = reward;
  }

  const double gravity_ = 3 * spec_.config["g"_] / 2;  // 3 g / 2 l, with l = 1 m
  double theta_ = 0, theta_dot_ = 0;
  float torque_ = 0;    // of the last step, N m
  bool moved_ = false;  // true after the first step since the reset
};

}  // namespace envpool::classic
