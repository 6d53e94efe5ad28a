// SPDX-License-Identifier: Apache-2.0
// Named: arrays whose names and sizes are options. Element j of array i is 10 * i + j + step; the
// last array is found by its name, and so is the one that `wanted` names, which may not exist.
#pragma once

#include <envpool/env.h>

#include <string>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct NamedSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"names"_ = std::vector<std::string>{"a", "b"},
                         "sizes"_ = std::vector{1, 3}, "wanted"_ = ""};
  }
  static auto StateSpec(const auto& config) {
    envpool::SpecMap<double> observations;
    for (std::size_t i = 0; i < config["names"_].size(); ++i) {
      observations.Add(config["names"_][i], envpool::Spec<double>({config["sizes"_][i]}));
    }
    return envpool::Dict{"obs"_ = std::move(observations), "info:count"_ = envpool::Spec<int>({}),
                         "info"_ = envpool::SpecMap<float>{{"x", envpool::Spec<float>({})}}};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(2)}; }
};

class Named : public envpool::Env<NamedSpec> {
 public:
  using Env::Env;
  bool IsDone() override { return false; }
  void Reset() override { Write(step_ = 0); }
  void Step(const Action&) override { Write(++step_); }

 private:
  void Write(int step) {
    State state = Allocate();
    const auto observations = state["obs"_];
    const auto& names = spec_.config["names"_];
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const auto array = i + 1 == observations.size() ? observations[names[i]] : observations[i];
      for (std::size_t j = 0; j < array.size(); ++j) {
        array[j] = 10 * static_cast<int>(i) + static_cast<int>(j) + step;
      }
    }
    if (const std::string& wanted = spec_.config["wanted"_]; !wanted.empty()) observations[wanted];
    state["info:count"_] = observations.size();
    state["info"_]["x"] = step;
  }

  int step_ = 0;
};

}  // namespace testing_envs
