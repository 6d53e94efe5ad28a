// SPDX-License-Identifier: Apache-2.0
// ProcgenEnv: one of the sixteen games, level after level.
//
//   envpool::Register<envpool::procgen::ProcgenEnv>(m, "Procgen");
//
// An engine makes the next level in the step that ends an episode. The row of that step still shows
// the last frame of the episode, and Reset returns the level that the engine has ready. If the
// pool's time limit cuts an episode, or a reset comes before its end, Reset makes the engine end
// it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/state_io.h"
#include "frame.h"
#include "level_table.h"
#include "library/library.h"
#include "library/library_engine.h"
#include "library/saved_state.h"
#include "own/own_engine.h"
#include "settings.h"

namespace envpool::procgen {

struct ProcgenSpec {
  static auto DefaultConfig() { return DefaultOptions(); }
  /// Both engines have the same states; the table only has the levels that resets choose.
  static constexpr std::string_view kNotInStates[] = {"engine", "engine_path", "draws_frames",
                                                      "level_table"};

  static auto StateSpec(const auto& config) {
    SettingsOf(config);
    const std::vector<int> shape = config["channel_first"_] ? std::vector<int>{3, kSide, kSide}
                                                            : std::vector<int>{kSide, kSide, 3};
    return Dict{"obs"_ = Box<std::uint8_t>(shape, 0, 255),
                "info:prev_level_seed"_ = Spec<int>({kPlayers}),
                "info:prev_level_complete"_ = Spec<int>({kPlayers}),
                "info:level_seed"_ = Spec<int>({kPlayers})};
  }
  static auto ActionSpec(const auto&) { return Dict{"action"_ = Discrete(kNumActions)}; }
};

class ProcgenEnv : public Env<ProcgenSpec> {
 public:
  ProcgenEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        settings_(SettingsOf(spec.config)),
        channel_first_(spec.config["channel_first"_]),
        table_(LevelTable::Find(spec.config["level_table"_])),
        engine_limit_(settings_.limit()),
        engine_path_(spec.config["engine_path"_]) {
    // The low 32 bits: the library makes its generator's seed from them.
    settings_.seed = static_cast<std::int32_t>(static_cast<std::uint32_t>(seed_));
    if (table_ != nullptr && (*table_)[env_id].has_range) {
      settings_.levels = (*table_)[env_id].range;
    }
    const bool draws = spec.config["draws_frames"_];
    // A library that cannot be loaded is refused here, not at the first render().
    if (draws) Library::Load(engine_path_);
    if (settings_.own) {
      engine_ = std::make_unique<OwnEngine>(settings_, Library::AssetsOf(engine_path_), draws);
    } else {
      engine_ = std::make_unique<LibraryEngine>(Library::Load(engine_path_), settings_, draws);
    }
  }

  bool IsDone() override { return over_ && !cut_; }
  /// True if the engine ended the level because of its own step limit.
  bool IsTruncated() { return cut_; }

  void Reset() override {
    ChooseLevel();
    next_ready_ = over_ = cut_ = false;
    steps_ = 0;
    const Outcome outcome = engine_->outcome();
    Write(engine_->frame(), 0, outcome.previous_level, outcome.level_complete, outcome.level);
  }

  void Step(const Action& action) override {
    const bool keeps = !engine_->knows_last_frames();
    if (keeps) before_.assign(engine_->frame(), engine_->frame() + kFrameBytes);
    engine_->Act(action["action"_]);
    const Outcome outcome = engine_->outcome();
    over_ = next_ready_ = outcome.ended;
    ++steps_;
    if (!over_) {
      Write(engine_->frame(), outcome.reward, outcome.previous_level, outcome.level_complete,
            outcome.level);
      if (outcome.level_complete) steps_ = 0;  // with sequential levels the next level has begun
      return;
    }
    cut_ = engine_limit_ > 0 && steps_ >= engine_limit_ && !outcome.level_complete;
    Write(keeps ? before_.data() : engine_->last_frame(), outcome.reward, outcome.previous_level,
          outcome.level_complete, outcome.previous_level);
  }

  void SaveState(StateWriter& out) const {
    if (!engine_->saves()) {
      throw Error(ErrorKind::kSavedState, "save_state()", "use_generated_assets=True",
                  "pools without it: Procgen cannot save generated pictures",
                  "make the pool with use_generated_assets=False");
    }
    out.Write(engine_->Save(), steps_, next_ready_, over_, cut_);
  }
  void LoadState(StateReader& in) {
    std::string state;
    in.Read(state, steps_, next_ready_, over_, cut_);
    engine_->Load(state);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    if (width == 0 && height == 0) return {kPictureSide, kPictureSide};
    return {width == 0 ? height : width, height == 0 ? width : height};
  }
  void Render(int width, int height, int, unsigned char* rgb) {
    int side = kPictureSide;
    picture_.resize(std::size_t{kPictureSide} * kPictureSide * 3);
    std::string shown;
    if (engine_->saves()) {
      shown =
          next_ready_ && !engine_->last_state().empty() ? engine_->last_state() : engine_->Save();
    }
    if (!shown.empty() && SavedState(shown).has_agent()) {
      DrawPicture(Library::Load(engine_path_), settings_, shown, picture_.data());
    } else {
      side = kSide;
      const bool shows_end = next_ready_ && engine_->knows_last_frames();
      std::memcpy(picture_.data(), shows_end ? engine_->last_frame() : engine_->frame(),
                  kFrameBytes);
    }
    if (width == side && height == side) {
      std::memcpy(rgb, picture_.data(), static_cast<std::size_t>(side) * side * 3);
    } else {
      Scale(picture_.data(), side, width, height, rgb);
    }
  }

 private:
  void ChooseLevel() {
    LevelTable::Entry none;
    LevelTable::Entry& entry = table_ == nullptr ? none : (*table_)[env_id_];
    const LevelRange range = entry.has_range ? entry.range : engine_->levels();
    const std::int32_t level = std::exchange(entry.level, LevelTable::kNone);
    if (level == LevelTable::kNone) {
      const bool other_range = range != engine_->levels();
      if (other_range) engine_->SetLevels(range);
      if (other_range || !(next_ready_ || is_new_)) engine_->Act(kEndEpisode);
      is_new_ = false;
      return;
    }
    is_new_ = false;
    engine_->SetLevels({level, level + 1});
    // With sequential levels, the action may complete the present level, and the next level
    // follows.
    do {
      engine_->Act(kEndEpisode);
    } while (engine_->outcome().level != level);
    engine_->SetLevels(range);
  }

  void Write(const std::uint8_t* frame, float reward, std::int32_t previous_level, bool complete,
             std::int32_t level) {
    State state = Allocate();
    std::uint8_t* const obs = state["obs"_].data();
    if (channel_first_) {
      SplitPlanes(frame, obs);
    } else {
      std::memcpy(obs, frame, kFrameBytes);
    }
    state["reward"_] = reward;
    state["info:prev_level_seed"_] = previous_level;
    state["info:prev_level_complete"_] = complete;
    state["info:level_seed"_] = level;
  }

  Settings settings_;
  const bool channel_first_;
  const std::shared_ptr<LevelTable> table_;
  const int engine_limit_;
  const std::string engine_path_;
  std::unique_ptr<Engine> engine_;
  int steps_ = 0;            // of this level
  bool is_new_ = true;       // true: the engine is in its first level, before any action
  bool next_ready_ = false;  // true: the engine has begun the next episode
  bool over_ = false, cut_ = false;
  std::vector<std::uint8_t> before_, picture_;
};

}  // namespace envpool::procgen
