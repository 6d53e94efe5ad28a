// SPDX-License-Identifier: Apache-2.0
// Miner: dig for diamonds; boulders and diamonds fall and roll.
#include <vector>

#include "own/games.h"

namespace envpool::procgen {
namespace {

enum : int { kBoulder = 1, kDiamond = 2, kFallingBoulder = 3, kFallingDiamond = 4, kGate = 6 };
constexpr int kDirt = 9, kBricks = 10;
constexpr float kReward = 1, kBonus = 10;
constexpr float kDiamonds = 12 / 400.0f, kBoulders = 80 / 400.0f;  // a cell
constexpr std::string_view kRobot[] = {"misc_assets/robot_greenDrive1.png"};
constexpr std::string_view kStone[] = {"misc_assets/elementStone007.png"};
constexpr std::string_view kGem[] = {"misc_assets/gemBlue.png"};
constexpr std::string_view kWindow[] = {"misc_assets/window.png"};
constexpr std::string_view kEarth[] = {"misc_assets/dirt.png"};
constexpr std::string_view kBrick[] = {"misc_assets/tile_bricksGrey.png"};

bool Falls(int kind) { return kind == kFallingBoulder || kind == kFallingDiamond; }
bool IsRound(int kind) { return kind >= kBoulder && kind <= kFallingDiamond; }
int Falling(int kind) { return kind == kBoulder || kind == kDiamond ? kind + 2 : kind; }
int Resting(int kind) { return Falls(kind) ? kind - 2 : kind; }

class Miner final : public World {
 public:
  Miner(const Settings& settings, const std::string& image_folder) : World(settings, image_folder) {
    width = height = 20;
    shows_velocity = false;
    outside = kBricks;
    visibility = 8;
  }

 private:
  Names Backgrounds() const override { return kPlatformBackgrounds; }
  Names Pictures(int kind) const override {
    switch (kind) {
      case kAgent:
        return kRobot;
      case kBoulder:
        return kStone;
      case kDiamond:
        return kGem;
      case kGate:
        return kWindow;
      case kDirt:
        return kEarth;
      case kBricks:
        return kBrick;
      default:
        return {};
    }
  }
  int ImageOf(int kind) const override { return World::ImageOf(Resting(kind)); }
  void ChooseSize() override {
    if (settings.mode == kEasy) width = height = 10;
    if (settings.mode == kHard) width = height = 20;
    if (settings.mode == kMemory) width = height = 35;
  }
  bool Blocks(const Thing& mover, int kind, bool horizontal) const override {
    return World::Blocks(mover, kind, horizontal) ||
           (mover.kind == kAgent &&
            (kind == kBoulder || kind == kFallingBoulder || kind == kBricks));
  }
  void Choose(int direction) override {
    World::Choose(direction);
    if (action_x != 0) action_y = 0;
  }
  void MeetAgent(Thing& thing) override {
    if (thing.kind != kGate || left_ != 0) return;
    reward += kBonus;
    level_complete = done = true;
  }

  void MakeLevel() override {
    agent->rx = agent->ry = .5f;
    center_agent = settings.mode == kMemory;
    by_cells = true;
    const int cells = width * height;
    const int diamonds = static_cast<int>(kDiamonds * static_cast<float>(cells));
    const int boulders = static_cast<int>(kBoulders * static_cast<float>(cells));
    const std::vector<int> chosen =
        random.Different(static_cast<std::size_t>(cells), diamonds + boulders + 1);
    const int x = chosen[0] % width, y = chosen[0] / width;
    agent->x = static_cast<float>(x + .5);
    agent->y = static_cast<float>(y + .5);
    FillCells(0, 0, width, height, kDirt);
    for (int i = 0; i < diamonds + boulders; ++i) {
      SetCell(chosen[static_cast<std::size_t>(i + 1)], i < diamonds ? kDiamond : kBoulder);
    }
    const std::vector<int> dirt = CellsOf(kDirt);
    SetCell(x, y, kSpace);
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        if (Cell(x + dx, y + dy) == kBoulder) SetCell(x + dx, y + dy, kDirt);
      }
    }
    std::vector<int> places;  // with nothing above that falls
    for (const int cell : dirt) {
      const int above = Cell(cell + width);
      if (above == kDirt || above == outside) places.push_back(cell);
    }
    const int place = places[static_cast<std::size_t>(random.Below(places.size()))];
    SetCell(place, kSpace);
    AddAtCell(place, .5f, kGate).layer = -1;
  }

  void AfterStep() override {
    if (action_x > 0) agent->mirrored = false;
    if (action_x < 0) agent->mirrored = true;
    PushBoulder();
    const int x = static_cast<int>(agent->x), y = static_cast<int>(agent->y);
    const int here = Cell(x, y);
    if (here == kDiamond) reward += kReward;
    if (here == kDirt || here == kDiamond) SetCell(x, y, kSpace);
    left_ = 0;
    for (int cell = 0; cell < width * height; ++cell) {
      left_ += Resting(Cell(cell)) == kDiamond;
      Fall(cell);
    }
  }
  void PushBoulder() {
    const int cell = AgentCell(), x = cell % width, way = static_cast<int>(action_x);
    const bool has_room = way > 0 ? x < width - 2 : x > 1;
    if (way == 0 || agent->vx != 0 || !has_room) return;
    if (Cell(cell + way) != kBoulder || Cell(cell + 2 * way) != kSpace) return;
    SetCell(cell + way, kSpace);
    SetCell(cell + 2 * way, kBoulder);
    agent->x += static_cast<float>(way);
  }
  bool IsFree(int cell) const { return Cell(cell) == kSpace && AgentCell() != cell; }
  void Fall(int cell) {
    const int kind = Cell(cell), x = cell % width, below = cell - width;
    if (!IsRound(kind)) return;
    const auto agent_cell = static_cast<int>((static_cast<double>(agent->y) - .5) * width +
                                             (static_cast<double>(agent->x) - .5));
    const bool on_agent = agent_cell == below;
    const int support = Cell(below);
    if (support == kSpace && !on_agent) {
      SetCell(cell, kSpace);
      SetCell(below, Falling(kind));
    } else if (on_agent && Falls(kind)) {
      done = true;
    } else if (IsRound(support) && x > 0 && IsFree(cell - 1) && IsFree(below - 1)) {
      SetCell(cell, kSpace);
      SetCell(cell - 1, Resting(kind));
    } else if (IsRound(support) && x < width - 1 && IsFree(cell + 1) && IsFree(below + 1)) {
      SetCell(cell, kSpace);
      SetCell(cell + 1, Resting(kind));
    } else {
      SetCell(cell, Resting(kind));
    }
  }
  void OwnFields(Codec& codec) override { codec(left_); }

  std::int32_t left_ = 0;  // diamonds
};

}  // namespace

std::unique_ptr<World> MakeMiner(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Miner>(settings, image_folder);
}

}  // namespace envpool::procgen
