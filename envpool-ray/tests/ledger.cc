// SPDX-License-Identifier: Apache-2.0
// Ledger: an environment whose observation says which world, episode and step it is from, and what
// was played, so that a row that is lost, doubled or mixed up shows. Crowd: several players, whose
// number changes. An action from 7 on fails: 7 hangs, 8 ends the process, 9 raises.
#include <envpool/env.h>
#include <envpool/module.h>
#include <envpool/state_io.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace {

using namespace envpool::literals;

struct LedgerSpec {
  static auto DefaultConfig() { return envpool::Dict{"work_us"_ = 0, "size"_ = 1}; }
  static auto StateSpec(const auto& config) {
    return envpool::Dict{"obs:ledger"_ = envpool::Spec<std::int64_t>({4}),
                         "obs:frame"_ = envpool::Spec<std::uint8_t>({config["size"_]}),
                         "info:draw"_ = envpool::Spec<std::uint32_t>({})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(10)}; }
};

class Ledger : public envpool::Env<LedgerSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return step_ >= 5 + (seed_ + episode_) % 11; }
  void Reset() override {
    ++episode_;
    step_ = 0;
    Write(0.0f);
  }
  void Step(const Action& action) override {
    const int played = action["action"_];
    if (played == 7) std::this_thread::sleep_for(std::chrono::hours(1));
    if (played == 8) std::_Exit(1);
    if (played == 9) throw std::runtime_error("a failure of the environment");
    const int work = spec_.config["work_us"_];
    if (work > 0) std::this_thread::sleep_for(std::chrono::microseconds(work));
    ++step_;
    past_ = (past_ * 31 + played) % 1000003;
    Write(static_cast<float>(step_));
  }
  void SaveState(envpool::StateWriter& out) const { out.Write(seed_, episode_, step_, past_); }
  void LoadState(envpool::StateReader& in) {
    std::int64_t seed = 0;
    in.Read(seed, episode_, step_, past_);
    world_ = seed;
    moved_ = true;
  }

 private:
  void Write(float reward) {
    State state = Allocate();
    const std::int64_t world = moved_ ? world_ : static_cast<std::int64_t>(seed_);
    state["obs:ledger"_](0) = world;
    state["obs:ledger"_](1) = episode_;
    state["obs:ledger"_](2) = step_;
    state["obs:ledger"_](3) = past_;
    for (std::size_t i = 0; i < state["obs:frame"_].Shape(0); ++i) {
      state["obs:frame"_][i] = static_cast<std::uint8_t>(world + step_);
    }
    state["info:draw"_] = gen_();
    state["reward"_] = reward;
  }

  std::int64_t episode_ = -1, step_ = 0, past_ = 0, world_ = 0;
  bool moved_ = false;
};

struct CrowdSpec {
  static auto DefaultConfig() { return envpool::Dict{}; }
  static auto StateSpec(const auto&) {
    return envpool::Dict{"obs"_ = envpool::Spec<std::int64_t>({envpool::kPlayers, 2})};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::Box<int>({envpool::kPlayers}, 0, 99)};
  }
};

class Crowd : public envpool::Env<CrowdSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return step_ >= 7; }
  void Reset() override {
    step_ = sum_ = 0;
    Write();
  }
  void Step(const Action& action) override {
    const auto& played = action["action"_];
    ++step_;
    for (std::size_t i = 0; i < played.Shape(0); ++i) sum_ += played[i];
    Write();
  }
  void SaveState(envpool::StateWriter& out) const { out.Write(step_, sum_); }
  void LoadState(envpool::StateReader& in) { in.Read(step_, sum_); }

 private:
  void Write() {
    const int players = 1 + static_cast<int>((seed_ + step_) % max_num_players_);
    State state = Allocate(players);
    for (std::size_t i = 0; i < state["obs"_].Shape(0); ++i) {
      state["obs"_](i, 0) = static_cast<std::int64_t>(seed_);
      state["obs"_](i, 1) = sum_;
      state["reward"_][i] = static_cast<float>(i);
    }
  }

  std::int64_t step_ = 0, sum_ = 0;
};

}  // namespace

PYBIND11_MODULE(ledger, m) {
  envpool::Register<Ledger>(m, "Ledger");
  envpool::Register<Crowd>(m, "Crowd");
}
