// SPDX-License-Identifier: Apache-2.0
// LibraryEngine: a game that Procgen's own library computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"
#include "library/end_hook.h"
#include "library/library.h"

namespace envpool::procgen {

class LibraryEngine final : public Engine, private EndHook {
 public:
  /// Makes a game in its first level. `keeps_last_state`: last_state() is needed.
  LibraryEngine(const Library& library, const Settings& settings, bool keeps_last_state);
  ~LibraryEngine() override;

  void Act(int action) override;
  Outcome outcome() const override;
  const std::uint8_t* frame() const override { return frame_.data(); }
  bool knows_last_frames() const override { return hooked_; }
  const std::uint8_t* last_frame() const override { return last_frame_.data(); }
  const std::string& last_state() const override { return last_state_; }
  bool saves() const override { return !generated_assets_; }
  std::string Save() const override { return library_.GetState(handle_); }
  void Load(const std::string& state) override;
  LevelRange levels() const override { return levels_; }
  void SetLevels(LevelRange levels) override;

  /// The reason why the last frames of episodes are unknown; empty if they are known, or if no game
  /// was made yet.
  static std::string HookProblem();

 private:
  void BeforeNewLevel(void (*draw)(void* game), void* game) override;

  const Library& library_;
  void* handle_ = nullptr;
  const bool generated_assets_, keeps_last_state_;
  LevelRange levels_;
  bool hooked_ = false;
  bool wants_last_frame_ = false;
  int calls_ = 0;  // calls of the hook
  std::string last_state_;

  std::vector<std::uint8_t> frame_, last_frame_, picture_;
  float reward_ = 0;
  std::uint8_t first_ = 0, level_complete_ = 0;
  std::int32_t previous_level_ = 0, level_ = 0, action_ = 0;
};

/// Draws the large picture of a saved state, 512 x 512 x 3 bytes.
void DrawPicture(const Library& library, const Settings& settings, const std::string& state,
                 std::uint8_t* rgb);

}  // namespace envpool::procgen
