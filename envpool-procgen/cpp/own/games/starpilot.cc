// SPDX-License-Identifier: Apache-2.0
// StarPilot: fly through space and shoot at everything.
#include <algorithm>
#include <array>
#include <cmath>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kOwnBullet = 1,
  kFlyerBullet = 2,
  kTurretBullet = 3,
  kFlyer = 4,
  kMeteor = 5,
  kCloud = 6,
  kTurret = 7,
  kFastFlyer = 8,
  kFinish = 9,
  kKinds = 10,
};
constexpr int kWorld = 16;
constexpr int kLength = 500;  // steps of a level
constexpr float kSpeed = 0.4f, kSlow = .5f;
constexpr int kLeastDelay = 10, kMostDelay = 30;

// The traits of a kind in a mode.
struct Traits {
  float speed = 1, health = 0, weight = 1, radius = .5f;
};
using TraitsOfAll = std::array<Traits, kKinds>;

TraitsOfAll TraitsOf(int mode) {
  TraitsOfAll all;
  const bool easy = mode == kEasy, extreme = mode == kExtreme;
  all[kFlyer].speed = easy ? .75f : 1;
  all[kFlyerBullet].speed = easy ? 1.25f : 2;
  all[kOwnBullet].speed = all[kTurretBullet].speed = 2;
  all[kFastFlyer].speed = 1.5f;
  all[kTurret].health = extreme ? 10 : 5;
  all[kFlyer].health = extreme ? 5 : 2;
  all[kFastFlyer].health = extreme ? 2 : 1;
  all[kMeteor].health = 500;
  for (const int bullet : {kOwnBullet, kFlyerBullet, kTurretBullet}) {
    all[static_cast<std::size_t>(bullet)].radius = extreme ? 0.2f : 0.4f;
  }
  all[kFlyerBullet].weight = all[kTurretBullet].weight = 0;
  all[kFlyer].weight = 3;
  for (const int kind : {kMeteor, kCloud, kTurret, kFastFlyer}) {
    all[static_cast<std::size_t>(kind)].weight = easy ? 0 : 1;
  }
  for (const int kind : {kMeteor, kCloud, kTurret}) {
    all[static_cast<std::size_t>(kind)].radius = 2;
  }
  return all;
}

bool IsFlyer(int type) { return type == kFlyer || type == kFastFlyer; }
bool CanBeHit(int type) { return IsFlyer(type) || type == kMeteor || type == kTurret; }

class StarPilot final : public Game {
 public:
  StarPilot(const Settings& settings, const std::string& images)
      : Game(
            settings, images,
            {{kPlayer, {"misc_assets/playerShip2_blue"}},
             {kOwnBullet, {"misc_assets/towerDefense_tile295"}},
             {kFlyerBullet, {"misc_assets/towerDefense_tile296"}},
             {kTurretBullet, {"misc_assets/towerDefense_tile297"}},
             {kFlyer, kShips},
             {kFastFlyer, kShips},
             {kMeteor,
              {"misc_assets/spaceMeteors_001", "misc_assets/spaceMeteors_002",
               "misc_assets/spaceMeteors_003", "misc_assets/spaceMeteors_004",
               "misc_assets/meteorGrey_big1", "misc_assets/meteorGrey_big2",
               "misc_assets/meteorGrey_big3", "misc_assets/meteorGrey_big4"}},
             {kCloud,
              {"misc_assets/spaceEffect1", "misc_assets/spaceEffect2", "misc_assets/spaceEffect3",
               "misc_assets/spaceEffect4", "misc_assets/spaceEffect5", "misc_assets/spaceEffect6",
               "misc_assets/spaceEffect7", "misc_assets/spaceEffect8", "misc_assets/spaceEffect9"}},
             {kTurret, {"misc_assets/spaceStation_018", "misc_assets/spaceStation_019"}},
             {kFinish,
              {"misc_assets/spaceRockets_001", "misc_assets/spaceRockets_002",
               "misc_assets/spaceRockets_003", "misc_assets/spaceRockets_004"}}},
            Backdrop::kSpace),
        traits_(TraitsOf(mode())) {}

