// SPDX-License-Identifier: Apache-2.0
// FrozenLake: cross the ice to the goal, do not fall into a hole. Gymnasium's FrozenLake-v1 (4x4)
// and FrozenLake8x8-v1, on slippery ice.
//
//   envpool::Register<classic::FrozenLake>(m, "FrozenLake");
//
// Observation: row * size + column. Action: 0 left, 1 down, 2 right, 3 up; the move goes there or
// to either side, each with probability 1/3. Reward: 1 at the goal. Terminal: a hole or the goal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "frame_size.h"
#include "render/draw_frozen_lake.h"
#include "render/scale.h"

namespace classic {
using namespace envpool::literals;

struct FrozenLakeSpec {
  static auto DefaultConfig() { return envpool::Dict{"reward_threshold"_ = 0.7, "size"_ = 4}; }
  static auto StateSpec(const auto& config) {
    const int size = config["size"_];
    if (size != 4 && size != 8) {
      throw std::invalid_argument("FrozenLake has no map of size " + std::to_string(size) +
                                  "; allowed: 4, 8");
    }
    return envpool::Dict{"obs"_ = envpool::Discrete(size * size)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(4)};
  }
};

class FrozenLake final : public envpool::Env<FrozenLakeSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return Letter() == 'H' || Letter() == 'G'; }

  void Reset() override {
    cell_ = 0;
    gen_.Random();  // Gymnasium draws the start, although there is only one
    Write(0);
  }

  void Step(const Action& action) override {
    constexpr double kIntended = 1.0 / 3, kSideways = (1 - kIntended) / 2;
    constexpr std::array<double, 3> kOdds = {kSideways, kIntended, kSideways};
    const int turn = static_cast<int>(gen_.CategoricalSample(kOdds)) - 1;
    Move((action["action"_] + turn) & 3);
    Write(Letter() == 'G' ? 1 : 0);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(cell_); }
  void LoadState(envpool::StateReader& in) { in.Read(cell_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, FrozenLakeFrame(size_, size_));
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, FrozenLakeFrame(size_, size_), [this](const Canvas& canvas) {
      DrawFrozenLake(canvas, {map_, size_, size_, cell_});
    });
  }

 private:
  // S start, F frozen, H hole, G goal; row by row.
  static constexpr std::string_view kMap4 =
      "SFFF"
      "FHFH"
      "FFFH"
      "HFFG";
  static constexpr std::string_view kMap8 =
      "SFFFFFFF"
      "FFFFFFFF"
      "FFFHFFFF"
      "FFFFFHFF"
      "FFFHFFFF"
      "FHHFFFHF"
      "FHFFHFHF"
      "FFFHFFFG";

  char Letter() const { return map_[static_cast<std::size_t>(cell_)]; }

  void Move(int direction) {
    constexpr std::array<int, 4> kRows = {0, 1, 0, -1}, kColumns = {-1, 0, 1, 0};
    const auto i = static_cast<std::size_t>(direction);
    const int row = std::clamp(cell_ / size_ + kRows[i], 0, size_ - 1);
    const int column = std::clamp(cell_ % size_ + kColumns[i], 0, size_ - 1);
    cell_ = row * size_ + column;
  }

  void Write(float reward) {
    State state = Allocate();
    state["obs"_] = cell_;
    state["reward"_] = reward;
  }

  const int size_ = spec_.config["size"_];
  const std::string_view map_ = size_ == 4 ? kMap4 : kMap8;
  int cell_ = 0;
};

}  // namespace classic
