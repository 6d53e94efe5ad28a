// SPDX-License-Identifier: Apache-2.0
// Whole: says that it writes whole rows, and leaves out one number in steps with an odd action.
#pragma once

#include <envpool/env.h>

namespace testing_envs {

using namespace envpool::literals;

struct WholeSpec {
  static constexpr bool kWritesWholeRows = true;
  static auto DefaultConfig() { return envpool::Dict{}; }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<int>({2})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(1000)}; }
};

class Whole : public envpool::Env<WholeSpec> {
 public:
  using Env::Env;
  bool IsDone() override { return false; }
  void Reset() override { Write(0); }
  void Step(const Action& action) override { Write(action["action"_]); }

 private:
  void Write(int action) {
    State state = Allocate();
    state["obs"_][0] = action;
    if (action % 2 == 0) state["obs"_][1] = action;
  }
};

}  // namespace testing_envs
