// SPDX-License-Identifier: Apache-2.0
// Heist: keys open doors of their color, behind the last one of which is the gem.
#include <algorithm>
#include <cmath>
#include <vector>

#include "own/games.h"
#include "own/maze_maker.h"

namespace envpool::procgen {
namespace {

enum : int { kLock = 1, kLooseKey = 2, kGem = 9, kKeyOnRing = 11 };
constexpr float kReward = 10, kPi = 3.14159265358979323846f;
constexpr std::string_view kWallPicture[] = {"kenney/Ground/Dirt/dirtCenter.png"};
constexpr std::string_view kGemPicture[] = {"misc_assets/gemYellow.png"};
constexpr std::string_view kThief[] = {"misc_assets/spaceAstronauts_008.png"};
constexpr std::string_view kKeys[] = {"misc_assets/keyBlue.png", "misc_assets/keyGreen.png",
                                      "misc_assets/keyRed.png"};
constexpr std::string_view kLocks[] = {"misc_assets/lock_blue.png", "misc_assets/lock_green.png",
                                       "misc_assets/lock_red.png"};

class Heist final : public World {
 public:
  Heist(const Settings& settings, const std::string& image_folder) : World(settings, image_folder) {
    shows_velocity = false;
    width = height = 20;
    outside = kWall;
    visibility = 8;
  }

 private:
  Names Backgrounds() const override { return kTopdownBackgrounds; }
  Names Pictures(int kind) const override {
    switch (kind) {
      case kAgent:
        return kThief;
      case kWall:
        return kWallPicture;
      case kGem:
        return kGemPicture;
      case kLooseKey:
        return kKeys;
      case kLock:
        return kLocks;
      default:
        return {};
    }
  }
  bool KeepsThemes(int kind) const override { return kind == kLooseKey || kind == kLock; }
  bool Has(const Thing& thing) const { return has_[static_cast<std::size_t>(thing.theme)]; }
  bool IsShown(const Thing& thing) const override { return thing.kind != kKeyOnRing || Has(thing); }
  bool BlocksThing(const Thing& mover, const Thing& other, bool horizontal) const override {
    return other.kind == kLock ? !Has(other) : Blocks(mover, other.kind, horizontal);
  }
  void ChooseSize() override {
    size_ = settings.mode == kEasy ? 9 : settings.mode == kHard ? 13 : 23;
    max_speed = .75f;
    width = height = size_;
  }
  void MakeLevel() override {
    constexpr int kLeastMaze = 5, kMostKeys = 3;
    const int difficulty = random.Below((size_ - kLeastMaze) / 2 + 1);
    center_agent = settings.mode == kMemory;
    keys_ = settings.mode == kMemory ? random.Below(4) : difficulty + random.Below(2);
    keys_ = std::min(keys_, kMostKeys);
    has_.assign(static_cast<std::size_t>(keys_), false);
    const int maze = difficulty * 2 + kLeastMaze;
    constexpr float r = .375f;
    agent->rx = agent->ry = r;
    MazeMaker maker(maze);
    maker.MakeWithDoors(random, keys_);
    agent->x = agent->y = -1;  // out of the way of what is put somewhere
    const int left = random.Below(size_ - maze + 1), bottom = random.Below(size_ - maze + 1);
    FillCells(0, 0, width, height, kWall);
    for (int i = 0; i < maze; ++i) {
      for (int j = 0; j < maze; ++j) {
        const int x = left + i, y = bottom + j, kind = maker.at(i, j);
        if (kind != kWall) SetCell(x, y, kSpace);
        const auto middle_x = static_cast<float>(x + .5), middle_y = static_cast<float>(y + .5);
        if (kind >= kKey) {
          PutInCell(x, y, r, kLooseKey, kind - kKey - 1);
        } else if (kind >= kDoor) {
          Add(middle_x, middle_y, 0, 0, .5f, .5f, kLock).theme = kind - kDoor - 1;
        } else if (kind == kExit) {
          PutInCell(x, y, r, kGem, 0);
        } else if (kind == kAgentCell) {
          agent->x = middle_x;
          agent->y = middle_y;
        }
      }
    }
    constexpr float kRing = 0.03f;  // of the view
    for (int i = 0; i < keys_; ++i) {
      const auto place = static_cast<double>(kRing);
      Thing& key = Add(static_cast<float>(1 - place * (2 * i + 1.25)),
                       static_cast<float>(place * .75), 0, 0, kRing, kRing, kKeyOnRing);
      key.theme = i;
      key.image = kLooseKey;
      key.rotation = kPi / 2;
      key.layer = 1;
      key.on_screen = true;
      FitHeight(key);
    }
  }
  void PutInCell(int x, int y, float r, int kind, int theme) {
    auto thing = std::make_shared<Thing>(0.0f, 0.0f, 0.0f, 0.0f, r, r, kind);
    PutAtRandom(*thing, static_cast<float>(x), static_cast<float>(y), 1, 1, true);
    things.push_back(thing);
    thing->theme = theme;
    FitHeight(*thing);
  }
  void MeetAgent(Thing& thing) override {
    if (thing.kind == kGem) {
      done = level_complete = true;
      reward = kReward;
    } else if (thing.kind == kLooseKey) {
      thing.erased = true;
      has_[static_cast<std::size_t>(thing.theme)] = true;
    } else if (thing.kind == kLock && Has(thing)) {
      thing.erased = true;
    }
  }
  void AfterStep() override {
    if (action_x == 0 && action_y == 0) return;
    agent->rotation = -1 * std::atan2(action_y, action_x) + 0.0f;  // not -0
  }
  void OwnFields(Codec& codec) override { codec(keys_, size_, has_); }

  std::int32_t keys_ = 0, size_ = 0;
  std::vector<bool> has_;
};

}  // namespace

std::unique_ptr<World> MakeHeist(const Settings& settings, const std::string& image_folder) {
  return std::make_unique<Heist>(settings, image_folder);
}

}  // namespace envpool::procgen
