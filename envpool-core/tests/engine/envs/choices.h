// SPDX-License-Identifier: Apache-2.0
// Choices: several choices and flags as an action and, unchanged, as an observation.
#pragma once

#include <envpool/env.h>

#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct ChoicesSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"counts"_ = std::vector<int>{3, 4}, "flags"_ = 5};
  }
  static auto StateSpec(const auto& config) {
    return envpool::Dict{"obs:chosen"_ = envpool::MultiDiscrete(config["counts"_]),
                         "obs:flags"_ = envpool::MultiBinary(config["flags"_])};
  }
  static auto ActionSpec(const auto& config) {
    return envpool::Dict{"choose"_ = envpool::MultiDiscrete(config["counts"_]),
                         "flags"_ = envpool::MultiBinary(config["flags"_])};
  }
};

class Choices : public envpool::Env<ChoicesSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return false; }
  void Reset() override { Allocate(max_num_players_); }
  void Step(const Action& action) override {
    State state = Allocate(max_num_players_);
    state["obs:chosen"_] = action["choose"_];
    state["obs:flags"_] = action["flags"_];
  }
};

struct OneChoiceSpec {
  static auto DefaultConfig() { return envpool::Dict{}; }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::MultiBinary(2)}; }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::MultiDiscrete({2, 2})};
  }
};

/// One array of an action, and one of a state, as most environments have them.
class OneChoice : public envpool::Env<OneChoiceSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return false; }
  void Reset() override { Allocate(); }
  void Step(const Action& action) override {
    State state = Allocate();
    for (std::size_t i = 0; i < 2; ++i) state["obs"_][i] = action["action"_][i] == 1;
  }
};

}  // namespace testing_envs
