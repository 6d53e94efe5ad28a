// SPDX-License-Identifier: Apache-2.0
// CoinRun: run and jump to the coin at the far right.
#include <algorithm>
#include <cmath>

#include "own/games/all.h"
#include "own/platforms.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kCoin = 1,
  kSaw = 2,  // and the next look
  kEnemy = 5,
  kEnemyLook = 6,  // and the next look
  kGround = 15,
  kGroundTop = 16,
  kLava = 17,
  kLavaTop = 18,
  kBarrier = 19,
  kCrate = 20,
};
enum Danger : int { kOfLava, kOfSaws, kOfEnemies, kDangers };
enum Debug : int { kNoPits = 2, kNoCrates = 4, kNoHeights = 8 };
constexpr int kWorld = 64;

class CoinRun final : public Platforms {
 public:
  CoinRun(const Settings& settings, const std::string& images)
      : Platforms(settings, images,
                  {{kPlayer,
                    {"kenney/Players/128x256/Beige/alienBeige_stand",
                     "kenney/Players/128x256/Blue/alienBlue_stand",
                     "kenney/Players/128x256/Green/alienGreen_stand",
                     "kenney/Players/128x256/Pink/alienPink_stand",
                     "kenney/Players/128x256/Yellow/alienYellow_stand"}},
                   {kInAir,
                    {"kenney/Players/128x256/Beige/alienBeige_jump",
                     "kenney/Players/128x256/Blue/alienBlue_jump",
                     "kenney/Players/128x256/Green/alienGreen_jump",
                     "kenney/Players/128x256/Pink/alienPink_jump",
                     "kenney/Players/128x256/Yellow/alienYellow_jump"}},
                   {kWalking,
                    {"kenney/Players/128x256/Beige/alienBeige_walk1",
                     "kenney/Players/128x256/Blue/alienBlue_walk1",
                     "kenney/Players/128x256/Green/alienGreen_walk1",
                     "kenney/Players/128x256/Pink/alienPink_walk1",
                     "kenney/Players/128x256/Yellow/alienYellow_walk1"}},
                   {kWalking + 1,
                    {"kenney/Players/128x256/Beige/alienBeige_walk2",
                     "kenney/Players/128x256/Blue/alienBlue_walk2",
                     "kenney/Players/128x256/Green/alienGreen_walk2",
                     "kenney/Players/128x256/Pink/alienPink_walk2",
                     "kenney/Players/128x256/Yellow/alienYellow_walk2"}},
                   {kEnemyLook,
                    {"kenney/Enemies/slimeBlock", "kenney/Enemies/slimePurple",
                     "kenney/Enemies/slimeBlue", "kenney/Enemies/slimeGreen",
                     "kenney/Enemies/mouse", "kenney/Enemies/snail", "kenney/Enemies/ladybug",
                     "kenney/Enemies/wormGreen", "kenney/Enemies/wormPink"}},
                   {kEnemyLook + 1,
                    {"kenney/Enemies/slimeBlock_move", "kenney/Enemies/slimePurple_move",
                     "kenney/Enemies/slimeBlue_move", "kenney/Enemies/slimeGreen_move",
                     "kenney/Enemies/mouse_move", "kenney/Enemies/snail_move",
                     "kenney/Enemies/ladybug_move", "kenney/Enemies/wormGreen_move",
                     "kenney/Enemies/wormPink_move"}},
                   {kCoin, {"kenney/Items/coinGold"}},
                   {kGroundTop,
                    {"kenney/Ground/Dirt/dirtMid", "kenney/Ground/Grass/grassMid",
                     "kenney/Ground/Planet/planetMid", "kenney/Ground/Sand/sandMid",
                     "kenney/Ground/Snow/snowMid", "kenney/Ground/Stone/stoneMid"}},
                   {kGround,
                    {"kenney/Ground/Dirt/dirtCenter", "kenney/Ground/Grass/grassCenter",
                     "kenney/Ground/Planet/planetCenter", "kenney/Ground/Sand/sandCenter",
                     "kenney/Ground/Snow/snowCenter", "kenney/Ground/Stone/stoneCenter"}},
                   {kLavaTop, {"kenney/Tiles/lavaTop_low"}},
                   {kLava, {"kenney/Tiles/lava"}},
                   {kSaw, {"kenney/Enemies/sawHalf"}},
                   {kSaw + 1, {"kenney/Enemies/sawHalf_move"}},
                   {kCrate,
                    {"kenney/Tiles/boxCrate", "kenney/Tiles/boxCrate_double",
                     "kenney/Tiles/boxCrate_single", "kenney/Tiles/boxCrate_warning"}}},
                  Backdrop::kPlatform) {
    visibility_ = 13;
    mix_rate_ = 0.2f;
    outside_ = kGround;
  }

