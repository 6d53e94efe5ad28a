// SPDX-License-Identifier: Apache-2.0
// CarRacing: drive around a track that is seen from above. Gymnasium's CarRacing-v3, with
// continuous or with discrete actions.
//
//   envpool::Register<envpool::box2d::CarRacing>(m, "CarRacing");
//
// Observation: the picture, 96 x 96. Action: steering (-1 is left), gas and brake; or 0 nothing, 1
// right, 2 left, 3 gas, 4 brake. Reward: 1000 divided by the number of tiles for each newly visited
// tile, minus 0.1 per step; -100 for leaving the field. Terminal: leaving the field, and a finished
// lap.
#pragma once

#include <cstdint>
#include <utility>

#include "car_racing_game.h"
#include "envpool/drawing/frame_size.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_car_racing.h"

namespace envpool::box2d {
using namespace envpool::literals;

template <bool kContinuous>
struct CarRacingSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 900.0, "lap_complete_percent"_ = 0.95,
                         "domain_randomize"_ = false, "score_text"_ = true};
  }
  /// With `domain_randomize`, true: the episode draws new colors; false: it keeps the last
  /// episode's.
  static auto ResetOptions(const auto& /*config*/) { return envpool::Dict{"randomize"_ = true}; }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Box<std::uint8_t>({96, 96, 3}, 0, 255),
                         "info:lap_finished"_ = envpool::Spec<bool>({})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    if constexpr (kContinuous) {
      return envpool::Dict{"action"_ =
                               envpool::Box<float>({envpool::kPlayers, 3}, {-1, 0, 0}, {1, 1, 1})};
    } else {
      return envpool::Dict{"action"_ = envpool::Discrete(5)};
    }
  }
};

template <bool kContinuous>
class CarRacingEnv final : public envpool::Env<CarRacingSpec<kContinuous>, envpool::NumpyRandom> {
  using Base = envpool::Env<CarRacingSpec<kContinuous>, envpool::NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  CarRacingEnv(const Spec& spec, int env_id)
      : Base(spec, env_id),
        game_({.lap_complete_percent = spec.config["lap_complete_percent"_],
               .domain_randomize = spec.config["domain_randomize"_]}),
        picture_(spec.config["score_text"_] ? ScoreGlyphs::Get() : nullptr) {}

  bool IsDone() override { return outcome_.terminated; }

  void Reset() override {
    game_.Reset(this->gen_, this->reset_options()["randomize"_]);
    outcome_ = {};
    State state = this->Allocate();
    picture_.Observe(game_, state["obs"_].Data());
  }

  void Step(const Action& action) override {
    game_.Move(Controls(action));
    State state = this->Allocate();
    picture_.Observe(game_, state["obs"_].Data());
    outcome_ = game_.Judge();
    state["reward"_] = outcome_.reward;
    state["info:lap_finished"_] = outcome_.lap_finished;
  }

  CarRacingGame::Colors Kept() const { return game_.colors(); }
  void Keep(const CarRacingGame::Colors& kept) { game_.SetColors(kept); }

  void SaveState(envpool::StateWriter& out) const {
    game_.Save(out);
    out.Write(outcome_.terminated);
  }
  void LoadState(envpool::StateReader& in) {
    game_.Load(in);
    in.Read(outcome_.terminated);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawing::FrameSize(width, height, kCarRacingFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) {
    picture_.Draw(game_, rgb, {width, height});
  }

 private:
  static CarRacingGame::Controls Controls(const Action& action) {
    if constexpr (kContinuous) {
      return {.steer = -static_cast<double>(action["action"_][0]),
              .gas = action["action"_][1],
              .brake = action["action"_][2]};
    } else {
      const int choice = action["action"_];
      return {.steer = choice == 1   ? -0.6
                       : choice == 2 ? 0.6
                                     : 0.0,
              .gas = choice == 3 ? 0.2 : 0.0,
              .brake = choice == 4 ? 0.8 : 0.0};
    }
  }

  CarRacingGame game_;
  CarRacingPicture picture_;
  CarRacingGame::Outcome outcome_{.terminated = true};
};

using CarRacing = CarRacingEnv<true>;
using CarRacingDiscrete = CarRacingEnv<false>;

}  // namespace envpool::box2d
