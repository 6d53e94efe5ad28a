// SPDX-License-Identifier: Apache-2.0
// One row of the table of games: the cartridge, the console's settings, the selection of modes, the
// actions and the rules.
//
//   const GameInfo* pong = FindGame("pong");            // table.h
//   pong->actions.Contains(kFire); pong->select.IsLegal(1); TaskName(*pong) == "Pong";
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "console/console.h"
#include "games/rules.h"

namespace envpool::atari {

class Game;

/** A player's action in one frame, with the numbers of the Arcade Learning Environment. */
enum Action : std::uint8_t {
  kNoop,
  kFire,
  kUp,
  kRight,
  kLeft,
  kDown,
  kUpRight,
  kUpLeft,
  kDownRight,
  kDownLeft,
  kUpFire,
  kRightFire,
  kLeftFire,
  kDownFire,
  kUpRightFire,
  kUpLeftFire,
  kDownRightFire,
  kDownLeftFire,
  kReset = 40,  ///< the console's switch; only at the start of a game
};
inline constexpr int kActionCount = 18;

/** A set of numbers below 32: of actions or of difficulties. */
class SmallSet {
 public:
  constexpr SmallSet(std::initializer_list<int> numbers) {
    for (const int number : numbers) bits_ |= 1U << number;
  }

  constexpr bool Contains(int number) const {
    return number >= 0 && number < 32 && (bits_ >> number & 1U) != 0;
  }

  /** The numbers, rising. */
  std::vector<int> ToVector() const {
    std::vector<int> numbers;
    for (int i = 0; i < 32; ++i) {
      if (Contains(i)) numbers.push_back(i);
    }
    return numbers;
  }

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr SmallSet kAllActions = {
    kNoop,     kFire,     kUp,          kRight,      kLeft,          kDown,
    kUpRight,  kUpLeft,   kDownRight,   kDownLeft,   kUpFire,        kRightFire,
    kLeftFire, kDownFire, kUpRightFire, kUpLeftFire, kDownRightFire, kDownLeftFire};
inline constexpr SmallSet kDirections = {kNoop,    kUp,     kRight,     kLeft,    kDown,
                                         kUpRight, kUpLeft, kDownRight, kDownLeft};

/** An action that a new game begins with. */
struct StartAction {
  Action action = kNoop;
  int frames = 0;
};

/** The modes first, first + step, ... last, each with the width - 1 modes that follow it. */
struct ModeRange {
  int first = 0;
  int last = 0;
  int step = 1;
  int width = 1;
  int scale = 1;  ///< the console shows scale * mode + offset
  int offset = 0;

  constexpr bool Contains(int mode) const {
    return mode >= first && mode <= last + width - 1 && (mode - first) % step < width;
  }
};

/** How a mode is selected: the SELECT switch is pressed until memory shows the mode. */
struct ModeSelection {
  ShortList<ModeRange, 2> modes = {{0, 0}};
  Sum shows = {};      ///< the number of the mode in memory
  int or_plus = 0;     ///< the console may also show a number larger by this
  int hold = 0;        ///< frames of one press; 0: the game has one mode and nothing is pressed
  int first_hold = 0;  ///< frames of a press before memory is first read, if any
  bool reset_first = false;                    ///< the RESET switch is pressed first
  int wait = 0;                                ///< number of NOOP actions before the selection
  bool draws = false;                          ///< random numbers are drawn
  void (*by_hand)(Game&, int mode) = nullptr;  ///< selects the mode in place of the above

  constexpr const ModeRange* Find(int mode) const {
    for (const ModeRange& range : modes) {
      if (range.Contains(mode)) return &range;
    }
    return nullptr;
  }
  constexpr bool IsLegal(int mode) const { return Find(mode) != nullptr; }
  constexpr int Default() const { return modes.begin()->first; }
};

/** A game: a cartridge, its console and its rules. */
struct GameInfo {
  std::string_view name;  ///< the name of the file, without ".bin"
  std::string_view md5;   ///< the MD5 sum of the file
  CartridgeType cartridge = CartridgeType::k4K;
  ConsoleProperties console = {};
  int paddle_max = 790196;         ///< how far a paddle turns, see game.h
  SmallSet actions = kAllActions;  ///< the actions that do something in this game
  SmallSet legal = kAllActions;    ///< the actions that reach the console
  ShortList<StartAction, 3> start = {};
  SmallSet difficulties = {0};
  ModeSelection select = {};
  Rules rules = {};
};

/** The name of the task: "Pong" of "pong", "MsPacman" of "ms_pacman". */
inline std::string TaskName(const GameInfo& game) {
  std::string task;
  bool upper = true;
  for (const char c : game.name) {
    if (c != '_') task += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '_';
  }
  return task;
}

/** Lines of the screen. */
constexpr int ScreenHeight(const GameInfo& game) {
  return game.console.height > 0 ? game.console.height : 210;
}

/** The modes, rising; the first one is the default. */
inline std::vector<int> ListModes(const GameInfo& game) {
  std::vector<int> modes;
  for (const ModeRange& range : game.select.modes) {
    for (int mode = range.first; mode <= range.last + range.width - 1; ++mode) {
      if (range.Contains(mode)) modes.push_back(mode);
    }
  }
  return modes;
}

}  // namespace envpool::atari
