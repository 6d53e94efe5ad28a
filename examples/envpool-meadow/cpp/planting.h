// SPDX-License-Identifier: Apache-2.0
// Planting: where stones, animals and clover are at the start of an episode, and where clover grows
// again.
//
//   Plant(world, {.foxes = 3, .hares = 3, .stones = 5, .clovers = 8}, gen);
//   world.clovers[2] = NewClover(world, gen);
//
// Everything is put at the best of a few random places, the one with most room around it
// (Mitchell 1991): the number of draws is known, and a crowded meadow is no endless search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numbers>

#include "world.h"

namespace meadow {

inline constexpr int kCandidates = 16;
inline constexpr double kStoneMin = 0.5, kStoneMax = 1.0;  ///< m, radius
inline constexpr double kPassage = 0.8;    ///< m between stone and hedge: room for a fox
inline constexpr double kHeadStart = 4.0;  ///< m that a hare would like to be away from foxes

struct Counts {
  int foxes = 0, hares = 0, stones = 0, clovers = 0;
};

/// A random meadow. `gen` is an envpool::NumpyRandom or has its `Uniform`.
template <typename Generator>
void Plant(World& world, const Counts& counts, Generator& gen);

/// A place for a clover, away from the others.
template <typename Generator>
Vec NewClover(const World& world, Generator& gen);

// ---------------------------------------------------------------------------------------- detail

namespace detail {

/// The best of some places that are `margin` or more from the hedges.
template <typename Generator, typename Room>
Vec BestPlace(Vec half_size, double margin, Generator& gen, const Room& room) {
  Vec best;
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCandidates; ++i) {
    // Two statements, for the order of the draws.
    const double x = gen.Uniform(margin - half_size.x, half_size.x - margin);
    const double y = gen.Uniform(margin - half_size.y, half_size.y - margin);
    const double here = room(Vec{x, y});
    if (here > most) {
      most = here;
      best = {x, y};
    }
  }
  return best;
}

/// From a place to the nearest stone.
inline double RoomToStones(const World& world, Vec place) {
  double room = std::numeric_limits<double>::max();
  for (const Stone& stone : world.stones) {
    room = std::min(room, Length(place - stone.position) - stone.radius);
  }
  return room;
}

inline double RoomFor(const World& world, Kind kind, Vec place) {
  double room = RoomToStones(world, place);
  for (const Animal& other : world.animals) {
    const double away = Length(place - other.position) - other.breed().radius;
    room = std::min(room, other.kind == kind ? away : away - kHeadStart);
  }
  return room;
}

}  // namespace detail

template <typename Generator>
void Plant(World& world, const Counts& counts, Generator& gen) {
  world.stones.clear();
  world.animals.clear();
  world.clovers.clear();
  for (int i = 0; i < counts.stones; ++i) {
    const double radius = gen.Uniform(kStoneMin, kStoneMax);
    const Vec place = detail::BestPlace(
        world.half_size, radius + kPassage, gen,
        [&](Vec candidate) { return detail::RoomToStones(world, candidate) - radius; });
    world.stones.push_back({place, radius});
  }
  for (int i = 0; i < counts.foxes + counts.hares; ++i) {
    const Kind kind = i < counts.foxes ? Kind::kFox : Kind::kHare;
    Animal animal{.kind = kind};
    const double radius = animal.breed().radius;
    animal.position = detail::BestPlace(world.half_size, radius, gen, [&](Vec candidate) {
      return detail::RoomFor(world, kind, candidate) - radius;
    });
    animal.heading = gen.Uniform(-std::numbers::pi, std::numbers::pi);
    world.animals.push_back(animal);
  }
  for (int i = 0; i < counts.clovers; ++i) world.clovers.push_back(NewClover(world, gen));
}

template <typename Generator>
Vec NewClover(const World& world, Generator& gen) {
  return detail::BestPlace(world.half_size, kFoxBreed.radius, gen, [&](Vec candidate) {
    double room = detail::RoomToStones(world, candidate);
    for (const Vec clover : world.clovers) room = std::min(room, Length(candidate - clover));
    return room;
  });
}

}  // namespace meadow
