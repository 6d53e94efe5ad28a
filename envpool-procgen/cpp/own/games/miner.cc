// SPDX-License-Identifier: Apache-2.0
// Miner: dig for diamonds under falling boulders, then leave.
#include "own/games/all.h"

namespace envpool::procgen {
namespace {

enum Kind : int {
  kBoulder = 1,
  kDiamond = 2,
  kFallingBoulder = 3,
  kFallingDiamond = 4,
  kExit = 6,
  kDirt = 9,
  kBricks = 10,
};

int Resting(int object) {
  return object == kFallingBoulder || object == kFallingDiamond ? object - 2 : object;
}
int Falling(int object) { return Resting(object) + 2; }
bool Falls(int object) { return object >= kBoulder && object <= kFallingDiamond; }

class Miner final : public Game {
 public:
  Miner(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/robot_greenDrive1"}},
              {kBoulder, {"misc_assets/elementStone007"}},
              {kDiamond, {"misc_assets/gemBlue"}},
              {kExit, {"misc_assets/window"}},
              {kDirt, {"misc_assets/dirt"}},
              {kBricks, {"misc_assets/tile_bricksGrey"}}},
             Backdrop::kPlatform) {
    outside_ = kBricks;
    visibility_ = 8;
    shows_velocity_ = false;
  }

 private:
  void ChooseSize() override {
    side_ = mode() == kEasy ? 10 : mode() == kMemory ? 35 : 20;
    SetSize(side_, side_);
  }

  void MakeLevel() override {
    const int diamonds = mode() == kEasy ? 3 : mode() == kMemory ? 36 : 12;
    const int boulders = mode() == kEasy ? 20 : mode() == kMemory ? 245 : 80;
    agent().rx = agent().ry = .5f;
    center_agent_ = mode() == kMemory;
    grid_step_ = true;
    const std::vector<int> cells = random_.Distinct(grid_.size(), diamonds + boulders + 1);
    const int column = cells[0] % side_, row = cells[0] / side_;
    agent().x = static_cast<float>(column) + .5f;
    agent().y = static_cast<float>(row) + .5f;
    grid_.Resize(side_, side_, kDirt);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      grid_.Set(cells[i], static_cast<int>(i) <= diamonds ? kDiamond : kBoulder);
    }
    const std::vector<int> dirt = grid_.Find(kDirt);
    grid_.Set(cells[0], kSpace);
    for (int x = column - 1; x <= column + 1; ++x) {
      for (int y = row - 1; y <= row + 1; ++y) {
        if (Cell(x, y) == kBoulder) grid_.Set(x, y, kDirt);
      }
    }
    std::vector<int> places;
    for (const int cell : dirt) {
      const int above = grid_.Get(cell + side_, outside_);
      if (above == kDirt || above == kBricks) places.push_back(cell);
    }
    const int exit = random_.OneOf(places);
    grid_.Set(exit, kSpace);
    AddAtCell(exit, .5f, kExit).layer = -1;
  }

  bool Blocks(Entity& mover, int type, bool horizontal) override {
    if (mover.type == kPlayer && (type == kBoulder || type == kFallingBoulder || type == kBricks)) {
      return true;
    }
    return Game::Blocks(mover, type, horizontal);
  }

  void MeetAgent(Entity& other) override {
    if (other.type != kExit || diamonds_left_ != 0) return;
    reward_ += 10;
    done_ = level_complete_ = true;
  }

  void Step() override {
    StepAll();
    if (action_vx_ != 0) agent().mirrored = action_vx_ < 0;
    PushBoulder();
    const int cell = AgentCell(), object = grid_.Get(cell, outside_);
    if (object == kDiamond) reward_ += 1;
    if (object == kDiamond || object == kDirt) grid_.Set(cell, kSpace);
    LetFall();
  }

  int AgentCell() const {
    return grid_.Index(static_cast<int>(agent().x), static_cast<int>(agent().y));
  }

  void PushBoulder() {
    if ((action_vx_ != 1 && action_vx_ != -1) || agent().vx != 0) return;
    const int way = action_vx_ > 0 ? 1 : -1;
    const int cell = AgentCell(), column = cell % side_;
    if (way > 0 ? column >= side_ - 2 : column <= 1) return;
    if (grid_.Get(cell + way, outside_) != kBoulder ||
        grid_.Get(cell + 2 * way, outside_) != kSpace) {
      return;
    }
    grid_.Set(cell + way, kSpace);
    grid_.Set(cell + 2 * way, kBoulder);
    agent().x += static_cast<float>(way);
  }

  bool IsFree(int cell) const { return grid_.Get(cell, outside_) == kSpace && cell != AgentCell(); }

  // From the lowest row on: a thing that moves to a later cell is processed again.
  void LetFall() {
    const auto agent_cell =
        static_cast<int>((agent().y - .5f) * static_cast<float>(side_) + (agent().x - .5f));
    int diamonds = 0;
    for (int cell = 0; cell < grid_.size(); ++cell) {
      const int object = grid_.Get(cell, outside_), resting = Resting(object);
      if (resting == kDiamond) ++diamonds;
      if (!Falls(object)) continue;
      const int low = cell - side_, below = grid_.Get(low, outside_), column = cell % side_;
      if (below == kSpace && agent_cell != low) {
        grid_.Set(cell, kSpace);
        grid_.Set(low, Falling(object));
      } else if (agent_cell == low && object != resting) {
        done_ = true;
      } else if (Falls(below) && column > 0 && IsFree(cell - 1) && IsFree(low - 1)) {
        grid_.Set(cell, kSpace);
        grid_.Set(cell - 1, resting);
      } else if (Falls(below) && column < side_ - 1 && IsFree(cell + 1) && IsFree(low + 1)) {
        grid_.Set(cell, kSpace);
        grid_.Set(cell + 1, resting);
      } else {
        grid_.Set(cell, resting);
      }
    }
    diamonds_left_ = diamonds;
  }

  int ImageType(int type) const override { return Game::ImageType(Resting(type)); }
  void ExchangeOwn(StateIo& io) override { io(diamonds_left_); }

  int side_ = 0;
  int diamonds_left_ = 0;  // at the end of the last step
};

}  // namespace

std::unique_ptr<Game> MakeMiner(const Settings& settings, const std::string& images) {
  return std::make_unique<Miner>(settings, images);
}

}  // namespace envpool::procgen
