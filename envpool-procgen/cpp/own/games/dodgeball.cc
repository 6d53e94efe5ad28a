// SPDX-License-Identifier: Apache-2.0
// Dodgeball: hit all enemies with balls, then leave.
#include <cmath>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kLava = 1,  // a wall
  kOwnBall = 3,
  kEnemy = 4,
  kDoor = 5,
  kEnemyBall = 6,
  kOpenDoor = 7,  // a look
  kDust = 8,
  kOutside = 10,
};
constexpr float kEnemySpeed = 0.05f;
constexpr int kBallSteps = 50;

// The values that differ between the modes.
struct Measures {
  int world, walls;
  float thickness, enemy_radius, ball_radius, exit_radius, speed, agent_radius;
  int more_enemies;
};
constexpr Measures kEasyMeasures = {20, 2, 0.6f, 1, .5f, 1.5f, .75f, 1, 3};
constexpr Measures kHardMeasures = {20, 4, 0.3f * 1.5f, .75f, .375f, .75f, .5f, .75f, 3};
constexpr Measures kExtremeMeasures = {20, 8, 0.3f, .5f, .25f, .75f, .25f, 0.4f, 3};
constexpr Measures kMemoryMeasures = {40, 16, 0.3f * 1.5f, .75f, .375f, .75f, .5f, .75f, 16};

const Measures& MeasuresOf(int mode) {
  return mode == kEasy      ? kEasyMeasures
         : mode == kExtreme ? kExtremeMeasures
         : mode == kMemory  ? kMemoryMeasures
                            : kHardMeasures;
}

