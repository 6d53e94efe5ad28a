// SPDX-License-Identifier: Apache-2.0
// External: an environment whose "other program" is a list. What was flushed last is answered
// first. Observation: how many steps it has taken, and how many were submitted together with this
// one. Its own limit cuts episodes off after `limit` steps; its action says when it fails.
#pragma once

#include <envpool/env.h>
#include <envpool/external_steps.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

class List final : public envpool::ExternalSteps {
 public:
  void Submit(int env_id) { submitted_.push_back(env_id); }
  void Flush() noexcept override {
    together_ = static_cast<int>(submitted_.size());
    asked_.insert(asked_.end(), submitted_.begin(), submitted_.end());
    submitted_.clear();
  }
  int TakeFinished(int* env_ids, int most) noexcept override {
    int count = 0;
    // One at a time now and then, and nothing now and then: that is what a program may do.
    if (++turns_ % 3 == 0) return 0;
    for (; count < most && !asked_.empty(); asked_.pop_back()) env_ids[count++] = asked_.back();
    return count;
  }
  void Await(int, std::chrono::steady_clock::time_point) noexcept override { ++waits_; }
  int together() const { return together_; }

 private:
  std::vector<int> submitted_, asked_;
  int together_ = 0, turns_ = 0, waits_ = 0;
};

struct ExternalSpec {
  static auto DefaultConfig() { return envpool::Dict{"limit"_ = 3}; }
  static auto StateSpec(const auto&) {
    return envpool::Dict{
        "any"_ = envpool::SpecList{
            {envpool::MakeArraySpec("obs", envpool::Spec<double>({2})),
             envpool::MakeArraySpec("info:whole", envpool::Spec<std::int16_t>({}))}}};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"any"_ = envpool::SpecList{
                             {envpool::MakeArraySpec("action", envpool::Spec<int>({}, {0, 1}))}}};
  }
};

class External : public envpool::Env<ExternalSpec> {
 public:
  static constexpr auto kStepKind = envpool::StepKind::kExternal;
  using Env::Env;
  static envpool::ExternalSteps& ExternalStepsOf(const Spec&) { return list_; }
  bool IsDone() override { return false; }
  bool IsTruncated() { return step_ >= spec_.config["limit"_]; }

  void Submit(const Action& action) noexcept {
    const auto arrays = action["any"_];
    std::memcpy(&fails_, arrays[0].data, arrays[0].size);
    list_.Submit(env_id_);
  }
  void SubmitReset() noexcept { list_.Submit(env_id_); }
  void Reset() override { Write(step_ = 0); }
  void Step(const Action&) override {
    if (fails_ != 0) throw std::runtime_error("submitted in vain");
    Write(++step_);
  }

 private:
  void Write(int step) {
    State state = Allocate();
    const auto arrays = state["any"_];
    const double obs[2] = {static_cast<double>(step), static_cast<double>(list_.together())};
    const auto whole = static_cast<std::int16_t>(-step);
    std::memcpy(arrays[0].data, obs, arrays[0].size);
    std::memcpy(arrays[1].data, &whole, arrays[1].size);
  }

  static inline List list_;
  int fails_ = 0;
  int step_ = 0;
};

}  // namespace testing_envs
