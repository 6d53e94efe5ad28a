// SPDX-License-Identifier: Apache-2.0
// GameLibrary: a copy of libnethack.so; its state is global, so a copy plays one game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "envpool/state_io.h"
#include "library/interface.h"

namespace envpool::nethack {

/// The effect of a key on a game.
enum class Outcome : std::uint8_t {
  kGoesOn,
  kOver,
  kFault  ///< the game crashed, or tried to end the process; it is over
};

class GameLibrary {
 public:
  GameLibrary() = default;
  GameLibrary(const GameLibrary&) = delete;
  GameLibrary& operator=(const GameLibrary&) = delete;
  virtual ~GameLibrary() = default;

  /// Ends the present game, restores the library's initial state, and begins a game. `clock` is the
  /// game's time, in seconds since 1970; 0: the machine's. The game writes `recording`, if given;
  /// it is closed at the game's end.
  virtual Outcome Start(Observation& observation, StartSettings& settings, std::int64_t clock,
                        std::FILE* recording) = 0;
  /// Presses the key `observation.action`. Any thread may call it, one at a time.
  virtual Outcome Press(Observation& observation) = 0;
  /// Writes the game's memory, for this copy only; returns false if it cannot.
  virtual bool SaveMemory(StateWriter&) const { return false; }
  /// Restores the memory that SaveMemory wrote; returns false, and changes nothing, if another copy
  /// wrote it.
  virtual bool LoadMemory(StateReader&) { return false; }
  /// True if a fault ends only the game, and the game sees the given clock.
  virtual bool guards() const = 0;
};

/// A copy of the library at `path`. `loader` is "own", "dlopen", or "auto": the own loader if it
/// can read the library. Throws std::runtime_error if the library cannot be loaded.
std::unique_ptr<GameLibrary> LoadLibrary(const std::string& path, const std::string& loader);
/// The reason why the own loader cannot read a library; empty if it can.
std::string ProblemOfOwnLoader(const std::string& path);

}  // namespace envpool::nethack
