// SPDX-License-Identifier: Apache-2.0
// Chaser: a maze full of orbs, and enemies that can be eaten for a while after a large orb.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "own/games.h"
#include "own/maze_maker.h"

namespace envpool::procgen {
namespace {

enum : int { kLargeOrb = 2, kWeakEnemy = 3, kEgg = 4, kStone = 5, kEnemy = 6 };
constexpr int kMark = 1001, kOrb = 1002;  // cells
constexpr float kOrbReward = 0.04f, kBonus = 10, kOrbSize = 0.3f;
constexpr std::string_view kPictureOf[][1] = {
    {"misc_assets/enemyFloating_1b.png"}, {""},
    {"misc_assets/yellowCrystal.png"},    {"misc_assets/enemyWalking_1b.png"},
    {"misc_assets/enemySpikey_1b.png"},   {"misc_assets/tileStone_slope.png"},
    {"misc_assets/enemyFlying_1.png"},    {"misc_assets/enemyFlying_2.png"},
    {"misc_assets/enemyFlying_3.png"}};

class Chaser final : public World {
 public:
  Chaser(const Settings& settings, const std::string& image_folder)
      : World(settings, image_folder) {
    mix = 1;
    shows_velocity = false;
  }

 private:
  Names Backgrounds() const override { return kPlainBackgrounds; }
  Names Pictures(int kind) const override {
    if (kind == kAgent || (kind >= kLargeOrb && kind <= kEnemy + 2)) return kPictureOf[kind];
    return {};
  }
  void BeforeLevel() override {
    size_ = settings.mode == kEasy ? 11 : settings.mode == kHard ? 13 : 19;
    enemies_ = settings.mode == kExtreme ? 5 : 3;
  }
  void ChooseSize() override { width = height = size_; }
  bool Blocks(const Thing& mover, int kind, bool horizontal) const override {
    return kind == kStone || World::Blocks(mover, kind, horizontal);
  }
  bool Hunts() const { return time - hunt_ < hunt_time_; }

  void MakeLevel() override {
    center_agent = false;
    agent->rx = agent->ry = .5f;
    hunt_ = -1 * hunt_time_;
    FillCells(0, 0, width, height, kStone);
    MazeMaker maker(size_);
    maker.Make(random);
    maker.OpenDeadEnds(random);
    // One quarter has an orb more or less than the others.
    constexpr int kQuarters = 4;
    const int other = random.Below(kQuarters);
    const int more = settings.mode == kEasy ? 0 : settings.mode == kHard ? -1 : 1;
    std::vector<int> quarters[kQuarters];
    for (int x = 0; x < size_; ++x) {
      for (int y = 0; y < size_; ++y) {
        const int kind = maker.at(x, y);
        SetCell(x, y, kind == kWall ? static_cast<int>(kStone) : kind);
        const int quarter = (x >= size_ / 2.0 ? 2 : 0) + (y >= size_ / 2.0 ? 1 : 0);
        if (kind == kSpace) quarters[quarter].push_back(y * size_ + x);
      }
    }
    for (int i = 0; i < kQuarters; ++i) {
      for (const int n : random.Different(quarters[i].size(), 1 + (i == other ? more : 0))) {
        const int cell = quarters[i][static_cast<std::size_t>(n)];
        AddAtCell(cell, 0.4f, kLargeOrb);
        SetCell(cell, kMark);
      }
    }
    const std::vector<int> spaces = CellsOf(kSpace);
    const std::vector<int> chosen = random.Different(spaces.size(), 1 + enemies_);
    const auto space = [&](int i) {
      return spaces[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])];
    };
    agent->x = static_cast<float>(space(0) % size_ + .5);
    agent->y = static_cast<float>(space(0) / size_ + .5);
    for (int i = 0; i < enemies_; ++i) LayEgg(space(i + 1));
    for (const int cell : spaces) SetCell(cell, kOrb);
    orbs_ = static_cast<std::int32_t>(spaces.size());
    collected_ = 0;
    for (const int cell : CellsOf(kMark)) SetCell(cell, kSpace);
    free_.clear();
    is_free_.clear();
    for (int i = 0; i < width * height; ++i) {
      is_free_.push_back(Cell(i) != kStone);
      if (is_free_.back()) free_.push_back(i);
    }
  }

