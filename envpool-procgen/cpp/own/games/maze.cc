// SPDX-License-Identifier: Apache-2.0
// Maze: find the cheese.
#include "own/games/all.h"
#include "own/maze_generator.h"

namespace envpool::procgen {
namespace {

constexpr int kCheese = 2;

class Maze final : public Game {
 public:
  Maze(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"kenney/Enemies/mouse_move"}},
              {kCheese, {"misc_assets/cheese"}},
              {kWall, {"kenney/Ground/Sand/sandCenter"}}},
             Backdrop::kTopDown) {
    random_start_ = false;
    shows_velocity_ = false;
    outside_ = kWall;
    visibility_ = 8;
  }

 private:
  void ChooseSize() override {
    world_ = mode() == kEasy ? 15 : mode() == kMemory ? 31 : 25;
    SetSize(world_, world_);
  }

  void MakeLevel() override {
    grid_step_ = true;
    side_ = random_.Below((world_ - 1) / 2) * 2 + 3;
    const int margin = (world_ - side_) / 2;
    center_agent_ = mode() == kMemory;
    Entity& mouse = agent();
    mouse.rx = mouse.ry = 0.5f;
    mouse.x = mouse.y = static_cast<float>(margin) + 0.5f;
    MazeGenerator maze(random_, side_);
    maze.MakePlain();
    maze.Place(kCheese, 1);
    grid_.Fill(0, 0, world_, world_, kWall);
    for (int x = 0; x < side_; ++x) {
      for (int y = 0; y < side_; ++y) grid_.Set(margin + x, margin + y, maze.At(x, y));
    }
  }

  void Step() override {
    StepAll();
    Entity& mouse = agent();
    if (action_vx_ != 0) mouse.mirrored = action_vx_ > 0;
    const auto x = static_cast<int>(mouse.x), y = static_cast<int>(mouse.y);
    if (Cell(x, y) == kCheese) {
      grid_.Set(x, y, kSpace);
      reward_ += 10;
      level_complete_ = true;
    }
    done_ = reward_ > 0;
  }

  void ExchangeOwn(StateIo& io) override { io(side_, world_); }

  int side_ = 0, world_ = 0;
};

}  // namespace

std::unique_ptr<Game> MakeMaze(const Settings& settings, const std::string& images) {
  return std::make_unique<Maze>(settings, images);
}

}  // namespace envpool::procgen
