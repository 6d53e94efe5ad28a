// SPDX-License-Identifier: Apache-2.0
// Bigfish: eat what is smaller and grow.
#include <cmath>

#include "own/games.h"

namespace envpool::procgen {
namespace {

constexpr int kFish = 2;
constexpr float kSmallest = .25f, kLargest = 2;
constexpr int kMeals = 30;
constexpr float kReward = 1, kBonus = 10;
constexpr std::string_view kAgentPicture[] = {"misc_assets/fishTile_072.png"};
constexpr std::string_view kFishPictures[] = {
    "misc_assets/fishTile_074.png", "misc_assets/fishTile_078.png", "misc_assets/fishTile_080.png"};

class Bigfish final : public World {
 public:
  Bigfish(const Settings& settings, const std::string& image_folder)
      : World(settings, image_folder) {
    width = height = 20;
  }

 private:
  Names Backgrounds() const override { return kWaterBackgrounds; }
  Names Pictures(int kind) const override {
    if (kind == kAgent) return kAgentPicture;
    if (kind == kFish) return kFishPictures;
    return {};
  }
  void MakeLevel() override {
    center_agent = false;
    eaten_ = 0;
    const float r = settings.mode == kEasy ? 1 : .5f;
    growth_ = (kLargest - r) / kMeals;
    agent->rx = agent->ry = r;
    agent->y = 1 + agent->ry;
  }
  void MeetAgent(Thing& thing) override {
    if (thing.kind != kFish) return;
    if (thing.rx > agent->rx) {
      done = true;
      return;
    }
    reward += kReward;
    thing.erased = true;
    agent->rx += growth_;
    agent->ry += growth_;
    ++eaten_;
  }
  void AfterStep() override {
    if (random.Below(10) == 1) Spawn();
    if (eaten_ >= kMeals) {
      done = level_complete = true;
      reward += kBonus;
    }
    if (action_x > 0) agent->mirrored = false;
    if (action_x < 0) agent->mirrored = true;
  }
  void Spawn() {
    const auto share = static_cast<double>(random.Unit());
    const auto r =
        static_cast<float>(static_cast<double>(kLargest - kSmallest) * std::pow(share, 1.4) +
                           static_cast<double>(kSmallest));
    const float y = random.Unit() * (static_cast<float>(height) - 2 * r);
    const bool rightward = static_cast<double>(random.Unit()) < .5;
    const auto speed =
        static_cast<float>((.15 + static_cast<double>(random.Unit()) * .25) * (rightward ? 1 : -1));
    const float x = rightward ? -1 * r : static_cast<float>(width) + r;
    Thing& fish = Add(x, y, speed, 0, r, r, kFish);
    ChooseTheme(fish);
    FitHeight(fish);
    fish.mirrored = !rightward;
  }
  void OwnFields(Codec& codec) override { codec(eaten_, growth_); }

  std::int32_t eaten_ = 0;
  float growth_ = 0;  // of the agent by a meal
};

}  // namespace

std::unique_ptr<World> MakeBigfish(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Bigfish>(settings, image_folder);
}

}  // namespace envpool::procgen
