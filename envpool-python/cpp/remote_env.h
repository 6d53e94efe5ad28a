// SPDX-License-Identifier: Apache-2.0
// RemoteEnv: an environment that a worker process has, as the engine sees it.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/env.h"
#include "envpool/exchange.h"
#include "office.h"

namespace envpool::remote {

struct RemoteSpec {
  static auto DefaultConfig() {
    return Dict{"layout"_ = std::shared_ptr<Layout>(), "office"_ = std::shared_ptr<Office>(),
                "autoreset_mode"_ = "next_step", "restart"_ = false};
  }
  static auto StateSpec(const auto& config) {
    const std::shared_ptr<Layout>& layout = config["layout"_];
    return Dict{"arrays"_ = layout ? SpecList{layout->state.arrays} : SpecList{}};
  }
  static auto ActionSpec(const auto& config) {
    const std::shared_ptr<Layout>& layout = config["layout"_];
    return Dict{"arrays"_ = layout ? SpecList{layout->action.arrays} : SpecList{}};
  }
};

class RemoteEnv final : public Env<RemoteSpec> {
 public:
  static constexpr StepKind kStepKind = StepKind::kPosted;

  RemoteEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        layout_(*spec.config["layout"_]),
        office_(*spec.config["office"_]),
        slot_(office_.segment().slot(env_id)),
        head_(office_.segment().slot_head(env_id)),
        goes_on_(spec.config["autoreset_mode"_] == "same_step"),
        restart_(spec.config["restart"_]) {}

  static Exchange& ExchangeOf(const Spec& spec) { return *spec.config["office"_]; }

  void Post(const Action& action) noexcept {
    const auto arrays = action["arrays"_];
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::memcpy(slot_ + layout_.actions_at + layout_.action.offsets[i], arrays[i].data,
                  arrays[i].size);
    }
    head_.num_actions = static_cast<std::int32_t>(action["players.env_id"_].Shape(0));
    ++steps_;
    head_.last = steps_ >= spec_.config["max_episode_steps"_];
    head_.goes_on = goes_on_;
    head_.set = !set_;
    Ask(Op::kStep);
  }
  void PostReset() noexcept {
    if (office_.state_of(env_id_).gone) broken_ = true;
    if (broken_) ++life_;
    head_.seed = seed_;
    head_.life = life_;
    head_.set = !set_;
    const bool seeds = unseeded_ || broken_;
    unseeded_ = broken_ = false;
    reset_posted_ = true;
    Ask(seeds ? Op::kSeed : Op::kReset);
  }

  void Step(const Action&) override {
    terminated_ = truncated_ = false;
    if (!Answered()) {
      // What the worker wrote may be half of an observation; the one before is whole.
      if (!restart_) throw std::runtime_error(Problem());
      office_.Tell(env_id_, Problem());
      truncated_ = true;
      Write(set_, players_, false);
      return;
    }
    set_ = head_.set;
    players_ = head_.players;
    terminated_ = head_.terminated != 0;
    truncated_ = head_.truncated != 0;
    has_next_ = head_.has_next != 0;
    Write(set_, players_, true);
  }
  void Reset() override {
    steps_ = 0;
    terminated_ = truncated_ = false;
    if (std::exchange(has_next_, false)) {
      set_ = kNextState;
      players_ = head_.next_players;
    } else {
      if (!reset_posted_) {  // a step ended without an answer, and the next episode is to follow
        PostReset();
        office_.AwaitOne(env_id_);
      }
      reset_posted_ = false;
      if (!Answered()) throw std::runtime_error(Problem());
      set_ = head_.set;
      players_ = head_.players;
    }
    Write(set_, players_, false);
  }
  bool IsDone() override { return terminated_; }
  bool IsTruncated() { return truncated_; }

 private:
  void Ask(Op op) noexcept {
    head_.op = op;
    head_.failed = 0;
    head_.has_next = 0;
    head_.info_size[0] = head_.info_size[1] = 0;
    office_.Post(env_id_);
  }
  bool Answered() {
    const bool answered = !office_.state_of(env_id_).unanswered && head_.failed == 0;
    if (!answered) broken_ = true;
    return answered;
  }
  std::string Problem() const {
    if (office_.state_of(env_id_).unanswered) return office_.state_of(env_id_).why;
    return {reinterpret_cast<const char*>(slot_ + layout_.text_at),
            std::min<std::size_t>(head_.text_size, kTextBytes)};
  }
  void Write(int set, int players, bool rewarded) {
    State state = Allocate(players);
    const auto arrays = state["arrays"_];
    const std::byte* from =
        slot_ + layout_.states_at + static_cast<std::size_t>(set) * layout_.state.size;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::memcpy(arrays[i].data, from + layout_.state.offsets[i], arrays[i].size);
    }
    if (!rewarded) return;
    const auto* rewards = reinterpret_cast<const double*>(slot_ + layout_.rewards_at);
    state["reward"_].Assign(rewards, static_cast<std::size_t>(players));
  }

  const Layout& layout_;
  Office& office_;
  std::byte* slot_;
  SlotHead& head_;
  const bool goes_on_, restart_;
  int steps_ = 0;
  int set_ = 0;      // where the last complete state is
  int players_ = 0;  // in that state
  std::uint32_t life_ = 0;
  bool unseeded_ = true;
  bool broken_ = false;  // the environment failed, and is to be made anew
  bool has_next_ = false, reset_posted_ = false;
  bool terminated_ = false, truncated_ = false;
};

}  // namespace envpool::remote
