// SPDX-License-Identifier: Apache-2.0
// World: everything that is in a meadow, and the figures of the animals.
//
//   World world{.half_size = {8, 6}};
//   world.animals.push_back({.position = {1, 2}, .kind = Kind::kFox});
//   Advance(world, commands);  // physics.h
//
// Units are metres, seconds, kilograms and radians. The meadow is a rectangle around the origin
// with a hedge on all sides; stones are round and do not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vec.h"

namespace meadow {

enum class Kind : std::int32_t { kFox, kHare };

/// The common properties of all animals of a kind.
struct Breed {
  double mass;       ///< kg
  double radius;     ///< m, of the disc that stands for the body
  double top_speed;  ///< m/s, at which grip and drag are in balance
  double turn_rate;  ///< rad/s at most
};

// Masses and bodies are those of a red fox (4 to 9 kg, 45 to 90 cm without the tail) and a brown
// hare (3 to 5 kg, 50 to 70 cm). Speeds are a trot, so that a meadow of a few metres is large
// enough for a hunt. A hare is a sixth faster and turns half again as fast: in the open a lone fox
// cannot catch it, it takes a leap, a corner or a second fox.
inline constexpr Breed kFoxBreed{.mass = 6.0, .radius = 0.35, .top_speed = 3.0, .turn_rate = 4.0};
inline constexpr Breed kHareBreed{.mass = 3.8, .radius = 0.28, .top_speed = 3.5, .turn_rate = 6.0};

constexpr const Breed& BreedOf(Kind kind) { return kind == Kind::kFox ? kFoxBreed : kHareBreed; }

inline constexpr double kStepTime = 0.1;  ///< s per step: ten decisions a second
inline constexpr int kSubsteps = 4;
inline constexpr double kDt = kStepTime / kSubsteps;  ///< s
inline constexpr double kGrip = 5.0;       ///< m/s^2, what paws on wet grass hold: half of gravity
inline constexpr double kLeapSpeed = 3.0;  ///< m/s that a leap adds ahead, from grip and a crouch
inline constexpr double kLeapTime = 0.4;   ///< s in the air: a ballistic jump of 20 cm height
inline constexpr double kLeapEvery = 1.5;  ///< s from one leap to the next at least
inline constexpr std::int32_t kLeapSubsteps = 16, kRestSubsteps = 60;
static_assert(kLeapSubsteps * kDt == kLeapTime && kRestSubsteps * kDt == kLeapEvery);
inline constexpr double kBite = 0.5;  ///< m between a hare and a clover that it can eat
inline constexpr int kNobody = -1;

/// Without padding: it is saved byte by byte.
struct Animal {
  Vec position;
  Vec velocity;
  double heading = 0;  ///< rad
  Kind kind = Kind::kFox;
  // Counted, because sums of seconds do not end at 0.
  std::int32_t air = 0;              ///< substeps until a leap ends; 0 on the ground
  std::int32_t rest = 0;             ///< substeps until the next leap is possible
  std::int32_t caught_by = kNobody;  ///< index of the fox

  bool in_game() const { return caught_by == kNobody; }
  bool airborne() const { return air > 0; }
  const Breed& breed() const { return BreedOf(kind); }
};
static_assert(sizeof(Animal) == 5 * sizeof(double) + 4 * sizeof(std::int32_t));

struct Stone {
  Vec position;
  double radius = 0;
};
static_assert(sizeof(Stone) == 3 * sizeof(double));

struct World {
  Vec half_size;  ///< from the centre to the hedges
  std::vector<Animal> animals;
  std::vector<Stone> stones;
  std::vector<Vec> clovers;
};

}  // namespace meadow
