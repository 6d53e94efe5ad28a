// SPDX-License-Identifier: Apache-2.0
// Game: one game of NetHack after the other, by keys.
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

/// The seeds of a game's generators; `lgen` of that of the levels, -1 where it has none of its own.
/// `level` is the place of MiniHack's level among those of the task.
struct GameSeeds {
  std::int64_t core = 0, disp = 0, lgen = -1, level = 0;
};

struct GameSettings {
  std::string library, data, loader;  ///< libnethack.so, nhdat, and who loads it
  std::string levels;                 ///< of MiniHack, level_bank.h; empty: NetHack's own
  std::string options;                ///< of NetHack, with commas between them
  std::vector<std::string> keys;      ///< arrays of the screen that are wanted
  std::string lent_key;               ///< one more, of which Game::Lend says where it is; or empty
  std::int64_t clock = 0;             ///< seconds since 1970; 0: the machine's
  std::string recordings;             ///< folder for recordings; empty: none are made
  int record_every = 0;               ///< which episodes are recorded
  int env_id = 0;
  std::string wizkit;  ///< things to begin with, in the game's mode for testing; one a line
  bool spawn_monsters = true;
  bool fix_moon_phase = false;
};

class Game {
 public:
  explicit Game(GameSettings settings);

  /// Whether a game begins with these settings; it is left again.
  bool CanBegin();
  /// Begins a game, and goes on to where the player may act. Throws std::runtime_error where there
  /// is none.
  void Begin(const GameSeeds& seeds);
  /// Presses a key, of a game that is not over; returns whether it is over now.
  bool Press(int key);

  bool over() const { return over_; }
  const Screen& screen() const { return screen_; }
  /// Where Begin and Press write the array `lent_key` while this lives.
  ArrayLoan Lend(std::byte* memory, std::size_t size) { return {screen_, memory, size}; }
  const GameSeeds& seeds() const { return seeds_; }
  /// How many levels there are to begin in; 1 for NetHack's own.
  std::int64_t num_levels() const { return bank_ ? static_cast<std::int64_t>(bank_->size()) : 1; }
  int faults() const { return faults_; }  ///< games that ended by a fault

  /// Writes the game's memory and files, and the seeds and keys that lead to it. Throws
  /// Error(kSavedState) where neither would do: the system loaded the library.
  void Save(StateWriter& out) const;
  /// Takes memory and files where they are of this object, and else plays the keys again. Throws
  /// std::runtime_error where that gives another game.
  void Load(StateReader& in);
  /// How many games of this process were loaded from memory, and how many by keys.
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
  std::int64_t level_ = -1;  // which is in the folder
  Folder folder_;
  Screen screen_;
  std::unique_ptr<StartSettings> start_;
  std::unique_ptr<GameLibrary> library_;
  GameSeeds seeds_;
  std::vector<std::uint8_t> pressed_;  // since the game began, without those of Begin
  // Of the environment that saved the state which this game was loaded from, until it goes on: the
  // same state is saved again, for that environment, too.
  std::string foreign_memory_;
  std::int64_t begun_ = 0;  // games
  bool over_ = true;
  int faults_ = 0;
};

}  // namespace envpool::nethack
