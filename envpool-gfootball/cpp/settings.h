// SPDX-License-Identifier: Apache-2.0
// The options of all tasks, checked before the engine gets them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "actions.h"
#include "envpool/dict.h"
#include "envpool/error.h"
#include "observations/raw.h"
#include "rewards.h"
#include "scenario.h"

namespace envpool::gfootball {
using namespace envpool::literals;

enum class ObservationKind { kSmm, kSimple115, kRaw };

/// The settings derived from the options of a pool.
struct Settings {
  ObservationKind observation = ObservationKind::kSmm;
  bool stacked = false;
  bool checkpoints = false;
  ActionSet actions;
  int agents[2] = {1, 0};  ///< number of agents of each team
  int game_duration = 3000;
  RawSizes raw_sizes{};
  Scenario scenarios[2];  ///< for even and for odd episodes

  int players() const { return agents[0] + agents[1]; }
};

inline auto DefaultOptions() {
  return Dict{"observation"_ = std::string("smm"),
              "stacked"_ = false,
              "rewards"_ = std::string("scoring"),
              "action_set"_ = std::string("default"),
              "number_of_left_players_agent_controls"_ = 1,
              "number_of_right_players_agent_controls"_ = 0,
              "physics_steps_per_frame"_ = 10,
              "game_duration"_ = 3000,
              "even_episodes"_ = std::vector<double>{},
              "odd_episodes"_ = std::vector<double>{},
              "data_path"_ = std::string()};
}

namespace detail {

inline void CheckAgents(const Settings& settings, int team) {
  const char* const option = team == 0 ? "number_of_left_players_agent_controls"
                                       : "number_of_right_players_agent_controls";
  const int agents = settings.agents[team];
  int most = kMostPlayers;
  bool all = false;
  for (const Scenario& scenario : settings.scenarios) {
    most = std::min(most, scenario.Controllable(team));
    all |= scenario.control_all_players;
  }
  if (agents < 0 || agents > most) {
    throw OptionError(option, std::to_string(agents),
                      "0 .. " + std::to_string(most) +
                          ", the players of that side whom agents can play in this scenario",
                      "pass a number in this range");
  }
  if (all && agents != 0 && agents != most) {
    throw OptionError(option, std::to_string(agents), "0 or " + std::to_string(most),
                      "pass one of them: in this scenario agents play all players of a side or "
                      "none (control_all_players)");
  }
}

}  // namespace detail

/// Throws OptionError.
template <typename Config>
Settings SettingsOf(const Config& config) {
  Settings s;
  s.observation = static_cast<ObservationKind>(
      Chosen("observation", config["observation"_], {"smm", "simple115v2", "raw"}));
  s.stacked = config["stacked"_];
  if (s.stacked && s.observation == ObservationKind::kRaw) {
    throw OptionError("stacked", "True for observation='raw'",
                      "True for observation='smm' and 'simple115v2'",
                      "leave it out, or choose another observation");
  }
  s.checkpoints = PaysCheckpoints(config["rewards"_]);
  s.actions = ActionSetOf(config["action_set"_]);
  const auto check = [](const char* option, int value, int least, int most) {
    if (value >= least && value <= most) return;
    throw OptionError(option, std::to_string(value),
                      std::to_string(least) + " .. " + std::to_string(most),
                      "pass a number in this range");
  };
  // A frame of the engine is 10 ms; its clock stops if a step is longer than a kick-off.
  check("physics_steps_per_frame", config["physics_steps_per_frame"_], 1, 100);
  s.game_duration = config["game_duration"_];
  check("game_duration", s.game_duration, 0, 1'000'000'000);
  s.scenarios[0] = ScenarioOf(config["even_episodes"_]);
  s.scenarios[1] = ScenarioOf(config["odd_episodes"_]);
  s.agents[0] = config["number_of_left_players_agent_controls"_];
  s.agents[1] = config["number_of_right_players_agent_controls"_];
  for (int team = 0; team < 2; ++team) detail::CheckAgents(s, team);
  if (s.players() == 0) {
    throw OptionError("number_of_left_players_agent_controls", "0, and 0 on the right",
                      "one player or more", "pass how many players of a side agents play");
  }
  if (config["max_num_players"_] < s.players()) {
    throw OptionError("max_num_players", std::to_string(config["max_num_players"_]),
                      std::to_string(s.players()) + " or more", "leave it out");
  }
  int sizes[2] = {0, 0};
  for (const Scenario& scenario : s.scenarios) {
    for (std::size_t team = 0; team < 2; ++team) {
      sizes[team] = std::max(sizes[team], static_cast<int>(scenario.teams[team].size()));
    }
  }
  // Each side sees its own team first.
  for (int side = 0; side < 2; ++side) {
    int& rows = s.raw_sizes.teams[side];
    rows = 0;
    if (s.agents[0] > 0) rows = std::max(rows, sizes[side]);
    if (s.agents[1] > 0) rows = std::max(rows, sizes[1 - side]);
  }
  s.raw_sizes.sticky = s.actions.sticky;
  return s;
}

}  // namespace envpool::gfootball
