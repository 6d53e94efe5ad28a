// SPDX-License-Identifier: Apache-2.0
// CliffWalking: from the lower left corner to the lower right corner, along a cliff. Gymnasium's
// CliffWalking-v1, CliffWalkingSlippery-v1 and CliffWalking-v0, which is older than the slippery
// one.
//
//   envpool::Register<envpool::classic::CliffWalking>(m, "CliffWalking");
//
// Observation: row * 12 + column on the 4 x 12 grid. Action: 0 up, 1 right, 2 down, 3 left;
// slippery: that direction or either side, each with probability 1/3. Reward: -1, or -100 on the
// cliff, which leads back to the start. Terminal: the goal. `info:prob`: the probability of the
// actual move.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_cliff_walking.h"

namespace envpool::classic {
using namespace envpool::literals;

struct CliffWalkingSpec {
  static constexpr int kRows = 4, kColumns = 12;

  static auto DefaultConfig() { return envpool::Dict{"is_slippery"_ = false}; }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Discrete(kRows * kColumns),
                         "info:prob"_ = envpool::Box<float>({envpool::kPlayers})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(4)};
  }
};

class CliffWalking final : public envpool::Env<CliffWalkingSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return cell_ == kGoal; }

  void Reset() override {
    cell_ = kStart;
    gen_.Random();  // Gymnasium draws the start, although there is only one start
    Write(0, 1);
  }

  void Step(const Action& action) override {
    constexpr double kThird = 1.0 / 3;
    constexpr std::array<double, 3> kOdds = {kThird, kThird, kThird};
    int direction = action["action"_];
    if (slippery_) direction += static_cast<int>(gen_.CategoricalSample(kOdds)) - 1;
    Move(direction & 3);
    const bool fell = cell_ > kStart && cell_ < kGoal;
    if (fell) cell_ = kStart;
    Write(fell ? -100 : -1, slippery_ ? kThird : 1);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(cell_); }
  void LoadState(envpool::StateReader& in) { in.Read(cell_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kCliffWalkingFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kCliffWalkingFrame,
               [this](const Canvas& canvas) { DrawCliffWalking(canvas, cell_); });
  }

 private:
  static constexpr int kRows = CliffWalkingSpec::kRows, kColumns = CliffWalkingSpec::kColumns;
  static constexpr int kStart = (kRows - 1) * kColumns, kGoal = kRows * kColumns - 1;

  void Move(int direction) {
    constexpr std::array<int, 4> kRowSteps = {-1, 0, 1, 0}, kColumnSteps = {0, 1, 0, -1};
    const auto i = static_cast<std::size_t>(direction);
    const int row = std::clamp(cell_ / kColumns + kRowSteps[i], 0, kRows - 1);
    const int column = std::clamp(cell_ % kColumns + kColumnSteps[i], 0, kColumns - 1);
    cell_ = row * kColumns + column;
  }

  void Write(float reward, double probability) {
    State state = Allocate();
    state["obs"_] = cell_;
    state["info:prob"_] = probability;
    state["reward"_] = reward;
  }

  const bool slippery_ = spec_.config["is_slippery"_];
  int cell_ = kStart;
};

}  // namespace envpool::classic
