// SPDX-License-Identifier: Apache-2.0
// Faulty: an environment that misbehaves on demand. `where` says where, `envs` which ones (empty:
// all):
//
//   "constructor"  the constructor throws; with `seed_only` >= 0 only under that seed
//   "slow"         the constructor takes `work_us`; environment `at` fails then
//   "reset"        the `at`-th Reset of an object throws, counted from 1
//   "step"         the `at`-th Step of an object throws
//   "done"         IsDone throws after that Step
//   "no allocate"  that Step does not call Allocate
//   "two allocate" that Step calls Allocate twice
//   "players"      that Step allocates more players than there are
//   "late"         that Step throws after its result was written
//   "assign"       that Step assigns a wrong number of values
//
//   "spec"         StateSpec throws, for all
//
// `as_int` throws 42 instead of a std::runtime_error; `latin` ends its text with bytes that are no
// UTF-8.
#pragma once

#include <envpool/env.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct FaultySpec {
  static auto DefaultConfig() {
    return envpool::Dict{"where"_ = "",     "envs"_ = std::vector<int>{},
                         "at"_ = 1,         "as_int"_ = false,
                         "seed_only"_ = -1, "work_us"_ = 0,
                         "latin"_ = false};
  }
  static std::string Text(const auto& config, const std::string& text) {
    return config["latin"_] ? text + " \374ber \377\342\202" : text;
  }
  static auto StateSpec(const auto& config) {
    if (config["where"_] == std::string("spec")) {
      throw std::runtime_error(Text(config, "no such board"));
    }
    return envpool::Dict{"obs"_ = envpool::Spec<int>({2}),
                         "info:owned"_ = envpool::Spec<envpool::Container<int>>({})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(1000)}; }
};

class Faulty : public envpool::Env<FaultySpec> {
 public:
  Faulty(const Spec& spec, int env_id) : Env(spec, env_id) {
    if (Now("slow")) {
      std::this_thread::sleep_for(std::chrono::microseconds(spec_.config["work_us"_]));
      if (env_id_ == at_) Throw("the program was ended");
    }
    const int only = spec_.config["seed_only"_];
    if (Now("constructor") && (only < 0 || only == seed_)) Throw("no memory for the board");
  }
  bool IsDone() override {
    if (steps_ == at_ && Now("done")) Throw("nobody knows");
    return false;
  }
  void Reset() override {
    steps_ = 0;
    if (++resets_ == at_ && Now("reset")) Throw("the level is missing");
    Write(0);
  }
  void Step(const Action& action) override {
    const bool now = ++steps_ == at_;
    if (now && Now("step")) Throw("the motor burnt out");
    if (now && Now("no allocate")) return;
    if (now && Now("players")) return static_cast<void>(Allocate(2));
    Write(action["action"_]);
    if (now && Now("two allocate")) Write(1);
    if (now && Now("late")) Throw("too late");
  }

 private:
  bool Now(const std::string& where) const {
    const std::vector<int>& envs = spec_.config["envs"_];
    return where == spec_.config["where"_] &&
           (envs.empty() || std::find(envs.begin(), envs.end(), env_id_) != envs.end());
  }
  [[noreturn]] void Throw(const std::string& text) const {
    if (spec_.config["as_int"_]) throw 42;
    throw std::runtime_error(FaultySpec::Text(spec_.config, text));
  }
  void Write(int action) {
    State state = Allocate();
    if (steps_ == at_ && Now("assign")) {
      state["obs"_].Assign(1, 2, 3);
    } else {
      state["obs"_].Assign(steps_, action);
    }
    envpool::Container<int>& owned = state["info:owned"_];
    owned = std::make_unique<envpool::TArray<int>>(std::vector<int>{steps_ + 1});
    state["reward"_] = 1;
  }

  const int at_ = spec_.config["at"_];
  int steps_ = 0;
  int resets_ = 0;
};

}  // namespace testing_envs
