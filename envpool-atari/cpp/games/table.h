// SPDX-License-Identifier: Apache-2.0
// All games: table_*.h have one row for each, in the order of their names.
//
//   for (const GameInfo& game : AllGames()) ...
//   if (const GameInfo* pong = FindGame("pong")) ...
//
// The fields of a row, with r[a] for the byte of memory at a, and the value of a field that is left
// out:
//
//   .md5, .cartridge   the file, and its cartridge type
//   .console           the console's settings: {} is NTSC, 210 lines from line 34, joysticks
//   .paddle_max        how far a paddle turns to the left, in ohms: 790196
//   .actions           the actions that do something in this game: all 18
//   .legal             the actions that reach the console: all 18
//   .start             actions and their frames that every new game begins with: none
//   .difficulties      bit 0 sets the left switch to A, bit 1 the right one: only 0
//   .select            modes, and how one is selected: only 0, and nothing is pressed
//   .rules.score       the score; the reward is its growth in a frame
//   .rules.lives       lives, as long as the game is not over: 1
//   .rules.over        when the game is over
//   .rules.special     a function that is called in place of the above, and uses most of it
//
//   Byte(a)            r[a]                          Bcd(a)           two decimal digits
//   Low(a), High(a)    the lower, upper 4 bits       Bcd2(a, b)       Bcd(a) + 100 * Bcd(b)
//   Bits(a, m, s)      (r[a] & m) >> s               Bcd3(a, b, c)    Bcd2(a, b) + 10000 * Bcd(c)
//   Prior(a)           (r[a] - 1) mod 256            Score()          the score of this frame
//   Signed(a, n)       (r[a] + n) mod 256, signed    x.Except(b, n)   n where the bits of x are b
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "games/game_info.h"
#include "games/table_a_b.h"
#include "games/table_c_f.h"
#include "games/table_g_k.h"
#include "games/table_l_r.h"
#include "games/table_s_z.h"

namespace envpool::atari {
namespace table {

template <std::size_t... Sizes>
constexpr auto Concatenate(const std::array<GameInfo, Sizes>&... parts) {
  std::array<GameInfo, (Sizes + ...)> all;
  auto next = all.begin();
  ((next = std::ranges::copy(parts, next).out), ...);
  return all;
}

inline constexpr auto kAll = Concatenate(kAToB, kCToF, kGToK, kLToR, kSToZ);

static_assert(std::ranges::is_sorted(kAll, {}, &GameInfo::name));

}  // namespace table

/** All games, in the order of their names. */
constexpr std::span<const GameInfo> AllGames() { return table::kAll; }

/** The game of the file `rom_name`.bin; null if there is none. */
constexpr const GameInfo* FindGame(std::string_view rom_name) {
  const auto row = std::ranges::lower_bound(table::kAll, rom_name, {}, &GameInfo::name);
  return row != table::kAll.end() && row->name == rom_name ? &*row : nullptr;
}

}  // namespace envpool::atari
