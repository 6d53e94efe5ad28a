// SPDX-License-Identifier: Apache-2.0
// Leaper: a frog crosses lanes of cars, then of logs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "own/games.h"

namespace envpool::procgen {
namespace {

enum : int { kLog = 1, kRoad = 2, kWater = 3, kCar = 4, kFinish = 5 };
constexpr float kCarSize = 0.25f, kLogSize = 0.45f, kReward = 10;
constexpr int kFrames = 5;  // of a leap
constexpr float kLeap = .5f, kSlowing = kLeap / kFrames;
constexpr float kPi = 3.14159265358979323846f;
constexpr std::string_view kRoadPicture[] = {"misc_assets/roadTile6b.png"};
constexpr std::string_view kWaterPicture[] = {"misc_assets/terrainTile6.png"};
constexpr std::string_view kCars[] = {"misc_assets/car_yellow_5.png", "misc_assets/car_black_1.png",
                                      "misc_assets/car_blue_2.png", "misc_assets/car_green_3.png",
                                      "misc_assets/car_red_4.png"};
constexpr std::string_view kLogPicture[] = {"misc_assets/elementWood044.png"};
constexpr std::string_view kFrog[] = {"misc_assets/frog1.png", "misc_assets/frog2.png",
                                      "misc_assets/frog4.png", "misc_assets/frog6.png",
                                      "misc_assets/frog7.png"};
constexpr std::string_view kFinishPicture[] = {"misc_assets/finish2.png"};

/// What a mode has of its own.
struct Speeds {
  float least_car, most_car, least_log, most_log;
};
constexpr Speeds kEasySpeeds{0.03f, 0.12f, 0.025f, 0.075f}, kHardSpeeds{0.05f, 0.2f, 0.05f, 0.1f},
    kExtremeSpeeds{0.1f, 0.3f, 0.1f, 0.2f};

class Leaper final : public World {
 public:
  Leaper(const Settings& settings, const std::string& image_folder)
      : World(settings, image_folder), easy_(settings.mode == kEasy) {
    max_speed = kLeap;
  }

 private:
  Names Backgrounds() const override { return kTopdownBackgrounds; }
  Names Pictures(int kind) const override {
    switch (kind) {
      case kAgent:
        return kFrog;
      case kLog:
        return kLogPicture;
      case kRoad:
        return kRoadPicture;
      case kWater:
        return kWaterPicture;
      case kCar:
        return kCars;
      case kFinish:
        return kFinishPicture;
      default:
        return {};
    }
  }
  bool KeepsThemes(int kind) const override { return kind == kAgent; }
  float TileRatio(const Thing& thing) const override { return thing.kind == kFinish ? 1 : 0; }
  Rect PictureRect(int kind, const Rect& rect) const override {
    if (kind != kAgent) return rect;
    return {rect.x + rect.width * 0, rect.y + rect.height * -.275, rect.width * 1,
            rect.height * 1.55};
  }
  void ChooseSize() override { width = height = easy_ ? 9 : settings.mode == kHard ? 15 : 20; }

  int Gap() { return easy_ ? 0 : random.Below(2); }
  float Way() { return static_cast<double>(random.Unit()) < 0.5 ? 1.0f : -1.0f; }

