// SPDX-License-Identifier: Apache-2.0
// Plunder: sink the ships of the kind that is shown, and spare the others.
#include <vector>

#include "own/games.h"

namespace envpool::procgen {
namespace {

enum : int { kBall = 1, kLegend = 2, kTarget = 3, kPanel = 6, kShip = 7 };
constexpr float kReward = 1, kBonus = 10, kPi = 3.14159265358979323846f;
constexpr int kShips = 6, kLanes = 5;
constexpr std::string_view kShipPictures[] = {"misc_assets/ship_1.png", "misc_assets/ship_2.png",
                                              "misc_assets/ship_3.png", "misc_assets/ship_4.png",
                                              "misc_assets/ship_5.png", "misc_assets/ship_6.png"};
constexpr std::string_view kBallPicture[] = {"misc_assets/cannonBall.png"};
constexpr std::string_view kPanelPicture[] = {"misc_assets/panel_wood.png"};
constexpr std::string_view kTargetPicture[] = {"misc_assets/target_red2.png"};

class Plunder final : public World {
 public:
  Plunder(const Settings& settings, const std::string& image_folder)
      : World(settings, image_folder) {
    width = height = 20;
    max_speed = 0.85f;
    shows_velocity = false;
  }

 private:
  Names Backgrounds() const override { return kWaterSurfaces; }
  Names Pictures(int kind) const override {
    if (kind == kShip) return kShipPictures;
    if (kind == kBall) return kBallPicture;
    if (kind == kPanel) return kPanelPicture;
    if (kind == kTarget) return kTargetPicture;
    return {};
  }
  bool KeepsThemes(int kind) const override { return kind == kShip; }
  void Choose(int direction) override {
    World::Choose(direction);
    action_y = 0;
  }
  int Ship(int i) const { return order_[static_cast<std::size_t>(i)]; }

  void MakeLevel() override {
    agent->image = kShip;
    strength_ = 1;
    hits_ = 0;
    quota_ = 20;
    spawn_ = 0.06f;
    size_ = settings.mode == kEasy ? 1.5f : 1.0f;
    lanes_ = kLanes;
    kinds_ = 2;
    std::vector<int> left;
    for (int i = 0; i < kShips; ++i) left.push_back(i);
    order_.clear();
    while (!left.empty()) {
      const int n = random.Below(left.size());
      order_.push_back(left[static_cast<std::size_t>(n)]);
      left.erase(left.begin() + n);
    }
    wanted_.assign(kShips, false);
    wanted_[static_cast<std::size_t>(Ship(0))] = true;
    rightward_.clear();
    speeds_.clear();
    for (int lane = 0; lane < lanes_; ++lane) {
      rightward_.push_back(static_cast<double>(random.Unit()) < .5);
      speeds_.push_back(static_cast<float>(.15 + .1 * static_cast<double>(random.Unit())));
    }
    const int panels = settings.mode == kEasy ? 0 : random.Below(4);
    for (int i = 0; i < panels; ++i) {
      auto panel = std::make_shared<Thing>(0.0f, 0.0f, 0.0f, 0.0f, 1.2f, .5f, kPanel);
      PutAtRandom(*panel, 0, 5, 20, 5, true);
      things.push_back(panel);
    }
    legend_ = 2;
    Add(legend_, legend_, 0, 0, legend_, legend_, kTarget);
    const float r = size_ * 1.5f;
    Thing& shown = Add(legend_, legend_, 0, 0, r, r, kLegend);
    shown.theme = Ship(0);
    shown.image = kShip;
    FitHeight(shown);
    shown.rotation = kPi / 2;
    fired_ = 0;
    center_agent = false;
    agent->rx = size_;
    agent->rotation = -1 * kPi / 2;
    agent->theme = Ship(random.Below(kinds_ / 2) + kinds_ / 2);
    FitHeight(*agent);
    PutAgentAtRandom();
    agent->y = 1 + agent->ry;
    least_x_ = 2 * legend_ + agent->rx;
    if (agent->x < least_x_) agent->x = least_x_;
  }
  void MeetOther(Thing& ball, Thing& other) override {
    if (ball.kind != kBall) return;
    if (other.kind == kShip) {
      other.erased = ball.erased = true;
      if (wanted_[static_cast<std::size_t>(other.theme)]) {
        ++hits_;
        reward += kReward;
        strength_ += 0.1f;
      } else {
        strength_ -= 0.1f;
      }
    } else if (other.kind == kPanel) {
      ball.erased = true;
    }
    if (other.erased) {
      const auto r = static_cast<float>(.5 * static_cast<double>(other.rx));
      Add(other.x, other.y, other.vx / 2, other.vy / 2, r, r, kExplosion);
    }
  }
  void AfterStep() override {
    strength_ -= 0.0015f;
    if (random.Unit() < spawn_) SendShip();
    constexpr int kReload = 3;
    if (special == 1 && time - fired_ >= kReload) {
      Thing& ball = Add(agent->x, agent->y, 0, 1, .25f, .25f, kBall);
      ball.meets_others = true;
      ball.last_age = 50;
      fired_ = time;
      strength_ -= 0.02f;
    }
    if (strength_ <= 0) {
      done = true;
    } else if (strength_ >= 1) {
      strength_ = 1;
    }
    if (hits_ >= quota_) {
      done = level_complete = true;
      reward += kBonus;
    }
    if (agent->x < least_x_) agent->x = least_x_;
  }
  void SendShip() {
    const auto lane = static_cast<std::size_t>(random.Below(lanes_));
    const auto y = static_cast<float>(
        (static_cast<double>(lane) * .11 + .4) * static_cast<double>(10 - size_) + 10);
    const bool right = rightward_[lane];
    auto ship = std::make_shared<Thing>(0.0f, y, speeds_[lane] * (right ? 1.0f : -1.0f), 0.0f,
                                        size_, size_, kShip);
    ship->theme = Ship(random.Below(kinds_));
    FitHeight(*ship);
    ship->x = right ? -1 * size_ : static_cast<float>(width) + size_;
    ship->mirrored = !right;
    if (!MeetsAny(*ship)) things.push_back(ship);
  }
  void DrawMore(Canvas& canvas) override {
    canvas.Fill(OnView(.25f, .25f, static_cast<float>(width) * strength_, .5f), 0xff42f587u);
    const auto share = static_cast<float>(width * (hits_ * 1.0 / quota_));
    canvas.Fill(OnView(.25f, .75f, share, .5f), 0xfff54290u);
  }
  void OwnFields(Codec& codec) override {
    codec(fired_, rightward_, wanted_, order_, speeds_, lanes_, kinds_, hits_, quota_, strength_,
          size_, spawn_, legend_, least_x_);
  }

  std::int32_t fired_ = 0, lanes_ = 0, kinds_ = 0, hits_ = 0, quota_ = 0;
  std::vector<bool> rightward_, wanted_;
  std::vector<std::int32_t> order_;  // of kinds of ships; the first one is to be sunk
  std::vector<float> speeds_;
  float strength_ = 0, size_ = 0, spawn_ = 0, legend_ = 0, least_x_ = 0;
};

}  // namespace

std::unique_ptr<World> MakePlunder(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Plunder>(settings, image_folder);
}

}  // namespace envpool::procgen
