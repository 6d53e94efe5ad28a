// SPDX-License-Identifier: Apache-2.0
// Chaser: eat all orbs of a maze before the enemies have you.
#include <cmath>
#include <cstdlib>

#include "own/games/all.h"
#include "own/maze_generator.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kLargeOrb = 2,
  kWeakEnemy = 3,  // a look
  kEgg = 4,
  kStone = 5,
  kEnemy = 6,  // and the next two looks
  kMark = 1001,
  kOrb = 1002,
};
constexpr int kQuadrants = 4;
constexpr float kOrbReward = 0.04f;

class Chaser final : public Game {
 public:
  Chaser(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/enemyFloating_1b"}},
              {kLargeOrb, {"misc_assets/yellowCrystal"}},
              {kWeakEnemy, {"misc_assets/enemyWalking_1b"}},
              {kEgg, {"misc_assets/enemySpikey_1b"}},
              {kStone, {"misc_assets/tileStone_slope"}},
              {kEnemy, {"misc_assets/enemyFlying_1"}},
              {kEnemy + 1, {"misc_assets/enemyFlying_2"}},
              {kEnemy + 2, {"misc_assets/enemyFlying_3"}}},
             Backdrop::kTopDownSimple) {
    mix_rate_ = 1;
    shows_velocity_ = false;
  }

 private:
  void ChooseSize() override {
    side_ = mode() == kEasy ? 11 : mode() == kExtreme ? 19 : 13;
    enemies_ = mode() == kExtreme ? 5 : 3;
    more_orbs_ = mode() == kEasy ? 0 : mode() == kExtreme ? 1 : -1;
    SetSize(side_, side_);
  }

  bool CanEat() const { return time_ - eat_time_ < eat_steps_; }

  void MakeLevel() override {
    center_agent_ = false;
    agent().rx = agent().ry = .5f;
    eat_time_ = -eat_steps_;
    MazeGenerator maze(random_, side_);
    maze.MakeOpen();
    const int special = random_.Below(kQuadrants);
    std::vector<int> quadrants[kQuadrants];
    for (int x = 0; x < side_; ++x) {
      for (int y = 0; y < side_; ++y) {
        const int object = maze.At(x, y) == kWall ? int{kStone} : maze.At(x, y);
        grid_.Set(x, y, object);
        if (object != kSpace) continue;
        quadrants[2 * (2 * x >= side_) + (2 * y >= side_)].push_back(grid_.Index(x, y));
      }
    }
    for (int i = 0; i < kQuadrants; ++i) {
      const std::vector<int>& cells = quadrants[i];
      const int orbs = 1 + (i == special ? more_orbs_ : 0);
      for (const int at : random_.Distinct(static_cast<int>(cells.size()), orbs)) {
        const int cell = cells[static_cast<std::size_t>(at)];
        AddAtCell(cell, 0.4f, kLargeOrb);
        grid_.Set(cell, kMark);
      }
    }
    const std::vector<int> free = grid_.Find(kSpace);
    const std::vector<int> chosen = random_.Distinct(static_cast<int>(free.size()), 1 + enemies_);
    const int start = free[static_cast<std::size_t>(chosen.front())];
    agent().x = static_cast<float>(start % side_) + .5f;
    agent().y = static_cast<float>(start / side_) + .5f;
    for (int i = 0; i < enemies_; ++i) {
      AddEgg(free[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i) + 1])]);
    }
    for (const int cell : free) grid_.Set(cell, kOrb);
    orbs_ = static_cast<int>(free.size());
    eaten_ = 0;
    for (const int cell : grid_.Find(kMark)) grid_.Set(cell, kSpace);
    free_cells_.clear();
    is_free_.assign(static_cast<std::size_t>(grid_.size()), false);
    for (int cell = 0; cell < grid_.size(); ++cell) {
      if (grid_.Get(cell, outside_) == kStone) continue;
      free_cells_.push_back(cell);
      is_free_[static_cast<std::size_t>(cell)] = true;
    }
  }

  void AddEgg(int cell) { AddAtCell(cell, .5f, kEgg).health = static_cast<float>(egg_steps_); }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    return type == kStone || Game::Blocks(mover, type, horizontal);
  }

  // The agent keeps moving until another action.
  void UpdateVelocity() override {
    Entity& player = agent();
    if (action_vx_ != 0) player.vx = max_speed_ * action_vx_;
    if (action_vy_ != 0) player.vy = max_speed_ * action_vy_;
    player.vx = Sign(player.vx) * max_speed_;
    player.vy = Sign(player.vy) * max_speed_;
  }

  void MeetAgent(Entity& other) override {
    if (other.type == kLargeOrb) {
      eat_time_ = time_;
      reward_ += kOrbReward;
      other.erased = true;
    } else if (other.type == kEnemy) {
      if (CanEat()) {
        other.erased = true;
      } else {
        done_ = true;
      }
    }
  }

  void Step() override {
    StepAll();
    int enemies = 0;
    for (int i = entities_.size() - 1; i >= 0; --i) {
      Entity& entity = entities_[i];
      if (entity.type != kEgg && entity.type != kEnemy) continue;
      ++enemies;
      if (entity.type == kEnemy) {
        Steer(entity);
        continue;
      }
      entity.health -= 1;
      if (entity.health != 0) continue;
      entity.erased = true;
      AddAt(entity, kEnemy, .5f, false).collides = true;
    }
    if (enemies < enemies_) {
      AddEgg(free_cells_[static_cast<std::size_t>(step_draw_) % free_cells_.size()]);
    }
    const int cell = grid_.Index(static_cast<int>(agent().x), static_cast<int>(agent().y));
    if (grid_.Get(cell, outside_) == kOrb) {
      grid_.Set(cell, kSpace);
      reward_ += kOrbReward;
      ++eaten_;
    }
    if (eaten_ == orbs_) {
      reward_ += 10;
      done_ = level_complete_ = true;
    }
  }

  int IndexOf(int x, int y) const { return grid_.Contains(x, y) ? grid_.Index(x, y) : -2; }

  // At a junction an enemy takes one of the ways except back; half of the time a way that leads
  // nearer to the agent, or away from it while the agent can eat it.
  void Steer(Entity& enemy) {
    const float speed = CanEat() ? .25f : .5f;
    const float x = enemy.x - .5f, y = enemy.y - .5f;
    const double off =
        std::fabs(double{x} - double{std::round(x)}) + std::fabs(double{y} - double{std::round(y)});
    if ((enemy.vx != 0 || enemy.vy != 0) && !(off < .01)) return;
    const int here = IndexOf(static_cast<int>(x), static_cast<int>(y));
    const int before = IndexOf(static_cast<int>(double{x} - double{Sign(enemy.vx)}),
                               static_cast<int>(double{y} - double{Sign(enemy.vy)}));
    const int column = here % side_, row = here / side_;
    const bool aggressive = step_draw_ % 2 == 0;
    ways_.clear();
    int least = 2 * side_;
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {0, -1}, {0, 1}, {1, 0}}) {
      const int next_x = column + dx, next_y = row + dy, next = IndexOf(next_x, next_y);
      if (next < 0 || !is_free_[static_cast<std::size_t>(next)] || next == before) continue;
      if (aggressive) {
        const int distance = (std::abs(next_x - static_cast<int>(agent().x)) +
                              std::abs(next_y - static_cast<int>(agent().y))) *
                             (CanEat() ? -1 : 1);
        if (distance > least) continue;
        if (distance < least) ways_.clear();
        least = distance;
      }
      ways_.push_back(next);
    }
    if (ways_.empty()) return;
    const int way = ways_[static_cast<std::size_t>(step_draw_) % ways_.size()];
    enemy.vx = (static_cast<float>(way % side_) - x) * speed;
    enemy.vy = (static_cast<float>(way / side_) - y) * speed;
  }

  int ImageType(int type) const override {
    if (type != kEnemy) return Game::ImageType(type);
    if (CanEat()) return kWeakEnemy;
    const int look = time_ / 2 % 4;
    return kEnemy + (look == 3 ? 1 : look);
  }

  bool DescribeCell(int type, Look& orb) const override {
    if (type != kOrb) return false;
    constexpr double kBefore = 0.7f, kSize = 0.3f;
    orb.seen = true;
    orb.color = 0x00ff00;
    orb.left = orb.top = kBefore * 0.5;
    orb.width = orb.height = kSize;
    return true;
  }

  void ExchangeOwn(StateIo& io) override {
    io(free_cells_, is_free_, eat_steps_, egg_steps_, eat_time_, enemies_, orbs_, eaten_, side_);
  }

  int side_ = 0, enemies_ = 0, more_orbs_ = 0;
  int eat_steps_ = 75, egg_steps_ = 50, eat_time_ = 0, orbs_ = 0, eaten_ = 0;
  std::vector<int> free_cells_, ways_;
  std::vector<bool> is_free_;  // of all cells
};

}  // namespace

std::unique_ptr<Game> MakeChaser(const Settings& settings, const std::string& images) {
  return std::make_unique<Chaser>(settings, images);
}

}  // namespace envpool::procgen
