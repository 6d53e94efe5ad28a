// SPDX-License-Identifier: Apache-2.0
// LunarLander: land a craft with three engines on a pad. Gymnasium's LunarLander-v3, with discrete
// or with continuous actions.
//
//   envpool::Register<envpool::box2d::LunarLander>(m, "LunarLander");
//
// Observation: position relative to the pad and velocity, angle and angular velocity, whether the
// legs touch the ground; the bounds are Gymnasium's, and values exceed them now and then. Action: 0
// nothing, 1 and 3 the left and the right engine, 2 the main engine; or two numbers, main and side
// engine. Reward: progress towards rest on the pad, minus the fuel; 100 for coming to rest, -100
// for a crash or for leaving the field. Terminal: all three.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "lunar_lander_game.h"
#include "render/draw_lunar_lander.h"

namespace envpool::box2d {
using namespace envpool::literals;

template <bool kContinuous>
struct LunarLanderSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 200.0, "gravity"_ = -10.0,
                         "enable_wind"_ = false,      "wind_power"_ = 15.0,
                         "turbulence_power"_ = 1.5,   "particles"_ = false};
  }
  static auto StateSpec(const auto& config) {
    if (const double gravity = config["gravity"_]; !(gravity > -12 && gravity < 0)) {
      throw std::invalid_argument("gravity " + std::to_string(gravity) +
                                  " of LunarLander; allowed: between -12 and 0, both excluded");
    }
    constexpr auto kTurn = static_cast<float>(2 * std::numbers::pi);
    return envpool::Dict{"obs"_ =
                             envpool::Box<float>({8}, {-2.5f, -2.5f, -10, -10, -kTurn, -10, 0, 0},
                                                 {2.5f, 2.5f, 10, 10, kTurn, 10, 1, 1})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    if constexpr (kContinuous) {
      return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 2}, -1, 1)};
    } else {
      return envpool::Dict{"action"_ = envpool::Discrete(4)};
    }
  }
};

template <bool kContinuous>
class LunarLanderEnv final
    : public envpool::Env<LunarLanderSpec<kContinuous>, envpool::NumpyRandom> {
  using Base = envpool::Env<LunarLanderSpec<kContinuous>, envpool::NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  LunarLanderEnv(const Spec& spec, int env_id)
      : Base(spec, env_id),
        game_({.gravity = spec.config["gravity"_],
               .wind = spec.config["enable_wind"_],
               .wind_power = spec.config["wind_power"_],
               .turbulence_power = spec.config["turbulence_power"_],
               .particles = spec.config["particles"_]}) {}

  bool IsDone() override { return done_; }

  void Reset() override {
    LunarLanderGame::Outcome outcome = game_.Reset(this->gen_);
    outcome.reward = 0;
    Write(outcome);
    done_ = false;
  }

  void Step(const Action& action) override { Write(game_.Step(Engines(action), this->gen_)); }

  void SaveState(envpool::StateWriter& out) const {
    game_.Save(out);
    out.Write(done_);
  }
  void LoadState(envpool::StateReader& in) {
    game_.Load(in);
    in.Read(done_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawing::FrameSize(width, height, kLunarLanderFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    drawing::DrawAtSize(rgb, {width, height}, kLunarLanderFrame,
                        [this](const drawing::Canvas& canvas) { DrawLunarLander(canvas, game_); });
  }

 private:
  static LunarLanderGame::Engines Engines(const Action& action) {
    LunarLanderGame::Engines engines;
    if constexpr (kContinuous) {
      const double main = std::clamp<double>(action["action"_][0], -1, 1);
      const double side = std::clamp<double>(action["action"_][1], -1, 1);
      if (main > 0) engines.main = (main + 1.0) * 0.5;
      if (std::abs(side) > 0.5) {
        engines.side = std::abs(side);
        engines.direction = side < 0 ? -1 : 1;
      }
    } else {
      const int choice = action["action"_];
      if (choice == 2) engines.main = 1;
      if (choice == 1 || choice == 3) {
        engines.side = 1;
        engines.direction = choice - 2;
      }
    }
    return engines;
  }

  void Write(const LunarLanderGame::Outcome& outcome) {
    done_ = outcome.terminated;
    State state = this->Allocate();
    for (std::size_t i = 0; i < outcome.observation.size(); ++i) {
      state["obs"_][i] = outcome.observation[i];
    }
    state["reward"_] = outcome.reward;
  }

  LunarLanderGame game_;
  bool done_ = true;
};

using LunarLander = LunarLanderEnv<false>;
using LunarLanderContinuous = LunarLanderEnv<true>;

}  // namespace envpool::box2d
