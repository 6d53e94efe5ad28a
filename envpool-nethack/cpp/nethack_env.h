// SPDX-License-Identifier: Apache-2.0
// NethackEnv: a task of nle or MiniHack in a pool.
//
//   envpool::Register<envpool::nethack::NethackEnv>(m, "Nethack");
//
// In the first game of an environment, the seeds core and disp are the environment's seed, as in
// nle's `seed(s, s)`. Seeds of later games are drawn from its generator, or given to a reset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/state_io.h"
#include "game/terminal_text.h"
#include "settings.h"

namespace envpool::nethack {

struct NethackSpec {
  static auto DefaultConfig() { return DefaultOptions(); }
  /// The library's path and loader do not change the game.
  static constexpr bool kWritesWholeRows = true;
  static constexpr std::string_view kNotInStates[] = {
      "library_path",      "data_path",  "tiles_path",    "levels_path", "savedir",
      "save_ttyrec_every", "draws_text", "tries_options", "loader"};

  static auto StateSpec(const auto& config) {
    GameSettingsOf(config);
    RuleSettingsOf(config);
    SpecList obs;
    const std::vector<std::string> names = config["observation_keys"_];
    const std::vector<View> views = ViewsOf(config);
    for (std::size_t i = 0; i < names.size(); ++i) {
      obs.arrays.push_back(views[i].Spec("obs:" + names[i]));
    }
    CheckLevelSeeds(config["level_seeds"_]);
    return Dict{"obs"_ = obs,
                "info:end_status"_ = envpool::Spec<int>({}, {-1, 2}),
                "info:is_ascended"_ = envpool::Spec<bool>({}),
                "info:exact_reward"_ = envpool::Spec<double>({}),
                "info:core_seed"_ = envpool::Spec<std::int64_t>({}),
                "info:disp_seed"_ = envpool::Spec<std::int64_t>({}),
                "info:lgen_seed"_ = envpool::Spec<std::int64_t>({}),
                "info:level"_ = envpool::Spec<std::int64_t>({}),
                "info:faults"_ = envpool::Spec<int>({})};
  }
  static auto ActionSpec(const auto& config) {
    const std::vector<int> actions = config["actions"_];
    CheckActions(actions);
    return Dict{"action"_ = Discrete(static_cast<int>(actions.size()))};
  }
  static auto ResetOptions(const auto& config) {
    return Dict{"core"_ = std::int64_t{-1}, "disp"_ = std::int64_t{-1}, "lgen"_ = config["lgen"_],
                "level_seed"_ = std::int64_t{-1}, "level"_ = std::int64_t{-1}};
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    for (const std::int64_t seed : {options["core"_], options["disp"_], options["lgen"_],
                                    options["level_seed"_], options["level"_]}) {
      if (seed < -1) throw std::invalid_argument("seeds and levels are 0 or more; -1 is none");
    }
    const std::int64_t count = config["num_levels"_];
    if (options["level"_] >= count) {
      throw std::invalid_argument("the task has levels 0 .. " + std::to_string(count - 1));
    }
  }
};

class NethackEnv final : public Env<NethackSpec> {
 public:
  NethackEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        actions_(spec.config["actions"_]),
        game_(WithId(GameSettingsOf(spec.config), env_id)),
        rules_(RuleSettingsOf(spec.config), game_),
        views_(ViewsOf(spec.config)),
        lent_(LentView(views_, Rules::KeysOf(RuleSettingsOf(spec.config)))),
        level_seeds_(spec.config["level_seeds"_]) {
    for (const View& view : views_) {
      scratch_.resize(std::max(scratch_.size(), view.scratch_size()));
      if (view.is_picture() && tiles_ == nullptr) tiles_ = Tiles::Of(spec.config["tiles_path"_]);
    }
    if (env_id == 0 && spec.config["tries_options"_] && !game_.CanBegin()) {
      throw OptionError("options", "'" + OptionsText(spec.config) + "'",
                        "options with which NetHack begins a game",
                        "leave out what it does not have");
    }
  }

  bool IsDone() override { return status_ == Status::kDeath || status_ == Status::kSuccess; }
  bool IsTruncated() { return status_ == Status::kAborted; }

