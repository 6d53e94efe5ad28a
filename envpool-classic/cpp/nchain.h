// SPDX-License-Identifier: Apache-2.0
// NChain: walk a chain of five states to its far end, or go back for a small reward. OpenAI Gym's
// NChain-v0 (Strens, 2000); Gymnasium has no NChain.
//
//   envpool::Register<envpool::classic::NChain>(m, "NChain");
//
// Observation: the state, 0 .. 4. Action: 0 forward (at the last state: stay there), 1 back to the
// first state; with probability 0.2 the other move happens. Reward: 10 for staying at the last
// state, 2 for going back, else 0. It never terminates.
#pragma once

#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_nchain.h"

namespace envpool::classic {
using namespace envpool::literals;

struct NChainSpec {
  static constexpr int kLength = 5;

  static auto DefaultConfig() { return envpool::Dict{}; }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Discrete(kLength)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(2)};
  }
};

class NChain final : public envpool::Env<NChainSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return false; }

  void Reset() override {
    link_ = 0;
    Write(0);
  }

  void Step(const Action& action) override {
    constexpr double kSlip = 0.2;
    const bool slips = gen_.Random() < kSlip;
    const bool back = (action["action"_] == 1) != slips;
    if (back) {
      link_ = 0;
      Write(2);
    } else if (link_ < NChainSpec::kLength - 1) {
      ++link_;
      Write(0);
    } else {
      Write(10);
    }
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(link_); }
  void LoadState(envpool::StateReader& in) { in.Read(link_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, NChainFrame(NChainSpec::kLength));
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, NChainFrame(NChainSpec::kLength),
               [this](const Canvas& canvas) { DrawNChain(canvas, NChainSpec::kLength, link_); });
  }

 private:
  void Write(float reward) {
    State state = Allocate();
    state["obs"_] = link_;
    state["reward"_] = reward;
  }

  int link_ = 0;
};

}  // namespace envpool::classic
