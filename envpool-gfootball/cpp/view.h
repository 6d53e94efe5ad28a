// SPDX-License-Identifier: Apache-2.0
// View: a match from one side's view. For players of the right team the pitch is rotated by half a
// turn, so that they play from left to right, too: their own team is "left".
#pragma once

#include "engine/game.h"

namespace envpool::gfootball {

class View {
 public:
  /// The view of the agent `agent` of a team; for team 1 the pitch is rotated.
  View(const MatchState& match, int team, int agent) : match_(match), team_(team), agent_(agent) {}

  /// A coordinate of a place or a direction on the pitch.
  float Seen(float value) const { return team_ == 0 ? value : -value; }
  float ball(int axis) const { return axis < 2 ? Seen(match_.ball[axis]) : match_.ball[axis]; }
  float ball_direction(int axis) const {
    return axis < 2 ? Seen(match_.ball_direction[axis]) : match_.ball_direction[axis];
  }
  /// The package does not rotate it.
  float ball_rotation(int axis) const { return match_.ball_rotation[axis]; }
  /// 0: its own team; -1: nobody.
  int ball_owned_team() const {
    return match_.ball_owned_team < 0 ? -1 : match_.ball_owned_team ^ team_;
  }
  int score(int side) const { return match_.score[side ^ team_]; }
  /// Side 0 is the agent's own team.
  const TeamState& team(int side) const { return match_.teams[side ^ team_]; }
  /// The agent's player; -1: none.
  int active() const { return match_.controlled[team_][agent_]; }
  bool sticky(int index) const {
    // The first eight actions are directions.
    if (team_ == 1 && index < kDirections) index = (index + kDirections / 2) % kDirections;
    return match_.sticky[team_][agent_][index];
  }
  const MatchState& match() const { return match_; }

 private:
  const MatchState& match_;
  int team_, agent_;
};

}  // namespace envpool::gfootball
