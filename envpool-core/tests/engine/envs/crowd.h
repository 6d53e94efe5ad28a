// SPDX-License-Identifier: Apache-2.0
// Crowd: several players with one action each, whose number changes, and who can be saved. In
// environment e, after s steps, they are 1 + (e + s) % max_num_players. Each sees the sum of what
// all have played, and is paid what it has played itself, row by row as the actions came. With the
// option `refuses` the description throws that text.
#pragma once

#include <envpool/env.h>
#include <envpool/state_io.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace testing_envs {

using namespace envpool::literals;

struct CrowdSpec {
  static auto DefaultConfig() { return envpool::Dict{"refuses"_ = ""}; }
  static auto StateSpec(const auto& config) {
    const std::string& text = config["refuses"_];
    if (!text.empty()) throw std::domain_error(text);
    return envpool::Dict{"obs"_ = envpool::Spec<int>({envpool::kPlayers})};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::Box<int>({envpool::kPlayers}, 0, 99)};
  }
};

class Crowd : public envpool::Env<CrowdSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return false; }
  void Reset() override {
    step_ = sum_ = 0;
    static_cast<void>(Write());
  }
  void Step(const Action& action) override {
    const auto& played = action["action"_];
    ++step_;
    for (std::size_t i = 0; i < played.Shape(0); ++i) sum_ += played[i];
    State state = Write();
    for (std::size_t i = 0; i < played.Shape(0) && i < state["reward"_].Shape(0); ++i) {
      state["reward"_][i] = static_cast<int>(played[i]);
    }
  }
  void SaveState(envpool::StateWriter& out) const { out.Write(step_, sum_); }
  void LoadState(envpool::StateReader& in) { in.Read(step_, sum_); }

 private:
  State Write() {
    State state = Allocate(1 + (env_id_ + step_) % max_num_players_);
    for (std::size_t i = 0; i < state["obs"_].Shape(0); ++i) state["obs"_][i] = sum_;
    return state;
  }

  int step_ = 0;
  int sum_ = 0;
};

}  // namespace testing_envs
