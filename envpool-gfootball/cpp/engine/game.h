// SPDX-License-Identifier: Apache-2.0
// Game: one match of the engine, with the calls that gfootball's FootballEnvCore makes.
//
//   Game game(folder, 10);
//   game.Begin(scenario, seed, ...);
//   game.Act(0, 0, action);  // once per player
//   game.Step();
//   game.match().ball[0];
//
// Games are independent of each other, and any thread may step a game, one thread at a time. An
// exception means that the engine cannot continue; the game must then be destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "scenario.h"

namespace envpool::gfootball {

inline constexpr int kDirections = 8;
inline constexpr int kStickyActions = 13;  ///< the last three are of the action set "full" only

struct PlayerState {
  float position[2];   ///< on the pitch: x from -1 to 1, y from -0.42 to 0.42
  float direction[2];  ///< distance of a step
  float tired_factor;  ///< 0 .. 1
  std::int32_t role;
  bool active;  ///< false after it was sent off
  bool yellow_card;
};

struct TeamState {
  std::int32_t size;
  std::int32_t designated;  ///< the player of a single agent; -1: none
  PlayerState players[kMostPlayers];
};

/// The values of the package's observation. Team 0 is the left team.
struct MatchState {
  float ball[3];
  float ball_direction[3];
  float ball_rotation[3];
  std::int32_t ball_owned_team;  ///< -1: none
  std::int32_t ball_owned_player;
  std::int32_t score[2];
  std::int32_t game_mode;  ///< 0 normal, 1 kick-off, 2 goal kick, 3 free kick, 4 corner, 5
                           ///< throw-in, 6 penalty
  std::int32_t step;       ///< -1 at the start of an episode
  TeamState teams[2];
  std::int32_t controlled[2][kMostPlayers];  ///< each agent's player; -1: none
  bool sticky[2][kMostPlayers][kStickyActions];
};

/// The beginning of an episode, beside the scenario.
struct Kickoff {
  std::uint32_t seed = 42;
  bool reverse_team_processing = false;
  int game_duration = 3000;
  int agents[2] = {1, 0};  ///< number of agents of each team
};

class Game {
 public:
  /// Reads the engine's data in `folder`.
  Game(const std::string& folder, int physics_steps_per_frame);
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;
  ~Game();

  void Begin(const Scenario& scenario, const Kickoff& kickoff);
  /// `action` is one of the engine's actions, see actions.h.
  void Act(int team, int agent, int action);
  /// Plays until the next decision.
  void Step();
  /// Valid after Begin, Step or Load.
  const MatchState& match() const { return match_; }

  /// Number of consecutive steps that were out of play. FootballEnvCore counts them, and the engine
  /// keeps them in its state.
  int waiting() const;
  void set_waiting(int steps);

  std::string Save();
  /// Loads a state that a game with the same scenario and kickoff (except the seed) has saved.
  void Load(const std::string& state);

 private:
  struct Engine;
  /// Steps the engine until agents must decide.
  void Play();
  /// Fills `match_`; returns false while the ball is out of play.
  bool Observe();

  std::unique_ptr<Engine> engine_;
  MatchState match_{};
};

}  // namespace envpool::gfootball
