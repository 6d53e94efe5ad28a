// SPDX-License-Identifier: Apache-2.0
// The cartridges of this process: read, predecoded and put into a console once, for all
// environments.
//
//   Cartridges::Add("pong", bytes);                 // Python, before a pool
//   Game game(Cartridges::Loaded("pong"), seed, 0);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "games/own_roms.h"

namespace envpool::atari {

class Cartridges {
 public:
  static bool Has(std::string_view game) {
    const std::lock_guard lock(mutex_);
    return games_.contains(game);
  }
  /// Keeps a cartridge. Throws std::invalid_argument if the game is not in the table or the bytes
  /// do not fit its cartridge type. The caller checks that the bytes are the right ROM.
  static void Add(std::string_view game, std::span<const std::uint8_t> rom) {
    const GameInfo* info = FindRow(game);
    if (info == nullptr) {
      throw std::invalid_argument("'" + std::string(game) + "' is no game that is known");
    }
    auto cartridge = std::make_shared<const Cartridge>(rom, info->cartridge);
    auto loaded = std::make_unique<const Game>(std::move(cartridge), *info, 0, 0);
    const std::lock_guard lock(mutex_);
    games_.try_emplace(std::string(game), std::move(loaded));
  }
  /// The game in the state after loading. Throws std::logic_error if it was not added.
  static const Game& Loaded(std::string_view game) {
    const std::lock_guard lock(mutex_);
    const auto found = games_.find(game);
    if (found == games_.end()) {
      throw std::logic_error("the cartridge of '" + std::string(game) + "' was not loaded");
    }
    return *found->second;
  }

 private:
  inline static std::mutex mutex_;
  inline static std::map<std::string, std::unique_ptr<const Game>, std::less<>> games_;
};

}  // namespace envpool::atari
