// SPDX-License-Identifier: Apache-2.0
// Game: plays games of NetHack, one after the other, by keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/state_io.h"
#include "game/folder.h"
#include "game/level_bank.h"
#include "game/screen.h"
#include "library/game_library.h"

namespace envpool::nethack {

/// The seeds of a game's generators. `lgen` seeds the generator of levels; -1: it has no seed of
/// its own. `level` is the index of MiniHack's level among the task's levels.
struct GameSeeds {
  std::int64_t core = 0, disp = 0, lgen = -1, level = 0;
};

struct GameSettings {
  std::string library, data, loader;  ///< libnethack.so, nhdat, and the loader's name
  std::string levels;                 ///< MiniHack's levels, level_bank.h; empty: NetHack's own
  std::string options;                ///< NetHack's options, separated by commas
  std::vector<std::string> keys;      ///< requested arrays of the screen
  std::string lent_key;               ///< one more array; Game::Lend gives its memory; or empty
  std::int64_t clock = 0;             ///< seconds since 1970; 0: the machine's
  std::string recordings;             ///< folder for recordings; empty: no recordings
  int record_every = 0;               ///< every so many episodes one is recorded
  int env_id = 0;
  std::string wizkit;  ///< initial things, in NetHack's mode for testing; one a line
  bool spawn_monsters = true;
  bool fix_moon_phase = false;
};

class Game {
 public:
  explicit Game(GameSettings settings);

  /// Returns true if a game begins with these settings, and ends it.
  bool CanBegin();
  /// Begins a game, and plays until the player may act. Throws std::runtime_error if no game
  /// begins.
  void Begin(const GameSeeds& seeds);
  /// Presses a key in a game that is not over; returns true if the game is over now.
  bool Press(int key);

  bool over() const { return over_; }
  const Screen& screen() const { return screen_; }
  /// Sets the memory into which Begin and Press write the array `lent_key`, while the loan lives.
  ArrayLoan Lend(std::byte* memory, std::size_t size) { return {screen_, memory, size}; }
  const GameSeeds& seeds() const { return seeds_; }
  /// The number of levels in which a game may begin; 1 for NetHack's own.
  std::int64_t num_levels() const { return bank_ ? static_cast<std::int64_t>(bank_->size()) : 1; }
  int faults() const { return faults_; }  ///< number of games that ended by a fault

  /// Writes the game's memory and files, and its seeds and keys. Throws Error(kSavedState) if
  /// neither would restore it: the system loaded the library.
  void Save(StateWriter& out) const;
  /// Restores memory and files if this object wrote them, and otherwise plays the keys again.
  /// Throws std::runtime_error if that gives another game.
  void Load(StateReader& in);
  /// The number of games of this process that were loaded from memory, and the number by keys.
  static std::pair<std::int64_t, std::int64_t> loads();

 private:
  bool Start(std::FILE* recording);
  std::string RecordingStem() const;
  std::FILE* Record();
  void PutLevel(std::int64_t level);
  void Replay(const GameSeeds& seeds, const std::vector<std::uint8_t>& keys, bool over);
  bool Note(Outcome outcome);
  void Warn() const;

  const GameSettings settings_;
  const std::shared_ptr<const LevelBank> bank_;
  std::int64_t level_ = -1;  // level whose file is in the folder
  Folder folder_;
  Screen screen_;
  std::unique_ptr<StartSettings> start_;
  std::unique_ptr<GameLibrary> library_;
  GameSeeds seeds_;
  std::vector<std::uint8_t> pressed_;  // keys since the game began, without those of Begin
  // Memory from the environment that saved this game's state, until the game continues: saving the
  // game again writes the same bytes, which that environment can load.
  std::string foreign_memory_;
  std::int64_t begun_ = 0;  // number of games begun
  bool over_ = true;
  int faults_ = 0;
};

}  // namespace envpool::nethack
