// SPDX-License-Identifier: Apache-2.0
// simple115v2: 115 numbers. Positions and directions of eleven players per team (-1 for missing
// players), the ball, its owner, the agent's player, and the game mode.
//
// The reference is gfootball.env.wrappers.Simple115StateWrapper with fixed_positions.
#pragma once

#include <algorithm>
#include <cstddef>

#include "view.h"

namespace envpool::gfootball {

inline constexpr std::size_t kSimple115Size = 115;

inline void WriteSimple115(const View& view, float* out) {
  constexpr int kTeam = 2 * kMostPlayers, kModes = 7;
  for (int side = 0; side < 2; ++side) {
    const TeamState& team = view.team(side);
    std::fill_n(out, 2 * kTeam, -1.0f);
    for (int i = 0; i < team.size; ++i) {
      for (int k = 0; k < 2; ++k) {
        out[2 * i + k] = view.Seen(team.players[i].position[k]);
        out[kTeam + 2 * i + k] = view.Seen(team.players[i].direction[k]);
      }
    }
    out += 2 * kTeam;
  }
  for (int k = 0; k < 3; ++k) *out++ = view.ball(k);
  for (int k = 0; k < 3; ++k) *out++ = view.ball_direction(k);
  for (int owner = -1; owner < 2; ++owner) *out++ = view.ball_owned_team() == owner ? 1.0f : 0.0f;
  for (int i = 0; i < kMostPlayers; ++i) *out++ = view.active() == i ? 1.0f : 0.0f;
  for (int i = 0; i < kModes; ++i) *out++ = view.match().game_mode == i ? 1.0f : 0.0f;
}

}  // namespace envpool::gfootball
