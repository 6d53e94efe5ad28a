// SPDX-License-Identifier: Apache-2.0
// TerminalText: the terminal of a game as a text with ANSI's colors.
#pragma once

#include <string>

#include "game/keys.h"
#include "library/interface.h"

namespace envpool::nethack {

/// 24 lines of 80 letters; the cursor's place is reversed. Needs the game's tty_* arrays.
inline std::string TerminalText(const Observation& seen) {
  std::string text;
  for (int row = 0; row < kTerminalRows; ++row) {
    int colour = -1;
    for (int column = 0; column < kTerminalColumns; ++column) {
      const int at = row * kTerminalColumns + column;
      // nle's number of a color: 0 .. 15 as ANSI's, plus 16 if reversed.
      const int here = seen.tty_colors[at];
      const bool cursor = row == seen.tty_cursor[0] && column == seen.tty_cursor[1];
      const bool reversed = ((here & 16) != 0) != cursor;
      const int shown = (here & 15) + (reversed ? 16 : 0);
      const bool is_blank = seen.tty_chars[at] == ' ' && !reversed && colour < 16;
      if (shown != colour && !(is_blank && colour >= 0)) {
        const int number = here & 15;
        text += "\x1b[0;";
        if (reversed) text += "7;";
        text += std::to_string(number < 8 ? 30 + number : 82 + number) + "m";
        colour = shown;
      }
      const auto letter = static_cast<char>(seen.tty_chars[at]);
      text += letter >= ' ' && letter <= '~' ? letter : ' ';
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace envpool::nethack
