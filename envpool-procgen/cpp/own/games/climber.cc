// SPDX-License-Identifier: Apache-2.0
// Climber: jump from platform to platform and collect stars.
#include <cmath>

#include "own/games/all.h"
#include "own/platforms.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kCrystal = 1,
  kEnemy = 5,
  kEnemyLook = 6,  // and the next look
  kStone = 15,
  kStoneTop = 16,
  kBarrier = 19,
};
constexpr int kHeight = 64;

class Climber final : public Platforms {
 public:
  Climber(const Settings& settings, const std::string& images)
      : Platforms(settings, images,
                  {{kPlayer,
                    {"platformer/playerBlue_stand", "platformer/playerGreen_stand",
                     "platformer/playerGrey_stand", "platformer/playerRed_stand"}},
                   {kInAir,
                    {"platformer/playerBlue_walk4", "platformer/playerGreen_walk4",
                     "platformer/playerGrey_walk4", "platformer/playerRed_walk4"}},
                   {kWalking,
                    {"platformer/playerBlue_walk1", "platformer/playerGreen_walk1",
                     "platformer/playerGrey_walk1", "platformer/playerRed_walk1"}},
                   {kWalking + 1,
                    {"platformer/playerBlue_walk2", "platformer/playerGreen_walk2",
                     "platformer/playerGrey_walk2", "platformer/playerRed_walk2"}},
                   {kStoneTop,
                    {"platformer/tileBlue_05", "platformer/tileGreen_05",
                     "platformer/tileYellow_06", "platformer/tileBrown_06"}},
                   {kStone,
                    {"platformer/tileBlue_08", "platformer/tileGreen_08",
                     "platformer/tileYellow_09", "platformer/tileBrown_09"}},
                   {kEnemyLook, {"platformer/enemySwimming_1"}},
                   {kEnemyLook + 1, {"platformer/enemySwimming_2"}},
                   {kCrystal, {"platformer/yellowCrystal"}}},
                  Backdrop::kPlatform) {
    outside_ = kStone;
  }

 private:
  void ChooseSize() override { SetSize(mode() == kEasy ? 16 : 20, kHeight); }

  void MakeLevel() override {
    BeginOnGround();
    agent().rx = agent().ry = .5f;
    agent().x = agent().y = 1.5f;
    ChooseTheme(agent());
    look_ = random_.Below(4);
    grid_.Fill(0, 0, width_, 1, kStoneTop);
    grid_.Fill(0, 0, 1, kHeight, kStone);
    grid_.Fill(width_ - 1, 0, 1, kHeight, kStone);
    grid_.Fill(0, kHeight - 1, width_, 1, kStone);
    const int difficulty = random_.Below(3);
    const int platforms = random_.Below(2 * difficulty + 2) + difficulty * difficulty + 1;
    crystals_ = collected_ = 0;
    int x = random_.Below(width_ - 4) + 2, y = 0;
    for (int i = 0; i < platforms; ++i) AddPlatform(x, y, i == platforms - 1);
  }

  // Goes up from (x, y), and sets it to a place on the new platform.
  void AddPlatform(int& x, int& y, bool last) {
    const int up = random_.Below(3) + 3;
    if (x >= 3 && x <= width_ - 3 && random_.Unit() < (mode() == kEasy ? .2f : .5f)) {
      AddEnemy(x, y);
    }
    y += up;
    const int length = 2 + random_.Below(10);
    int way = random_.Below(2) * 2 - 1;
    if (x < 3) way = 1;
    if (x > width_ - 3) way = -1;
    std::vector<int> places;
    for (int i = 1; i <= length; ++i) {
      const int at = x + i * way;
      if (at <= 0 || at >= width_ - 1) break;
      places.push_back(at);
      grid_.Set(at, y, kStoneTop);
    }
    if (static_cast<double>(random_.Unit()) < .5 || last) {
      const int at = random_.OneOf(places);
      Add(static_cast<float>(at) + .5f, static_cast<float>(y) + 1.5f, 0.3f, kCrystal);
      ++crystals_;
    }
    x = random_.OneOf(places);
  }

  void AddEnemy(int x, int y) {
    const int sign = random_.Below(2) * 2 - 1, above = random_.Below(2) + 2;
    const float middle = static_cast<float>(x) + .5f;
    Entity& enemy = Add(middle, static_cast<float>(y + above) + .5f, static_cast<float>(.15 * sign),
                        0, .5f, .5f, kEnemy);
    enemy.image_type = kEnemyLook;
    enemy.collides = true;
    enemy.climber_spawn_x = middle;
    MatchWidth(enemy);
  }

  bool Supports(int type) const override { return type == kStone || type == kStoneTop; }

  void UpdateVelocity() override {
    Steer();
    if (action_vy_ > 0) agent().vy = max_jump_;
    if (!supported_ && agent().vy > -2) agent().vy -= gravity_;
  }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    return Game::Blocks(mover, type, horizontal) || (mover.type == kPlayer && type == kStoneTop);
  }
  bool Reflects(int mover, int type) const override {
    return mover == kEnemy && (Supports(type) || type == kBarrier);
  }

  void MeetAgent(Entity& other) override {
    if (other.type == kEnemy) {
      done_ = true;
    } else if (other.type == kCrystal) {
      reward_ += 1;
      ++collected_;
      other.erased = true;
    }
  }

  void Step() override {
    constexpr float kReach = 4;
    StepAll();
    Turn();
    for (int i = entities_.size() - 1; i >= 0; --i) {
      Entity& enemy = entities_[i];
      if (enemy.type != kEnemy) continue;
      if (enemy.x > enemy.climber_spawn_x + kReach) {
        enemy.vx = -std::fabs(enemy.vx);
      } else if (enemy.x < enemy.climber_spawn_x - kReach) {
        enemy.vx = std::fabs(enemy.vx);
      }
      enemy.image_type = FirstPicture() ? kEnemyLook : kEnemyLook + 1;
      enemy.mirrored = enemy.vx < 0;
    }
    if (crystals_ == collected_) {
      reward_ += 10;
      done_ = level_complete_ = true;
    }
  }

  int ImageType(int type) const override {
    if (type != kPlayer) return Game::ImageType(type);
    if (!supported_) return kInAir;
    if (StandsStill()) return kPlayer;
    return FirstPicture() ? kWalking : kWalking + 1;
  }
  int GridTheme(int type) const override { return Supports(type) ? look_ : 0; }

  void Center(float& x, float& y) override {
    const float lower = 5 * agent().ry;
    x = static_cast<float>(width_ / 2.0);
    y = static_cast<float>(static_cast<double>(agent().y) + width_ / 2.0 -
                           static_cast<double>(lower));
    visibility_ = static_cast<float>(width_);
  }

  void ExchangeOwn(StateIo& io) override {
    io(supported_, faces_right_, crystals_, collected_, look_, gravity_, air_control_);
  }

  int crystals_ = 0, collected_ = 0, look_ = 0;
};

}  // namespace

std::unique_ptr<Game> MakeClimber(const Settings& settings, const std::string& images) {
  return std::make_unique<Climber>(settings, images);
}

}  // namespace envpool::procgen
