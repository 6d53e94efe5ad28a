// SPDX-License-Identifier: Apache-2.0
// Rules: the task classes of nle and MiniHack: the screens that are answered for the agent, the end
// of an episode, and the reward.
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
  double reward_win = 1, reward_lose = 0;  ///< for MiniHack's tasks without events
  double shaping = 0;                      ///< for a filled pit, or a box in its place
  std::vector<std::string> events;         ///< events.h
  bool quits = false;  ///< true: if an episode ends before its game, the game is quit, as in nle
};

/// The result of a step.
struct StepResult {
  double reward = 0;
  Status status = Status::kRunning;
};

class Rules {
 public:
  Rules(const RuleSettings& settings, Game& game)
      : settings_(settings), game_(game), events_(settings.events) {}
  /// Names of the arrays that rules read, beside those that all tasks read.
  static std::vector<std::string> KeysOf(const RuleSettings& settings);

  /// Call it after the game began.
  void Begin();
  /// Presses a key, answers the task's screens, and returns the result.
  StepResult Step(int key);

  /// Writes the rules' counters; the game is saved separately.
  void Save(StateWriter& out) const;
  void Load(StateReader& in);

 private:
  /// The values before a step that rewards compare with.
  struct Before {
    std::int64_t score = 0, gold = 0, turn = 0;
    int hunger = 0;
    int pits = 0, boxes = 0;  // number of visible pits, of boxes in their places
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
  std::int64_t frozen_steps_ = 0;  // number of consecutive steps that took no game time
  std::int64_t turn_ = -1;         // turn of the last check of progress
  int no_progress_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, int> explored_;  // glyphs, by dungeon and level
  std::vector<std::uint8_t> goals_;                                // for boxes: 1 at a goal
};

}  // namespace envpool::nethack
