// SPDX-License-Identifier: Apache-2.0
#include "tasks/rules.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace envpool::nethack {
namespace {

enum Blstats { kX = 0, kY = 1, kScore = 9, kGold = 13, kTurn = 20, kDungeon = 23, kLevel = 24 };
enum Internal { kAsksForKey = 1, kAsksForText = 2, kWaits = 3, kOnStairs = 4, kHunger = 7 };
constexpr int kGameOver = 0;  // of program_state

constexpr int kSpace = 32, kEscape = 27, kMetaQ = 0x80 | 'q', kYes = 'y';
constexpr int kOracle = 270, kFirstPet = 381, kLastPet = 761, kStone = 2359;  // glyphs
constexpr std::size_t kMessageSize = 256;
// Questions that a task leaves to the agent.
constexpr std::string_view kLeft[] = {"eat", "attack", "direction?", "pray"};

bool IsLeft(const std::uint8_t* message) {
  const std::string_view text(reinterpret_cast<const char*>(message), kMessageSize);
  return std::any_of(std::begin(kLeft), std::end(kLeft), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace

void Rules::Begin() {
  steps_ = 0;
  frozen_steps_ = 0;
  turn_ = -1;
  no_progress_ = 0;
  explored_.clear();
  IsAborted();
  before_ = Look();
}

StepResult Rules::Step(int key) {
  game_.Press(key);
  IsAborted();
  const Observation& seen = game_.screen().observation();
  if (seen.program_state[kGameOver] == 1 || !settings_.allow_all_modes) AnswerScreens(true);
  ++steps_;
  StepResult result;
  if (IsAborted()) {
    result.status = Status::kAborted;
  } else if (IsSuccess()) {
    result.status = Status::kSuccess;
  }
  if (game_.over()) result.status = Status::kDeath;
  result.reward = Reward(result.status);
  if (result.status != Status::kRunning && !game_.over() && settings_.quits) Quit();
  before_ = Look();
  return result;
}

void Rules::Save(StateWriter& out) const {
  out.Write(before_, steps_, frozen_steps_, turn_, no_progress_);
  std::vector<std::int64_t> explored;
  for (const auto& [level, glyphs] : explored_) {
    explored.insert(explored.end(), {level.first, level.second, glyphs});
  }
  out.Write(explored);
}

void Rules::Load(StateReader& in) {
  std::vector<std::int64_t> explored;
  in.Read(before_, steps_, frozen_steps_, turn_, no_progress_, explored);
  explored_.clear();
  for (std::size_t i = 0; i + 2 < explored.size(); i += 3) {
    explored_[{explored[i], explored[i + 1]}] = static_cast<int>(explored[i + 2]);
  }
}

Rules::Before Rules::Look() const {
  const Observation& seen = game_.screen().observation();
  return {seen.blstats[kScore], seen.blstats[kGold], seen.blstats[kTurn], seen.internal[kHunger]};
}

// Challenge asks this twice in a step, and so counts each step without progress twice, as nle.
bool Rules::IsAborted() {
  const bool late = steps_ >= settings_.max_episode_steps;
  if (settings_.task != TaskKind::kChallenge) return late;
  const std::int64_t turn = game_.screen().observation().blstats[kTurn];
  if (turn == turn_) {
    ++no_progress_;
  } else {
    turn_ = turn;
    no_progress_ = 0;
  }
  return late || no_progress_ >= settings_.no_progress_timeout;
}

void Rules::AnswerScreens(bool leaves_questions) {
  const Observation& seen = game_.screen().observation();
  while (!game_.over()) {
    if (seen.internal[kWaits] != 0) {
      game_.Press(kSpace);
    } else if (seen.internal[kAsksForText] != 0) {
      game_.Press(kEscape);
    } else {
      const bool leaves =
          leaves_questions && (settings_.allow_all_yn_questions || IsLeft(seen.message));
      if (seen.internal[kAsksForKey] != 0 && !leaves) game_.Press(kEscape);
      return;
    }
  }
}

void Rules::Quit() {
  AnswerScreens(false);
  for (const int key : {kMetaQ, kYes}) {
    if (!game_.over()) game_.Press(key);
  }
  AnswerScreens(false);
}

// Whether one of the nine places around has such a glyph. NumPy's slices begin at the other end
// where a bound is negative, and so are empty at the first row and column.
bool Rules::IsNear(int first_glyph, int last_glyph) const {
  const Observation& seen = game_.screen().observation();
  const auto from = [](std::int64_t at, int size) {
    return at < 0 ? std::max<std::int64_t>(0, at + size) : std::min<std::int64_t>(at, size);
  };
  const std::int64_t x = seen.blstats[kX], y = seen.blstats[kY];
  for (std::int64_t row = from(y - 1, kRows); row < from(y + 2, kRows); ++row) {
    for (std::int64_t column = from(x - 1, kColumns); column < from(x + 2, kColumns); ++column) {
      const int glyph = seen.glyphs[row * kColumns + column];
      if (glyph >= first_glyph && glyph <= last_glyph) return true;
    }
  }
  return false;
}

bool Rules::IsSuccess() const {
  const bool on_stairs = game_.screen().observation().internal[kOnStairs] != 0;
  switch (settings_.task) {
    case TaskKind::kStaircase:
      return on_stairs;
    case TaskKind::kStaircasePet:
      return on_stairs && IsNear(kFirstPet, kLastPet);
    case TaskKind::kOracle:
      return IsNear(kOracle, kOracle);
    default:
      return false;
  }
}

// The order of additions is nle's, as rewards are compared to the last bit.
double Rules::Reward(Status status) {
  const Observation& seen = game_.screen().observation();
  const bool plays = seen.in_normal_game != 0;
  const double score = plays ? static_cast<double>(seen.blstats[kScore] - before_.score) : 0.0;
  switch (settings_.task) {
    case TaskKind::kBase:
      return score;
    case TaskKind::kScore:
    case TaskKind::kChallenge:
      return score + TimePenalty();
    case TaskKind::kStaircase:
    case TaskKind::kStaircasePet:
    case TaskKind::kOracle:
      return (status == Status::kSuccess ? 1.0 : 0.0) + TimePenalty();
    default:
      break;
  }
  // When the game is over these pay nothing, and their count of steps without time stands still.
  if (!plays) return 0;
  double paid = 0;
  if (settings_.task == TaskKind::kGold) {
    paid = static_cast<double>(seen.blstats[kGold] - before_.gold);
  } else if (settings_.task == TaskKind::kEat) {
    paid = std::max(0, seen.internal[kHunger] - before_.hunger);
  } else {
    paid = NewGlyphs();
  }
  return paid + TimePenalty();
}

double Rules::TimePenalty() {
  const std::int64_t passed = game_.screen().observation().blstats[kTurn] - before_.turn;
  frozen_steps_ = passed == 0 ? frozen_steps_ + 1 : 0;
  const auto frozen = static_cast<double>(frozen_steps_);
  double times = 1;
  switch (settings_.penalty_mode) {
    case PenaltyMode::kConstant:
      times = frozen > 0 ? 1 : 0;
      break;
    case PenaltyMode::kExp:
      times = std::exp2(frozen);
      break;
    case PenaltyMode::kSquare:
      times = frozen * frozen;
      break;
    case PenaltyMode::kLinear:
      times = frozen;
      break;
    case PenaltyMode::kAlways:
      break;
  }
  const double penalty = times == 0 ? 0.0 : times * settings_.penalty_step;
  return penalty + static_cast<double>(passed) * settings_.penalty_time;
}

double Rules::NewGlyphs() {
  const Observation& seen = game_.screen().observation();
  const auto known = static_cast<int>(
      kRows * kColumns - std::count(seen.glyphs, seen.glyphs + kRows * kColumns, kStone));
  int& before = explored_[{seen.blstats[kDungeon], seen.blstats[kLevel]}];
  const int more = known - before;
  before = known;
  return more;
}

}  // namespace envpool::nethack
