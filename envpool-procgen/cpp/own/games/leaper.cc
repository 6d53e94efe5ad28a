// SPDX-License-Identifier: Apache-2.0
// Leaper: cross a road with cars and a river on logs.
#include <algorithm>
#include <cmath>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int { kLog = 1, kRoad = 2, kWater = 3, kCar = 4, kFinish = 5 };

struct Speeds {
  float slowest_car, fastest_car, slowest_log, fastest_log;
};
constexpr Speeds kEasySpeeds = {0.03f, 0.12f, 0.025f, 0.075f};
constexpr Speeds kHardSpeeds = {0.05f, 0.2f, 0.05f, 0.1f};
constexpr Speeds kExtremeSpeeds = {0.1f, 0.3f, 0.1f, 0.2f};

class Leaper final : public Game {
 public:
  Leaper(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer,
               {"misc_assets/frog1", "misc_assets/frog2", "misc_assets/frog4", "misc_assets/frog6",
                "misc_assets/frog7"}},
              {kLog, {"misc_assets/elementWood044"}},
              {kRoad, {"misc_assets/roadTile6b"}},
              {kWater, {"misc_assets/terrainTile6"}},
              {kCar,
               {"misc_assets/car_yellow_5", "misc_assets/car_black_1", "misc_assets/car_blue_2",
                "misc_assets/car_green_3", "misc_assets/car_red_4"}},
              {kFinish, {"misc_assets/finish2"}}},
             Backdrop::kTopDown) {}

 private:
  void ChooseSize() override {
    world_ = mode() == kEasy ? 9 : mode() == kExtreme ? 20 : 15;
    SetSize(world_, world_);
  }

  float DrawSign() { return static_cast<double>(random_.Unit()) < 0.5 ? 1.0f : -1.0f; }

  void MakeLevel() override {
    const bool easy = mode() == kEasy;
    const Speeds speeds = easy ? kEasySpeeds : mode() == kExtreme ? kExtremeSpeeds : kHardSpeeds;
    center_agent_ = false;
    agent().y = agent().ry;
    road_y_ = (easy ? 0 : random_.Below(2)) + 1;
    const int difficulty = random_.Below(easy ? 4 : 5);
    const int longer = easy ? 0 : random_.Below(4);  // 2: the road, 3: the river
    road_speeds_.clear();
    for (int lane = 0; lane < difficulty + (longer == 2); ++lane) {
      const float sign = DrawSign();
      road_speeds_.push_back(sign * random_.Between(speeds.slowest_car, speeds.fastest_car));
      grid_.Fill(0, road_y_ + lane, world_, 1, kRoad);
    }
    water_y_ = road_y_ + Lanes(road_speeds_) + (easy ? 0 : random_.Below(2)) + 1;
    water_speeds_.clear();
    float sign = DrawSign();
    for (int lane = 0; lane < difficulty + (longer == 3); ++lane, sign = -sign) {
      water_speeds_.push_back(sign * random_.Between(speeds.slowest_log, speeds.fastest_log));
      grid_.Fill(0, water_y_ + lane, world_, 1, kWater);
    }
    goal_y_ = water_y_ + Lanes(water_speeds_) + 1;
    const float steps =
        static_cast<float>(world_) / std::min(speeds.slowest_car, speeds.slowest_log);
    for (int i = 0; static_cast<float>(i) < steps; ++i) {
      AddTraffic();
      MoveEntities();
    }
    const float half = static_cast<float>(world_) / 2;
    Add(half, static_cast<float>(goal_y_) - .5f, 0, 0, half, .5f, kFinish);
  }

  static int Lanes(const std::vector<float>& speeds) { return static_cast<int>(speeds.size()); }

  void AddTraffic() {
    const auto width = static_cast<float>(world_);
    for (int lane = 0; lane < Lanes(road_speeds_); ++lane) {
      const float speed = road_speeds_[static_cast<std::size_t>(lane)];
      if (!(random_.Unit() < std::fabs(speed) / 6)) continue;
      Entity car(speed > 0 ? -.25f : width + .25f, static_cast<float>(road_y_ + lane) + .5f, speed,
                 0, .5f, .25f, kCar);
      ChooseTheme(car);
      if (speed < 0) car.rotation = kPi;
      if (!TouchesAny(car)) entities_.Add(car);
    }
    for (int lane = 0; lane < Lanes(water_speeds_); ++lane) {
      constexpr float kRadius = 0.45f;
      const float speed = water_speeds_[static_cast<std::size_t>(lane)];
      if (!(random_.Unit() < std::fabs(speed) / 2)) continue;
      const Entity log(speed > 0 ? -kRadius : width + kRadius,
                       static_cast<float>(water_y_ + lane) + .5f, speed, 0, kRadius, kRadius, kLog);
      if (!TouchesAny(log)) entities_.Add(log);
    }
  }

  // A hop begins only while the frog stands still, and continues by itself.
  void UpdateVelocity() override {
    constexpr float kLess = 0.1f;
    Entity& frog = agent();
    if (frog.vx == 0 && frog.vy == 0) {
      if (action_vx_ != 0) {
        frog.vx = max_speed_ * action_vx_;
        frog.theme = 1;
        frog.rotation = (frog.vx > 0 ? 1.0f : -1.0f) * kPi / 2;
      } else if (action_vy_ != 0) {
        frog.vy = max_speed_ * action_vy_;
        frog.theme = 1;
        frog.rotation = frog.vy > 0 ? 0 : kPi;
      }
    }
    for (float* const speed : {&frog.vx, &frog.vy}) {
      const float left = std::fabs(*speed) - kLess;
      *speed = (left > 0 ? left : 0) * Sign(*speed);
    }
  }

  bool Rests() const { return agent().vx == 0 && agent().vy == 0; }

  void MeetAgent(Entity& other) override {
    if (other.type == kCar) done_ = true;
    if (other.type == kFinish && Rests()) {
      reward_ += 10;
      done_ = level_complete_ = true;
    }
  }

  void Step() override {
    Entity& frog = agent();
    if (frog.theme >= 1) frog.theme = (frog.theme + 1) % 5;
    StepAll();
    AddTraffic();
    bool stands = false;
    float speed = 0;
    for (int i = 0; i < entities_.size(); ++i) {
      if (entities_[i].type != kLog || !Touch(frog, entities_[i], -frog.rx)) continue;
      stands = true;
      speed = entities_[i].vx;
    }
    const int below = Cell(static_cast<int>(frog.x), static_cast<int>(frog.y));
    if (below == kWater && !stands && Rests()) done_ = true;
    if (stands) frog.x += speed;
    done_ = done_ || IsOutside(frog);
  }

  bool KeepsThemes(int type) const override { return type == kPlayer; }
  float TileRatio(const Entity& entity) const override { return entity.type == kFinish ? 1 : 0; }
  void Adjust(Rect& rect, int type) const override {
    if (type != kPlayer) return;
    rect.top += rect.height * -.275;
    rect.height *= 1.55;
  }
  void ExchangeOwn(StateIo& io) override {
    io(road_y_, road_speeds_, water_y_, water_speeds_, goal_y_);
  }

  int world_ = 0, road_y_ = 0, water_y_ = 0, goal_y_ = 0;
  std::vector<float> road_speeds_, water_speeds_;  // of the lanes
};

}  // namespace

std::unique_ptr<Game> MakeLeaper(const Settings& settings, const std::string& images) {
  return std::make_unique<Leaper>(settings, images);
}

}  // namespace envpool::procgen
