// SPDX-License-Identifier: Apache-2.0
// What a game's rules are, and what they say about one frame: reward, lives and the end.
//
//   RuleState state;
//   state.Reset(rules);                          // with every reset of the game
//   Evaluate(rules, {console.ram()}, state);     // once after every emulated frame
//   int reward = state.reward, lives = state.Lives(rules);
//
// Most games are data. A game that is not has a function of its own, `special`; what it remembers
// from frame to frame is in `RuleState::own`, so that saving the state saves everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "games/expressions.h"

namespace envpool::atari {

struct Rules;

/** What a game's rules remember; a plain value, saved with the environment. */
struct RuleState {
  std::int32_t score = 0;                ///< of the last frame
  std::int32_t reward = 0;               ///< of this frame
  std::int32_t lives = 0;                ///< as last read; people ask Lives()
  std::int32_t mode = 0;                 ///< the one selected last, not touched by Reset()
  std::array<std::int32_t, 5> own = {};  ///< of the games with a function of their own
  std::int32_t over = 0;                 ///< whether the game is
  std::int32_t started = 0;              ///< whether Rules::started has held
  std::int32_t mode_selected = 0;        ///< whether one was, since the last frame

  /** As at the start of an episode. */
  constexpr void Reset(const Rules& rules);

  /** The lives to report. */
  constexpr std::int32_t Lives(const Rules& rules) const;

  /** Makes what came from anywhere safe to count with: a real state is far within these limits. */
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

/** A number, when the condition holds. */
struct Case {
  Condition when;
  Sum then;
};

/** How a game's memory shows score, lives and end. */
struct Rules {
  Sum score = {};
  Case score_case = {};             ///< replaces the score when it holds; may use Score()
  std::int32_t initial_score = 0;   ///< a new game's
  std::int32_t score_wraps_at = 0;  ///< when not 0, a falling score has gone past this
  std::int32_t reward_min = std::numeric_limits<std::int32_t>::min();
  std::int32_t reward_max = std::numeric_limits<std::int32_t>::max();
  bool rewards_end = true;  ///< false: no reward in a frame in which the game is over

  Sum lives = 1;
  ShortList<Case, 2> lives_cases = {};  ///< the first that holds replaces the lives
  Condition lives_hold = {};            ///< while it holds, lives are not read
  std::int32_t initial_lives = 0;       ///< until they are read
  bool lives_at_end = false;            ///< true: reported as read even when the game is over

  Condition over = {};
  Condition started = {};  ///< when given, the game cannot be over before this has held once

  SpecialRule special = nullptr;                 ///< instead of all that, with some of it
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

/** Whether the game is over, by `over` and `started`. */
constexpr bool ReadOver(const Rules& rules, const Memory& memory, std::int32_t score,
                        RuleState& state) {
  if (rules.started.tests.empty() || rules.started.Holds(memory, score)) state.started = 1;
  return state.started != 0 && rules.over.Holds(memory, score);
}

/** What a new score earns. */
constexpr std::int32_t ReadReward(const Rules& rules, std::int32_t score, const RuleState& state) {
  std::int32_t gain = score - state.score;
  if (gain < 0) gain += rules.score_wraps_at;
  return std::clamp(gain, rules.reward_min, rules.reward_max);
}

/** The lives on the screen, or those read before while `lives_hold`. */
constexpr std::int32_t ReadLives(const Rules& rules, const Memory& memory, const RuleState& state) {
  if (rules.lives_hold.Holds(memory)) return state.lives;
  for (const Case& other : rules.lives_cases) {
    if (other.when.Holds(memory)) return other.then.Value(memory);
  }
  return rules.lives.Value(memory);
}

/** The rules that are data. */
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