 private:
  inline static const std::vector<std::string_view> kShips = {
      "misc_assets/spaceShips_001", "misc_assets/spaceShips_002", "misc_assets/spaceShips_003",
      "misc_assets/spaceShips_004", "misc_assets/spaceShips_005", "misc_assets/spaceShips_006",
      "misc_assets/spaceShips_007"};

  const Traits& Of(int kind) const { return traits_[static_cast<std::size_t>(kind)]; }

  void ChooseSize() override { SetSize(kWorld, kWorld); }

  void MakeLevel() override {
    center_agent_ = false;
    max_speed_ = mode() == kExtreme ? .5f : .75f;
    to_come_.clear();
    float all_weights = 0;
    for (int kind = kFlyerBullet; kind <= kFastFlyer; ++kind) all_weights += Of(kind).weight;
    int time = 1 + random_.Between(kLeastDelay, kMostDelay);
    while (time <= kLength) {
      AddGroup(time, all_weights);
      time += random_.Between(kLeastDelay, kMostDelay);
    }
    // Procgen leaves the order of equal times to the algorithm of std::sort, so this must be the
    // same algorithm, on elements of the same size.
    std::vector<const Entity*> order;
    for (const Entity& entity : to_come_) order.push_back(&entity);
    std::sort(order.begin(), order.end(),
              [](const Entity* a, const Entity* b) { return a->spawn_time > b->spawn_time; });
    std::vector<Entity> sorted;
    for (const Entity* const entity : order) sorted.push_back(*entity);
    to_come_ = std::move(sorted);
    agent().rotation = kPi / 2;
    ChooseTheme(agent());
  }

  int DrawKind(float all_weights) {
    float left = random_.Unit() * all_weights;
    for (int kind = kFlyerBullet; kind < kFastFlyer; ++kind) {
      left -= Of(kind).weight;
      if (left <= 0) return kind;
    }
    return kFastFlyer;
  }

  void AddGroup(int time, float all_weights) {
    constexpr int kMostInGroup = 5, kBetween = 5, kLooks = 7;
    const int kind = DrawKind(all_weights);
    const float radius = Of(kind).radius;
    int count = 1, theme = 0;
    if (IsFlyer(kind)) {
      count = random_.Between(0, kMostInGroup) + 1;
      theme = random_.Below(kLooks);
    }
    const float y = random_.Place(radius, 0, kWorld);
    for (int i = 0; i < count; ++i) {
      Entity entity = MakeOne(kind, y);
      entity.spawn_time = time + kBetween * i;
      if (IsFlyer(kind)) {
        entity.theme = theme;
        entity.rotation = (entity.vx > 0 ? -1.0f : 1.0f) * kPi / 2;
      }
      to_come_.push_back(entity);
    }
  }

  Entity MakeOne(int kind, float y) {
    constexpr double kAngle = 1.5707963705062866;
    int fire = random_.Between(10, 100);
    const float part = random_.Unit();
    const bool straight = random_.Between(0, 2) == 1;
    float angle = straight ? 0 : static_cast<float>((static_cast<double>(part) - .5) * kAngle);
    float speed = Of(kind).speed;
    if (kind == kMeteor || kind == kCloud) {
      angle = 0;
      speed = kSlow;
      fire = -1;
    } else if (kind == kTurret) {
      angle = 0;
      speed = kSlow;
      fire = random_.Between(20, 30);
    }
    speed *= kSpeed;
    const auto exact = static_cast<double>(angle);
    float vx = static_cast<float>(-std::cos(exact) * static_cast<double>(speed));
    const auto vy = static_cast<float>(std::sin(exact) * static_cast<double>(speed));
    const float radius = Of(kind).radius;
    float x = kWorld + radius;
    if (IsFlyer(kind)) {
      const bool from_left = random_.Unit() > 0.9f;
      if (from_left && mode() != kEasy) {
        x = -radius;
        vx = -vx;
      }
    }
    Entity entity(x, y, vx, vy, radius, radius, kind);
    entity.fire_time = fire;
    entity.health = Of(kind).health;
    if (kind == kCloud) entity.layer = 1;
    if (kind == kCloud || kind == kMeteor || kind == kTurret) ChooseTheme(entity);
    if (kind == kTurret) MatchWidth(entity);
    return entity;
  }

