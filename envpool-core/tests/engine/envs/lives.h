// SPDX-License-Identifier: Apache-2.0
// Lives: a game of several lives, in which every `per_life`-th step loses one. The game is over
// when none is left. Options say what a lost life is to the pool:
//
//   ends       the end of an episode; Continue goes on in the same game
//   marks      a terminal state, with which nothing ends
//   cut_at     the step of the game at which the episode is cut short, truncated; 0: never
//   in_a_step  whether the episode that Continue begins has taken a step of the game already
#pragma once

#include <envpool/env.h>
#include <envpool/state_io.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct LivesSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"lives"_ = 3,         "per_life"_ = 2,    "ends"_ = true, "marks"_ = false,
                         "in_a_step"_ = false, "fails_after"_ = 0, "cut_at"_ = 0};
  }
  static auto StateSpec(const auto&) {
    return envpool::Dict{"obs"_ = envpool::Spec<int>({2}),  // steps and lives of the game
                         "info:games"_ = envpool::Spec<int>({}),
                         // An array as long as the steps.
                         "info:past"_ = envpool::Spec<envpool::Container<int>>({})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(10)}; }
};

class Lives : public envpool::Env<LivesSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return lives_ == 0 || (lost_ && spec_.config["ends"_]); }
  bool IsTerminalState() const { return lost_ && spec_.config["marks"_]; }
  bool IsTruncated() const { return steps_ > 0 && steps_ == spec_.config["cut_at"_]; }
  void Reset() override {
    ++games_;
    steps_ = 0;
    lives_ = spec_.config["lives"_];
    lost_ = false;
    Write(0);
  }
  bool Continue() {
    if (lives_ == 0) return false;
    if (steps_ == spec_.config["fails_after"_]) throw std::runtime_error("no way on");
    if (spec_.config["in_a_step"_]) ++steps_;
    lost_ = false;
    Write(0);
    return true;
  }
  void Step(const Action& /*action*/) override {
    ++steps_;
    lost_ = steps_ % spec_.config["per_life"_] == 0;
    lives_ -= lost_ ? 1 : 0;
    Write(1);
  }

  std::pair<int, int> RenderSize(int width, int height) const { return {width, height}; }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    std::fill_n(rgb, 3 * width * height, static_cast<unsigned char>(steps_));
  }
  void SaveState(envpool::StateWriter& out) const {
    out.Write(steps_, lives_, games_, std::uint8_t{lost_});
  }
  void LoadState(envpool::StateReader& in) {
    std::uint8_t lost = 0;
    in.Read(steps_, lives_, games_, lost);
    lost_ = lost & 1;
  }

 private:
  void Write(int reward) {
    State state = Allocate();
    state["obs"_].Assign(steps_, lives_);
    state["info:games"_] = games_;
    envpool::Container<int>& past = state["info:past"_];
    past = std::make_unique<envpool::TArray<int>>(std::vector<int>{steps_});
    state["reward"_] = reward;
  }

  int steps_ = 0;
  int lives_ = 0;
  int games_ = 0;
  bool lost_ = false;
};

}  // namespace testing_envs
