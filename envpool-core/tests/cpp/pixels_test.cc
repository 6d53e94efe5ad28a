// SPDX-License-Identifier: Apache-2.0
// FromPixels: observations are frames, newest last; rewards, infos and players are those of the
// environment; dynamic arrays are freed once, also those that a failed step leaves behind; seeds
// change while threads build environments, and ThreadSanitizer sees no race.
#include <envpool/pixels.h>

#include <array>
#include <atomic>

#include "support.h"

namespace testing_envs {
namespace {

using envpool::FromPixels;
using envpool::PoolOptions;

constexpr int kWidth = 3, kHeight = 2;

struct PaintedSpec {
  static auto DefaultConfig() { return envpool::Dict{"fails"_ = false}; }
  static auto StateSpec(const auto&) {
    return envpool::Dict{"obs:players.hidden"_ = envpool::Spec<envpool::Container<int>>({-1}),
                         "obs:number"_ = envpool::Spec<double>({}),
                         "info:count"_ = envpool::Spec<int>({}),
                         "info:players.shown"_ = envpool::Spec<envpool::Container<int>>({-1})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(200)}; }
};

std::array<std::atomic<std::int64_t>, 4> built_with;  // the last seed, by environment

/// Paints what it counts; has 0 .. max_num_players players.
class Painted : public envpool::Env<PaintedSpec> {
 public:
  Painted(const Spec& spec, int env_id) : Env(spec, env_id) {
    built_with[static_cast<std::size_t>(env_id)] = seed_;
  }

  bool IsDone() override { return false; }
  void Reset() override {
    count_ = 100 * env_id_;
    Write();
  }
  void Step(const Action& action) override {
    count_ += action["action"_];
    Write();
    if (spec_.config["fails"_] && gen_() % 3 == 0) throw std::runtime_error("no more paint");
  }
  std::pair<int, int> RenderSize(int width, int height) const { return {width, height}; }
  void CheckRender(int /*width*/, int /*height*/, int camera_id) const {
    if (camera_id == 5) return;
    throw envpool::OptionError("render_camera_id", std::to_string(camera_id), "5", "pass 5");
  }
  void Render(int width, int height, int camera_id, unsigned char* rgb) const {
    if (camera_id == 6) {
      throw envpool::Error(envpool::ErrorKind::kState, "a camera", "6", "5", "pass 5");
    }
    EXPECT(camera_id == 5);
    for (int i = 0; i < 3 * width * height; ++i) rgb[i] = static_cast<unsigned char>(count_ + i);
  }

 private:
  void Write() {
    const int players = count_ % (max_num_players_ + 1);
    State state = Allocate(players);
    state["info:count"_] = count_;
    for (int i = 0; i < players; ++i) {
      const auto player = static_cast<std::size_t>(i);
      envpool::Container<int>& hidden = state["obs:players.hidden"_][player];
      hidden = std::make_unique<envpool::TArray<int>>(std::vector<int>{2});
      envpool::Container<int>& shown = state["info:players.shown"_][player];
      shown = std::make_unique<envpool::TArray<int>>(std::vector<int>{i + 1});
      state["reward"_][player] = count_ + i;
    }
  }

