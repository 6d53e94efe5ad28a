// SPDX-License-Identifier: Apache-2.0
// Heist: find keys, open locks and steal the gem.
#include <algorithm>

#include "own/games/all.h"
#include "own/maze_generator.h"

namespace envpool::procgen {
namespace {

enum Kind : int { kDoor = 1, kKey = 2, kGem = 9, kRing = 11 };

class Heist final : public Game {
 public:
  Heist(const Settings& settings, const std::string& images)
      : Game(settings, images,
             {{kPlayer, {"misc_assets/spaceAstronauts_008"}},
              {kDoor, {"misc_assets/lock_blue", "misc_assets/lock_green", "misc_assets/lock_red"}},
              {kKey, {"misc_assets/keyBlue", "misc_assets/keyGreen", "misc_assets/keyRed"}},
              {kGem, {"misc_assets/gemYellow"}},
              {kWall, {"kenney/Ground/Dirt/dirtCenter"}}},
             Backdrop::kTopDown) {
    shows_velocity_ = false;
    outside_ = kWall;
    visibility_ = 8;
  }

 private:
  static constexpr float kRadius = .375f;

  void ChooseSize() override {
    world_ = mode() == kEasy ? 9 : mode() == kMemory ? 23 : 13;
    max_speed_ = .75f;
    SetSize(world_, world_);
  }

  void MakeLevel() override {
    constexpr int kMostKeys = 3;
    const int difficulty = random_.Below((world_ - 5) / 2 + 1);
    center_agent_ = mode() == kMemory;
    keys_ = mode() == kMemory ? random_.Below(4) : difficulty + random_.Below(2);
    keys_ = std::min(keys_, kMostKeys);
    has_keys_.assign(static_cast<std::size_t>(keys_), false);
    const int side = 2 * difficulty + 5;
    agent().rx = agent().ry = kRadius;
    MazeGenerator maze(random_, side);
    maze.MakeWithDoors(keys_);
    agent().x = agent().y = -1;
    const int right = random_.Below(world_ - side + 1), up = random_.Below(world_ - side + 1);
    grid_.Fill(0, 0, world_, world_, kWall);
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        if (maze.At(x, y) != kWall) PutIn(right + x, up + y, maze.At(x, y));
      }
    }
    for (int key = 0; key < keys_; ++key) AddToRing(key);
  }

  // Puts the maze's content of a free cell into the level.
  void PutIn(int column, int row, int mark) {
    const auto x = static_cast<float>(column), y = static_cast<float>(row);
    grid_.Set(column, row, kSpace);
    if (mark >= kKeyMark) {
      Entity& key = AddWithin({x, y, 1, 1}, kRadius, kRadius, kKey);
      key.theme = mark - kKeyMark - 1;
      MatchWidth(key);
    } else if (mark >= kDoorMark) {
      Add(x + .5f, y + .5f, .5f, kDoor).theme = mark - kDoorMark - 1;
    } else if (mark == kExitMark) {
      MatchWidth(AddWithin({x, y, 1, 1}, kRadius, kRadius, kGem));
    } else if (mark == kAgentMark) {
      agent().x = x + .5f;
      agent().y = y + .5f;
    }
  }

  // Adds a key to the upper right, visible once the agent has it.
  void AddToRing(int key) {
    constexpr float kSize = 0.03f;
    Entity& ring = Add(static_cast<float>(1 - double{kSize} * (2 * key + 1.25)),
                       static_cast<float>(double{kSize} * .75), kSize, kRing);
    ring.theme = key;
    ring.image_type = kKey;
    ring.rotation = kPi / 2;
    ring.layer = 1;
    ring.of_view = true;
    MatchWidth(ring);
  }

  bool HasKey(int theme) const { return has_keys_[static_cast<std::size_t>(theme)]; }

  bool BlocksEntity(Entity& mover, const Entity& other, bool horizontal) override {
    if (other.type == kDoor) return !HasKey(other.theme);
    return Game::BlocksEntity(mover, other, horizontal);
  }

  void MeetAgent(Entity& other) override {
    switch (other.type) {
      case kGem:
        done_ = level_complete_ = true;
        reward_ = 10;
        break;
      case kKey:
        other.erased = true;
        has_keys_[static_cast<std::size_t>(other.theme)] = true;
        break;
      case kDoor:
        if (HasKey(other.theme)) other.erased = true;
        break;
      default:
        break;
    }
  }

  void Step() override {
    StepAll();
    agent().Face(action_vx_, action_vy_);
  }

  bool Shows(const Entity& entity) const override {
    return entity.type != kRing || HasKey(entity.theme);
  }
  bool KeepsThemes(int type) const override { return type == kDoor || type == kKey; }
  void ExchangeOwn(StateIo& io) override { io(keys_, world_, has_keys_); }

  int keys_ = 0, world_ = 0;
  std::vector<bool> has_keys_;
};

}  // namespace

std::unique_ptr<Game> MakeHeist(const Settings& settings, const std::string& images) {
  return std::make_unique<Heist>(settings, images);
}

}  // namespace envpool::procgen
