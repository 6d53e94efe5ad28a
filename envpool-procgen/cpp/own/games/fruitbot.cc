// SPDX-License-Identifier: Apache-2.0
// FruitBot: steer through gaps, collect fruit and no other food.
#include <cmath>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kBarrier = 1,
  kOutside = 2,
  kKey = 3,
  kBad = 4,
  kGood = 7,
  kDoor = 10,
  kLock = 11,
  kPresent = 12,
};
constexpr int kLength = 60;

// The values that differ between the modes.
struct Measures {
  int width, walls, themes;
  double door_chance;
  float least_gap;
};
constexpr Measures kEasyMeasures = {10, 5, 2, 0, .2f};
constexpr Measures kHardMeasures = {20, 10, 6, .125, .1f};

class FruitBot final : public Game {
 public:
  FruitBot(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/robot_3Dblue"}},
              {kBarrier, {"misc_assets/tileStone_slope"}},
              {kOutside, {"misc_assets/tileStone_slope"}},
              {kKey, {"misc_assets/keyRed2"}},
              {kBad,
               {"misc_assets/food1", "misc_assets/food2", "misc_assets/food3", "misc_assets/food4",
                "misc_assets/food5", "misc_assets/food6"}},
              {kGood,
               {"misc_assets/fruit1", "misc_assets/fruit2", "misc_assets/fruit3",
                "misc_assets/fruit4", "misc_assets/fruit5", "misc_assets/fruit6"}},
              {kDoor, {"misc_assets/fenceYellow"}},
              {kLock, {"misc_assets/lockRed2"}},
              {kPresent, {"misc_assets/present1", "misc_assets/present2", "misc_assets/present3"}}},
             Backdrop::kTopDown),
        measures_(mode() == kEasy ? kEasyMeasures : kHardMeasures) {
    max_speed_ = 0.85f;
    backdrop_ratio_ = -1;
    outside_ = kOutside;
  }

 private:
  void ChooseSize() override { SetSize(measures_.width, kLength); }

  void MakeLevel() override {
    constexpr int kLeastBetween = 4, kLeastForDoor = 5;
    last_fire_ = 0;
    const std::vector<int> parts = random_.Partition(
        kLength - kLeastBetween * measures_.walls - kLeastBetween, measures_.walls);
    int height = 0;
    for (const int part : parts) {
      const int between = kLeastBetween + part;
      height += between;
      const bool door =
          between > kLeastForDoor && static_cast<double>(random_.Unit()) < measures_.door_chance;
      AddWall(static_cast<float>(height), door);
    }
    agent().y = agent().ry;
    const int good = random_.Below(10) + 10, bad = random_.Below(10) + 10;
    for (int x = 0; x < width_; ++x) {
      ChooseTheme(Add(static_cast<float>(x) + .5f, kLength - .5f, .5f, kPresent));
    }
    const auto width = static_cast<float>(width_);
    for (int i = 0; i < good; ++i) AddWithin({0, 0, width, kLength}, .5f, .5f, kGood);
    for (int i = 0; i < bad; ++i) AddWithin({0, 0, width, kLength}, .5f, .5f, kBad);
    for (int i = 0; i < entities_.size(); ++i) {
      Entity& entity = entities_[i];
      if (entity.type != kGood && entity.type != kBad) continue;
      entity.theme = random_.Below(measures_.themes);
      Fit(entity);
    }
    agent().rotation = -kPi / 2;
  }

  // Two barriers with a gap between them; the gap may have a door and its lock.
  void AddWall(float y, bool door) {
    constexpr float kThickness = 0.3f, kLockHeight = 0.45f, kDoorTile = 1.95f;
    const auto width = static_cast<float>(width_);
    auto part = static_cast<float>(static_cast<double>(measures_.least_gap) +
                                   .2 * static_cast<double>(random_.Unit()));
    if (door) {
      part += 0.1f;
      const float lock = .5f / width, locks = lock + lock, tile = kDoorTile / width;
      part = std::ceil((part - locks) / tile) * tile + locks;
    }
    const float gap = part * width;
    const float left = random_.Unit() * (width - gap), right = width - left - gap;
    Add(.5f * left, y, 0, 0, .5f * left, kThickness, kBarrier);
    Add(width - .5f * right, y, 0, 0, .5f * right, kThickness, kBarrier);
    if (!door) return;
    const auto at_right = static_cast<float>(random_.Below(2));
    Add(.5f * gap + left - (2 * at_right - 1) * .25f, y, 0, 0, .5f * gap - .25f, kThickness, kDoor);
    Add(at_right * (gap - .5f) + (left + .25f), y - kLockHeight + kThickness, 0, 0, .25f,
        kLockHeight, kLock);
  }

  void SetAction(int move) override {
    Game::SetAction(move);
    action_vy_ = 0.2f;
  }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    return Game::Blocks(mover, type, horizontal) || (mover.type == kPlayer && type == kOutside);
  }

  void MeetAgent(Entity& other) override {
    switch (other.type) {
      case kBarrier:
      case kDoor:
        done_ = true;
        break;
      case kBad:
        reward_ -= 4;
        other.erased = true;
        break;
      case kGood:
        reward_ += 1;
        other.erased = true;
        break;
      case kPresent:
        reward_ += 10;
        done_ = level_complete_ = true;
        break;
      default:
        break;
    }
  }

  void Meet(Entity& key, Entity& other) override {
    if (key.type != kKey) return;
    if (other.type == kBarrier) key.erased = true;
    if (other.type != kLock) return;
    key.erased = other.erased = true;
    for (int i = 0; i < entities_.size(); ++i) {
      Entity& door = entities_[i];
      if (door.type != kDoor || !(std::fabs(door.y - other.y) < 1)) continue;
      door.erased = true;
      break;
    }
  }

  void Step() override {
    constexpr int kPause = 8;
    StepAll();
    if (special_ != 1 || time_ - last_fire_ < kPause) return;
    Entity& key = Add(agent().x, agent().y, 0, .5f, .25f, .25f, kKey);
    key.expire_time = kPause;
    key.meets_entities = true;
    last_fire_ = time_;
  }

  void Center(float& x, float& y) override {
    const float twice = 2 * agent().ry;
    x = static_cast<float>(width_ / 2.0);
    y = static_cast<float>(static_cast<double>(agent().y) + width_ / 2.0 -
                           static_cast<double>(twice));
    visibility_ = static_cast<float>(width_);
  }

  float TileRatio(const Entity& entity) const override {
    return entity.type == kBarrier ? 1 : entity.type == kDoor ? 3.25f : 0;
  }

  void ExchangeOwn(StateIo& io) override { io(least_size_, bullet_speed_, last_fire_); }

  const Measures& measures_;
  int last_fire_ = 0;
  float least_size_ = 5, bullet_speed_ = .5f;  // no effect, as in Procgen
};

}  // namespace

std::unique_ptr<Game> MakeFruitBot(const Settings& settings, const std::string& images) {
  return std::make_unique<FruitBot>(settings, images);
}

}  // namespace envpool::procgen
