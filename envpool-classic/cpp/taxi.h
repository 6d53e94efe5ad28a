// SPDX-License-Identifier: Apache-2.0
// Taxi: fetch a passenger at one of four stands and bring it to another. Gymnasium's Taxi-v3 and
// Taxi-v4.
//
//   envpool::Register<envpool::classic::Taxi>(m, "Taxi");      // Taxi-v3
//   envpool::Register<envpool::classic::TaxiV4>(m, "TaxiV4");  // adds rain, fickle passengers,
// infos
//
// Observation: ((row * 5 + column) * 5 + passenger) * 4 + destination; passenger 0 .. 3 waits at a
// stand, 4 rides. Action: 0 south, 1 north, 2 east, 3 west, 4 pick up, 5 drop off. Reward: -1; +20
// for the delivery, -10 for a pick up or drop off that is not possible. Terminal: the delivery.
// TaxiV4 has `info:prob`, the probability of the actual move, and `info:action_mask`, 1 for every
// action that changes the state.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_taxi.h"

namespace envpool::classic {
using namespace envpool::literals;

struct TaxiSpec {
  static auto DefaultConfig() { return envpool::Dict{"reward_threshold"_ = 8.0}; }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Discrete(500)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(6)};
  }
};

struct TaxiV4Spec : TaxiSpec {
  static auto DefaultConfig() {
    return TaxiSpec::DefaultConfig() +
           envpool::Dict{"is_rainy"_ = false, "fickle_passenger"_ = false,
                         "rainy_probability"_ = 0.8, "fickle_probability"_ = 0.3};
  }
  static auto StateSpec(const auto& config) {
    CheckProbability("rainy_probability", config["rainy_probability"_]);
    CheckProbability("fickle_probability", config["fickle_probability"_]);
    return TaxiSpec::StateSpec(config) +
           envpool::Dict{"info:prob"_ = envpool::Box<float>({envpool::kPlayers}),
                         "info:action_mask"_ = envpool::Box<std::int8_t>({6}, 0, 1)};
  }
};

/// The parts of the state.
struct TaxiState {
  int row = 0, column = 0;
  int passenger = 0, destination = 0;

  /// The observation.
  int Code() const { return ((row * 5 + column) * 5 + passenger) * 4 + destination; }
  static TaxiState Of(int code) { return {code / 100, code / 20 % 5, code / 4 % 5, code % 4}; }
  /// The stand at the taxi's cell, or -1.
  int Stand() const {
    constexpr std::array<std::pair<int, int>, 4> kStands = {{{0, 0}, {0, 4}, {4, 0}, {4, 3}}};
    for (int i = 0; i < 4; ++i) {
      if (kStands[static_cast<std::size_t>(i)] == std::pair(row, column)) return i;
    }
    return -1;
  }
  /// True if the taxi can leave its cell: 0 south, 1 north, 2 east, 3 west.
  bool Open(int direction) const {
    // True if the wall between columns c and c + 1 is in the two upper rows, or in the two lower
    // rows.
    const auto wall = [this](int c) {
      return row < 2 ? c == 1 : row > 2 ? c == 0 || c == 2 : false;
    };
    switch (direction) {
      case 0:
        return row < 4;
      case 1:
        return row > 0;
      case 2:
        return column < 4 && !wall(column);
      default:
        return column > 0 && !wall(column - 1);
    }
  }
  void Move(int direction) {
    if (!Open(direction)) return;
    row += direction == 0 ? 1 : direction == 1 ? -1 : 0;
    column += direction == 2 ? 1 : direction == 3 ? -1 : 0;
  }
};

template <typename Description>
class TaxiOf final : public envpool::Env<Description, envpool::NumpyRandom> {
  using Base = envpool::Env<Description, envpool::NumpyRandom>;
  static constexpr bool kV4 = std::is_same_v<Description, TaxiV4Spec>;

 public:
  using Base::Base;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;
  using typename Base::Action;
  using typename Base::State;

  bool IsDone() override { return done_; }

  void Reset() override {
    taxi_ = FirstState(this->gen_.Random());
    if constexpr (kV4) {
      fickle_ = this->spec_.config["fickle_passenger"_] &&
                this->gen_.Random() < this->spec_.config["fickle_probability"_];
    }
    heading_ = 0;
    done_ = false;
    Write(0, 1);
  }

