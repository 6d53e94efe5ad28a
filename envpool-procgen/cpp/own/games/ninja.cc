// SPDX-License-Identifier: Apache-2.0
// Ninja: jump over ledges and throw stars at bombs.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "own/games/all.h"
#include "own/platforms.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kGoal = 1,
  kBomb = 6,
  kStar = 7,
  kFire = 14,
  kBricks = 20,
};
constexpr int kWorld = 64;

class Ninja final : public Platforms {
 public:
  Ninja(const Settings& settings, const std::string& images)
      : Platforms(settings, images,
                  {{kPlayer, {"platformer/zombie_idle"}},
                   {kInAir, {"platformer/zombie_jump"}},
                   {kWalking, {"platformer/zombie_walk1"}},
                   {kWalking + 1, {"platformer/zombie_walk2"}},
                   {kGoal,
                    {"platformer/shroom1", "platformer/shroom2", "platformer/shroom3",
                     "platformer/shroom4", "platformer/shroom5", "platformer/shroom6"}},
                   {kBomb, {"misc_assets/bomb"}},
                   {kFire, {"misc_assets/bomb"}},
                   {kStar, {"misc_assets/saw"}},
                   {kBricks,
                    {"misc_assets/tile_bricksGrey", "misc_assets/tile_bricksGrown",
                     "misc_assets/tile_bricksRed"}}},
                  Backdrop::kPlatform) {
    outside_ = kBricks;
  }

 private:
  void ChooseSize() override { SetSize(kWorld, kWorld); }

  void MakeLevel() override {
    const bool easy = mode() == kEasy;
    BeginOnGround();
    charge_ = 0;
    charge_step_ = easy ? 1 : .25f;
    if (easy) max_jump_ = 1.25f;
    visibility_ = easy ? 10 : 16;
    agent().rx = agent().ry = .5f;
    agent().x = 1.5f;
    agent().y = 32.5f;
    const int difficulty = random_.Below(3) + 1;
    last_fire_ = 0;
    look_ = random_.Below(3);
    Build(0, 0, kWorld, 1);
    Build(0, 0, 1, kWorld);
    Build(kWorld - 1, 0, 1, kWorld);
    Build(0, kWorld - 1, kWorld, 1);
    BuildLedges(difficulty);
  }

  void Build(int x, int y, int width, int height, int type = kBricks) {
    if (width > 0 && height > 0) grid_.Fill(x, y, width, height, type);
  }

  void BuildLedges(int difficulty) {
    const bool easy = mode() == kEasy;
    const int gap = easy ? std::max(0, difficulty - 2) : difficulty - 1;
    const int more_gap = difficulty == 1 ? 1 : 2;
    const int least_width = easy ? 3 : 1, climbs = easy ? 2 : 4, most_climb = easy ? 3 : 5;
    const auto bomb_chance = static_cast<float>(.25 * (difficulty - 1));
    const int sections = random_.Below(difficulty) + difficulty;
    int x = 5, y = 32, lowest = 32;
    Build(0, 0, 5, 32);
    Build(0, 40, 5, 24);
    for (int section = 0; section < sections; ++section) {
      const int from_x = x, from_y = y, ledges = random_.Below(2) + 1;
      int highest = -1, last = -1;
      for (int ledge = 0; ledge < ledges; ++ledge) {
        x = from_x + ledge;
        if (x + 15 >= kWorld) break;
        y = from_y;
        int climb = std::min(random_.Below(climbs) + 1 + difficulty / 3, most_climb);
        if (y >= kWorld - 15 || (y >= 5 && static_cast<double>(random_.Unit()) < .4)) {
          climb = -climb;
        }
        y = std::max(y + climb, 3);
        if (std::abs(y - last) <= 1) y = last + 2;
        const int width = least_width + random_.Below(3);
        Build(x, y - 1, width, 1);
        x += width;
        x += gap + random_.Below(more_gap + 1);
        highest = std::max(highest, y);
        lowest = std::min(lowest, y);
        last = y;
      }
      if (random_.Unit() < bomb_chance) {
        grid_.Set(random_.Below(x - from_x + 1) + from_x, highest + 2, kBomb);
      }
      const int ceiling = highest - 1 + 11;
      Build(from_x, ceiling, x - from_x, kWorld - ceiling);
    }
    ChooseTheme(Add(static_cast<float>(x) + .5f, static_cast<float>(y) + .5f, .5f, kGoal));
    Build(x, y - 1, 1, 1);
    Build(x, y + 6, 1, kWorld - y - 6);
    const int fire = std::max(1, lowest - 2);
    Build(5, 0, kWorld - 5, fire);
    Build(5, fire, kWorld - 5, 1, kFire);
    Build(x + 1, 0, kWorld - 1 - x, kWorld);
  }