  void Reset() override {
    const auto& given = reset_options();
    GameSeeds seeds{.core = seed_, .disp = seed_, .lgen = given["lgen"_]};
    if (!is_first_) {
      seeds.core = DrawSeed();
      seeds.disp = DrawSeed();
    }
    is_first_ = false;
    if (!level_seeds_.empty()) seeds.core = seeds.disp = level_seeds_[Draw(level_seeds_.size())];
    if (given["level_seed"_] >= 0) seeds.core = seeds.disp = given["level_seed"_];
    if (game_.num_levels() > 1) {
      seeds.level = static_cast<std::int64_t>(Draw(static_cast<std::size_t>(game_.num_levels())));
    }
    if (given["level"_] >= 0) seeds.level = given["level"_];
    if (given["core"_] >= 0) seeds.core = given["core"_];
    if (given["disp"_] >= 0) seeds.disp = given["disp"_];
    State state = Allocate();
    {
      const ArrayLoan loan = LendOf(state);
      game_.Begin(seeds);
      rules_.Begin();
    }
    status_ = Status::kRunning;
    Write(state, 0);
  }

  void Step(const Action& action) override {
    State state = Allocate();
    StepResult result;
    {
      const ArrayLoan loan = LendOf(state);
      result = rules_.Step(actions_[static_cast<std::size_t>(static_cast<int>(action["action"_]))]);
    }
    status_ = result.status;
    Write(state, result.reward);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return {width > 0 ? width : kColumns * Tiles::kSize,
            height > 0 ? height : kRows * Tiles::kSize};
  }
  /// The map as tiles; another size takes the nearest pixels.
  void Render(int width, int height, int, unsigned char* rgb) {
    if (tiles_ == nullptr) tiles_ = Tiles::Of(spec_.config["tiles_path"_]);
    constexpr int kWidth = kColumns * Tiles::kSize, kHeight = kRows * Tiles::kSize;
    frame_.resize(std::size_t{3} * kWidth * kHeight);
    tiles_->Draw(game_.screen().observation().glyphs, kRows, kColumns, frame_.data());
    for (int y = 0; y < height; ++y) {
      const int row = y * kHeight / height;
      for (int x = 0; x < width; ++x, rgb += 3) {
        const int at = row * kWidth + static_cast<int>(std::int64_t{x} * kWidth / width);
        std::memcpy(rgb, frame_.data() + std::size_t{3} * static_cast<std::size_t>(at), 3);
      }
    }
  }
  /// The terminal as text with colors.
  std::string RenderText() const { return TerminalText(game_.screen().observation()); }

  void SaveState(StateWriter& out) const {
    game_.Save(out);
    rules_.Save(out);
    out.Write(is_first_, status_);
  }
  void LoadState(StateReader& in) {
    game_.Load(in);
    rules_.Load(in);
    in.Read(is_first_, status_);
  }

 private:
  // 0 .. 2^63 - 1, as nle draws seeds.
  std::int64_t DrawSeed() {
    const auto high = static_cast<std::uint64_t>(gen_()), low = static_cast<std::uint64_t>(gen_());
    return static_cast<std::int64_t>((high << 32 | low) >> 1);
  }

  static GameSettings WithId(GameSettings settings, int env_id) {
    settings.env_id = env_id;
    return settings;
  }
  std::size_t Draw(std::size_t count) { return gen_() % count; }

  ArrayLoan LendOf(const State& state) {
    if (lent_ < 0) return game_.Lend(nullptr, 0);
    const auto array = state["obs"_][static_cast<std::size_t>(lent_)];
    return game_.Lend(reinterpret_cast<std::byte*>(array.data), array.size);
  }

  void Write(const State& state, double reward) {
    constexpr int kAscended = 15;  // value of how_done
    const Screen& screen = game_.screen();
    const auto arrays = state["obs"_];
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (static_cast<int>(i) == lent_) continue;
      views_[i].Write(screen, tiles_.get(), scratch_.data(),
                      reinterpret_cast<std::byte*>(arrays[i].data), arrays[i].size);
    }
    state["reward"_] = static_cast<float>(reward);
    state["info:exact_reward"_] = reward;
    state["info:end_status"_] = static_cast<int>(status_);
    state["info:is_ascended"_] = screen.observation().how_done == kAscended;
    state["info:core_seed"_] = game_.seeds().core;
    state["info:disp_seed"_] = game_.seeds().disp;
    state["info:lgen_seed"_] = game_.seeds().lgen;
    state["info:level"_] = game_.seeds().level;
    state["info:faults"_] = game_.faults();
  }

  const std::vector<int> actions_;
  Game game_;
  Rules rules_;
  const std::vector<View> views_;
  const int lent_;  // index of the view that the game writes itself; -1: none
  const std::vector<int> level_seeds_;
  std::vector<std::int16_t> scratch_;  // glyphs of a picture of a cut
  std::shared_ptr<const Tiles> tiles_;
  std::vector<std::uint8_t> frame_;  // made by Render
  Status status_ = Status::kRunning;
  bool is_first_ = true;  // true: the next game is the first game of this seed
};

}  // namespace envpool::nethack
