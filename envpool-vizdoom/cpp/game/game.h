// SPDX-License-Identifier: Apache-2.0
// Game: the engines of one environment, a player each, that play episodes together.
//
//   Game game(setup, seeds);                 // starts them
//   game.NewEpisode(seeds, "");
//   game.Press(0, {1, 0, 0});
//   game.Advance(4);
//   if (game.over()) ...
//
// What is sent when, and in which order seeds are drawn, is what ViZDoom's own DoomGame does: the
// same seed and the same buttons give the same game.
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

/// How the engines of a game are started.
struct GameSetup {
  std::string program;   ///< ViZDoom's engine
  std::string game_wad;  ///< Freedoom, or Doom
  Scenario scenario;
  std::string map = "map01";
  int players = 1;
  bool deathmatch = false;  ///< a game with a host, even if he is alone
  bool depth = false, labels = false, automap = false, audio = false;
  std::chrono::nanoseconds answer_timeout{std::chrono::seconds(30)};  ///< for one answer
};

class Game {
 public:
  /// Starts the engines with a seed of `seeds`. Throws EngineFailure, Error(kConfig) or
  /// std::system_error.
  Game(const GameSetup& setup, std::mt19937& seeds);
  /// Ends the engines, or leaves one that plays alone for the next game of the same setup.
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  /// Begins an episode, with a seed of `seeds`. With a name of a file in recording_folder() the
  /// engine records it, until the next begins or StopRecording. Throws EngineFailure.
  void NewEpisode(std::mt19937& seeds, const std::string& recording) {
    Begin(static_cast<std::uint32_t>(seeds()), recording);
  }
  /// Ends the recording, so that its file is whole. Throws EngineFailure.
  void StopRecording();
  std::filesystem::path recording_folder() const { return engines_.front()->folder(); }

  /// What one player presses from now on, in the order of the scenario's buttons.
  void Press(int player, std::span<const double> buttons);
  /// Plays tics until the episode is over, and draws the last. Throws EngineFailure.
  void Advance(int tics);
  /// Plays, pressing nothing, until nobody is dead. Returns whether that came before the end of the
  /// episode. Throws EngineFailure.
  bool Revive();

  /// Whether the episode is over: somebody who plays alone has died, or the map has ended.
  bool ended() const;
  /// Whether the map's own time is up.
  bool timed_out() const;
  /// Whether a tic may be played.
  bool possible() const { return !ended() && !timed_out(); }
  /// Whether somebody is dead.
  bool somebody_dead() const;

  int players() const { return static_cast<int>(engines_.size()); }
  const Engine& engine(int player) const { return *engines_[static_cast<std::size_t>(player)]; }
  /// The number of the last tic that was asked for.
  std::uint32_t last_tic(int player) const { return last_tics_[static_cast<std::size_t>(player)]; }

 private:
  const GameState& state() const { return engines_.front()->game(); }
  void Start(std::uint32_t seed);
  void StartEngines(std::uint32_t seed, int port);
  /// Whether an engine that was parked could be had, and is now as if it were new.
  bool Unpark(std::uint32_t seed);
  void AllowButtons();
  void Begin(std::uint32_t seed, const std::string& recording);
  /// Takes the tics that the maps show for the last ones.
  void NoteTics();
  /// All engines do it at the same time.
  void Do(MessageCode code);
  void Command(const std::string& text);
  void WaitForStart();
  void ReleaseButtons();

  const GameSetup setup_;
  std::optional<GamePort> port_;  // of games with a host; outlives the engines
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::uint32_t> last_tics_;
  std::string kind_;    // of engines that could play in place of this one; empty: none
  bool failed_ = true;  // an engine does not wait for messages
};

}  // namespace envpool::vizdoom
