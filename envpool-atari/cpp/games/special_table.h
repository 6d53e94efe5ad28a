// SPDX-License-Identifier: Apache-2.0
// The rules of the board games, card games, puzzles and sports that need code.
//
//   .rules = {.score = Bcd(0xCE) - Bcd(0xD0), .special = RuleOthello}
//
// Many of them read a whole board, and remember that the game was won.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "games/rules.h"

namespace envpool::atari {

/** The first player with 15 men out wins; a board in the middle of a move does not count. */
constexpr void RuleBackgammon(const Rules&, const Memory& memory, RuleState& state) {
  constexpr int kPlayerOut = 0x80;
  constexpr int kComputerOut = 0x8E;
  std::int8_t player_in = 0;  // 8 bits wide, as the reference counts
  std::int8_t computer_in = 0;
  for (int address = kPlayerOut + 1; address <= 0x9B; ++address) {
    const int men = static_cast<std::int8_t>(memory[address]);
    if (address == kComputerOut) continue;
    if (men > 0) computer_in = static_cast<std::int8_t>(computer_in + men);
    if (men < 0) player_in = static_cast<std::int8_t>(player_in - men);
  }
  const auto player_out = static_cast<std::int8_t>(-static_cast<std::int8_t>(memory[kPlayerOut]));
  const auto computer_out = static_cast<std::int8_t>(memory[kComputerOut]);
  state.lives = 1;
  if (computer_in + computer_out != 15 || player_in + player_out != 15) return;
  if (player_out == 15 || computer_out == 15) {
    state.reward = player_out == 15 ? 1 : -1;
    state.over = 1;
  }
}

/** While the cards are dealt the last reward is given again, except in solitaire. */
constexpr void RuleCasino(const Rules& rules, const Memory& memory, RuleState& state) {
  const bool solitaire = memory[0xD4] == 3;
  const bool dealing = (memory[0xD3] & 0x80) != 0;
  const std::int32_t score = ReadScore(rules, memory);
  if (solitaire || !dealing) state.reward = score - state.score;
  state.score = score;
  state.lives = 1;
  state.over =
      solitaire ? score > 0 && memory[0x9E] == 0xAA : score == 0 || (memory[0x9E] != 0 && dealing);
}

/** A word decides the game, or the clock that passes 0. */
constexpr void RuleHangman(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& clock = state.own[0];
  EvaluateData(rules, memory, state);
  state.over = state.reward != 0 || (memory[0xF1] == 0 && clock == 255);
  clock = memory[0xF1];
}

/** Score and misses are in the cartridge's memory, the wave of tiles in the console's. */
constexpr void RuleKlax(const Rules&, const Memory& memory, RuleState& state) {
  const auto own = [&memory](std::size_t address) { return memory.cartridge[address - 0x80]; };
  const auto bcd = [&own](std::size_t address) {
    return 10 * (own(address) >> 4) + (own(address) & 15);
  };
  const std::int32_t score = bcd(0xB4) + 100 * bcd(0xB5) + 10000 * bcd(0xB6);
  state.reward = score - state.score;
  state.score = score;
  state.lives = 1;
  const bool missed = own(0xE9) > 0 && own(0xEE) == own(0xE9);
  const auto tiles = memory.ram.subspan<0xB3 - 0x80, 25>();
  const bool full = std::ranges::none_of(
      tiles, [](int tile) { return tile == 0 || (tile < 16 && tile % 4 == 2); });
  state.over = missed || (memory[0xA8] == 4 && full) || own(0x9D) == 0x99;
}

/** Each hole earns its par less the strokes, which two digits count from 0 again. */
constexpr void RuleMiniatureGolf(const Rules&, const Memory& memory, RuleState& state) {
  auto& [hole, par, carry, strokes, base] = state.own;
  const std::int32_t left = Bcd(0x87).Value(memory, 0);
  const std::int32_t right = Bcd(0x88).Value(memory, 0);
  const std::int32_t number = Bcd(0xAF).Value(memory, 0);
  state.lives = 1;
  state.reward = 0;
  if (number != hole) {
    const std::int32_t used = strokes + carry - base;
    if (used > 0) state.reward = par - used;
    if (number == 0) state.over = 1;
    hole = number;
    carry = 0;
    base = strokes;
  }
  if (right != 0) {
    par = right;
  } else {
    if (left < strokes) carry += strokes;
    strokes = left;
  }
}

/** The game is over after more than 50 frames without a move. */
constexpr void RuleOthello(const Rules& rules, const Memory& memory, RuleState& state) {
  std::int32_t& idle = state.own[0];
  EvaluateData(rules, memory, state);
  idle = memory[0xC0] == 0 ? std::min(idle + 1, 51) : 0;
  state.over = idle > 50;
}

/** The reward is a won or lost game, otherwise a point. */
constexpr void RuleTennis(const Rules&, const Memory& memory, RuleState& state) {
  std::int32_t& last_points = state.own[0];
  const std::int32_t mine = memory[0xC7];
  const std::int32_t theirs = memory[0xC8];
  const std::int32_t points = memory[0xC5] - memory[0xC6];
  const std::int32_t games = mine - theirs;
  state.reward = games != state.score ? games - state.score : points - last_points;
  state.score = games;
  last_points = points;
  state.lives = 0;
  state.over =
      (mine >= 6 && games >= 2) || (theirs >= 6 && -games >= 2) || mine == 7 || theirs == 7;
}

/** Won or lost when the program's stack holds the address of the routine that shows it. */
constexpr void RuleTicTacToe3d(const Rules&, const Memory& memory, RuleState& state) {
  const bool decided = memory[0xFF] == 0xF3 && memory[0xFE] == 0x10;
  const auto board = memory.ram.subspan<0x9A - 0x80, 64>();
  state.lives = 1;
  state.reward = decided ? (memory[0xE1] == 0x08 ? 1 : -1) : 0;
  if (decided || std::ranges::find(board, 0) == board.end()) state.over = 1;
}

/** A player without men loses, or wins in the modes from 11 on. */
constexpr void RuleVideoCheckers(const Rules&, const Memory& memory, RuleState& state) {
  int black = 0;
  int white = 0;
  for (int row = 0; row < 4; ++row) {
    for (int square = 0; square < 8; ++square) {
      const int man = memory[0x80 + 9 * row + square];
      black += man == 0x10 || man == 0x20 ? 1 : 0;
      white += man == 0x90 || man == 0xA0 ? 1 : 0;
    }
  }
  state.lives = 1;
  if (black > 0 && white > 0) return;
  state.reward = (black == 0) == (state.mode >= 11) ? 1 : -1;
  state.over = 1;
}

/** Mate counts only when the computer is not trying moves on the board. */
constexpr void RuleVideoChess(const Rules&, const Memory& memory, RuleState& state) {
  state.lives = 1;
  state.reward = 0;
  if (memory[0xE1] != 0x82 || memory[0xEE] > 1) return;
  state.reward = memory[0xEE] == 0 ? 1 : -1;
  state.over = 1;
}

/** Faces of one color score; the game ends with the sixth, or when the clock has run down. */
constexpr void RuleVideoCube(const Rules&, const Memory& memory, RuleState& state) {
  std::int32_t& clock = state.own[0];
  std::int32_t faces = 0;
  for (std::size_t face = 0; face < 6; ++face) {
    const auto tiles = memory.ram.subspan(0xA0 - 0x80 + 9 * face, 9);
    faces += std::ranges::count(tiles, tiles[0]) == 9 ? 1 : 0;
  }
  const bool late = memory[0xDB] == 0 && clock == 255;
  clock = memory[0xDB];
  state.reward = late ? -1 : faces - state.score;
  state.score = faces;
  state.lives = 1;
  state.over = late || faces == 6;
}

/** While the clock shows 0 everything stays as it was, the reward too. */
constexpr void RuleWordZapper(const Rules& rules, const Memory& memory, RuleState& state) {
  if (memory[0xCF] != 0) EvaluateData(rules, memory, state);
}

}  // namespace envpool::atari
