// SPDX-License-Identifier: Apache-2.0
// A level as an environment of a pool.
//
//   AddLevels({kMeadow});
//   envpool::Register<MiniGrid>(m, "MiniGrid");
//
// Observation: image (see observation.h), direction, mission. Actions: 0 turn left, 1 turn right,
// 2 forward, 3 pick up, 4 drop, 5 toggle, 6 done. The rules and the reward are the level's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "levels/all.h"
#include "observation.h"

namespace envpool::minigrid {

struct MiniGridSpec {
  static auto DefaultConfig() { return DefaultOptions(); }

  static auto StateSpec(const auto& config) {
    const Options options = OptionsOf(config);
    const Level& level = LevelOf(options);
    const Layout layout = level.layout(options);
    if (level.check != nullptr) level.check(options, layout);
    const int view = Checked("agent_view_size", options["agent_view_size"_], 3, kMaxView);
    if (view % 2 == 0) {
      throw envpool::OptionError("agent_view_size", std::to_string(view), "odd numbers, 3 .. 63",
                                 "pass an odd number: the agent is in the middle");
    }
    Checked("tile_size", options["tile_size"_], 0, 256);
    const int bytes =
        Checked("mission_bytes", options["mission_bytes"_], level.longest_mission, 1 << 16);
    const int larger = std::max(layout.width, layout.height);
    return envpool::Dict{
        "obs:image"_ = envpool::SpecList{{ImageSpec(options, layout)}},
        "obs:direction"_ = envpool::Spec<int>({}, {0, 3}),
        "obs:mission"_ = envpool::Spec<std::uint8_t>({bytes}, {0, 255}),
        "info:agent_pos"_ = envpool::Spec<int>({2}, {0, larger}),
        "info:mission_id"_ = envpool::Spec<int>({}, {-1, std::numeric_limits<int>::max()}),
        "info:max_steps"_ = envpool::Spec<int>({}, {1, std::numeric_limits<int>::max()})};
  }
  static auto ActionSpec(const auto& config) {
    const int most = Checked("action_max", config["action_max"_], 2, kNumActions - 1);
    return envpool::Dict{"action"_ = envpool::Discrete(most + 1)};
  }

 private:
  static envpool::ArraySpec ImageSpec(const Options& options, const Layout& layout) {
    const int view = options["agent_view_size"_];
    const int tile = options["tile_size"_] == 0 ? 8 : options["tile_size"_];
    const auto bytes = [](std::vector<int> shape) {
      return envpool::MakeArraySpec("obs:image",
                                    envpool::Spec<std::uint8_t>(std::move(shape), {0, 255}));
    };
    switch (ObsModeOf(options["obs_mode"_])) {
      case ObsMode::kImage:
        return bytes({view, view, 3});
      case ObsMode::kFull:
        return bytes({layout.width, layout.height, 3});
      case ObsMode::kRgb:
        return bytes({layout.height * tile, layout.width * tile, 3});
      case ObsMode::kRgbPartial:
        return bytes({view * tile, view * tile, 3});
      case ObsMode::kOnehot:
        return bytes({view, view, kOnehotBits});
      case ObsMode::kSymbolic:
        break;
    }
    std::vector<std::int64_t> low, high;
    for (int i = 0; i < layout.width * layout.height; ++i) {
      low.insert(low.end(), {0, 0, -1});
      high.insert(high.end(), {layout.width - 1, layout.height - 1, kAgent});
    }
    return envpool::MakeArraySpec(
        "obs:image", envpool::Box<std::int64_t>({layout.width, layout.height, 3}, low, high));
  }
};

/// `kKind` declares the length of steps: levels of BabyAI and WFC take longer to make.
template <envpool::StepKind kKind>
class LevelEnv final : public envpool::Env<MiniGridSpec, envpool::NumpyRandom> {
 public:
  static constexpr auto kStepKind = kKind;

  LevelEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        options_(OptionsOf(spec.config)),
        level_(LevelOf(options_)),
        world_(level_, level_.layout(options_), options_, gen_),
        observer_(world_) {}

  bool IsDone() override { return world_.over != 0; }
  bool IsTruncated() { return world_.steps >= world_.max_steps; }

  void Reset() override {
    const int given = spec_.config["max_episode_steps"_];
    world_.Reset(given == std::numeric_limits<int>::max() ? 0 : given);
    // minigrid's wrappers read the grid at the end of a step; the observation was made before.
    const bool of_grid = mode_ != ObsMode::kImage && mode_ != ObsMode::kOnehot;
    if (of_grid) Begin();
    Write(0);
    if (!of_grid) Begin();
  }
  void Step(const Action& action) override {
    Turn turn{action["action"_]};
    level_.step(world_, turn);
    world_.over = turn.terminated;
    Write(turn.reward);
  }

  void SaveState(envpool::StateWriter& out) const { world_.Save(out); }
  void LoadState(envpool::StateReader& in) { world_.Load(in); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return envpool::drawing::FrameSize(width, height, OwnSize());
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) {
    envpool::drawing::DrawAtSize(rgb, {width, height}, OwnSize(), [this](const auto& canvas) {
      const int tile = TileSize(32);
      if (options_["agent_pov"_]) return observer_.DrawView(tile, canvas.At(0, 0));
      observer_.DrawGrid(tile, options_["highlight"_], canvas.At(0, 0));
    });
  }

 private:
  void Begin() {
    if (level_.begin != nullptr) level_.begin(world_);
  }
  int TileSize(int own) const { return options_["tile_size"_] == 0 ? own : options_["tile_size"_]; }
  envpool::drawing::Size OwnSize() const {
    const int tile = TileSize(32), view = options_["agent_view_size"_];
    if (options_["agent_pov"_]) return {tile * view, tile * view};
    return {tile * world_.width(), tile * world_.height()};
  }
  void Write(double reward) {
    State state = Allocate();
    observer_.Write(mode_, TileSize(8), options_["highlight"_], state["obs:image"_][0].data);
    state["obs:direction"_] = world_.direction;
    const std::string_view text = world_.mission.text();
    std::memcpy(state["obs:mission"_].data(), text.data(), text.size());  // the rest is 0
    state["info:agent_pos"_].Assign(world_.agent.x, world_.agent.y);
    state["info:mission_id"_] = world_.mission.id();
    state["info:max_steps"_] = world_.max_steps;
    state["reward"_] = reward;
  }

  const Options options_;
  const Level& level_;
  const ObsMode mode_ = ObsModeOf(options_["obs_mode"_]);
  Gridworld world_;
  const Observer observer_;
};

using MiniGrid = LevelEnv<envpool::StepKind::kTrivial>;
/// The class for levels that take long to make.
using SlowMiniGrid = LevelEnv<envpool::StepKind::kDefault>;

}  // namespace envpool::minigrid