  void Steer() override {
    if (action_x != 0) agent->vx = max_speed * action_x;
    if (action_y != 0) agent->vy = max_speed * action_y;
    // What stops it must not slow it down.
    agent->vx =
        static_cast<float>(Sign(static_cast<double>(agent->vx)) * static_cast<double>(max_speed));
    agent->vy =
        static_cast<float>(Sign(static_cast<double>(agent->vy)) * static_cast<double>(max_speed));
  }
  void MeetAgent(Thing& thing) override {
    if (thing.kind == kLargeOrb) {
      hunt_ = time;
      reward += kOrbReward;
      thing.erased = true;
    } else if (thing.kind == kEnemy) {
      (Hunts() ? thing.erased : done) = true;
    }
  }
  void AfterStep() override {
    int enemies = 0;
    for (auto i = things.size(); i-- > 0;) {
      Thing& thing = *things[i];
      enemies += thing.kind == kEgg || thing.kind == kEnemy;
      if (thing.kind == kEgg) {
        thing.health -= 1;
        if (thing.health == 0) {
          thing.erased = true;
          Add(thing.x, thing.y, 0, 0, .5f, .5f, kEnemy).careful = true;
        }
      } else if (thing.kind == kEnemy) {
        Turn(thing);
      }
    }
    if (enemies < enemies_) {
      LayEgg(free_[static_cast<std::size_t>(chance) % free_.size()]);
    }
    const int cell = AgentCell();
    if (Cell(cell) == kOrb) {
      SetCell(cell, kSpace);
      reward += kOrbReward;
      ++collected_;
    }
    if (collected_ == orbs_) {
      reward += kBonus;
      level_complete = done = true;
    }
  }
  void LayEgg(int cell) {
    Add(static_cast<float>(cell % size_ + .5), static_cast<float>(cell / size_ + .5), 0, 0, .5f,
        .5f, kEgg)
        .health = static_cast<float>(egg_time_);
  }
  // At a junction an enemy chooses anew where to, every other time towards the agent or away.
  void Turn(Thing& enemy) {
    const auto x = static_cast<float>(static_cast<double>(enemy.x) - .5);
    const auto y = static_cast<float>(static_cast<double>(enemy.y) - .5);
    const bool at_junction = std::fabs(x - std::round(x)) + std::fabs(y - std::round(y)) < .01;
    if (!at_junction && !(enemy.vx == 0 && enemy.vy == 0)) return;
    const int from = IndexOf(static_cast<int>(x), static_cast<int>(y));
    const int goal = IndexOf(static_cast<int>(agent->x), static_cast<int>(agent->y));
    const int back =
        IndexOf(static_cast<int>(static_cast<double>(x) - Sign(static_cast<double>(enemy.vx))),
                static_cast<int>(static_cast<double>(y) - Sign(static_cast<double>(enemy.vy))));
    const int wish = Hunts() ? -1 : 1;
    const bool aims = chance % 2 == 0;
    int least = 2 * width;
    std::vector<int> ways;
    constexpr int kSteps[][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    for (const auto& [dx, dy] : kSteps) {
      const int cell = IndexOf(from % width + dx, from / width + dy);
      if (cell < 0 || !is_free_[static_cast<std::size_t>(cell)] || cell == back) continue;
      const int distance =
          wish * (std::abs(cell % width - goal % width) + std::abs(cell / width - goal / width));
      if (aims && distance > least) continue;
      if (aims && distance < least) {
        least = distance;
        ways.clear();
      }
      ways.push_back(cell);
    }
    const int to = ways[static_cast<std::size_t>(chance) % ways.size()];
    const float speed = Hunts() ? .25f : .5f;
    enemy.vx = (static_cast<float>(to % width) - x) * speed;
    enemy.vy = (static_cast<float>(to / width) - y) * speed;
  }

  int ImageOf(int kind) const override {
    if (kind != kEnemy) return World::ImageOf(kind);
    if (Hunts()) return kWeakEnemy;
    constexpr int kFlaps[] = {0, 1, 2, 1};
    return kEnemy + kFlaps[time / 2 % 4];
  }
  void DrawPlain(Canvas& canvas, const Rect& rect, int kind, int theme) const override {
    if (kind != kOrb) return World::DrawPlain(canvas, rect, kind, theme);
    const double margin = static_cast<double>(1 - kOrbSize), size = static_cast<double>(kOrbSize);
    canvas.Fill({rect.x + rect.width * margin / 2, rect.y + rect.height * margin / 2,
                 rect.width * size, rect.height * size},
                0xff00ff00u);
  }
  void OwnFields(Codec& codec) override {
    codec(free_, is_free_, hunt_time_, egg_time_, hunt_, enemies_, orbs_, collected_, size_);
  }

  std::vector<std::int32_t> free_;
  std::vector<bool> is_free_;
  std::int32_t hunt_time_ = 75, egg_time_ = 50;  // steps
  std::int32_t hunt_ = 0, enemies_ = 0, orbs_ = 0, collected_ = 0, size_ = 0;
};

}  // namespace

std::unique_ptr<World> MakeChaser(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Chaser>(settings, image_folder);
}

}  // namespace envpool::procgen
