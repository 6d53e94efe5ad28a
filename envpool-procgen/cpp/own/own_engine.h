// SPDX-License-Identifier: Apache-2.0
// OwnEngine: a game computed here, without Procgen's library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "own/game.h"
#include "settings.h"

namespace envpool::procgen {

class OwnEngine final : public Engine {
 public:
  /// Makes a game in its first level. `images`: the package's folder of images, with a slash at its
  /// end. `keeps_last_state`: last_state() is needed.
  OwnEngine(const Settings& settings, const std::string& images, bool keeps_last_state);

  void Act(int action) override;
  Outcome outcome() const override { return game_->outcome(); }
  const std::uint8_t* frame() const override { return frame_.data(); }
  bool knows_last_frames() const override { return true; }
  const std::uint8_t* last_frame() const override { return last_frame_.data(); }
  const std::string& last_state() const override { return last_state_; }
  bool saves() const override { return true; }
  std::string Save() const override;
  void Load(const std::string& state) override;
  LevelRange levels() const override { return game_->levels(); }
  void SetLevels(LevelRange levels) override { game_->SetLevels(levels); }

 private:
  void Draw(std::vector<std::uint8_t>& frame);

  const std::unique_ptr<Game> game_;
  const bool keeps_last_state_;
  std::vector<std::uint8_t> frame_, last_frame_;
  std::string last_state_;
};

}  // namespace envpool::procgen