class Dodgeball final : public Game {
 public:
  Dodgeball(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/character12"}},
              {kLava, {"misc_assets/tileStone_slope2"}},
              {kOutside, {"misc_assets/tileStone_slope2"}},
              {kOwnBall, {"misc_assets/ball_soccer1"}},
              {kEnemy,
               {"misc_assets/character1", "misc_assets/character2", "misc_assets/character3",
                "misc_assets/character4", "misc_assets/character5", "misc_assets/character6",
                "misc_assets/character7", "misc_assets/character8", "misc_assets/character9",
                "misc_assets/character10", "misc_assets/character11"}},
              {kDoor, {"misc_assets/blockRed"}},
              {kOpenDoor, {"misc_assets/blockGreen"}},
              {kEnemyBall, {"misc_assets/ball_soccer2"}},
              {kDust,
               {"misc_assets/spaceEffect1", "misc_assets/spaceEffect2", "misc_assets/spaceEffect3",
                "misc_assets/spaceEffect4", "misc_assets/spaceEffect5", "misc_assets/spaceEffect6",
                "misc_assets/spaceEffect7", "misc_assets/spaceEffect8",
                "misc_assets/spaceEffect9"}}},
             Backdrop::kTopDown),
        measures_(MeasuresOf(mode())) {
    outside_ = kOutside;
  }

 private:
  void ChooseSize() override { SetSize(measures_.world, measures_.world); }

  void MakeLevel() override {
    constexpr int kLooks = 7;
    const auto world = static_cast<float>(measures_.world);
    center_agent_ = mode() == kMemory;
    last_fire_ = 0;
    agent().rx = agent().ry = measures_.agent_radius;
    max_speed_ = measures_.speed;
    ball_speed_ = ball_radius_ = measures_.ball_radius;
    least_side_ = 4 * agent().rx + 2 * measures_.thickness + .5f;
    least_length_ = agent().rx * 8 + .5f;
    std::vector<Area> rooms = {{0, 0, world, world}};
    for (int i = 0; i < measures_.walls && !rooms.empty(); ++i) {
      const auto at = rooms.begin() + random_.Below(static_cast<int>(rooms.size()));
      const Area room = *at;
      rooms.erase(at);
      Split(room, rooms);
    }
    AddDoor(world);
    PlaceAgent();
    enemies_ = random_.Below(measures_.more_enemies + 1) + 3;
    for (int i = 0; i < enemies_; ++i) {
      AddWithin({0, 0, world, world}, measures_.enemy_radius, measures_.enemy_radius, kEnemy);
    }
    const int look = random_.Below(kLooks);
    for (int i = 0; i < entities_.size(); ++i) {
      Entity& entity = entities_[i];
      if (entity.type == kLava) entity.meets_entities = true;
      if (entity.type != kEnemy) continue;
      entity.theme = look;
      entity.health = 1;
      entity.spawn_time = 0;
      entity.fire_time = 10;
      entity.meets_entities = entity.collides = true;
      ChooseVelocity(entity);
      entity.Face(entity.vx, entity.vy);
    }
    agent().Face(1, 0);
  }

  // Puts a wall into a room, which leaves three smaller rooms.
  void Split(const Area& room, std::vector<Area>& rooms) {
    bool lies = static_cast<double>(random_.Unit()) < .5;
    const bool first = static_cast<double>(random_.Unit()) < .5;
    if (room.width < least_length_) lies = false;
    if (room.height < least_length_) lies = true;
    const float part = 1 - .25f * static_cast<float>(random_.Below(3) + 1);
    const float thickness = measures_.thickness;
    // Along the wall, and across.
    const float begin = lies ? room.x : room.y, all = lies ? room.width : room.height;
    const float side = lies ? room.y : room.x, depth = lies ? room.height : room.width;
    const float length = part * all;
    const float wall = first ? begin : begin + (1 - part) * all;
    const float rest = first ? begin + length : begin;
    const float middle = side + depth / 2, beside = depth / 2 - thickness;
    const auto offer = [&](float from, float size, float from_side, float size_side) {
      const Area smaller =
          lies ? Area{from, from_side, size, size_side} : Area{from_side, from, size_side, size};
      if ((smaller.width >= least_length_ || smaller.height >= least_length_) &&
          smaller.width >= least_side_ && smaller.height >= least_side_) {
        rooms.push_back(smaller);
      }
    };
    if (lies) {
      Add(wall + length / 2, middle, 0, 0, length / 2, thickness, kLava);
    } else {
      Add(middle, wall + length / 2, 0, 0, thickness, length / 2, kLava);
    }
    offer(wall, length, side, beside);
    offer(wall, length, middle + thickness, beside);
    offer(rest, all - length, side, depth);
  }

  void AddDoor(float world) {
    const float radius = measures_.exit_radius, far = world - 2 * radius;
    const Area sides[] = {{0, 0, world, 2 * radius},
                          {0, far, world, 2 * radius},
                          {0, 0, 2 * radius, world},
                          {far, 0, 2 * radius, world}};
    AddWithin(sides[random_.Below(4)], radius, radius, kDoor);
  }

  void ChooseVelocity(Entity& enemy) {
    const float speed = kEnemySpeed * static_cast<float>(random_.Below(2) * 2 - 1);
    const bool along_x = random_.Below(2) == 0;
    enemy.vx = along_x ? speed : 0;
    enemy.vy = along_x ? 0 : speed;
    enemy.spawn_time = random_.Below(50) + 25;
  }

  bool Reflects(int mover, int type) const override {
    return mover == kEnemy && (type == kLava || type == kOutside);
  }

  void MeetAgent(Entity& other) override {
    if (other.type == kEnemy || other.type == kEnemyBall || other.type == kLava) {
      done_ = true;
    } else if (other.type == kDoor && enemies_ == 0) {
      reward_ += 10;
      done_ = level_complete_ = true;
    }
  }

  void Meet(Entity& met, Entity& ball) override {
    if (met.type == kLava && (ball.type == kOwnBall || ball.type == kEnemyBall)) ball.erased = true;
    if (met.type != kEnemy || ball.type != kOwnBall) return;
    met.health -= 1;
    ball.erased = true;
    if (met.health > 0 || met.erased) return;
    met.erased = true;
    reward_ += 2;
    Entity& dust = AddAt(met, kDust, met.rx, false);
    dust.spin = kPi / 0.3f;
    dust.growth = 1.0f / 1.2f;
    dust.expire_time = 4;
    dust.fading = 0.9f;
    ChooseThemeByStep(dust);
  }

  void Step() override {
    constexpr int kPause = 7;
    StepAll();
    const auto dx = static_cast<float>(last_move_ / 3 - 1);
    const auto dy = static_cast<float>(last_move_ % 3 - 1);
    agent().Face(dx, dy);
    if (special_ == 1 && time_ - last_fire_ >= kPause) {
      Throw(agent(), dx, dy, kOwnBall).meets_entities = true;
      last_fire_ = time_;
    }
    enemies_ = 0;
    for (int i = entities_.size() - 1; i >= 0; --i) {
      Entity& entity = entities_[i];
      if (entity.type == kEnemy) {
        ++enemies_;
        Steer(entity);
      } else if (entity.type == kOwnBall || entity.type == kEnemyBall) {
        const auto width = static_cast<float>(width_), height = static_cast<float>(height_);
        if (entity.x < entity.rx || entity.x > width - entity.rx || entity.y < entity.ry ||
            entity.y > height - entity.ry) {
          entity.erased = true;
        }
      }
    }
    EraseGone();
  }

  void Steer(Entity& enemy) {
    if (enemy.spawn_time == 0) {
      ChooseVelocity(enemy);
    } else {
      --enemy.spawn_time;
    }
    if (time_ - enemy.fire_time >= fire_delay_) {
      const float way_x = enemy.x < agent().x ? 1.0f : -1.0f;
      const float way_y = enemy.y < agent().y ? 1.0f : -1.0f;
      if (std::fabs(enemy.x - agent().x) < 1) {
        Fire(enemy, 0, way_y);
      } else if (std::fabs(enemy.y - agent().y) < 1) {
        Fire(enemy, way_x, 0);
      }
    }
    enemy.Face(enemy.vx, enemy.vy);
  }

  void Fire(Entity& enemy, float dx, float dy) {
    Throw(enemy, dx, dy, kEnemyBall);
    enemy.fire_time = time_ + random_.Below(4);
    enemy.vx = dx * kEnemySpeed;
    enemy.vy = dy * kEnemySpeed;
  }

  Entity& Throw(const Entity& thrower, float dx, float dy, int type) {
    Entity& ball = Add(thrower.x, thrower.y, dx * ball_speed_, dy * ball_speed_, ball_radius_,
                       ball_radius_, type);
    ball.spin = kPi * 0.23f;
    ball.expire_time = kBallSteps;
    return ball;
  }

  int ImageType(int type) const override {
    return type == kDoor && enemies_ == 0 ? int{kOpenDoor} : Game::ImageType(type);
  }
  float TileRatio(const Entity& entity) const override {
    return entity.type != kLava ? 0.0f : entity.rx > entity.ry ? 1.0f : -1.0f;
  }

  void ExchangeOwn(StateIo& io) override {
    io(least_length_, least_side_, ball_speed_, ball_radius_, last_fire_, enemies_, fire_delay_);
  }

  const Measures& measures_;
  float least_length_ = 0, least_side_ = 0, ball_speed_ = 0, ball_radius_ = 0;
  int last_fire_ = 0, enemies_ = 0, fire_delay_ = 50;
};

}  // namespace

std::unique_ptr<Game> MakeDodgeball(const Settings& settings, const std::string& images) {
  return std::make_unique<Dodgeball>(settings, images);
}

}  // namespace envpool::procgen
