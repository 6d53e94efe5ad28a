// SPDX-License-Identifier: Apache-2.0
// A scenario: the initial places of players and ball, and the rules of an episode. Python runs the
// scenario's program and passes the numbers; _scenario.py defines their order.
#pragma once

#include <cstddef>
#include <vector>

namespace envpool::gfootball {

inline constexpr int kMostPlayers = 11;  ///< players of a team, at most

/// A player's initial place, seen by its own team: its goal is at x = -1.
struct ScenarioPlayer {
  double x = 0, y = 0;
  int role = 0;              ///< the engine's number: 0 the keeper .. 9 the center forward
  bool lazy = false;         ///< true: it does nothing by itself
  bool controllable = true;  ///< an agent may play it
};

struct Scenario {
  double ball_x = 0, ball_y = 0;
  int second_half = 0;  ///< the step in which teams change sides
  double left_team_difficulty = 0, right_team_difficulty = 0;
  bool offsides = false;
  bool end_episode_on_score = false;
  bool end_episode_on_out_of_play = false;
  bool end_episode_on_possession_change = false;
  bool deterministic = false;  ///< the seed of every episode is 42
  bool control_all_players = false;
  std::vector<ScenarioPlayer> teams[2];

  int Controllable(int team) const {
    int count = 0;
    for (const ScenarioPlayer& player : teams[team]) count += player.controllable ? 1 : 0;
    return count;
  }
};

/// Reads the numbers of _scenario.py, which has checked them.
inline Scenario ScenarioOf(const std::vector<double>& numbers) {
  Scenario s;
  std::size_t next = 0;
  const auto number = [&] { return numbers.at(next++); };
  const auto flag = [&] { return number() != 0; };
  const auto integer = [&] { return static_cast<int>(number()); };
  s.ball_x = number();
  s.ball_y = number();
  s.second_half = integer();
  s.left_team_difficulty = number();
  s.right_team_difficulty = number();
  s.offsides = flag();
  s.end_episode_on_score = flag();
  s.end_episode_on_out_of_play = flag();
  s.end_episode_on_possession_change = flag();
  s.deterministic = flag();
  s.control_all_players = flag();
  for (std::vector<ScenarioPlayer>& team : s.teams) {
    team.resize(static_cast<std::size_t>(integer()));
    for (ScenarioPlayer& player : team) {
      player.x = number();
      player.y = number();
      player.role = integer();
      player.lazy = flag();
      player.controllable = flag();
    }
  }
  return s;
}

}  // namespace envpool::gfootball