  bool Supports(int type) const override { return type == kBricks; }

  // A jump is charged as long as the agent is on the ground and the action asks for it.
  void SetAction(int move) override {
    Platforms::SetAction(move);
    if (action_vy_ > 0) charge_ = std::min(charge_ + charge_step_, 1.0f);
    if (!supported_) charge_ = 0;
  }

  void UpdateVelocity() override {
    Steer();
    if (action_vy_ < 1 && charge_ > 0) {
      agent().vy = charge_ * max_jump_;
      charge_ = 0;
    }
    if (!supported_ && agent().vy > -2) agent().vy -= gravity_;
  }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    if (type != kBricks) return Game::Blocks(mover, type, horizontal);
    if (mover.type == kStar) mover.vx = mover.vy = 0;  // it sticks in the bricks
    return true;
  }

  void MeetCell(Entity& entity, int object, int x, int y) override {
    if (entity.type == kPlayer && (object == kFire || object == kBomb)) done_ = true;
    if (entity.type != kStar) return;
    if (object == kBomb) {
      entity.erased = true;
      grid_.Set(x, y, kSpace);
      Add(static_cast<float>(x) + .5f, static_cast<float>(y) + .5f, .5f, kExplosion);
    } else if (object == kBricks) {
      entity.erased = true;
    }
  }

  void MeetAgent(Entity& other) override {
    if (other.type == kExplosion) done_ = true;
    if (other.type == kGoal) {
      reward_ += 10;
      done_ = level_complete_ = true;
    }
  }

  void Step() override {
    constexpr int kPause = 3;
    StepAll();
    Turn();
    if (special_ > 0 && time_ - last_fire_ >= kPause) Throw();
  }

  void Throw() {
    float angle = special_ == 2 ? kPi / 4 : special_ == 3 ? kPi / 2 : special_ == 4 ? -kPi / 4 : 0;
    if (agent().mirrored) angle = kPi - angle;
    const auto exact = static_cast<double>(angle);
    Entity& star = Add(agent().x, agent().y, static_cast<float>(std::cos(exact)),
                       static_cast<float>(std::sin(exact)), .25f, .25f, kStar);
    star.meets_entities = star.collides = true;
    star.expire_time = 15;
    last_fire_ = time_;
  }

  int GridTheme(int type) const override { return type == kBricks ? look_ : 0; }

  void DrawOver() override {
    const float bar = 3 * charge_;
    painter_.Fill(
        InView(.25f,
               static_cast<float>(static_cast<double>(visibility_) - .5 - static_cast<double>(bar)),
               .5f, bar),
        0x42f587);
  }

  void ExchangeOwn(StateIo& io) override {
    io(supported_, faces_right_, last_fire_, look_, gravity_, air_control_, charge_, charge_step_);
  }

  int last_fire_ = 0, look_ = 0;
  float charge_ = 0, charge_step_ = 0;
};

}  // namespace

std::unique_ptr<Game> MakeNinja(const Settings& settings, const std::string& images) {
  return std::make_unique<Ninja>(settings, images);
}

}  // namespace envpool::procgen