  int count_ = 0;
};

const auto kConfigure = [](auto& config) {
  config["frame_stack"_] = 2;
  config["render_width"_] = kWidth;
  config["render_height"_] = kHeight;
  config["render_camera_id"_] = 5;
  config["max_num_players"_] = 2;
};
const PoolOptions kEngine{.num_envs = 2, .batch_size = 2, .num_threads = 2};

// Columns of the pool: the frame comes first, the infos follow.
constexpr std::size_t kPixels = envpool::kNumCommonColumns, kCount = kPixels + 1,
                      kShown = kPixels + 2;

/// Whether row `row` has the frames of these two counts.
bool Shows(const Received& result, int row, std::array<int, 2> counts) {
  constexpr int kImage = 3 * kWidth * kHeight, kPlane = kWidth * kHeight;
  const auto* at = result.batch->column<std::uint8_t>(kPixels) + 2 * kImage * row;
  for (int i = 0; i < 2 * kImage; ++i) {
    const int colour = i % kImage / kPlane, pixel = i % kPlane;
    const int count = counts[static_cast<std::size_t>(i / kImage)];
    if (at[i] != static_cast<std::uint8_t>(count + 3 * pixel + colour)) return false;
  }
  return true;
}

void FramesAreObservations() {
  TestPool<FromPixels<Painted>> pool(kEngine, kConfigure);
  pool.Send({0, 1}, Op::kReset);
  Received result = pool.Recv();
  EXPECT(Shows(result, 0, {0, 0}) && Shows(result, 1, {100, 100}));
  pool->Release(*result.batch);
  pool.Send({0, 1}, Op::kStep, 7);
  result = pool.Recv();
  EXPECT(Shows(result, 0, {0, 7}) && Shows(result, 1, {100, 107}));
  EXPECT(result.batch->column<int>(kCount)[1] == 107);
  // 7 % 3 players in env 0, 107 % 3 in env 1: the rows of the three players follow each other.
  EXPECT(result.players == 3);
  const float* rewards = result.batch->column<float>(envpool::kRewardColumn);
  EXPECT(rewards[0] == 7 && rewards[1] == 107 && rewards[2] == 108);
  auto* shown = result.batch->column<envpool::Container<int>>(kShown);
  EXPECT(shown[0]->size() == 1 && shown[1]->size() == 1 && shown[2]->size() == 2);
  for (int i = 0; i < 3; ++i) shown[i].reset();
  pool->Release(*result.batch);
}

void FailedStepsLeaveNothingBehind() {
  TestPool<FromPixels<Painted>> pool(kEngine, [](auto& config) {
    kConfigure(config);
    config["fails"_] = true;
  });
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    pool.Send({0, 1}, i % 2 == 0 ? Op::kReset : Op::kStep, 1);
    Received result;
    try {
      result = pool.Recv();
    } catch (const envpool::Error& error) {
      EXPECT(std::string(error.what()).find("no more paint") != std::string::npos);
      failed += static_cast<int>(error.failures.size());
      if (error.failures.size() == 2) continue;  // no result is left
      result = pool.Recv();
    }
    auto* shown = result.batch->column<envpool::Container<int>>(kShown);
    for (int k = 0; k < result.players; ++k) shown[k].reset();
    pool->Release(*result.batch);
  }
  EXPECT(failed > 0);
}

void WrongSizesAreRefused() {
  for (const int stack : {0, 1025}) {
    const std::string text = TextOf([&] {
      TestPool<FromPixels<Painted>>(kEngine, [&](auto& config) { config["frame_stack"_] = stack; });
    });
    EXPECT(text.find("allowed: 1 .. 1024") != std::string::npos);
  }
  const std::string text = TextOf([&] {
    TestPool<FromPixels<Painted>>(kEngine, [](auto& config) { config["render_width"_] = 0; });
  });
  EXPECT(text.find("observations of 0 x 84 pixels") != std::string::npos);
}

void WhatCannotBeDrawnIsRefused() {
  const std::string text = TextOf([] {
    TestPool<FromPixels<Painted>>(kEngine, [](auto& config) {
      kConfigure(config);
      config["render_camera_id"_] = 4;
    });
  });
  EXPECT(text.find("option 'render_camera_id': got 4; allowed: 5") != std::string::npos);
}

void ErrorsOfRenderingKeepTheirParts() {
  TestPool<FromPixels<Painted>> pool(kEngine, kConfigure);
  std::array<unsigned char, 3> rgb;
  try {
    pool->envs().Render(0, 1, 1, 6, rgb.data());
  } catch (const envpool::Error& error) {
    EXPECT(error.kind == envpool::ErrorKind::kRender);
    EXPECT(error.asked == "a camera" && error.allowed == "5");
    return;
  }
  EXPECT(!"an error");
}

/// While a worker builds one environment anew, which copies the pool's options, the next one gets
/// its seed.
void SeedsChangeWhileEnvironmentsAreBuilt() {
  constexpr int kEnvs = 4;
  TestPool<FromPixels<Painted>> pool({.num_envs = kEnvs, .batch_size = 1, .num_threads = 3},
                                     kConfigure);
  for (std::int64_t round = 0; round < 200; ++round) {
    for (int id = 0; id < kEnvs; ++id) {
      const std::int64_t seed = 10 * round + id;
      pool->Reset(&id, 1, &seed, false, [] {});
    }
    for (int i = 0; i < kEnvs; ++i) {
      const Received received = pool.Recv();
      const int id = received.batch->column<int>(envpool::kEnvIdColumn)[0];
      EXPECT(built_with[static_cast<std::size_t>(id)] == 10 * round + id);
      auto* shown = received.batch->column<envpool::Container<int>>(kShown);
      for (int player = 0; player < received.players; ++player) shown[player].reset();
      pool->Release(*received.batch);
    }
  }
}

}  // namespace
}  // namespace testing_envs

int main() {
  testing_envs::FramesAreObservations();
  testing_envs::FailedStepsLeaveNothingBehind();
  testing_envs::WrongSizesAreRefused();
  testing_envs::WhatCannotBeDrawnIsRefused();
  testing_envs::ErrorsOfRenderingKeepTheirParts();
  testing_envs::SeedsChangeWhileEnvironmentsAreBuilt();
}
