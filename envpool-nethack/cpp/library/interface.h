// SPDX-License-Identifier: Apache-2.0
// The C interface of libnethack.so of nle 1.2 and 1.3: the layouts of its arguments.
#pragma once

#include <cstdint>
#include <cstdio>

namespace envpool::nethack {

/// The game's input of a step, and its output arrays. A null pointer: the array is not requested.
struct Observation {
  int action = 0;  ///< the key
  int done = 0;
  char in_normal_game = 0;
  int how_done = 0;
  std::int16_t* glyphs = nullptr;
  std::uint8_t* chars = nullptr;
  std::uint8_t* colors = nullptr;
  std::uint8_t* specials = nullptr;
  std::int64_t* blstats = nullptr;
  std::uint8_t* message = nullptr;
  int* program_state = nullptr;
  int* internal = nullptr;
  std::int16_t* inv_glyphs = nullptr;
  std::uint8_t* inv_strs = nullptr;
  std::uint8_t* inv_letters = nullptr;
  std::uint8_t* inv_oclasses = nullptr;
  std::uint8_t* screen_descriptions = nullptr;
  std::uint8_t* tty_chars = nullptr;
  std::int8_t* tty_colors = nullptr;
  std::uint8_t* tty_cursor = nullptr;
  int* misc = nullptr;
};

struct Seeds {
  std::uint64_t core = 0, disp = 0;
  char reseed = 0;
  bool use_init = false;
  std::uint64_t lgen = 0;
  bool use_lgen = false;
};

/// The settings of a new game. The last three are new in nle 1.3; an older library copies the
/// others.
struct StartSettings {
  char hackdir[4096] = {};
  char scoreprefix[4096] = {};
  char options[32768] = {};
  char wizkit[4096] = {};
  int spawn_monsters = 1;
  char ttyrecname[4096] = {};
  Seeds seeds;
  bool fix_moon_phase = false;
  std::uint64_t time_seed = 0;
  bool time_seed_is_set = false;
};

using StartFunction = void* (*)(Observation*, std::FILE* ttyrec, StartSettings*);
using StepFunction = void* (*)(void* game, Observation*);
using EndFunction = void (*)(void* game);

}  // namespace envpool::nethack
