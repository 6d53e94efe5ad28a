// SPDX-License-Identifier: Apache-2.0
// Maze: a mouse finds cheese. Walls, one step a cell.
#include "own/games.h"
#include "own/maze_maker.h"

namespace envpool::procgen {
namespace {

constexpr int kCheese = 2;
constexpr float kReward = 10;
constexpr std::string_view kWallPicture[] = {"kenney/Ground/Sand/sandCenter.png"};
constexpr std::string_view kCheesePicture[] = {"misc_assets/cheese.png"};
constexpr std::string_view kMousePicture[] = {"kenney/Enemies/mouse_move.png"};

class Maze final : public World {
 public:
  Maze(const Settings& settings, const std::string& image_folder) : World(settings, image_folder) {
    agent_starts_anywhere = shows_velocity = false;
    outside = kWall;
    visibility = 8;
  }

 private:
  Names Backgrounds() const override { return kTopdownBackgrounds; }
  Names Pictures(int kind) const override {
    if (kind == kWall) return kWallPicture;
    if (kind == kCheese) return kCheesePicture;
    if (kind == kAgent) return kMousePicture;
    return {};
  }
  void ChooseSize() override {
    if (settings.mode == kEasy) size_ = 15;
    if (settings.mode == kHard) size_ = 25;
    if (settings.mode == kMemory) size_ = 31;
    width = height = size_;
  }
  void MakeLevel() override {
    by_cells = true;
    maze_ = random.Below((size_ - 1) / 2) * 2 + 3;
    const int margin = (size_ - maze_) / 2;
    center_agent = settings.mode == kMemory;
    agent->rx = agent->ry = .5f;
    agent->x = agent->y = static_cast<float>(margin + .5);
    MazeMaker maker(maze_);
    maker.Make(random);
    maker.Place(random, kCheese);
    FillCells(0, 0, size_, size_, kWall);
    for (int x = 0; x < maze_; ++x) {
      for (int y = 0; y < maze_; ++y) SetCell(margin + x, margin + y, maker.at(x, y));
    }
  }
  void Choose(int direction) override {
    World::Choose(direction);
    if (action_x != 0) action_y = 0;
  }
  void AfterStep() override {
    if (action_x > 0) agent->mirrored = true;
    if (action_x < 0) agent->mirrored = false;
    const int x = static_cast<int>(agent->x), y = static_cast<int>(agent->y);
    if (Cell(x, y) == kCheese) {
      SetCell(x, y, kSpace);
      reward += kReward;
      level_complete = true;
    }
    done = reward > 0;
  }
  void OwnFields(Codec& codec) override { codec(maze_, size_); }

  std::int32_t maze_ = 0, size_ = 0;  // cells of a side, without and with what is around
};

}  // namespace

std::unique_ptr<World> MakeMaze(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Maze>(settings, image_folder);
}

}  // namespace envpool::procgen
