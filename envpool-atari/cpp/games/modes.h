// SPDX-License-Identifier: Apache-2.0
// The games whose mode is selected otherwise than by pressing SELECT until a byte shows it.
//
//   .select = {.modes = {{0, 2}}, .draws = true, .by_hand = SelectAdventure}
#pragma once

#include <cstdint>

#include "games/game.h"

namespace envpool::atari {

/** SELECT is held for a random time, which decides the places of objects in level 3. */
inline void SelectAdventure(Game& game, int mode) {
  while ((game.memory()[0xDD] >> 1 & 3) != mode) {
    game.LookAgain();
    game.PressSelect(2 + static_cast<int>(game.Random() % 256));
    game.Act(kNoop, 1, false);
  }
  game.PressReset();
}

/** A menu on the screen: five options, four of which are the bits of the mode. */
inline void SelectDoubleDunk(Game& game, int mode) {
  constexpr std::uint8_t kOptions = 0x80;
  constexpr std::uint8_t kLine = 0xB0;
  const auto press = [&game](Action action) {
    game.LookAgain();
    game.Act(action, 1, false);
    game.Act(kNoop, 1, false);
  };
  const auto next_line = [&] {
    const std::uint8_t line = game.memory()[kLine];
    do {
      press(kDown);
    } while (game.memory()[kLine] == line);
  };
  const auto set = [&](std::uint8_t option, bool on) {
    while (((game.memory()[kOptions] & option) != 0) != on) press(on ? kRight : kLeft);
  };
  game.PressSelect(1);
  next_line();
  next_line();
  set(0x08, (mode & 1) != 0);  // three-point shots
  next_line();
  set(0x10, (mode & 2) != 0);  // ten seconds to cross the middle
  next_line();
  set(0x04, (mode & 4) != 0);  // three seconds in the lane
  next_line();
  set(0x20, (mode & 8) != 0);  // fouls
  game.PressReset();
  press(kUpFire);
}

/** The mode is shown in the cartridge's memory. */
inline void SelectKlax(Game& game, int mode) {
  while (game.memory().cartridge[0x6A] != mode) {
    game.LookAgain();
    game.PressSelect(2);
  }
  game.PressReset();
}

/** Hundreds choose the cube, which the joystick counts up to; units choose one of three games. */
inline void SelectVideoCube(Game& game, int mode) {
  constexpr int kShown[] = {0, 2, 8};
  const int cube = mode >= 100 ? mode / 100 : 1;
  while ((game.memory()[0xFB] & 0x1F) != kShown[mode % 100]) {
    game.LookAgain();
    game.PressSelect(2);
  }
  game.PressReset();
  while (Bcd(0x9F).Value(game.memory(), 0) != cube) {
    game.LookAgain();
    game.Act(kRight, 1, false);
  }
}

}  // namespace envpool::atari
