// SPDX-License-Identifier: Apache-2.0
// OwnEngine: a game that is computed here, equal to the library's in frames, rewards, ends and
// saved states.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "own/canvas.h"
#include "own/world.h"

namespace envpool::procgen {

class OwnEngine final : public Engine {
 public:
  /// Whether there is such a game here.
  static bool Plays(const Settings& settings);
  /// Makes a game in its first level; its pictures are in this folder. `keeps_last_state`:
  /// last_state() is wanted.
  OwnEngine(const Settings& settings, const std::string& image_folder, bool keeps_last_state);

  void Act(int action) override;
  Outcome outcome() const override {
    return {world_->reward, world_->done, world_->previous_level, world_->level_complete,
            world_->level};
  }
  const std::uint8_t* frame() const override { return frame_.data(); }
  bool knows_last_frames() const override { return true; }
  const std::uint8_t* last_frame() const override { return last_frame_.data(); }
  const std::string& last_state() const override { return last_state_; }
  bool saves() const override { return true; }
  std::string Save() const override;
  void Load(const std::string& state) override;
  LevelRange levels() const override { return {world_->level_low, world_->level_high}; }
  void SetLevels(LevelRange levels) override {
    world_->level_low = levels.low;
    world_->level_high = levels.high;
  }

 private:
  void Draw(std::vector<std::uint8_t>& frame);

  const std::unique_ptr<World> world_;
  const bool keeps_last_state_;
  Canvas canvas_;
  std::vector<std::uint8_t> frame_, last_frame_;
  std::string last_state_;
};

}  // namespace envpool::procgen
