// SPDX-License-Identifier: Apache-2.0
// BipedalWalker: walk over rough ground with two legs; "hardcore" has stumps, stairs and pits.
// Gymnasium's BipedalWalker-v3 and BipedalWalkerHardcore-v3.
//
//   envpool::Register<envpool::box2d::BipedalWalker>(m, "BipedalWalker");
//
// Observation: angle and velocities of the hull, angles and speeds of the joints, whether the feet
// touch the ground, and the lengths of ten rays; the bounds are Gymnasium's, and values exceed them
// now and then. Action: strength and direction of each joint's motor. Reward: the distance covered,
// minus a cost of the hull's tilt and of the motors; -100 for a fall. Terminal: a fall, or the far
// end.
#pragma once

#include <array>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "bipedal_walker_game.h"
#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_bipedal_walker.h"

namespace envpool::box2d {
using namespace envpool::literals;

struct BipedalWalkerSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 300.0, "hardcore"_ = false};
  }
  static auto StateSpec(const auto& /*config*/) {
    constexpr auto kPi = std::numbers::pi_v<float>;
    std::vector<float> low{-kPi, -5, -5, -5, -kPi, -5, -kPi, -5, 0, -kPi, -5, -kPi, -5, 0};
    std::vector<float> high{kPi, 5, 5, 5, kPi, 5, kPi, 5, 5, kPi, 5, kPi, 5, 5};
    low.resize(24, -1);
    high.resize(24, 1);
    return envpool::Dict{"obs"_ = envpool::Box<float>({24}, low, high)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 4}, -1, 1)};
  }
};

class BipedalWalker final : public envpool::Env<BipedalWalkerSpec, envpool::NumpyRandom> {
 public:
  BipedalWalker(const Spec& spec, int env_id)
      : Env(spec, env_id), game_(spec.config["hardcore"_]) {}

  bool IsDone() override { return done_; }

  void Reset() override {
    BipedalWalkerGame::Outcome outcome = game_.Reset(gen_);
    outcome.reward = 0;
    Write(outcome);
    done_ = false;
  }

  void Step(const Action& action) override {
    BipedalWalkerGame::Action joints;
    for (std::size_t i = 0; i < joints.size(); ++i) joints[i] = action["action"_][i];
    Write(game_.Step(joints));
  }

  void SaveState(envpool::StateWriter& out) const {
    game_.Save(out);
    out.Write(done_);
  }
  void LoadState(envpool::StateReader& in) {
    game_.Load(in);
    in.Read(done_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawing::FrameSize(width, height, kBipedalWalkerFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    drawing::DrawAtSize(
        rgb, {width, height}, kBipedalWalkerFrame,
        [this](const drawing::Canvas& canvas) { DrawBipedalWalker(canvas, game_); });
  }

 private:
  void Write(const BipedalWalkerGame::Outcome& outcome) {
    done_ = outcome.terminated;
    State state = Allocate();
    for (std::size_t i = 0; i < outcome.observation.size(); ++i) {
      state["obs"_][i] = outcome.observation[i];
    }
    state["reward"_] = outcome.reward;
  }

  BipedalWalkerGame game_;
  bool done_ = true;
};

}  // namespace envpool::box2d