  void MeetAgent(Entity& other) override {
    if (other.type == kFinish) {
      reward_ += 10;
      done_ = level_complete_ = true;
    } else if (CanBeHit(other.type) || other.type == kFlyerBullet || other.type == kTurretBullet) {
      done_ = true;
    }
  }

  void Meet(Entity& bullet, Entity& other) override {
    if (!CanBeHit(other.type)) return;
    bullet.erased = true;
    other.health -= 1;
    const float radius = .5f * bullet.rx;
    Add(bullet.x, bullet.y, other.vx, other.vy, radius, radius, kExplosion);
  }

  void Step() override {
    StepAll();
    for (int i = entities_.size() - 1; i >= 0; --i) {
      if (entities_[i].type != kPlayer) FireOrBurst(entities_[i]);
    }
    while (!to_come_.empty() && to_come_.back().spawn_time == time_) {
      entities_.Add(to_come_.back());
      to_come_.pop_back();
    }
    if (special_ != 0) Shoot();
    if (time_ == kLength) AddFinish();
  }

  void FireOrBurst(Entity& entity) {
    const int age = time_ - entity.spawn_time;
    if (entity.fire_time > 0 &&
        (entity.type == kTurret ? age % entity.fire_time == 0 : age == entity.fire_time)) {
      const int kind = entity.type == kTurret ? kTurretBullet : kFlyerBullet;
      const float dx = agent().x - entity.x, dy = agent().y - entity.y;
      const float square = dx * dx + dy * dy, speed = Of(kind).speed * kSpeed;
      const auto scale =
          static_cast<float>(static_cast<double>(speed) / std::sqrt(static_cast<double>(square)));
      Entity& bullet =
          Add(entity.x, entity.y, dx * scale, dy * scale, Of(kind).radius, Of(kind).radius, kind);
      bullet.Face(bullet.vx, bullet.vy, -kPi / 2);
    }
    if (entity.health <= 0 && CanBeHit(entity.type) && !entity.erased) {
      AddAt(entity, kExplosion, .5f * entity.rx, true);
      reward_ += 1;
      entity.erased = true;
    }
  }

  void Shoot() {
    const auto angle = static_cast<double>(special_ == 2 ? kPi : 0.0f);
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const float speed = 2 * kSpeed, radius = Of(kOwnBullet).radius;
    const auto ahead = static_cast<float>(static_cast<double>(agent().rx) * cosine);
    Entity& bullet =
        Add(agent().x + ahead, agent().y, static_cast<float>(cosine * static_cast<double>(speed)),
            static_cast<float>(sine * static_cast<double>(speed)), radius, radius, kOwnBullet);
    bullet.meets_entities = true;
    bullet.Face(bullet.vx, bullet.vy);
    bullet.rotation -= kPi / 2;
  }

  void AddFinish() {
    Entity& finish = Add(0, 8, -.5f * kSpeed, 0, 8, 8, kFinish);
    ChooseTheme(finish);
    MatchHeight(finish);
    finish.x = kWorld + finish.rx;
  }

  // Draws the moving stars.
  bool DrawsBackdrop() override {
    constexpr float kCell = 4;  // pixels
    const float left = -static_cast<float>(time_) * kCell * .5f * 2 / char_size_;
    DrawTiled(Behind(), {left, -64, 3456, 192}, 1, 1);
    return true;
  }

  void ExchangeOwn(StateIo& io) override { io(to_come_); }

  const TraitsOfAll traits_;
  std::vector<Entity> to_come_;  // the next entity is last
};

}  // namespace

std::unique_ptr<Game> MakeStarPilot(const Settings& settings, const std::string& images) {
  return std::make_unique<StarPilot>(settings, images);
}

}  // namespace envpool::procgen
