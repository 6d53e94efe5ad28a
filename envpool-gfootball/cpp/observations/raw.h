// SPDX-License-Identifier: Apache-2.0
// The package's raw observation: a dict of arrays. If a team has fewer players than another team or
// the next episode, the missing players' numbers are -1 and flags false.
//
// The reference is gfootball.env.football_env.FootballEnv.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "envpool/spec.h"
#include "envpool/view.h"
#include "view.h"

namespace envpool::gfootball {

/// The number of rows of teams' arrays: the own team's, and the other team's.
struct RawSizes {
  int teams[2];
  int sticky;
};

/// Calls `visit(name, shape, T{}, low, high, value)` for each array in order, where
/// `value(view, index)` is the element at an index.
template <typename Visit>
void ForEachRawArray(const RawSizes& sizes, const Visit& visit) {
  using Shape = std::vector<int>;
  constexpr float kNone = -1;
  constexpr float kFar = std::numeric_limits<float>::infinity();
  const auto places = [&](const char* name, int axes, auto value) {
    visit(std::string(name), Shape{axes}, float{}, -kFar, kFar, value);
  };
  places("ball", 3, [](const View& v, int i) { return v.ball(i); });
  places("ball_direction", 3, [](const View& v, int i) { return v.ball_direction(i); });
  places("ball_rotation", 3, [](const View& v, int i) { return v.ball_rotation(i); });
  const auto number = [&](const char* name, int low, int high, auto value) {
    visit(std::string(name), Shape{}, std::int32_t{}, low, high,
          [value](const View& v, int) { return static_cast<std::int32_t>(value(v)); });
  };
  number("ball_owned_team", -1, 1, [](const View& v) { return v.ball_owned_team(); });
  number("ball_owned_player", -1, kMostPlayers - 1,
         [](const View& v) { return v.match().ball_owned_player; });
  for (int side = 0; side < 2; ++side) {
    const std::string team = side == 0 ? "left_team" : "right_team";
    const int rows = sizes.teams[side];
    const auto pairs = [&](const std::string& name, auto of) {
      visit(name, Shape{rows, 2}, float{}, -kFar, kFar, [side, of](const View& v, int i) {
        const TeamState& t = v.team(side);
        return i / 2 < t.size ? v.Seen(of(t.players[i / 2])[i % 2]) : kNone;
      });
    };
    pairs(team, [](const PlayerState& p) { return p.position; });
    pairs(team + "_direction", [](const PlayerState& p) { return p.direction; });
    visit(team + "_tired_factor", Shape{rows}, float{}, kNone, 1.0f, [side](const View& v, int i) {
      const TeamState& t = v.team(side);
      return i < t.size ? t.players[i].tired_factor : kNone;
    });
    const auto flags = [&](const std::string& name, auto of) {
      visit(name, Shape{rows}, bool{}, false, true, [side, of](const View& v, int i) {
        const TeamState& t = v.team(side);
        return i < t.size && of(t.players[i]);
      });
    };
    flags(team + "_yellow_card", [](const PlayerState& p) { return p.yellow_card; });
    flags(team + "_active", [](const PlayerState& p) { return p.active; });
    visit(team + "_roles", Shape{rows}, std::int32_t{}, -1, 9, [side](const View& v, int i) {
      const TeamState& t = v.team(side);
      return i < t.size ? t.players[i].role : -1;
    });
  }
  visit(std::string("score"), Shape{2}, std::int32_t{}, 0, std::numeric_limits<std::int32_t>::max(),
        [](const View& v, int i) { return static_cast<std::int32_t>(v.score(i)); });
  number("game_mode", 0, 6, [](const View& v) { return v.match().game_mode; });
  number("designated", -1, kMostPlayers - 1, [](const View& v) { return v.team(0).designated; });
  number("active", -1, kMostPlayers - 1, [](const View& v) { return v.active(); });
  visit(std::string("sticky_actions"), Shape{sizes.sticky}, std::uint8_t{}, 0, 1,
        [](const View& v, int i) { return static_cast<std::uint8_t>(v.sticky(i)); });
}

/// The arrays, with a row per player if there are several.
inline SpecList RawSpecs(const RawSizes& sizes, bool players) {
  SpecList list;
  const auto add = [&]<typename T>(const std::string& name, std::vector<int> shape, T, auto low,
                                   auto high, const auto&) {
    if (players) shape.insert(shape.begin(), kPlayers);
    list.arrays.push_back(
        MakeArraySpec("obs:" + name, Spec<T>(shape, {static_cast<T>(low), static_cast<T>(high)})));
  };
  ForEachRawArray(sizes, add);
  std::vector<int> shape;
  if (players) shape.push_back(kPlayers);
  list.arrays.push_back(MakeArraySpec("obs:steps_left", Spec<std::int32_t>(shape)));
  return list;
}

/// Writes row `row` of each array.
inline void WriteRaw(const RawSizes& sizes, const View& view, int steps_left, std::size_t row,
                     const auto& arrays) {
  std::size_t next = 0;
  const auto write = [&]<typename T>(const std::string&, const std::vector<int>& shape, T, auto,
                                     auto, const auto& value) {
    int count = 1;
    for (const int length : shape) count *= length;
    T* out = reinterpret_cast<T*>(arrays[next++].data) + row * static_cast<std::size_t>(count);
    for (int i = 0; i < count; ++i) out[i] = value(view, i);
  };
  ForEachRawArray(sizes, write);
  reinterpret_cast<std::int32_t*>(arrays[next].data)[row] = steps_left;
}

}  // namespace envpool::gfootball
