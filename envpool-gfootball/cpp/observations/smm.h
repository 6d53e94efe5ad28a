// SPDX-License-Identifier: Apache-2.0
// The super mini map: four planes of 72 x 96 with a 255 for each player of the own team, of the
// other team, for the ball and for the agent's player.
//
// The reference is gfootball.env.observation_preprocessing.generate_smm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "view.h"

namespace envpool::gfootball {

inline constexpr int kSmmHeight = 72, kSmmWidth = 96, kSmmPlanes = 4;
inline constexpr std::size_t kSmmSize = std::size_t{kSmmHeight} * kSmmWidth * kSmmPlanes;

/// `pixel_stride`: bytes from one place of the map to the next.
inline void WriteSmm(const View& view, std::uint8_t* out, std::size_t pixel_stride = kSmmPlanes) {
  constexpr double kHalfHeight = 1.0 / 2.25;
  for (std::size_t i = 0; i < std::size_t{kSmmHeight} * kSmmWidth; ++i) {
    std::fill_n(out + i * pixel_stride, kSmmPlanes, std::uint8_t{0});
  }
  const auto mark = [&](int plane, double x, double y) {
    const auto column = static_cast<int>((x + 1) / 2 * kSmmWidth);
    const auto row =
        static_cast<int>((y + kHalfHeight) / (kHalfHeight - -kHalfHeight) * kSmmHeight);
    const int place =
        std::clamp(row, 0, kSmmHeight - 1) * kSmmWidth + std::clamp(column, 0, kSmmWidth - 1);
    out[static_cast<std::size_t>(place) * pixel_stride + static_cast<std::size_t>(plane)] = 255;
  };
  const auto mark_player = [&](int plane, const PlayerState& player) {
    mark(plane, view.Seen(player.position[0]), view.Seen(player.position[1]));
  };
  for (int side = 0; side < 2; ++side) {
    const TeamState& team = view.team(side);
    for (int i = 0; i < team.size; ++i) mark_player(side, team.players[i]);
  }
  mark(2, view.ball(0), view.ball(1));
  if (view.active() >= 0) mark_player(3, view.team(0).players[view.active()]);
}

}  // namespace envpool::gfootball
