// SPDX-License-Identifier: Apache-2.0
// GameLibrary: a copy of libnethack.so, in which everything is global and so one game is played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "envpool/state_io.h"
#include "library/interface.h"

namespace envpool::nethack {

/// What a key did to a game.
enum class Outcome : std::uint8_t {
  kGoesOn,
  kOver,
  kFault  ///< the game crashed, or wanted to end the process; it is over
};

class GameLibrary {
 public:
  GameLibrary() = default;
  GameLibrary(const GameLibrary&) = delete;
  GameLibrary& operator=(const GameLibrary&) = delete;
  virtual ~GameLibrary() = default;

  /// Leaves the present game, takes the library as it was when it was new, and begins a game.
  /// `clock` is the time that the game sees, in seconds since 1970; 0: the machine's. `recording`,
  /// if there is one, is written by the game, and closed when the game is left.
  virtual Outcome Start(Observation& observation, StartSettings& settings, std::int64_t clock,
                        std::FILE* recording) = 0;
  /// Presses the key `observation.action`. Any thread may, one at a time.
  virtual Outcome Press(Observation& observation) = 0;
  /// Writes the memory of the game, for this copy alone; returns whether it can.
  virtual bool SaveMemory(StateWriter&) const { return false; }
  /// Takes the game back to what SaveMemory wrote; returns false, and changes nothing, where
  /// another copy wrote it.
  virtual bool LoadMemory(StateReader&) { return false; }
  /// Whether a fault ends the game alone, and the game sees the clock that it was given.
  virtual bool guards() const = 0;
};

/// A copy of the library at `path`. `loader` is "own", "dlopen", or "auto": the own one where it
/// can read the library. Throws std::runtime_error where it cannot be loaded.
std::unique_ptr<GameLibrary> LoadLibrary(const std::string& path, const std::string& loader);
/// Why the own loader cannot read a library; empty where it can.
std::string ProblemOfOwnLoader(const std::string& path);

}  // namespace envpool::nethack
