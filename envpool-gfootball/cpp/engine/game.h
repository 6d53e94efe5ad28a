// SPDX-License-Identifier: Apache-2.0
// Game: one match of the engine, with the calls that gfootball's FootballEnvCore makes of it.
//
//   Game game(folder, 10);
//   game.Begin(scenario, seed, ...);
//   game.Act(0, 0, action);  // one for each player
//   game.Step();
//   game.match().ball[0];
//
// Games are independent of each other, and one may be stepped by any thread, by one at a time.
// What is thrown means that the engine cannot go on; the game is to be destroyed then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "scenario.h"

namespace envpool::gfootball {

inline constexpr int kDirections = 8;
inline constexpr int kStickyActions = 13;  ///< the last three are of the action set "full" only

struct PlayerState {
  float position[2];   ///< of the pitch: x from -1 to 1, y from -0.42 to 0.42
  float direction[2];  ///< way of a step
  float tired_factor;  ///< 0 .. 1
  std::int32_t role;
  bool active;  ///< false once it was sent off
  bool yellow_card;
};

struct TeamState {
  std::int32_t size;
  std::int32_t designated;  ///< whom one agent alone would play; -1: none
  PlayerState players[kMostPlayers];
};

/// What the package's observation has. Team 0 is the left one.
struct MatchState {
  float ball[3];
  float ball_direction[3];
  float ball_rotation[3];
  std::int32_t ball_owned_team;  ///< -1: none
  std::int32_t ball_owned_player;
  std::int32_t score[2];
  std::int32_t game_mode;  ///< 0 normal, 1 kick-off, 2 goal kick, 3 free kick, 4 corner, 5
                           ///< throw-in, 6 penalty
  std::int32_t step;       ///< -1 when an episode begins
  TeamState teams[2];
  std::int32_t controlled[2][kMostPlayers];  ///< whom each agent plays; -1: nobody
  bool sticky[2][kMostPlayers][kStickyActions];
};

/// How an episode begins, beside the scenario.
struct Kickoff {
  std::uint32_t seed = 42;
  bool reverse_team_processing = false;
  int game_duration = 3000;
  int agents[2] = {1, 0};  ///< of each team
};

class Game {
 public:
  /// Reads the engine's data in `folder`.
  Game(const std::string& folder, int physics_steps_per_frame);
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;
  ~Game();

  void Begin(const Scenario& scenario, const Kickoff& kickoff);
  /// `action` is one of the engine's; see actions.h.
  void Act(int team, int agent, int action);
  /// Until the next decision.
  void Step();
  /// After Begin, Step or Load.
  const MatchState& match() const { return match_; }

  /// Steps in a row that were out of play. FootballEnvCore counts them, and the engine keeps them
  /// in its state.
  int waiting() const;
  void set_waiting(int steps);

  std::string Save();
  /// What a game of the same scenario and kickoff has saved, but for the seed.
  void Load(const std::string& state);

 private:
  struct Engine;
  /// Steps the engine until agents have to decide.
  void Play();
  /// Fills `match_`; false while the ball is out of play.
  bool Observe();

  std::unique_ptr<Engine> engine_;
  MatchState match_{};
};

}  // namespace envpool::gfootball
