// SPDX-License-Identifier: Apache-2.0
// CartPole: a pole on a cart that is pushed left or right. Gymnasium's CartPole-v0 and CartPole-v1.
//
//   envpool::Register<envpool::classic::CartPole>(m, "CartPole");
//
// Observation: cart position (m) and velocity, pole angle (rad, 0 is upright) and angular velocity.
// Action: 0 pushes left, 1 right. Reward: 1 per step, or the values of `sutton_barto_reward`.
// Terminal: |position| > 2.4 or |angle| > 12 degrees.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/numpy_math.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_cartpole.h"
#include "start_range.h"

namespace envpool::classic {
using namespace envpool::literals;

struct CartPoleSpec {
  static constexpr double kMaxPosition = 2.4;                           // m
  static constexpr double kMaxAngle = 12 * 2 * std::numbers::pi / 360;  // rad

  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 195.0, "sutton_barto_reward"_ = false};
  }
  static auto StateSpec(const auto& /*config*/) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr auto kPosition = static_cast<float>(2 * kMaxPosition);
    constexpr auto kAngle = static_cast<float>(2 * kMaxAngle);
    return envpool::Dict{"obs"_ = envpool::Box<float>({4}, {-kPosition, -kInf, -kAngle, -kInf},
                                                      {kPosition, kInf, kAngle, kInf})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(2)};
  }
  static auto ResetOptions(const auto& /*config*/) { return StartRange(-0.05, 0.05); }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    CheckStartRange(options);
  }
};

class CartPole final : public envpool::Env<CartPoleSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return done_; }

  void Reset() override {
    const auto& start = reset_options();
    for (double* value : {&x_, &x_dot_, &theta_, &theta_dot_})
      *value = gen_.Uniform(start["low"_], start["high"_]);
    done_ = false;
    Write(0);
  }

  // Inlined because it is so cheap: the call and the views that it passes would cost a seventh.
  [[gnu::always_inline]] void Step(const Action& action) override {
    // Barto, Sutton and Anderson (1983), without friction; one explicit Euler step.
    constexpr double kGravity = 9.8;                            // m/s^2
    constexpr double kPoleMass = 0.1, kMass = kPoleMass + 1.0;  // kg; pole, and with the cart
    constexpr double kHalfLength = 0.5;                         // m, half the pole
    constexpr double kPoleMoment = kPoleMass * kHalfLength;     // kg m
    constexpr double kForce = 10.0;                             // N
    constexpr double kTau = 0.02;                               // s per step

    // A product, not a branch: every other choice between the two forces would be mispredicted.
    const double force = kForce * (2 * action["action"_] - 1);
    const auto [sin, cos] = numpy::SinCos(theta_);
    const double push = (force + kPoleMoment * (theta_dot_ * theta_dot_) * sin) / kMass;
    const double theta_acc = (kGravity * sin - cos * push) /
                             (kHalfLength * (4.0 / 3.0 - kPoleMass * (cos * cos) / kMass));
    const double x_acc = push - kPoleMoment * theta_acc * cos / kMass;
    x_ += kTau * x_dot_;
    x_dot_ += kTau * x_acc;
    theta_ += kTau * theta_dot_;
    theta_dot_ += kTau * theta_acc;
    done_ = std::abs(x_) > CartPoleSpec::kMaxPosition || std::abs(theta_) > CartPoleSpec::kMaxAngle;
    Write(done_ ? last_reward_ : reward_);
  }

  void SaveState(envpool::StateWriter& out) const {
    out.Write(x_, x_dot_, theta_, theta_dot_, done_);
  }
  void LoadState(envpool::StateReader& in) { in.Read(x_, x_dot_, theta_, theta_dot_, done_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kCartPoleFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kCartPoleFrame,
               [this](const Canvas& canvas) { DrawCartPole(canvas, x_, theta_); });
  }

 private:
  [[gnu::always_inline]] void Write(float reward) {
    State state = Allocate();
    state["obs"_].Assign(x_, x_dot_, theta_, theta_dot_);
    state["reward"_] = reward;
  }

  // Sutton and Barto's reward: 0 for a step, -1 for the last step.
  const bool sutton_barto_ = spec_.config["sutton_barto_reward"_];
  const float reward_ = sutton_barto_ ? 0 : 1, last_reward_ = sutton_barto_ ? -1 : 1;
  double x_ = 0, x_dot_ = 0, theta_ = 0, theta_dot_ = 0;
  bool done_ = true;
};

}  // namespace envpool::classic
