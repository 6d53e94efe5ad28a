// SPDX-License-Identifier: Apache-2.0
// Plunder: sink the enemy's ships with few cannon balls.
#include <algorithm>
#include <numeric>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int { kBall = 1, kLegend = 2, kTarget = 3, kPanel = 6, kShip = 7 };
constexpr int kWorld = 20, kLanes = 5, kLooks = 6, kQuota = 20;

class Plunder final : public Game {
 public:
  Plunder(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kShip,
               {"misc_assets/ship_1", "misc_assets/ship_2", "misc_assets/ship_3",
                "misc_assets/ship_4", "misc_assets/ship_5", "misc_assets/ship_6"}},
              {kBall, {"misc_assets/cannonBall"}},
              {kTarget, {"misc_assets/target_red2"}},
              {kPanel, {"misc_assets/panel_wood"}}},
             Backdrop::kWaterSurface) {
    max_speed_ = 0.85f;
    shows_velocity_ = false;
  }

 private:
  void ChooseSize() override { SetSize(kWorld, kWorld); }

  void MakeLevel() override {
    const bool easy = mode() == kEasy;
    agent().image_type = kShip;
    juice_ = 1;
    hits_ = 0;
    quota_ = kQuota;
    ship_chance_ = 0.06f;
    radius_ = easy ? 1.5f : 1.0f;
    lanes_ = kLanes;
    looks_.resize(kLooks);
    std::iota(looks_.begin(), looks_.end(), 0);
    looks_ = random_.Some(looks_, kLooks);
    ship_looks_ = 2;
    is_target_.assign(kLooks, false);
    is_target_[static_cast<std::size_t>(looks_[0])] = true;
    to_right_.clear();
    speeds_.clear();
    for (int lane = 0; lane < kLanes; ++lane) {
      to_right_.push_back(static_cast<double>(random_.Unit()) < .5);
      speeds_.push_back(static_cast<float>(.15 + .1 * static_cast<double>(random_.Unit())));
    }
    const int panels = easy ? 0 : random_.Below(4);
    for (int i = 0; i < panels; ++i) AddWithin({0, 5, kWorld, 5}, 1.2f, .5f, kPanel);
    legend_radius_ = 2;
    Add(legend_radius_, legend_radius_, legend_radius_, kTarget);
    Entity& legend = Add(legend_radius_, legend_radius_, radius_ * 1.5f, kLegend);
    legend.theme = looks_[0];
    legend.image_type = kShip;
    MatchWidth(legend);
    legend.rotation = kPi / 2;
    last_fire_ = 0;
    center_agent_ = false;
    Entity& player = agent();
    player.rx = radius_;
    player.rotation = -kPi / 2;
    player.theme = looks_[static_cast<std::size_t>(random_.Below(1)) + 1];
    MatchWidth(player);
    PlaceAgent();
    player.y = 1 + player.ry;
    least_x_ = 2 * legend_radius_ + player.rx;
    player.x = std::max(player.x, least_x_);
  }

  void SetAction(int move) override {
    Game::SetAction(move);
    action_vy_ = 0;
  }

  void Meet(Entity& ball, Entity& other) override {
    if (ball.type != kBall) return;
    if (other.type == kShip) {
      ball.erased = other.erased = true;
      if (is_target_[static_cast<std::size_t>(other.theme)]) {
        ++hits_;
        reward_ += 1;
        juice_ += 0.1f;
      } else {
        juice_ -= 0.1f;
      }
    } else if (other.type == kPanel) {
      ball.erased = true;
    }
    if (other.erased) {
      const float radius = .5f * other.rx;
      Add(other.x, other.y, other.vx / 2, other.vy / 2, radius, radius, kExplosion);
    }
  }

  void Step() override {
    StepAll();
    juice_ -= 0.0015f;
    if (random_.Unit() < ship_chance_) AddShip();
    if (special_ == 1 && time_ - last_fire_ >= 3) {
      Entity& ball = Add(agent().x, agent().y, 0, 1, .25f, .25f, kBall);
      ball.meets_entities = true;
      ball.expire_time = 50;
      last_fire_ = time_;
      juice_ -= 0.02f;
    }
    if (juice_ <= 0) {
      done_ = true;
    } else if (juice_ >= 1) {
      juice_ = 1;
    }
    if (hits_ >= quota_) {
      done_ = level_complete_ = true;
      reward_ += 10;
    }
    agent().x = std::max(agent().x, least_x_);
  }

  void AddShip() {
    const int lane = random_.Below(lanes_);
    const auto at = static_cast<std::size_t>(lane);
    const auto y = static_cast<float>((lane * .11 + .4) * static_cast<double>(10 - radius_) + 10);
    const bool right = to_right_[at];
    Entity ship(0, y, right ? speeds_[at] : -speeds_[at], 0, radius_, radius_, kShip);
    ship.theme = looks_[static_cast<std::size_t>(random_.Below(ship_looks_))];
    MatchWidth(ship);
    ship.x = right ? -radius_ : kWorld + radius_;
    ship.mirrored = !right;
    if (!TouchesAny(ship)) entities_.Add(ship);
  }

  void DrawOver() override {
    painter_.Fill(InView(.25f, .25f, kWorld * juice_, .5f), 0x42f587);
    painter_.Fill(InView(.25f, .75f, static_cast<float>(kWorld * (hits_ * 1.0 / quota_)), .5f),
                  0xf54290);
  }
  bool KeepsThemes(int type) const override { return type == kShip; }

  void ExchangeOwn(StateIo& io) override {
    io(last_fire_, to_right_, is_target_, looks_, speeds_, lanes_, ship_looks_, hits_, quota_,
       juice_, radius_, ship_chance_, legend_radius_, least_x_);
  }

  int last_fire_ = 0, lanes_ = 0, ship_looks_ = 0, hits_ = 0, quota_ = 0;
  std::vector<bool> to_right_, is_target_;  // by lane, by look
  std::vector<int> looks_;                  // the looks of targets first, then of others
  std::vector<float> speeds_;               // of the lanes
  float juice_ = 0, radius_ = 0, ship_chance_ = 0, legend_radius_ = 0, least_x_ = 0;
};

}  // namespace

std::unique_ptr<Game> MakePlunder(const Settings& settings, const std::string& images) {
  return std::make_unique<Plunder>(settings, images);
}

}  // namespace envpool::procgen
