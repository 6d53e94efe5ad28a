// SPDX-License-Identifier: Apache-2.0
// The environments that the contract checks are tried on: Walk, one walker with images and saved
// states; Hike, a walk whose episodes are legs of a longer one; Team, several walkers with nested
// and dynamic arrays. The option "flaw" names what is wrong with them: nothing if it is empty, else
// one promise of the contract is broken.
#include <envpool/module.h>
#include <envpool/state_io.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace walks {

using namespace envpool::literals;

constexpr float kInf = std::numeric_limits<float>::infinity();

struct WalkSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"flaw"_ = "", "goal"_ = 6.0, "noise"_ = true, "horizon"_ = 1000};
  }
  static auto StateSpec(const auto& config) {
    const std::string flaw = config["flaw"_];
    const float low = flaw == "low_is_tiny"   ? std::numeric_limits<float>::min()
                      : flaw == "low_is_high" ? 9.0f
                                              : -8.0f;
    return envpool::Dict{"obs"_ = envpool::Box<float>({2}, {low, 0.0f}, {8.0f, kInf}),
                         "info:side"_ = envpool::Box<int>({}, -1, 1)};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(3)}; }
};

class Walk : public envpool::Env<WalkSpec> {
 public:
  Walk(const Spec& spec, int env_id) : Env(spec, env_id), flaw_(spec.config["flaw"_]) {
    if (flaw_ == "seed_of_config") gen_.seed(static_cast<unsigned>(spec.config["seed"_] + env_id));
    if (flaw_ == "seed_ignored") gen_.seed(7);
    if (flaw_ == "random_device") gen_.seed(std::random_device{}());
  }

  bool IsDone() override {
    if (flaw_ == "limit_is_terminal" && n_ >= spec_.config["max_episode_steps"_]) return true;
    return over_ || std::abs(x_) >= spec_.config["goal"_] || n_ >= spec_.config["horizon"_];
  }

  void Reset() override {
    x_ = Noise();
    if (flaw_ != "reset_keeps_done") over_ = false;
    n_ = 0;
    Write(flaw_ == "reset_has_reward" ? 1.0f : 0.0f);
  }

  void Step(const Action& action) override {
    if (flaw_ == "throws" && n_ == 2) throw std::runtime_error("lost its way");
    ++n_;
    x_ += 0.5 * (action["action"_] - 1) + Noise();
    over_ = flaw_ == "reset_keeps_done" && std::abs(x_) > 1;
    Write(static_cast<float>(-std::abs(x_)));
  }

  void SaveState(envpool::StateWriter& out) const {
    out.Write(x_, over_);
    if (flaw_ != "forgets_step") out.Write(n_);
  }
  void LoadState(envpool::StateReader& in) {
    in.Read(x_, over_);
    if (flaw_ != "forgets_step") in.Read(n_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return {width > 0 ? width : 16, height > 0 ? height : 8};
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) {
    static std::atomic<unsigned char> calls{0};
    const auto shade = static_cast<unsigned char>(128 + 10 * x_);
    for (int i = 0; i < width * height * 3; ++i) rgb[i] = shade;
    if (flaw_ == "render_counts") rgb[0] = ++calls;
    if (flaw_ == "render_moves") x_ += 0.25;
  }

 protected:
  void BeginNextLeg() {
    x_ *= 0.125;
    Write(0);
  }

 private:
  double Noise() {
    static std::mt19937 shared{1};
    if (!spec_.config["noise"_]) return 0;
    std::mt19937& generator = flaw_ == "shared_generator" ? shared : gen_;
    return std::uniform_real_distribution<double>(-0.25, 0.25)(generator);
  }
  void Write(float reward) {
    State state = Allocate();
    state["obs"_][0] = flaw_ == "leaves_bounds" ? x_ * 100 : flaw_ == "nan" && n_ == 2 ? NAN : x_;
    state["obs"_][1] = n_;
    state["info:side"_] = x_ > 0 ? 1 : -1;
    state["reward"_] = reward;
    if (flaw_ == "limit_has_no_discount" && n_ >= spec_.config["max_episode_steps"_]) {
      state["discount"_] = 0;
    }
  }

  std::string flaw_;
  double x_ = 0;
  int n_ = 0;
  bool over_ = false;
};

/// A Walk of several legs: all but every third one begin near where the last one ended.
class Hike : public Walk {
 public:
  using Walk::Walk;

