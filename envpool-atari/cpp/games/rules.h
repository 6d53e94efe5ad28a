// SPDX-License-Identifier: Apache-2.0
// A game's rules, and their results for one frame: reward, lives and the end.
//
//   RuleState state;
//   state.Reset(rules);                          // with every reset of the game
//   Evaluate(rules, {console.ram()}, state);     // once after every emulated frame
//   int reward = state.reward, lives = state.Lives(rules);
//
// Most rules are data. Other games have a function, `special`; its state is in `RuleState::own`, so
// that saving RuleState saves everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "games/expressions.h"

namespace envpool::atari {

struct Rules;

/** The state of a game's rules: a plain value, saved with the environment. */
struct RuleState {
  std::int32_t score = 0;                ///< the score in the last frame
  std::int32_t reward = 0;               ///< the reward of this frame
  std::int32_t lives = 0;                ///< the lives that were read last; callers use Lives()
  std::int32_t mode = 0;                 ///< the selected mode; Reset() keeps it
  std::array<std::int32_t, 5> own = {};  ///< state of Rules::special
  std::int32_t over = 0;                 ///< 1 if the game is over
  std::int32_t started = 0;              ///< 1 once Rules::started has held
  std::int32_t mode_selected = 0;        ///< 1 if a mode was selected since the last frame

  /** Sets the state of the start of an episode. */
  constexpr void Reset(const Rules& rules);

  /** The lives to report. */
  constexpr std::int32_t Lives(const Rules& rules) const;

  /** Limits values from a damaged state, so that arithmetic is safe; real states are far below. */
  constexpr void Limit() {
    constexpr std::int32_t kLargest = 1'000'000'000;
    for (std::int32_t* number : {&score, &reward, &lives, &mode}) {
      *number = std::clamp(*number, -kLargest, kLargest);
    }
    for (std::int32_t& number : own) number = std::clamp(number, -kLargest / 4, kLargest / 4);
    for (std::int32_t* flag : {&over, &started, &mode_selected}) *flag = *flag != 0 ? 1 : 0;
  }
};
static_assert(std::has_unique_object_representations_v<RuleState>, "it is saved as it is");

/** A game's own rule: sets reward, lives and over from the memory after a frame. */
using SpecialRule = void (*)(const Rules&, const Memory&, RuleState&);

/** A number that counts while the condition holds. */
struct Case {
  Condition when;
  Sum then;
};

/** How a game's memory shows score, lives and end. */
struct Rules {
  Sum score = {};
  Case score_case = {};             ///< replaces the score while it holds; may use Score()
  std::int32_t initial_score = 0;   ///< a new game's score
  std::int32_t score_wraps_at = 0;  ///< if not 0, a falling score has wrapped around at this number
  std::int32_t reward_min = std::numeric_limits<std::int32_t>::min();
  std::int32_t reward_max = std::numeric_limits<std::int32_t>::max();
  bool rewards_end = true;  ///< false: no reward in a frame in which the game is over

  Sum lives = 1;
  ShortList<Case, 2> lives_cases = {};  ///< the first case that holds replaces the lives
  Condition lives_hold = {};            ///< while it holds, the lives stay as they were
  std::int32_t initial_lives = 0;       ///< until they are read
  bool lives_at_end = false;            ///< true: the lives are reported even if the game is over

  Condition over = {};
  Condition started = {};  ///< if given, the game cannot be over before this has held once

  SpecialRule special = nullptr;                 ///< called in place of the data; uses some of them
  std::array<std::int32_t, 5> initial_own = {};  ///< RuleState::own at the start
};

constexpr void RuleState::Reset(const Rules& rules) {
  *this = {.score = rules.initial_score,
           .lives = rules.initial_lives,
           .mode = mode,
           .own = rules.initial_own};
}

constexpr std::int32_t RuleState::Lives(const Rules& rules) const {
  return over != 0 && !rules.lives_at_end ? 0 : lives;
}

/** The score on the screen. */
constexpr std::int32_t ReadScore(const Rules& rules, const Memory& memory) {
  const std::int32_t score = rules.score.Value(memory);
  const Case& other = rules.score_case;
  return other.when.Holds(memory, score) ? other.then.Value(memory, score) : score;
}

/** True if the game is over, by `over` and `started`. */
constexpr bool ReadOver(const Rules& rules, const Memory& memory, std::int32_t score,
                        RuleState& state) {
  if (rules.started.tests.empty() || rules.started.Holds(memory, score)) state.started = 1;
  return state.started != 0 && rules.over.Holds(memory, score);
}

/** The reward of a new score. */
constexpr std::int32_t ReadReward(const Rules& rules, std::int32_t score, const RuleState& state) {
  std::int32_t gain = score - state.score;
  if (gain < 0) gain += rules.score_wraps_at;
  return std::clamp(gain, rules.reward_min, rules.reward_max);
}

/** The lives on the screen; while `lives_hold` holds, the lives read before. */
constexpr std::int32_t ReadLives(const Rules& rules, const Memory& memory, const RuleState& state) {
  if (rules.lives_hold.Holds(memory)) return state.lives;
  for (const Case& other : rules.lives_cases) {
    if (other.when.Holds(memory)) return other.then.Value(memory);
  }
  return rules.lives.Value(memory);
}

/** Evaluates rules that are data only. */
constexpr void EvaluateData(const Rules& rules, const Memory& memory, RuleState& state) {
  const std::int32_t score = ReadScore(rules, memory);
  state.lives = ReadLives(rules, memory, state);
  state.over = ReadOver(rules, memory, score, state);
  if (state.over != 0 && !rules.rewards_end) {
    state.reward = 0;
  } else {
    state.reward = ReadReward(rules, score, state);
    state.score = score;
  }
}

/** Updates `state` from the memory after a frame. */
inline void Evaluate(const Rules& rules, const Memory& memory, RuleState& state) {
  (rules.special != nullptr ? rules.special : EvaluateData)(rules, memory, state);
  state.mode_selected = 0;
}

}  // namespace envpool::atari
