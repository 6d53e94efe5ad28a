// SPDX-License-Identifier: Apache-2.0
#include "own/own_engine.h"

#include <algorithm>

#include "own/codec.h"

namespace envpool::procgen {
namespace {
constexpr std::int32_t kNoLimit = 1 << 30;  // the pool counts steps
}

bool OwnEngine::Plays(const Settings& settings) {
  const auto games = OwnGames();
  return !settings.generated_assets &&
         std::find(games.begin(), games.end(), settings.game->name) != games.end();
}

OwnEngine::OwnEngine(const Settings& settings, const std::string& image_folder,
                     bool keeps_last_state)
    : world_(MakeWorld(settings, image_folder)),
      keeps_last_state_(keeps_last_state),
      frame_(kFrameBytes),
      last_frame_(kFrameBytes) {
  world_->timeout = settings.game->limit;
  world_->Begin();
  Draw(frame_);
  if (settings.limit() == 0) world_->timeout = kNoLimit;
}

void OwnEngine::Act(int action) {
  world_->before_next_level = nullptr;
  if (action != kEndEpisode) {
    world_->before_next_level = [this] {
      Draw(last_frame_);
      if (keeps_last_state_) last_state_ = Save();
    };
  }
  world_->Act(action);
  Draw(frame_);
}

std::string OwnEngine::Save() const {
  std::string state;
  Codec codec(state);
  world_->Fields(codec);
  return state;
}

void OwnEngine::Load(const std::string& state) {
  Codec codec(state.data(), state.size());
  world_->Fields(codec);
  last_state_.clear();
  Draw(frame_);
}

void OwnEngine::Draw(std::vector<std::uint8_t>& frame) {
  world_->Draw(canvas_);
  canvas_.Write(frame.data());
}

}  // namespace envpool::procgen
