// SPDX-License-Identifier: Apache-2.0
// Told: an environment whose resets are told where to begin. The observation is where it is, the
// sum of `extra` and of `named`, and a random number below `spread`; an episode has 3 steps.
#pragma once

#include <envpool/env.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct ToldSpec {
  static auto DefaultConfig() { return envpool::Dict{"begin"_ = 10}; }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<int>({3})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(2)}; }
  static auto ResetOptions(const auto& config) {
    return envpool::Dict{"begin"_ = config["begin"_], "spread"_ = 1000,
                         "extra"_ = std::vector<int>{},
                         "named"_ = std::map<std::string, std::vector<int>>{}};
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    if (options["begin"_] >= config["begin"_]) return;
    throw std::invalid_argument("begin is before " + std::to_string(config["begin"_]));
  }
};

class Told : public envpool::Env<ToldSpec> {
 public:
  using Env::Env;
  bool IsDone() override { return steps_ == 3; }
  void Reset() override {
    const auto& options = reset_options();
    at_ = options["begin"_];
    const auto& extra = options["extra"_];
    sum_ = std::accumulate(extra.begin(), extra.end(), 0);
    for (const auto& [name, numbers] : options["named"_]) {
      sum_ = std::accumulate(numbers.begin(), numbers.end(), sum_);
    }
    draw_ = static_cast<int>(gen_() % static_cast<unsigned>(options["spread"_]));
    steps_ = 0;
    Write();
  }
  void Step(const Action&) override {
    ++steps_;
    ++at_;
    sum_ = reset_options()["begin"_];  // the default: what a reset is told is read in Reset
    Write();
  }
  std::pair<int, int> RenderSize(int width, int height) const { return {width, height}; }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    std::fill_n(rgb, 3 * width * height, static_cast<unsigned char>(at_));
  }

 private:
  void Write() {
    State state = Allocate();
    state["obs"_].Assign(at_, sum_, draw_);
  }
  int at_ = 0, sum_ = 0, draw_ = 0, steps_ = 0;
};

}  // namespace testing_envs
