// SPDX-License-Identifier: Apache-2.0
// Player: one of the bodies on the pitch, and what it observes. CoreObservablesAdder of
// dm_control.locomotion.soccer.observables, and the observables of its BoxHead and Ant.
//
//   const std::vector<Player> players = Players(model, "boxhead", 2);   // two of each team
//   Layout layout = players[0].Observations();
//   out = players[0].Observe(physics, pitch, players, scored, out);
#pragma once

#include <mujoco/mujoco.h>

#include <optional>
#include <string>
#include <vector>

#include "dm_control/physics.h"
#include "dm_control/task.h"
#include "soccer/pitch.h"

namespace envpool::mujoco {

/// The anatomy that all players share.
struct PlayerAnatomy {
  const char* root;
  std::vector<const char*> end_effectors;
  bool rolls;  // a box head, which slides and turns where an ant is free
};

class Player {
 public:
  Player(const mjModel& model, const PlayerAnatomy& anatomy, std::string name, Team team,
         int team_size, int number);

  Team team() const { return team_; }
  int root() const { return root_; }
  bool Has(int geom) const { return geom >= first_geom_ && geom < end_geom_; }

  /// _initialize_walker: somewhere within `range` of the middle, turned in any way, at rest.
  void Start(Physics& physics, const std::array<double, 2>& range) const;

  Layout Observations() const;
  /// Whether the observation of this name says yes or no.
  static bool IsFlag(const std::string& name) { return name == "stats_teammate_spread_out"; }
  /// `scored` is the team that has shot a goal in this step.
  double* Observe(const Physics& physics, const Pitch& pitch, const std::vector<Player>& players,
                  std::optional<Team> scored, double* out) const;

 private:
  /// Numbers that sensors read, observed under a name.
  struct Sensed {
    std::string name;
    std::vector<std::pair<int, int>> places;  // in sensordata, and how many
    int size = 0;
  };
  void Sense(const mjModel& model, const std::string& observation,
             const std::vector<std::string>& sensors);
  void SenseOther(const mjModel& model, const PlayerAnatomy& anatomy, const std::string& name,
                  const std::string& seen_as);
  double* ObserveGoals(const Physics& physics, const Pitch& pitch, double* out) const;
  double* ObserveStatistics(const Physics& physics, const Pitch& pitch,
                            const std::vector<Player>& players, std::optional<Team> scored,
                            double* out) const;
  double SpeedToBall(const Physics& physics) const;

  const std::string name_;
  const Team team_;
  const int root_, ball_, ball_velocity_;
  const bool rolls_;
  int first_geom_ = 0, end_geom_ = 0, first_control_ = 0, controls_ = 0;
  int velocimeter_ = 0;
  std::vector<int> starts_;  // places in qpos that a start sets
  std::vector<int> qpos_, qvel_;
  std::vector<Sensed> sensed_;
};

/// The players of both teams, those at home first. `kind` is "boxhead" or "ant".
std::vector<Player> Players(const mjModel& model, const std::string& kind, int team_size);

}  // namespace envpool::mujoco
