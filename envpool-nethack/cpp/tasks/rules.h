// SPDX-License-Identifier: Apache-2.0
// Rules: what task classes of nle and MiniHack make of a game: which screens are answered for the
// agent, when an episode is over, and what it pays.
//
// Numbers of blstats, internal and program_state are nle's (nle/include/nletypes.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "envpool/state_io.h"
#include "game/game.h"
#include "tasks/events.h"

namespace envpool::nethack {

enum class TaskKind : std::uint8_t {
  kBase,
  kScore,
  kStaircase,
  kStaircasePet,
  kOracle,
  kGold,
  kEat,
  kScout,
  kChallenge,
  kMinihack,
  kKeyRoom,
  kSokoban,
  kBoxoban
};
/// In the order of TaskKind.
inline const std::vector<std::string> kTaskNames = {
    "base",  "score",     "staircase", "staircase_pet", "oracle",  "gold",   "eat",
    "scout", "challenge", "minihack",  "key_room",      "sokoban", "boxoban"};

enum class PenaltyMode : std::uint8_t { kConstant, kExp, kSquare, kLinear, kAlways };
/// In the order of PenaltyMode.
inline const std::vector<std::string> kPenaltyNames = {"constant", "exp", "square", "linear",
                                                       "always"};

/// nle's `end_status`.
enum class Status : std::int8_t { kAborted = -1, kRunning = 0, kDeath = 1, kSuccess = 2 };

struct RuleSettings {
  TaskKind task = TaskKind::kScore;
  PenaltyMode penalty_mode = PenaltyMode::kConstant;
  double penalty_step = -0.01, penalty_time = -0.0;
  int max_episode_steps = 5000;
  int no_progress_timeout = 10000;
  bool allow_all_yn_questions = false, allow_all_modes = false;
  double reward_win = 1, reward_lose = 0;  ///< of MiniHack's tasks without events
  double shaping = 0;                      ///< for a pit that is filled, or a box in its place
  std::vector<std::string> events;         ///< events.h
  bool quits = false;  ///< an episode that is over while the game goes on is quit, as nle does it
};

/// What a step gave.
struct StepResult {
  double reward = 0;
  Status status = Status::kRunning;
};

class Rules {
 public:
  Rules(const RuleSettings& settings, Game& game)
      : settings_(settings), game_(game), events_(settings.events) {}
  /// Arrays of the screen that rules look into, beside those that all do.
  static std::vector<std::string> KeysOf(const RuleSettings& settings);

  /// After the game began.
  void Begin();
  /// Presses a key, answers what the task answers, and says what that gave.
  StepResult Step(int key);

  /// What it counts; not the game.
  void Save(StateWriter& out) const;
  void Load(StateReader& in);

 private:
  /// What rewards compare with the screen before.
  struct Before {
    std::int64_t score = 0, gold = 0, turn = 0;
    int hunger = 0;
    int pits = 0, boxes = 0;  // pits that are seen, boxes in their places
  };

  Before Look() const;
  bool IsAborted();
  void AnswerScreens(bool leaves_questions);
  void Quit();
  bool IsNear(int first_glyph, int last_glyph) const;
  bool IsSuccess(int key);
  void OpenDoor();
  int DirectionOfDoor() const;
  bool IsEachBoxInPlace() const;
  double Reward(Status status);
  double MinihackReward(Status status);
  double BoxReward(Status status) const;
  double TimePenalty();
  double NewGlyphs();

  const RuleSettings settings_;
  Game& game_;
  Events events_;
  Before before_;
  int steps_ = 0;
  std::int64_t frozen_steps_ = 0;  // in a row that took no time
  std::int64_t turn_ = -1;         // of the last look for progress
  int no_progress_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, int> explored_;  // glyphs, by dungeon and level
  std::vector<std::uint8_t> goals_;                                // of boxes: 1 where one is
};

}  // namespace envpool::nethack