  void MakeLevel() override {
    center_agent = false;
    agent->y = agent->ry;
    const Speeds& speeds = easy_                       ? kEasySpeeds
                           : settings.mode == kExtreme ? kExtremeSpeeds
                                                       : kHardSpeeds;
    road_ = Gap() + 1;
    const int lanes = random.Below((easy_ ? 3 : 4) + 1);
    const int more = easy_ ? 0 : random.Below(4);  // a lane more of cars, of logs, or of nothing
    cars_.clear();
    for (int lane = 0; lane < lanes + (more == 2 ? 1 : 0); ++lane) {
      const float way = Way();
      cars_.push_back(way * random.Between(speeds.least_car, speeds.most_car));
      FillCells(0, road_ + lane, width, 1, kRoad);
    }
    river_ = road_ + static_cast<int>(cars_.size()) + Gap() + 1;
    logs_.clear();
    float way = 1;
    way = Way();
    for (int lane = 0; lane < lanes + (more == 3 ? 1 : 0); ++lane) {
      logs_.push_back(way * random.Between(speeds.least_log, speeds.most_log));
      FillCells(0, river_ + lane, width, 1, kWater);
      way *= -1;
    }
    goal_ = river_ + static_cast<int>(logs_.size()) + 1;
    // The lanes have been in use for a while.
    const float before = static_cast<float>(width) / std::min(speeds.least_car, speeds.least_log);
    for (int i = 0; static_cast<float>(i) < before; ++i) {
      Spawn();
      AgeThings();
    }
    const auto half = static_cast<float>(width / 2.0);
    Add(half, static_cast<float>(goal_ - .5), 0, 0, half, .5f, kFinish);
  }
  void Spawn() {
    for (std::size_t lane = 0; lane < cars_.size(); ++lane) {
      Enter(kCar, cars_[lane], road_ + static_cast<int>(lane), kCarSize, 2 * kCarSize, 6.0);
    }
    for (std::size_t lane = 0; lane < logs_.size(); ++lane) {
      Enter(kLog, logs_[lane], river_ + static_cast<int>(lane), kLogSize, kLogSize, 2.0);
    }
  }
  // From the side, with a probability of the speed over `rarity`, where there is room.
  void Enter(int kind, float speed, int row, float size, float rx, double rarity) {
    const auto probability = static_cast<float>(std::fabs(static_cast<double>(speed)) / rarity);
    if (random.Unit() >= probability) return;
    const float x = speed > 0 ? -1 * size : static_cast<float>(width) + size;
    auto thing =
        std::make_shared<Thing>(x, static_cast<float>(row + 0.5), speed, 0.0f, rx, size, kind);
    if (kind == kCar) {
      ChooseTheme(*thing);
      if (speed < 0) thing->rotation = kPi;
    }
    if (!MeetsAny(*thing)) things.push_back(thing);
  }

  void BeforeStep() override {
    if (agent->theme >= 1) agent->theme = (agent->theme + 1) % kFrames;
  }
  static void Slow(float& speed) {
    const float size = std::max(std::fabs(speed) - kSlowing, 0.0f);
    speed = size * (speed > 0 ? 1.0f : speed == 0 ? 0.0f : -1.0f);
  }
  void Steer() override {
    if (agent->vx == 0 && agent->vy == 0) {
      if (action_x != 0) {
        agent->vx = max_speed * action_x;
        agent->theme = 1;
        agent->rotation = static_cast<float>(agent->vx > 0 ? 1 : -1) * kPi / 2;
      } else if (action_y != 0) {
        agent->vy = max_speed * action_y;
        agent->theme = 1;
        agent->rotation = agent->vy > 0 ? 0 : kPi;
      }
    }
    Slow(agent->vx);
    Slow(agent->vy);
  }
  bool Rests() const { return agent->vx == 0 && agent->vy == 0; }
  void MeetAgent(Thing& thing) override {
    if (thing.kind == kCar) done = true;
    if (thing.kind == kFinish && Rests()) {
      reward += kReward;
      done = level_complete = true;
    }
  }
  void AfterStep() override {
    Spawn();
    const Thing* log = nullptr;
    for (const ThingPtr& thing : things) {
      if (thing->kind == kLog && agent->Meets(*thing, -1 * agent->rx)) log = thing.get();
    }
    const bool in_water =
        Cell(static_cast<int>(agent->x), static_cast<int>(agent->y)) == kWater && log == nullptr;
    if (in_water && Rests()) done = true;
    if (log != nullptr) agent->x += log->vx;
    if (IsOutside(*agent)) done = true;
  }
  void OwnFields(Codec& codec) override { codec(road_, cars_, river_, logs_, goal_); }

  const bool easy_;
  std::int32_t road_ = 0, river_ = 0, goal_ = 0;  // rows
  std::vector<float> cars_, logs_;                // speeds of lanes
};

}  // namespace

std::unique_ptr<World> MakeLeaper(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Leaper>(settings, image_folder);
}

}  // namespace envpool::procgen
