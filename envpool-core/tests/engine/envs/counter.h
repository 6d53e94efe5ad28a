// SPDX-License-Identifier: Apache-2.0
// Counter: an environment whose every result a test can foretell. It counts its steps up to `goal`
// (0: for ever), and shows the action that it got, its seed and a random number. Options make a
// step take time:
//
//   work_us   a step takes about this long, and so does a reset, asleep
//   jitter_us a step sleeps up to this long, at random
//   gated     Step waits at the gate of its environment, see gates.h
//
// Gated is the same, and says that it waits: threads of a pool are held then, its caller is not.
#pragma once

#include <envpool/env.h>
#include <envpool/state_io.h>
#include <envpool/step_kind.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gates.h"

namespace testing_envs {

using namespace envpool::literals;

struct CounterSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"goal"_ = 10, "work_us"_ = 0, "jitter_us"_ = 0, "gated"_ = false};
  }
  static auto StateSpec(const auto& config) {
    return envpool::Dict{"obs"_ = envpool::Box<int>({2}, 0, config["goal"_] + 1000),
                         "info:seed"_ = envpool::Spec<std::int64_t>({}),
                         "info:draw"_ = envpool::Spec<std::uint32_t>({}),
                         "info:life"_ = envpool::Spec<int>({})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(1000)}; }
};

class Counter : public envpool::Env<CounterSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return goal_ > 0 && count_ >= goal_; }
  void Reset() override {
    count_ = 0;
    TakeTime();
    Write(0, 0.0f);
  }
  void Step(const Action& action) override {
    ++count_;
    ++life_;
    if (spec_.config["gated"_]) Gates::Get().Pass(env_id_);
    TakeTime();
    Write(action["action"_], static_cast<float>(count_));
  }
  void SaveState(envpool::StateWriter& out) const { out.Write(count_, life_, past_, name_); }
  void LoadState(envpool::StateReader& in) { in.Read(count_, life_, past_, name_); }

 private:
  void TakeTime() {
    int time = spec_.config["work_us"_];
    const int jitter = spec_.config["jitter_us"_];
    if (jitter > 0) time += static_cast<int>(jitter_() % static_cast<unsigned>(jitter));
    if (time > 0) std::this_thread::sleep_for(std::chrono::microseconds(time));
  }
  void Write(int action, float reward) {
    past_.push_back(action);
    if (past_.size() > 3) past_.erase(past_.begin());
    State state = Allocate();
    state["obs"_].Assign(count_, action);
    state["info:seed"_] = seed_;
    state["info:draw"_] = gen_();
    state["info:life"_] = life_;
    state["reward"_] = reward;
  }

  const int goal_ = spec_.config["goal"_];
  int count_ = 0;
  int life_ = 0;  // steps since the object was made
  std::vector<int> past_;
  std::string name_ = "counter " + std::to_string(env_id_);
  std::minstd_rand jitter_{static_cast<unsigned>(env_id_ + 1)};  // not gen_: time must not show
};

class Gated : public Counter {
 public:
  using Counter::Counter;
  static constexpr auto kStepKind = envpool::StepKind::kBlocking;
};

}  // namespace testing_envs
