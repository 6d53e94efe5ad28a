// SPDX-License-Identifier: Apache-2.0
// Catch: move a paddle under a falling ball. The rules of Catch in bsuite (Osband et al., 2020).
//
//   envpool::Register<envpool::classic::Catch>(m, "Catch");
//
// Observation: a height x width board, 1 at the ball and at the paddle (in the last row), else 0.
// The ball starts in a random column of the first row and falls one row per step. Action: paddle 0
// left, 1 stay, 2 right. Reward and terminal: when the ball arrives in the last row, +1 on the
// paddle, else -1.
#pragma once

#include <algorithm>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_catch.h"

namespace envpool::classic {
using namespace envpool::literals;

struct CatchSpec {
  static auto DefaultConfig() { return envpool::Dict{"height"_ = 10, "width"_ = 5}; }
  static auto StateSpec(const auto& config) {
    const int height = config["height"_], width = config["width"_];
    CheckAtLeast("height", height, 2);
    CheckAtLeast("width", width, 1);
    return envpool::Dict{"obs"_ = envpool::Box<float>({height, width}, 0, 1)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(3)};
  }
};

class Catch final : public envpool::Env<CatchSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return row_ == height_ - 1; }

  void Reset() override {
    row_ = 0;
    column_ = static_cast<int>(gen_.Integers(0, width_));
    paddle_ = width_ / 2;
    Write(0);
  }

  void Step(const Action& action) override {
    paddle_ = std::clamp(paddle_ + action["action"_] - 1, 0, width_ - 1);
    ++row_;
    Write(!IsDone() ? 0 : paddle_ == column_ ? 1 : -1);
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(row_, column_, paddle_); }
  void LoadState(envpool::StateReader& in) { in.Read(row_, column_, paddle_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, CatchFrame(height_, width_));
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, CatchFrame(height_, width_), [this](const Canvas& canvas) {
      DrawCatch(canvas, {height_, width_, row_, column_, paddle_});
    });
  }

 private:
  void Write(float reward) {
    State state = Allocate();
    state["obs"_](row_, column_) = 1;
    state["obs"_](height_ - 1, paddle_) = 1;
    state["reward"_] = reward;
  }

  const int height_ = spec_.config["height"_];
  const int width_ = spec_.config["width"_];
  int row_ = height_ - 1, column_ = 0;  // of the ball
  int paddle_ = 0;                      // column
};

}  // namespace envpool::classic
