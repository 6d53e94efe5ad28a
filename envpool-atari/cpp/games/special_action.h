// SPDX-License-Identifier: Apache-2.0
// The rules of the games of skill that need code. Most begin with their row's data and change a
// part of the result.
//
//   .rules = {.over = Any(Byte(0xE0) == 2, Byte(0xB9) == 0x12), .special = RuleAdventure}
#pragma once

#include <cstdint>

#include "games/rules.h"

namespace envpool::atari {

/** The chalice at home earns 1, in that frame and in all that follow. */
constexpr void RuleAdventure(const Rules& rules, const Memory& memory, RuleState& state) {
  const std::int32_t earned = state.reward;
  EvaluateData(rules, memory, state);
  state.reward = memory[0xB9] == 0x12 ? 1 : earned;
}

/** A life is lost only when the ship has exploded to the end. */
constexpr void RuleBeamRider(const Rules& rules, const Memory& memory, RuleState& state) {
  const std::int32_t before = state.lives;
  EvaluateData(rules, memory, state);
  if (state.lives == before - 1 && memory[0x8C] != 1) state.lives = before;
}

/** A level or a score that falls is the title screen: the game is over, and stays it. */
constexpr void RuleDarkchambers(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& level = state.own[0];
  state.reward = 0;
  state.lives = 1;
  if (memory[0xD5] < level) {
    state.over = 1;
    return;
  }
  level = memory[0xD5];
  const std::int32_t score = ReadScore(rules, memory);
  if (score < state.score) {
    state.over = 1;
  } else {
    state.reward = score - state.score;
    state.score = score;
  }
  if ((memory[0xCA] & 0x1F) == 0) state.over = 1;  // health
}

/** The frame after a mode was selected looks like the end. */
constexpr void RuleDemonAttack(const Rules& rules, const Memory& memory, RuleState& state) {
  EvaluateData(rules, memory, state);
  if (state.mode_selected != 0) state.over = 0;
}

/** Every change of the matches costs 1, the way out earns 100. */
constexpr void RuleHauntedHouse(const Rules& rules, const Memory& memory, RuleState& state) {
  EvaluateData(rules, memory, state);
  state.reward = (state.reward != 0 ? -1 : 0) + (memory[0x99] == 0x44 ? 100 : 0);
}

/** The 50,000 points at the start are no reward. */
constexpr void RuleJourneyEscape(const Rules& rules, const Memory& memory, RuleState& state) {
  EvaluateData(rules, memory, state);
  if (state.reward == 50'000) state.reward = 0;
}

/** Lives count down with the byte, never up; the last frames earn nothing. */
constexpr void RuleQbert(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& last = state.own[0];
  const std::int32_t now = static_cast<std::int8_t>(memory[0x88]);
  state.over = now == -2 || (now == 2 && last == -1);
  if (now == last - 1) --state.lives;
  last = now;
  state.reward = 0;
  if (state.over != 0) return;
  const std::int32_t score = ReadScore(rules, memory);
  state.reward = score - state.score;
  state.score = score;
}

/** The game is over when the byte of the last life becomes that of the title screen. */
constexpr void RuleRiverRaid(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& last = state.own[0];
  EvaluateData(rules, memory, state);
  state.over = memory[0xC0] == 0x58 && last == 0x59;
  last = memory[0xC0];
}

/** The byte of the lives is valid once it has shown five lives. */
constexpr void RuleStarGunner(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& seen = state.own[0];
  EvaluateData(rules, memory, state);
  if (memory[0x87] == 5) seen = 1;
  if (seen == 0) state.lives = 5;
}

/** The score is the clock in seconds; the rest of 99:59 is the reward at the end. */
constexpr void RuleSuperman(const Rules& rules, const Memory& memory, RuleState& state) {
  EvaluateData(rules, memory, state);
  state.reward = state.over != 0 ? 5999 - state.score : 0;
}

/** The points of a game are counted from 0 again after its end. */
constexpr void RuleTetris(const Rules& rules, const Memory& memory, RuleState& state) {
  EvaluateData(rules, memory, state);
  if (state.over != 0) state.score = 0;
}

}  // namespace envpool::atari
