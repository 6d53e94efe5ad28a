// SPDX-License-Identifier: Apache-2.0
#include "own/own_engine.h"

#include "own/games.h"

namespace envpool::procgen {

OwnEngine::OwnEngine(const Settings& settings, const std::string& images, bool keeps_last_state)
    : game_(MakeGame(settings, images)),
      keeps_last_state_(keeps_last_state),
      frame_(kFrameBytes),
      last_frame_(kFrameBytes) {
  game_->BeginLevel();
  Draw(frame_);
}

void OwnEngine::Act(int action) {
  game_->Act(action);
  if (game_->level_over()) {
    if (action != kEndEpisode) {
      Draw(last_frame_);
      if (keeps_last_state_) last_state_ = Save();
    }
    game_->BeginLevel();
  }
  game_->FinishStep();
  Draw(frame_);
}

void OwnEngine::Draw(std::vector<std::uint8_t>& frame) {
  game_->Draw();
  game_->painter().Write(frame.data());
}

std::string OwnEngine::Save() const {
  StateIo io;
  game_->Exchange(io);
  return io.bytes();
}

void OwnEngine::Load(const std::string& state) {
  StateIo io(state);
  game_->Exchange(io);
  last_state_.clear();
  Draw(frame_);
}

}  // namespace envpool::procgen
