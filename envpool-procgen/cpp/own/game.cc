// SPDX-License-Identifier: Apache-2.0
#include "own/game.h"

#include <cmath>

namespace envpool::procgen {
namespace {

constexpr int kNothingDone = 4;  // the action
constexpr int kMoves = 9;        // number of actions that move; later actions are special
constexpr std::int32_t kNoLimit = 1 << 30;
constexpr int kNextInSequence = 997;

// FNV-1a of 32 bits. Procgen seeds generated pictures with it.
std::int32_t HashOf(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<std::int32_t>(hash);
}

}  // namespace

Game::Game(const Settings& settings, const std::string& images,
           const std::vector<SpriteNames>& names, Backdrop backdrop)
    : settings_(settings),
      sprites_(images, names, backdrop),
      limit_(settings.limit() == 0 ? kNoLimit : settings.limit()),
      center_agent_(settings.center_agent),
      levels_(settings.levels),
      mode_(settings.mode) {
  Random seeds;
  seeds.Seed(static_cast<std::uint32_t>(settings.seed));
  level_random_.Seed(seeds.Draw());
}

void Game::Act(int action) {
  const bool forced = action == kEndEpisode;
  ++time_;
  action_ = forced ? kNothingDone : action;
  reward_ = 0;
  done_ = level_complete_ = false;
  Step();
  done_ = done_ || forced || time_ >= limit_;
  if (reward_ != 0) {
    reward_timer_ = 10;
    last_reward_ = reward_;
  }
  previous_level_ = level_;
}

void Game::BeginLevel() {
  if (settings_.sequential_levels && level_complete_) {
    level_ = static_cast<std::int32_t>(static_cast<std::uint32_t>(level_) + kNextInSequence);
  } else {
    level_ = level_random_.Between(levels_.low, levels_.high);
  }
  random_.Seed(static_cast<std::uint32_t>(level_));
  MakeEmptyLevel();
  MakeLevel();
  time_ = 0;
  action_ = kNothingDone;
}

void Game::FinishStep() {
  if (settings_.sequential_levels && level_complete_) done_ = false;
  episode_done_ = done_;
}

Outcome Game::outcome() const { return {reward_, done_, previous_level_, level_complete_, level_}; }

void Game::MakeEmptyLevel() {
  constexpr float kRadius = 0.4f;
  ChooseSize();
  backdrop_shift_ = random_.Unit();
  backdrop_ = random_.Below(sprites_.CountBackdrops());
  float x = kRadius, y = kRadius;
  if (random_start_) {
    x = random_.Unit() * (static_cast<float>(width_) - 2 * kRadius) + kRadius;
    y = random_.Unit() * (static_cast<float>(height_) - 2 * kRadius) + kRadius;
  }
  Entity player(x, y, 0, 0, kRadius, kRadius, kPlayer);
  player.collides = true;
  player.layer = 1;
  entities_.Begin(player);
  grid_.Resize(width_, height_, kSpace);
}

void Game::SetAction(int move) {
  action_vx_ = static_cast<float>(move / 3 - 1);
  action_vy_ = static_cast<float>(move % 3 - 1);
  action_vrot_ = 0;
  if (grid_step_ && action_vx_ != 0) action_vy_ = 0;  // from cell to cell, along one axis
}

void Game::UpdateVelocity() {
  constexpr double kDrag = 0.9;
  const float old = 1 - mix_rate_, wanted = mix_rate_ * max_speed_;
  Entity& player = agent();
  player.vx = old * player.vx + wanted * action_vx_;
  player.vy = old * player.vy + wanted * action_vy_;
  player.vx = static_cast<float>(kDrag * player.vx);
  player.vy = static_cast<float>(kDrag * player.vy);
}

void Game::StepAll() {
  constexpr int kStepDraws = 1000000;
  entities_.Recycle();
  step_draw_ = random_.Between(0, kStepDraws);
  move_ = action_ % kMoves;
  special_ = 0;
  if (action_ >= kMoves) {
    special_ = action_ - (kMoves - 1);
    move_ = kNothingDone;
  }
  if (move_ != kNothingDone) last_move_ = move_;
  action_vx_ = action_vy_ = action_vrot_ = 0;
  SetAction(move_);
  if (grid_step_) {
    agent().vx = action_vx_;
    agent().vy = action_vy_;
  } else {
    constexpr float kTurn = 15 * kPi / 180;
    UpdateVelocity();
    agent().spin = 0.5f * agent().spin + 0.5f * kTurn * action_vrot_;
  }
  MoveEntities();
  MeetAll();
  EraseGone();
  done_ = done_ || IsOutside(agent());
}

bool Game::Blocks(Entity&, int type, bool) { return type == kWall || type == outside_; }

void Game::Center(float& x, float& y) {
  x = agent().x;
  y = agent().y;
}

Entity& Game::Add(float x, float y, float vx, float vy, float rx, float ry, int type) {
  return entities_.Add(Entity(x, y, vx, vy, rx, ry, type));
}

Entity& Game::AddAtCell(int cell, float r, int type) {
  return Add(static_cast<float>(cell % width_) + 0.5f, static_cast<float>(cell / width_) + 0.5f, r,
             type);
}

Entity& Game::AddAt(const Entity& source, int type, float r, bool keeps_velocity) {
  return Add(source.x, source.y, keeps_velocity ? source.vx : 0, keeps_velocity ? source.vy : 0, r,
             r, type);
}

Entity& Game::AddWithin(const Area& area, float rx, float ry, int type) {
  constexpr int kMostTries = 100;
  Entity entity(0, 0, 0, 0, rx, ry, type);
  for (int tries = 0; tries <= kMostTries; ++tries) {
    entity.x = random_.Place(rx, area.x, area.x + area.width);
    entity.y = random_.Place(ry, area.y, area.y + area.height);
    if (!TouchesAgent(entity) && !TouchesAny(entity)) break;
  }
  return entities_.Add(entity);
}

void Game::PlaceAgent() {
  constexpr int kMostTries = 100;
  Entity& player = agent();
  const auto touches = [&] {
    for (int i = 0; i < entities_.size(); ++i) {
      if (TouchesAgent(entities_[i])) return true;
    }
    return false;
  };
  int tries = 0;
  do {
    player.x = random_.Unit() * (static_cast<float>(width_) - 2 * player.rx) + player.rx;
    player.y = random_.Unit() * (static_cast<float>(height_) - 2 * player.ry) + player.ry;
    ++tries;
  } while (touches() && tries < kMostTries);
}

float Game::AspectOf(const Entity& entity) {
  const Image& image = ImageOf(entity.image_type, entity.theme, false);
  return static_cast<float>(image.width * 1.0 / image.height);
}

void Game::Fit(Entity& entity) {
  if (AspectOf(entity) > 1) {
    MatchWidth(entity);
  } else {
    MatchHeight(entity);
  }
}

void Game::Exchange(StateIo& io) {
  ExchangeHead(io);
  ExchangeEntities(io);
  io.Constant(0);  // backdrops are files
  io(backdrop_, backdrop_ratio_, backdrop_shift_, char_size_, last_move_, move_, special_,
     mix_rate_, max_speed_, max_jump_, action_vx_, action_vy_, action_vrot_, center_x_, center_y_,
     random_start_, shows_velocity_, step_draw_, asset_random_, width_, height_, outside_, unit_,
     view_, shift_x_, shift_y_, visibility_, min_visibility_);
  grid_.Exchange(io);
  ExchangeOwn(io);
  io.Constant(static_cast<std::int32_t>(0xCAFECAFE));
}

void Game::ExchangeHead(StateIo& io) {
  std::string name(settings_.game->name);
  io.Constant(0);
  io(name);
  for (const bool option :
       {settings_.paint_vel_info, settings_.generated_assets, settings_.monochrome_assets,
        settings_.restrict_themes, settings_.backgrounds}) {
    io.Constant(option);
  }
  io(center_agent_);
  io.Constant(settings_.debug_mode);
  io.Constant(mode_);
  io.Constant(settings_.sequential_levels);
  io.Constant(settings_.easy_jump);
  for (int zero = 0; zero < 2; ++zero) io.Constant(0);  // options without effect
  io(grid_step_, levels_.low, levels_.high);
  for (int zero = 0; zero < 2; ++zero) io.Constant(0);  // kind and number of the game
  io(level_random_, random_, reward_, done_, level_complete_, action_, limit_, level_,
     previous_level_, episodes_left_, episode_done_, reward_timer_, last_reward_);
  io.Constant(kNothingDone);
  io.Constant(HashOf(settings_.game->name));
  io(time_);
  io.Constant(0);  // the game does not wait
  io.Constant(width_ * height_);
}

void Game::ExchangeEntities(StateIo& io) {
  std::int32_t count = entities_.size();
  io(count);
  if (io.reads()) entities_.Clear();
  for (std::int32_t i = 0; i < count; ++i) {
    Entity read;
    Entity& e = io.reads() ? read : entities_[i];
    e.Exchange(io);
    if (!io.reads()) continue;
    if (read.type == kPlayer) {
      entities_.AddAgent(read);
    } else {
      entities_.Add(read);
    }
  }
}

}  // namespace envpool::procgen
