// SPDX-License-Identifier: Apache-2.0
// Uneven: an environment whose steps take the time that a test wants, and now and then far longer.
// It shows its own number of steps and the action, and tells Presence who is inside.
//
//   busy_ns    a step, and a reset, computes this long
//   sleep_us   a step, and a reset, sleeps this long besides
//   long_us    a long step sleeps this long more; which steps are long:
//   long_every   every n-th step of all environments of the process together (0: none)
//   long_env     step number `long_at` of an episode of this environment (-1: none)
//   long_after a long step calls Allocate before it sleeps, not after
//   gated      Step waits at the gate of its environment, see gates.h
#pragma once

#include <envpool/env.h>
#include <envpool/state_io.h>
#include <envpool/step_kind.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "gates.h"
#include "presence.h"

namespace testing_envs {

using namespace envpool::literals;

/// The kinds of environments that an engine tells apart.
enum class Pace { kTrivial, kDefault, kBlocking };

struct UnevenSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"busy_ns"_ = 0,        "sleep_us"_ = 0,  "long_us"_ = 0,
                         "long_every"_ = 0,     "long_env"_ = -1, "long_at"_ = 1,
                         "long_after"_ = false, "gated"_ = false};
  }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<int>({2})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(1000)}; }
};

template <Pace pace>
class Uneven : public envpool::Env<UnevenSpec> {
 public:
  using Base = envpool::Env<UnevenSpec>;
  using Action = Base::Action;
  using Base::Base;

  static constexpr auto kStepKind = pace == Pace::kTrivial    ? envpool::StepKind::kTrivial
                                    : pace == Pace::kBlocking ? envpool::StepKind::kBlocking
                                                              : envpool::StepKind::kDefault;

  bool IsDone() override { return false; }
  void Reset() override {
    const Presence::Inside inside;
    count_ = 0;
    TakeTime();
    Write(Allocate(), 0);
  }
  void Step(const Action& action) override {
    const Presence::Inside inside;
    ++count_;
    if (gated_) Gates::Get().Pass(env_id_);
    TakeTime();
    const bool is_long = IsLong();
    if (is_long && !after_) Sleep(long_us_);
    State state = Allocate();
    if (is_long && after_) Sleep(long_us_);
    Write(std::move(state), action["action"_]);
  }
  std::pair<int, int> RenderSize(int, int) const {
    const Presence::Inside inside;
    return {4, 4};
  }
  void Render(int width, int height, int, unsigned char* rgb) {
    const Presence::Inside inside;
    std::fill_n(rgb, width * height * 3, static_cast<unsigned char>(env_id_));
  }
  void SaveState(envpool::StateWriter& out) const {
    const Presence::Inside inside;
    out.Write(count_);
  }
  void LoadState(envpool::StateReader& in) {
    const Presence::Inside inside;
    in.Read(count_);
  }

 private:
  static void Sleep(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }
  void TakeTime() const {
    if (busy_ns_ > 0) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(busy_ns_);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    if (sleep_us_ > 0) Sleep(sleep_us_);
  }
  bool IsLong() const {
    static std::atomic<long> steps{0};
    if (every_ > 0 && (steps.fetch_add(1, std::memory_order_relaxed) + 1) % every_ == 0) {
      return true;
    }
    return env_id_ == long_env_ && count_ == long_at_;
  }
  void Write(State state, int action) {
    state["obs"_].Assign(count_, action);
    state["reward"_] = 1;
  }

  // Read once: a lookup would be a part of what is measured.
  const int busy_ns_ = spec_.config["busy_ns"_], sleep_us_ = spec_.config["sleep_us"_];
  const int long_us_ = spec_.config["long_us"_], every_ = spec_.config["long_every"_];
  const int long_env_ = spec_.config["long_env"_], long_at_ = spec_.config["long_at"_];
  const bool after_ = spec_.config["long_after"_], gated_ = spec_.config["gated"_];
  int count_ = 0;  // steps since the last reset
};

}  // namespace testing_envs
