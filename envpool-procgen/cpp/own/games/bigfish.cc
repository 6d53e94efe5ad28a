// SPDX-License-Identifier: Apache-2.0
// BigFish: eat smaller fish and grow.
#include <cmath>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

constexpr int kFish = 2;
constexpr int kWorld = 20;
constexpr int kEnough = 30;

class BigFish final : public Game {
 public:
  BigFish(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/fishTile_072"}},
              {kFish,
               {"misc_assets/fishTile_074", "misc_assets/fishTile_078",
                "misc_assets/fishTile_080"}}},
             Backdrop::kWater) {}

 private:
  void ChooseSize() override { SetSize(kWorld, kWorld); }

  void MakeLevel() override {
    const float radius = mode() == kEasy ? 1 : 0.5f;
    center_agent_ = false;
    eaten_ = 0;
    growth_ = (2 - radius) / kEnough;
    agent().rx = agent().ry = radius;
    agent().y = 1 + radius;
  }

  void MeetAgent(Entity& other) override {
    if (other.type != kFish) return;
    if (other.rx > agent().rx) {
      done_ = true;
      return;
    }
    reward_ += 1;
    other.erased = true;
    agent().rx += growth_;
    agent().ry += growth_;
    ++eaten_;
  }

  void Step() override {
    StepAll();
    if (random_.Below(10) == 1) AddFish();
    if (eaten_ >= kEnough) {
      done_ = level_complete_ = true;
      reward_ += 10;
    }
    if (action_vx_ != 0) agent().mirrored = action_vx_ < 0;
  }

  void AddFish() {
    const auto radius =
        static_cast<float>(1.75 * std::pow(static_cast<double>(random_.Unit()), 1.4) + .25);
    const float y = random_.Unit() * (kWorld - 2 * radius);
    const bool right = static_cast<double>(random_.Unit()) < .5;
    const auto speed =
        static_cast<float>((.15 + static_cast<double>(random_.Unit()) * .25) * (right ? 1 : -1));
    Entity& fish = Add(right ? -radius : kWorld + radius, y, speed, 0, radius, radius, kFish);
    ChooseTheme(fish);
    MatchWidth(fish);
    fish.mirrored = !right;
  }

  void ExchangeOwn(StateIo& io) override { io(eaten_, growth_); }

  int eaten_ = 0;
  float growth_ = 0;
};

}  // namespace

std::unique_ptr<Game> MakeBigFish(const Settings& settings, const std::string& images) {
  return std::make_unique<BigFish>(settings, images);
}

}  // namespace envpool::procgen