 private:
  void ChooseSize() override { SetSize(kWorld, kWorld); }

  void MakeLevel() override {
    BeginOnGround();
    if (mode() == kEasy) {
      agent().theme = look_ = backdrop_ = 0;
    } else {
      ChooseTheme(agent());
      look_ = random_.Below(6);
    }
    agent().rx = .5f;
    agent().ry = 0.5787f;
    agent().x = 1.5f;
    last_y_ = agent().y = 1 + agent().ry;
    on_crate_ = false;
    grid_.Fill(0, 0, kWorld, 1, kGroundTop);
    grid_.Fill(0, 0, 1, kWorld, kGround);
    grid_.Fill(kWorld - 1, 0, 1, kWorld, kGround);
    grid_.Fill(0, kWorld - 1, kWorld, 1, kGround);
    BuildSections();
  }

  bool Forbids(int what) const { return (settings_.debug_mode & what) != 0; }

  // A block from y upwards, with another type at its top.
  void Build(int x, int y, int width, int height, int type, int top) {
    if (height > 1) grid_.Fill(x, y, width, height - 1, type);
    if (height > 0) grid_.Fill(x, y + height - 1, width, 1, top);
  }
  void BuildGround(int x, int y, int width, int height) {
    Build(x, y, width, height, kGround, kGroundTop);
  }

  void BuildSections() {
    constexpr int kMostClimb = 5, kHigh = 20, kLow = 5, kLeastForPit = 7;
    const int difficulty = random_.Below(3) + 1;
    const int sections = random_.Below(difficulty) + difficulty;
    const int danger = random_.Below(kDangers);
    int x = 5, y = 1;
    for (int section = 0; section < sections && x + 15 < kWorld; ++section) {
      int climb = random_.Below(4) + 1 + difficulty / 3;
      if (Forbids(kNoHeights)) climb = 0;
      climb = std::min(climb, kMostClimb);
      if (y >= kHigh || (y >= kLow && random_.Below(2) == 1)) climb = -climb;
      const int length = random_.Below(2 * difficulty) + 3 + difficulty / 3;
      y = std::max(y + climb, 1);
      if (!Forbids(kNoPits) && length > kLeastForPit && y > 3 && random_.Below(20) >= difficulty) {
        BuildPit(x, y, length, danger);
      } else {
        BuildPlain(x, y, length, difficulty);
      }
      const int before = Cell(x - 1, y);
      if (before != kGround && before != kGroundTop) grid_.Set(x - 1, y, kBarrier);
      x += length;
      grid_.Set(x, y, kBarrier);
    }
    grid_.Set(x, y, kCoin);
    BuildGround(x, 0, 1, y);
    grid_.Fill(x + 1, 0, kWorld - x - 1, kWorld, kGround);
  }

  void BuildPit(int x, int y, int length, int danger) {
    constexpr int kMost = 7;
    const int before = random_.Below(3) + 1;
    int after = random_.Below(3) + 1, pit = length - before - after;
    if (pit > kMost) {
      pit = kMost;
      after = length - before - pit;
    }
    BuildGround(x, 0, before, y);
    BuildGround(x + length - after, 0, after, y);
    const int height = random_.Below(y - 3) + 1;
    if (danger == kOfLava) Build(x + before, 1, pit, height, kLava, kLavaTop);
    for (int i = 0; i < pit; ++i) {
      if (danger == kOfSaws) AddSaw(x + before + i, 1);
      if (danger == kOfEnemies) AddEnemy(x + before + i, 1);
    }
    if (pit <= 4) return;
    // An island.
    int left = 0, width = 0;
    if (pit == 5) {
      left = 1 + random_.Below(2);
      width = 1 + random_.Below(2);
    } else if (pit == 6) {
      left = 2 + random_.Below(2);
      width = 1 + random_.Below(2);
    } else {
      left = 2 + random_.Below(2);
      const int right = 2 + random_.Below(2);
      width = pit - left - right;
    }
    BuildGround(x + before + left, y - 1, width, 1);
  }

  void BuildPlain(int x, int y, int length, int difficulty) {
    BuildGround(x, 0, length, y);
    int saw = -1, enemy = -1;
    if (random_.Below(10) < 2 * difficulty && length > 3) {
      saw = x + random_.Below(length - 2) + 1;
      AddSaw(saw, y);
    }
    if (random_.Below(10) < difficulty && length > 3 && mode() != kEasy) {
      enemy = x + random_.Below(length - 2) + 1;
      AddEnemy(enemy, y);
    }
    if (Forbids(kNoCrates)) return;
    for (int i = 0; i < 2; ++i) {
      const int at = x + random_.Below(length - 2) + 1;
      if (random_.Below(2) != 1 || at == saw || at == enemy) continue;
      const int height = random_.Below(3) + 1;
      for (int j = 0; j < height; ++j) ChooseTheme(AddAtPlace(at, y + j, kCrate));
    }
  }

