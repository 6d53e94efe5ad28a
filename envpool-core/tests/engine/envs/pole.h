// SPDX-License-Identifier: Apache-2.0
// Pole: a cart-pole without the physics' fine print. Cheap, without memory of its own, like the
// environments that people make a hundred thousand of.
#pragma once

#include <envpool/env.h>
#include <envpool/step_kind.h>

#include <cmath>
#include <random>

namespace testing_envs {

using namespace envpool::literals;

struct PoleSpec {
  static auto DefaultConfig() { return envpool::Dict{"force"_ = 10.0}; }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<float>({4})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(2)}; }
};

class Pole : public envpool::Env<PoleSpec, std::minstd_rand> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return std::abs(x_) > 2.4 || std::abs(angle_) > 0.21; }
  void Reset() override {
    std::uniform_real_distribution<> start(-0.05, 0.05);
    x_ = start(gen_);
    speed_ = start(gen_);
    angle_ = start(gen_);
    turn_ = start(gen_);
    Write(0);
  }
  void Step(const Action& action) override {
    const double push = action["action"_] == 1 ? force_ : -force_;
    const double fall = 9.8 * std::sin(angle_) - push * std::cos(angle_) / 1.1;
    x_ += 0.02 * speed_;
    speed_ += 0.02 * (push / 1.1 - 0.05 * fall * std::cos(angle_));
    angle_ += 0.02 * turn_;
    turn_ += 0.02 * fall / 0.65;
    Write(1);
  }

 private:
  void Write(float reward) {
    State state = Allocate();
    state["obs"_].Assign(x_, speed_, angle_, turn_);
    state["reward"_] = reward;
  }
  const double force_ = spec_.config["force"_];
  double x_ = 0, speed_ = 0, angle_ = 0, turn_ = 0;
};

}  // namespace testing_envs
