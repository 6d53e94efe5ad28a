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
constexpr int kGameOver = 0;  // index in program_state

constexpr int kSpace = 32, kEscape = 27, kMetaQ = 0x80 | 'q', kYes = 'y';
constexpr int kOracle = 270, kFirstPet = 381, kLastPet = 761, kStone = 2359;  // glyphs
constexpr int kApply = 'a';
constexpr int kMostPushes = 1000;  // against a door; MiniHack has no limit
constexpr std::uint8_t kPit = '^', kGoal = '{', kBox = '`';
constexpr std::size_t kMessageSize = 256;
// Questions that a task does not answer for the agent.
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
  const Observation& seen = game_.screen().observation();
  if (settings_.task == TaskKind::kBoxoban) {
    goals_.assign(kRows * kColumns, 0);
    std::transform(seen.chars, seen.chars + goals_.size(), goals_.begin(),
                   [](std::uint8_t shown) -> std::uint8_t { return shown == kGoal ? 1 : 0; });
  }
  events_.Begin();
  if (!events_.empty()) events_.Check(seen, -1);
  IsAborted();
  before_ = Look();
}

std::vector<std::string> Rules::KeysOf(const RuleSettings& settings) {
  switch (settings.task) {
    case TaskKind::kKeyRoom:
      return {"screen_descriptions", "inv_strs", "inv_letters"};
    case TaskKind::kSokoban:
    case TaskKind::kBoxoban:
      return {"chars"};
    default:
      break;
  }
  if (Events(settings.events).see_descriptions()) return {"screen_descriptions"};
  return {};
}

StepResult Rules::Step(int key) {
  if (settings_.task == TaskKind::kKeyRoom && key == kApply) OpenDoor();
  if (!game_.over()) game_.Press(key);
  IsAborted();
  const Observation& seen = game_.screen().observation();
  if (seen.program_state[kGameOver] == 1 || !settings_.allow_all_modes) AnswerScreens(true);
  ++steps_;
  StepResult result;
  if (IsAborted()) {
    result.status = Status::kAborted;
  } else if (IsSuccess(key)) {
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
  out.Write(explored, goals_);
  events_.Save(out);
}

void Rules::Load(StateReader& in) {
  std::vector<std::int64_t> explored;
  in.Read(before_, steps_, frozen_steps_, turn_, no_progress_, explored, goals_);
  events_.Load(in);
  explored_.clear();
  for (std::size_t i = 0; i + 2 < explored.size(); i += 3) {
    explored_[{explored[i], explored[i + 1]}] = static_cast<int>(explored[i + 2]);
  }
}

Rules::Before Rules::Look() const {
  const Observation& seen = game_.screen().observation();
  Before now{.score = seen.blstats[kScore],
             .gold = seen.blstats[kGold],
             .turn = seen.blstats[kTurn],
             .hunger = seen.internal[kHunger]};
  if (settings_.task == TaskKind::kSokoban) {
    now.pits = static_cast<int>(std::count(seen.chars, seen.chars + kRows * kColumns, kPit));
  }
  for (std::size_t i = 0; i < goals_.size(); ++i) {
    if (goals_[i] != 0 && seen.chars[i] == kBox) ++now.boxes;
  }
  return now;
}

// Challenge checks this twice per step, and so counts each step without progress twice, as nle
// does.
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

// True if one of the nine places around has a glyph of the range. In NumPy a slice with a negative
// bound begins at the other end, and is empty: nothing is near in the first row and column.
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

// MiniHack's KeyRoom: Apply uses the key on a door beside the agent, answers all questions, and
// walks against the door until it is not closed. If the door stays locked MiniHack never returns.
void Rules::OpenDoor() {
  const Observation& seen = game_.screen().observation();
  int letter = -1;
  for (int i = 0; i < kInventory && letter < 0; ++i) {
    const auto* text = reinterpret_cast<const char*>(seen.inv_strs) + i * kDescriptionSize;
    if (*text == 0) break;
    const std::string_view name(text, strnlen(text, kDescriptionSize));
    if (name.find("key") != std::string_view::npos) letter = seen.inv_letters[i];
  }
  const int direction = DirectionOfDoor();
  if (letter < 0 || direction < 0) return;
  for (const int key : {kApply, letter, direction, kYes}) {
    if (!game_.over()) game_.Press(key);
  }
  AnswerScreens(true);
  for (int i = 0; i < kMostPushes && !game_.over(); ++i) {
    game_.Press(direction);
    AnswerScreens(true);
    if (DirectionOfDoor() < 0) break;
  }
  before_ = Look();
}

// The direction of the first closed door around; -1: none, or the agent stands in it.
int Rules::DirectionOfDoor() const {
  constexpr int kKeys[3][3] = {{'y', 'k', 'u'}, {'h', -1, 'l'}, {'b', 'j', 'n'}};
  const Observation& seen = game_.screen().observation();
  const auto x = static_cast<int>(seen.blstats[kX]), y = static_cast<int>(seen.blstats[kY]);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const int at_y = y + row - 1, at_x = x + column - 1;
      if (at_y < 0 || at_y >= kRows || at_x < 0 || at_x >= kColumns) continue;
      const auto* text = reinterpret_cast<const char*>(seen.screen_descriptions) +
                         (at_y * kColumns + at_x) * kDescriptionSize;
      const std::string_view name(text, strnlen(text, kDescriptionSize));
      if (name.find("closed door") != std::string_view::npos) return kKeys[row][column];
    }
  }
  return -1;
}

bool Rules::IsEachBoxInPlace() const {
  const std::uint8_t* chars = game_.screen().observation().chars;
  for (std::size_t i = 0; i < goals_.size(); ++i) {
    if ((goals_[i] != 0) != (chars[i] == kBox)) return false;
  }
  return true;
}

bool Rules::IsSuccess(int key) {
  const bool on_stairs = game_.screen().observation().internal[kOnStairs] != 0;
  switch (settings_.task) {
    case TaskKind::kStaircase:
      return on_stairs;
    case TaskKind::kStaircasePet:
      return on_stairs && IsNear(kFirstPet, kLastPet);
    case TaskKind::kOracle:
      return IsNear(kOracle, kOracle);
    case TaskKind::kMinihack:
    case TaskKind::kKeyRoom:
      // Both are evaluated, since events keep counting.
      return (!events_.empty() && events_.Check(game_.screen().observation(), key)) || on_stairs;
    case TaskKind::kSokoban:
      return on_stairs && Look().pits == 0;
    case TaskKind::kBoxoban:
      return IsEachBoxInPlace();
    default:
      return false;
  }
}

// The order of additions is nle's: rewards are compared to the last bit.
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
    case TaskKind::kMinihack:
    case TaskKind::kKeyRoom:
      return MinihackReward(status) + TimePenalty();
    case TaskKind::kSokoban:
    case TaskKind::kBoxoban:
      return BoxReward(status);
    default:
      break;
  }
  // When the game is over these tasks give no reward, and their count of steps without time stops.
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

double Rules::MinihackReward(Status status) {
  if (!events_.empty()) return events_.Collect();
  if (status == Status::kRunning) return 0;
  return status == Status::kSuccess ? settings_.reward_win : settings_.reward_lose;
}

// This penalty for time applies to each step.
double Rules::BoxReward(Status status) const {
  if (status != Status::kRunning) return status == Status::kSuccess ? 1 : 0;
  const Before now = Look();
  const int better =
      settings_.task == TaskKind::kSokoban ? before_.pits - now.pits : now.boxes - before_.boxes;
  return settings_.penalty_time + better * settings_.shaping;
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
