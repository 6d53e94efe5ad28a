// SPDX-License-Identifier: Apache-2.0
// Acrobot: two links, a motor at the joint between them; swing the tip above the line. Gymnasium's
// Acrobot-v1.
//
//   envpool::Register<envpool::classic::Acrobot>(m, "Acrobot");
//
// Observation: cos and sin of the first angle (0 hangs down), cos and sin of the second (relative
// to the first), both angular velocities. Action: torque 0: -1, 1: 0, 2: +1 N m. Reward: -1 per
// step, 0 at the goal. Terminal: -cos(theta1) - cos(theta1 + theta2) > 1. `info:state`: both angles
// in radians.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/numpy_math.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_acrobot.h"
#include "start_range.h"

namespace envpool::classic {
using namespace envpool::literals;

struct AcrobotSpec {
  static constexpr double kMaxSpeed1 = 4 * std::numbers::pi;  // rad/s
  static constexpr double kMaxSpeed2 = 9 * std::numbers::pi;

  static auto DefaultConfig() { return envpool::Dict{"reward_threshold"_ = -100.0}; }
  static auto StateSpec(const auto& /*config*/) {
    constexpr auto kHigh1 = static_cast<float>(kMaxSpeed1), kHigh2 = static_cast<float>(kMaxSpeed2);
    return envpool::Dict{"obs"_ = envpool::Box<float>({6}, {-1, -1, -1, -1, -kHigh1, -kHigh2},
                                                      {1, 1, 1, 1, kHigh1, kHigh2}),
                         "info:state"_ = envpool::Box<float>({2})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(3)};
  }
  static auto ResetOptions(const auto& /*config*/) { return StartRange(-0.1, 0.1); }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    CheckStartRange(options);
  }
};

class Acrobot final : public envpool::Env<AcrobotSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;

  bool IsDone() override { return done_; }

  void Reset() override {
    const auto& start = reset_options();
    for (double& value : links_)
      value = static_cast<float>(gen_.Uniform(start["low"_], start["high"_]));
    done_ = false;
    // Gymnasium's first state of an episode is float32, and so are the values it computes from it.
    const auto [sin1, cos1] = numpy::SinCos32(static_cast<float>(links_[0]));
    const auto [sin2, cos2] = numpy::SinCos32(static_cast<float>(links_[1]));
    Write({cos1, sin1, cos2, sin2, links_[2], links_[3]}, 0);
  }

  void Step(const Action& action) override {
    links_ = After(links_, action["action"_] - 1);
    links_[0] = Wrapped(links_[0]);
    links_[1] = Wrapped(links_[1]);
    links_[2] = std::clamp(links_[2], -AcrobotSpec::kMaxSpeed1, AcrobotSpec::kMaxSpeed1);
    links_[3] = std::clamp(links_[3], -AcrobotSpec::kMaxSpeed2, AcrobotSpec::kMaxSpeed2);
    const auto [sin1, cos1] = numpy::SinCos(links_[0]);
    const auto [sin2, cos2] = numpy::SinCos(links_[1]);
    done_ = -cos1 - std::cos(links_[1] + links_[0]) > 1.0;
    Write({cos1, sin1, cos2, sin2, links_[2], links_[3]}, done_ ? 0 : -1);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(links_, done_); }
  void LoadState(envpool::StateReader& in) { in.Read(links_, done_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kAcrobotFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kAcrobotFrame,
               [this](const Canvas& canvas) { DrawAcrobot(canvas, links_[0], links_[1]); });
  }

 private:
  // Angles of the first and the second link, then their velocities.
  using Links = std::array<double, 4>;

  // Time derivative of `links` as in Sutton and Barto's book; the paper (Sutton, 1996) has no
  // speed1 in acceleration2.
  static Links Derivative(const Links& links, double torque) {
    // Mass 1 kg, length 1 m, centre of mass at 0.5 m, moment of inertia 1 kg m^2 for both links.
    constexpr double kHalfPi = std::numbers::pi / 2, kGravity = 9.8;
    const auto [theta1, theta2, speed1, speed2] = links;
    const auto [sin2, cos2] = numpy::SinCos(theta2);
    const double d1 = 0.25 + (1.25 + cos2) + 1.0 + 1.0;
    const double d2 = (0.25 + 0.5 * cos2) + 1.0;
    const double phi2 = 0.5 * kGravity * std::cos(theta1 + theta2 - kHalfPi);
    const double phi1 = -0.5 * numpy::Square(speed2) * sin2 - speed2 * speed1 * sin2 +
                        1.5 * kGravity * std::cos(theta1 - kHalfPi) + phi2;
    const double acceleration2 =
        (torque + d2 / d1 * phi1 - 0.5 * numpy::Square(speed1) * sin2 - phi2) /
        (1.25 - numpy::Square(d2) / d1);
    const double acceleration1 = -(d2 * acceleration2 + phi1) / d1;
    return {speed1, speed2, acceleration1, acceleration2};
  }

  // One step of the classical Runge-Kutta method.
  static Links After(const Links& links, double torque) {
    constexpr double kTau = 0.2;  // s per step
    const auto moved = [&](const Links& slope, double time) {
      Links result = links;
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += time * slope[i];
      return result;
    };
    const Links k1 = Derivative(links, torque);
    const Links k2 = Derivative(moved(k1, kTau / 2), torque);
    const Links k3 = Derivative(moved(k2, kTau / 2), torque);
    const Links k4 = Derivative(moved(k3, kTau), torque);
    Links sum;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i];
    return moved(sum, kTau / 6);
  }

  static double Wrapped(double angle) {
    constexpr double kPi = std::numbers::pi;
    while (angle > kPi) angle -= 2 * kPi;
    while (angle < -kPi) angle += 2 * kPi;
    return angle;
  }

  void Write(const std::array<double, 6>& observation, float reward) {
    State state = Allocate();
    state["obs"_].Assign(observation.data(), observation.size());
    state["info:state"_].Assign(links_[0], links_[1]);
    state["reward"_] = reward;
  }

  Links links_{};
  bool done_ = true;
};

}  // namespace envpool::classic