  void Step(const Action& action) override {
    const int choice = action["action"_];
    const TaxiState before = taxi_;
    double probability = 1;
    int reward = -1;
    if (choice < 4) {
      probability = Drive(choice);
      heading_ = choice;
    } else {
      this->gen_.Random();  // Gymnasium draws the outcome, although there is only one outcome
      reward = choice == 4 ? PickUp() : DropOff();
    }
    if (fickle_ && before.passenger == 4 &&
        (taxi_.row != before.row || taxi_.column != before.column)) {
      fickle_ = false;
      const int other = static_cast<int>(this->gen_.Choice(3));
      taxi_.destination = other < before.destination ? other : other + 1;
    }
    Write(reward, probability);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(taxi_, heading_, fickle_, done_); }
  void LoadState(envpool::StateReader& in) { in.Read(taxi_, heading_, fickle_, done_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kTaxiFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kTaxiFrame, [this](const Canvas& canvas) {
      DrawTaxi(canvas, {.row = taxi_.row,
                        .column = taxi_.column,
                        .passenger = taxi_.passenger,
                        .destination = taxi_.destination,
                        .heading = heading_});
    });
  }

 private:
  // The state for a number in [0, 1): 300 states are equally likely, those with the passenger at a
  // stand that is not the destination.
  static TaxiState FirstState(double drawn) {
    // Summed one by one: the sums' rounding decides which state a number gives.
    static const std::array<double, 500> cumulative = [] {
      std::array<double, 500> sums{};
      double sum = 0;
      for (int code = 0; code < 500; ++code) {
        const TaxiState state = TaxiState::Of(code);
        if (state.passenger < 4 && state.passenger != state.destination) sum += 1.0 / 300;
        sums[static_cast<std::size_t>(code)] = sum;
      }
      return sums;
    }();
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), drawn);
    // Gymnasium takes state 0 if no sum reaches the number.
    return TaxiState::Of(found == cumulative.end() ? 0
                                                   : static_cast<int>(found - cumulative.begin()));
  }

  // Moves the taxi; returns the probability of the move that happened.
  double Drive(int direction) {
    if constexpr (kV4) {
      if (this->spec_.config["is_rainy"_]) return DriveInRain(direction);
    }
    this->gen_.Random();  // as above, the outcome
    taxi_.Move(direction);
    return 1;
  }
  // In rain the taxi may drift to its left or right, unless it cannot move at all.
  double DriveInRain(int direction) {
    constexpr std::array<int, 4> kLeft = {2, 3, 1, 0}, kRight = {3, 2, 0, 1};
    const double intended = this->spec_.config["rainy_probability"_];
    const double sideways = (1 - intended) / 2;
    const std::array<double, 3> odds = {intended, sideways, sideways};
    const std::size_t outcome = this->gen_.CategoricalSample(odds);
    if (taxi_.Open(direction)) {
      const auto i = static_cast<std::size_t>(direction);
      taxi_.Move(outcome == 0 ? direction : outcome == 1 ? kLeft[i] : kRight[i]);
    }
    return odds[outcome];
  }

  // PickUp and DropOff return the reward.
  int PickUp() {
    if (taxi_.passenger == 4 || taxi_.Stand() != taxi_.passenger) return -10;
    taxi_.passenger = 4;
    return -1;
  }
  int DropOff() {
    if (taxi_.passenger != 4 || taxi_.Stand() < 0) return -10;
    taxi_.passenger = taxi_.Stand();
    done_ = taxi_.passenger == taxi_.destination;
    return done_ ? 20 : -1;
  }

  void Write(int reward, [[maybe_unused]] double probability) {
    State state = this->Allocate();
    state["obs"_] = taxi_.Code();
    if constexpr (kV4) {
      state["info:prob"_] = probability;
      const bool rides = taxi_.passenger == 4;
      const bool can_pick_up = !rides && taxi_.Stand() == taxi_.passenger;
      const bool can_drop_off = rides && taxi_.Stand() >= 0;
      state["info:action_mask"_].Assign(taxi_.Open(0), taxi_.Open(1), taxi_.Open(2), taxi_.Open(3),
                                        can_pick_up, can_drop_off);
    }
    state["reward"_] = reward;
  }

  TaxiState taxi_;
  int heading_ = 0;      // the last move, for the frame
  bool fickle_ = false;  // the passenger will change the destination once the taxi moves
  bool done_ = true;
};

using Taxi = TaxiOf<TaxiSpec>;
using TaxiV4 = TaxiOf<TaxiV4Spec>;

}  // namespace envpool::classic
