// SPDX-License-Identifier: Apache-2.0
// RemoteEnv: an environment that a worker process has, as the engine sees it.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/env.h"
#include "envpool/external_steps.h"
#include "parent_endpoint.h"

namespace envpool::python_family {

struct RemoteSpec {
  static auto DefaultConfig() {
    return Dict{"layout"_ = std::shared_ptr<SlotLayout>(),
                "endpoint"_ = std::shared_ptr<ParentEndpoint>(), "autoreset_mode"_ = "next_step",
                "restart"_ = false};
  }
  static auto StateSpec(const auto& config) {
    const std::shared_ptr<SlotLayout>& layout = config["layout"_];
    return Dict{"arrays"_ = layout ? SpecList{layout->state.arrays} : SpecList{}};
  }
  static auto ActionSpec(const auto& config) {
    const std::shared_ptr<SlotLayout>& layout = config["layout"_];
    return Dict{"arrays"_ = layout ? SpecList{layout->action.arrays} : SpecList{}};
  }
};

class RemoteEnv final : public Env<RemoteSpec> {
 public:
  static constexpr StepKind kStepKind = StepKind::kExternal;

  RemoteEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        layout_(*spec.config["layout"_]),
        endpoint_(*spec.config["endpoint"_]),
        slot_(endpoint_.segment().slot(env_id)),
        header_(endpoint_.segment().slot_header(env_id)),
        same_step_(spec.config["autoreset_mode"_] == "same_step"),
        restart_(spec.config["restart"_]) {}

  static ExternalSteps& ExternalStepsOf(const Spec& spec) { return *spec.config["endpoint"_]; }

  void Submit(const Action& action) noexcept {
    const auto arrays = action["arrays"_];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::memcpy(slot_ + layout_.actions_at + layout_.action.offsets[i], arrays[i].data,
                  arrays[i].size);
    }
    header_.num_actions = static_cast<std::int32_t>(action["players.env_id"_].Shape(0));
    ++steps_;
    header_.is_last = steps_ >= spec_.config["max_episode_steps"_];
    header_.same_step = same_step_;
    header_.buffer = !buffer_;
    Send(RequestKind::kStep);
  }
  void SubmitReset() noexcept {
    if (endpoint_.state_of(env_id_).lost) failed_ = true;
    if (failed_) ++num_rebuilds_;
    header_.seed = seed_;
    header_.num_rebuilds = num_rebuilds_;
    header_.buffer = !buffer_;
    const bool seeds = unseeded_ || failed_;
    unseeded_ = failed_ = false;
    reset_submitted_ = true;
    Send(seeds ? RequestKind::kSeed : RequestKind::kReset);
  }

  void Step(const Action&) override {
    terminated_ = truncated_ = false;
    if (!HasResult()) {
      // The worker may have written half of an observation; the one before is whole.
      if (!restart_) throw std::runtime_error(FailureText());
      endpoint_.SetFailure(env_id_, FailureText());
      truncated_ = true;
      Write(buffer_, players_, false);
      return;
    }
    buffer_ = header_.buffer;
    players_ = header_.players;
    terminated_ = header_.terminated != 0;
    truncated_ = header_.truncated != 0;
    has_next_ = header_.has_next != 0;
    Write(buffer_, players_, true);
  }
  void Reset() override {
    steps_ = 0;
    terminated_ = truncated_ = false;
    if (std::exchange(has_next_, false)) {
      buffer_ = kNextEpisode;
      players_ = header_.next_players;
    } else {
      if (!reset_submitted_) {  // a step ended without a result, and the next episode is to follow
        SubmitReset();
        endpoint_.AwaitOne(env_id_);
      }
      reset_submitted_ = false;
      if (!HasResult()) throw std::runtime_error(FailureText());
      num_rebuilds_ = header_.num_rebuilds;  // the endpoint may have repeated the reset
      buffer_ = header_.buffer;
      players_ = header_.players;
    }
    Write(buffer_, players_, false);
  }
  bool IsDone() override { return terminated_; }
  bool IsTruncated() { return truncated_; }

 private:
  void Send(RequestKind request) noexcept {
    header_.request = request;
    header_.failed = 0;
    header_.has_next = 0;
    header_.info_size[0] = header_.info_size[1] = 0;
    endpoint_.Submit(env_id_);
  }
  bool HasResult() {
    const bool has_result = !endpoint_.state_of(env_id_).unanswered && header_.failed == 0;
    if (!has_result) failed_ = true;
    return has_result;
  }
  std::string FailureText() const {
    if (endpoint_.state_of(env_id_).unanswered) return endpoint_.state_of(env_id_).reason;
    return {reinterpret_cast<const char*>(slot_ + layout_.text_at),
            std::min<std::size_t>(header_.text_size, kTextBytes)};
  }
  void Write(int buffer, int players, bool rewarded) {
    State state = Allocate(players);
    const auto arrays = state["arrays"_];
    const std::byte* from =
        slot_ + layout_.states_at + static_cast<std::size_t>(buffer) * layout_.state.size;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::memcpy(arrays[i].data, from + layout_.state.offsets[i], arrays[i].size);
    }
    if (!rewarded) return;
    const auto* rewards = reinterpret_cast<const double*>(slot_ + layout_.rewards_at);
    state["reward"_].Assign(rewards, static_cast<std::size_t>(players));
  }

  const SlotLayout& layout_;
  ParentEndpoint& endpoint_;
  std::byte* slot_;
  SlotHeader& header_;
  const bool same_step_, restart_;
  int steps_ = 0;
  int buffer_ = 0;   // where the last complete state is
  int players_ = 0;  // in that state
  std::uint32_t num_rebuilds_ = 0;
  bool unseeded_ = true;
  bool failed_ = false;  // the environment failed, and is to be made anew
  bool has_next_ = false, reset_submitted_ = false;
  bool terminated_ = false, truncated_ = false;
};

}  // namespace envpool::python_family