  Entity& AddAtPlace(int x, int y, int type) {
    return Add(static_cast<float>(x) + .5f, static_cast<float>(y) + .5f, .5f, type);
  }
  void AddSaw(int x, int y) { AddAtPlace(x, y, kSaw); }
  void AddEnemy(int x, int y) {
    Entity& enemy = AddAtPlace(x, y, kEnemy);
    enemy.vx = static_cast<float>(.15 * (random_.Below(2) * 2 - 1));
    enemy.collides = true;
    enemy.image_type = kEnemyLook;
    enemy.layer = 1;
    ChooseTheme(enemy);
  }

  bool Supports(int type) const override { return type == kGround || type == kGroundTop; }

  void SetAction(int move) override {
    Game::SetAction(move);
    if (action_vx_ != 0) faces_right_ = action_vx_ > 0;
    supported_ = (on_crate_ || FindSupport()) && agent().vy == 0;
    on_crate_ = false;
    if (action_vy_ == 1 && !supported_) action_vy_ = 0;
  }

  void UpdateVelocity() override {
    Steer();
    Entity& player = agent();
    if (std::fabs(player.vx) < Control() * max_speed_) player.vx = 0;
    if (action_vy_ > 0) {
      player.vy = max_jump_;
    } else if (supported_) {
      player.vy =
          static_cast<float>(static_cast<double>(player.vy) + .2 * static_cast<double>(action_vy_));
    }
    if (supported_ && action_vy_ > 0) return;
    player.vy = std::clamp(player.vy - gravity_, -max_jump_, max_jump_);
  }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    return Game::Blocks(mover, type, horizontal) || (mover.type == kPlayer && type == kGroundTop);
  }
  // A crate carries an agent that falls onto it without ducking.
  bool BlocksEntity(Entity&, const Entity& crate, bool horizontal) override {
    const Entity& player = agent();
    if (crate.type != kCrate || horizontal || player.vy >= 0 || action_vy_ < 0 ||
        last_y_ < crate.y + crate.ry + player.ry) {
      return false;
    }
    on_crate_ = true;
    return true;
  }
  bool Reflects(int mover, int type) const override {
    return mover == kEnemy && (Supports(type) || type == kBarrier);
  }

  void MeetCell(Entity& entity, int object, int, int) override {
    if (entity.type != kPlayer) return;
    if (object == kCoin) {
      reward_ += 10;
      done_ = level_complete_ = true;
    } else if (object == kLava || object == kLavaTop) {
      done_ = true;
    }
  }
  void MeetAgent(Entity& other) override {
    if (other.type == kEnemy || other.type == kSaw) done_ = true;
  }

  void Step() override {
    StepAll();
    Turn();
    for (int i = entities_.size() - 1; i >= 0; --i) {
      Entity& entity = entities_[i];
      if (entity.type == kSaw) entity.image_type = time_ % 2 == 0 ? kSaw : kSaw + 1;
      if (entity.type != kEnemy) continue;
      Entity& trail = Add(entity.x, entity.y - entity.ry * .5f, 0, 0.01f, 0.3f, 0.2f, kTrail);
      trail.expire_time = 8;
      trail.alpha = .5f;
      entity.image_type = FirstPicture() ? kEnemyLook : kEnemyLook + 1;
      entity.mirrored = entity.vx > 0;
    }
    last_y_ = agent().y;
  }

  int GridTheme(int type) const override { return Supports(type) ? look_ : 0; }
  bool DescribeCell(int type, Look&) const override { return type == kBarrier; }  // it is invisible
  void Adjust(Rect& rect, int type) const override {
    if (type != kPlayer && type != kInAir && type != kWalking && type != kWalking + 1) return;
    rect.top += rect.height * -.7415;
    rect.height *= 1.7415;
  }

  void ExchangeOwn(StateIo& io) override {
    io(last_y_, look_, supported_, faces_right_, on_crate_, gravity_, air_control_);
  }

  float last_y_ = 0;
  int look_ = 0;
  bool on_crate_ = false;
};

}  // namespace

std::unique_ptr<Game> MakeCoinRun(const Settings& settings, const std::string& images) {
  return std::make_unique<CoinRun>(settings, images);
}

}  // namespace envpool::procgen
