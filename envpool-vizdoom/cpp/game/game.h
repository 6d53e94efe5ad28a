// SPDX-License-Identifier: Apache-2.0
// Game: the engines of one environment, one per player, which play episodes together.
//
// Game game(setup, seeds);                 // starts the engines
//   game.NewEpisode(seeds, "");
//   game.Press(0, {1, 0, 0});
//   game.Advance(4);
//   if (game.over()) ...
//
// The order of messages and of draws of seeds is that of ViZDoom's DoomGame: the same seed and the
// same buttons give the same game.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine_process/engine.h"
#include "game/game_port.h"
#include "game/scenario.h"

namespace envpool::vizdoom {

/// The settings with which the engines of a game are started.
struct GameSetup {
  std::string program;   ///< ViZDoom's engine
  std::string game_wad;  ///< Freedoom, or Doom
  Scenario scenario;
  std::string map = "map01";
  int players = 1;
  bool deathmatch = false;  ///< a game with a host, also with one player
  bool depth = false, labels = false, automap = false, audio = false;
  std::chrono::nanoseconds answer_timeout{std::chrono::seconds(30)};  ///< for one answer
};

class Game {
 public:
  /// Starts the engines with a seed drawn from `seeds`. Throws EngineFailure, Error(kConfig) or
  /// std::system_error.
  Game(const GameSetup& setup, std::mt19937& seeds);
  /// Ends the engines, or parks the engine of a single player for the next game of the same setup.
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  /// Begins an episode, with a seed drawn from `seeds`. If `recording` names a file in
  /// recording_folder(), the engine records the episode until the next begins or StopRecording.
  /// Throws EngineFailure.
  void NewEpisode(std::mt19937& seeds, const std::string& recording) {
    Begin(static_cast<std::uint32_t>(seeds()), recording);
  }
  /// Ends the recording, so that its file is complete. Throws EngineFailure.
  void StopRecording();
  std::filesystem::path recording_folder() const { return engines_.front()->folder(); }

  /// Sets the buttons that one player presses from now on, in the order of the scenario's buttons.
  void Press(int player, std::span<const double> buttons);
  /// Plays tics until their number is reached or the episode is over, and draws the last. Throws
  /// EngineFailure.
  void Advance(int tics);
  /// Plays without pressing buttons until no player is dead. Returns false if the episode ends
  /// first. Throws EngineFailure.
  bool Revive();

  /// True if the episode is over: a single player has died, or the map has ended.
  bool ended() const;
  /// True if the map's own time is up.
  bool timed_out() const;
  /// True if a tic may be played.
  bool possible() const { return !ended() && !timed_out(); }
  /// True if a player is dead.
  bool somebody_dead() const;

  int players() const { return static_cast<int>(engines_.size()); }
  const Engine& engine(int player) const { return *engines_[static_cast<std::size_t>(player)]; }
  /// The number of the last requested tic.
  std::uint32_t last_tic(int player) const { return last_tics_[static_cast<std::size_t>(player)]; }

 private:
  const GameState& state() const { return engines_.front()->game(); }
  void Start(std::uint32_t seed);
  void StartEngines(std::uint32_t seed, int port);
  /// Takes a parked engine and restores it as if it were new. Returns false if there is none.
  bool Unpark(std::uint32_t seed);
  void AllowButtons();
  void Begin(std::uint32_t seed, const std::string& recording);
  /// Stores the maps' tics as the last tics.
  void NoteTics();
  /// Sends a message to all engines, then waits for all.
  void Do(MessageCode code);
  void Command(const std::string& text);
  void WaitForStart();
  void ReleaseButtons();

  const GameSetup setup_;
  std::optional<GamePort> port_;  // for games with a host; outlives the engines
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::uint32_t> last_tics_;
  std::string kind_;    // the kind of engines that could replace this game's; empty: none
  bool failed_ = true;  // true if an engine is not waiting for messages
};

}  // namespace envpool::vizdoom
