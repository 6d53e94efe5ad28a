// SPDX-License-Identifier: Apache-2.0
// ROMs that are not in the table: their owners' description, as a row like the table's.
//
//   OwnRoms::Add("rom:...", {.cartridge = CartridgeType::kF8, .score = {0x00, 0x01}, .lives = 2});
//   FindRow("rom:...")->rules.score.Value(memory);  // and FindRow("pong"), which is in the table
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/table.h"

namespace envpool::atari {

/** The owner's description of a ROM. Bytes of memory are counted from 0. */
struct OwnRom {
  CartridgeType cartridge = CartridgeType::k4K;
  std::vector<int> score = {};  ///< bytes of two decimal digits each, the first digits first
  int lives = -1;               ///< the byte that counts lives; -1: there are none
  bool paddles = false;         ///< or else a joystick
  int height = 210;             ///< lines of the screen
};

/** The rows of this process. They stay until it ends. */
class OwnRoms {
 public:
  static constexpr int kMostScoreBytes = 4;  // eight digits; ten do not fit in 32 bits

  static void Add(const std::string& name, const OwnRom& rom) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = rows_.try_emplace(name);
    if (is_new) place->second = std::make_unique<const GameInfo>(RowOf(place->first, rom));
  }
  static const GameInfo* Find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(name);
    return found == rows_.end() ? nullptr : found->second.get();
  }

 private:
  static GameInfo RowOf(std::string_view name, const OwnRom& rom) {
    GameInfo row;
    row.name = name;
    row.cartridge = rom.cartridge;
    row.console.height = rom.height;
    if (rom.paddles) row.console.left = row.console.right = Controller::kPaddles;
    for (const int byte : rom.score) {
      row.rules.score = 100 * row.rules.score + Bcd(static_cast<std::uint8_t>(byte));
    }
    if (!rom.score.empty()) {
      row.rules.score_wraps_at = 1;
      for (std::size_t i = 0; i < rom.score.size(); ++i) row.rules.score_wraps_at *= 100;
    }
    if (rom.lives >= 0) {
      const Term lives = Byte(static_cast<std::uint8_t>(rom.lives));
      row.rules.lives = lives;
      row.rules.started = lives != 0;  // memory is empty until the program fills it
      row.rules.over = lives == 0;
    }
    return row;
  }

  inline static std::mutex mutex_;
  inline static std::map<std::string, std::unique_ptr<const GameInfo>, std::less<>> rows_;
};

/** The row of a game of the table, or of a ROM that was added; null if there is none. */
inline const GameInfo* FindRow(std::string_view name) {
  const GameInfo* const game = FindGame(name);
  return game != nullptr ? game : OwnRoms::Find(name);
}

}  // namespace envpool::atari