  bool Continue() {
    if (++legs_ % 3 == 0) return false;
    BeginNextLeg();
    return true;
  }
  void SaveState(envpool::StateWriter& out) const {
    Walk::SaveState(out);
    out.Write(legs_);
  }
  void LoadState(envpool::StateReader& in) {
    Walk::LoadState(in);
    in.Read(legs_);
  }

 private:
  int legs_ = 0;
};

struct TeamSpec {
  static auto DefaultConfig() { return envpool::Dict{"length"_ = 9, "flaw"_ = ""}; }
  static auto StateSpec(const auto&) {
    using envpool::Container, envpool::kPlayers, envpool::Spec;
    return envpool::Dict{
        "obs:players.at"_ = envpool::Box<double>({kPlayers, 2}, -100.0, 100.0),
        "obs:clock"_ = envpool::Box<std::uint8_t>({}, 0, 255),
        "info:players.trail"_ = Spec<Container<float>>({kPlayers}, Spec<float>({-1})),
        "info:deep.score"_ = Spec<std::int64_t>({})};
  }
  static auto ActionSpec(const auto&) {
    using envpool::kPlayers;
    return envpool::Dict{"players.move"_ = envpool::Box<double>({kPlayers, 2}, -1.0, 1.0),
                         "wind.from"_ = envpool::Box<int>({}, -3, 3)};
  }
};

/// The number of players changes from step to step, and may be 0. Of several the last one leaves
/// for good in every third step.
class Team : public envpool::Env<TeamSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return n_ >= spec_.config["length"_]; }
  void Reset() override {
    n_ = 0;
    score_ = 0;
    Write();
  }
  void Step(const Action& action) override {
    ++n_;
    score_ += action["wind.from"_];
    for (std::size_t i = 0; i < action["players.move"_].size() / 2; ++i) {
      score_ += static_cast<int>(10 * action["players.move"_](i, 0));
    }
    Write();
  }

 private:
  void Write() {
    const std::string& flaw = spec_.config["flaw"_];
    const int most = max_num_players_;
    const int players = most == 1 ? 1 : std::uniform_int_distribution<int>(0, most)(gen_);
    State state = Allocate(players);
    for (int i = 0; i < players; ++i) {
      const auto at = static_cast<std::size_t>(i);
      state["obs:players.at"_](at, 0) = score_ % 50;
      state["obs:players.at"_](at, 1) = i;
      auto trail = std::make_unique<envpool::TArray<float>>(std::vector<int>{n_ % 3 + 1});
      (*trail)[0] = static_cast<float>(n_ + i);
      state["info:players.trail"_][at] = std::move(trail);
      state["reward"_][at] = n_ == 0 ? 0 : i + 1;
      if (i + 1 < players || most == 1) continue;
      if (n_ % 3 == 0 && n_ > 0) state["discount"_][at] = 0;
      if (flaw == "last_leaves_bounds") state["obs:players.at"_](at, 1) = 101;
      if (flaw == "limit_has_no_discount" && n_ >= spec_.config["max_episode_steps"_]) {
        state["discount"_][at] = 0;
      }
    }
    state["obs:clock"_] = n_;
    state["info:deep.score"_] = score_;
  }

  int n_ = 0;
  std::int64_t score_ = 0;
};

/// A Team that draws itself, as a plain of one shade.
class FilmedTeam : public Team {
 public:
  using Team::Team;
  std::pair<int, int> RenderSize(int, int) const { return {4, 4}; }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) {
    std::fill_n(rgb, width * height * 3, static_cast<unsigned char>(200));
  }
};

}  // namespace walks

PYBIND11_MODULE(walks, m) {
  envpool::Register<walks::Walk>(m, "Walk");
  envpool::Register<walks::Hike>(m, "Hike");
  envpool::Register<walks::Team>(m, "Team");
  envpool::Register<walks::FilmedTeam>(m, "FilmedTeam");
}
