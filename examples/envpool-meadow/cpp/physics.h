// SPDX-License-Identifier: Apache-2.0
// How animals move: grip, drag, leaps, and collisions of discs.
//
//   std::vector<Command> commands(world.animals.size());
//   commands[0] = {.drive = 1, .turn = -0.5, .leap = true};
//   Advance(world, commands);  // one step of 0.1 s
//
// On the ground  dv/dt = drive * grip * ahead - (grip / top speed) * v; in the air v is constant.
// A fox in the air that touches a hare catches it; any other touch is a collision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "world.h"

namespace meadow {

/// An animal's action in a step.
struct Command {
  double drive = 0;  ///< -1 (back) to 1 (ahead), of the grip
  double turn = 0;   ///< -1 (right) to 1 (left), of the turn rate
  bool leap = false;
};

/// Fraction of the speed that comes back: two soft bodies, a body and stone or hedge.
inline constexpr double kAnimalBounce = 0.5, kWallBounce = 0.3;

// Nothing may pass through another in one substep, even two animals that leap at each other.
static_assert((kFoxBreed.top_speed + kHareBreed.top_speed + 2 * kLeapSpeed) * kDt <
              kFoxBreed.radius + kHareBreed.radius);

/// Moves the world on by `kStepTime`; `commands` has one for each animal.
void Advance(World& world, std::span<const Command> commands);

// ---------------------------------------------------------------------------------------- detail

namespace detail {

inline void TakeOff(Animal& animal) {
  const double most = animal.breed().top_speed + kLeapSpeed;
  animal.velocity += kLeapSpeed * Direction(animal.heading);
  const double speed = Length(animal.velocity);
  if (speed > most) animal.velocity = (most / speed) * animal.velocity;
  animal.air = kLeapSubsteps;
  animal.rest = kRestSubsteps;
}

inline void Move(Animal& animal, const Command& command) {
  const Breed& breed = animal.breed();
  if (!animal.airborne()) {
    animal.heading =
        std::remainder(animal.heading + command.turn * breed.turn_rate * kDt, 2 * std::numbers::pi);
    // The drag at the new speed: stable for any step, and exact about the top speed.
    const Vec push = (command.drive * kGrip * kDt) * Direction(animal.heading);
    animal.velocity = (1 / (1 + kGrip / breed.top_speed * kDt)) * (animal.velocity + push);
  }
  animal.position += kDt * animal.velocity;
  animal.air = std::max(0, animal.air - 1);
  animal.rest = std::max(0, animal.rest - 1);
}

/// The unit vector from `a` to `b`; any one if they are at the same place.
inline Vec Towards(Vec a, Vec b, double distance) {
  return distance > 0 ? (1 / distance) * (b - a) : Vec{1, 0};
}

/// Two discs: an impulse along the line of centres if they approach, and apart by what they
/// overlap, each by the other's share of the mass, so that the centre of mass stays.
inline void Collide(Animal& a, Animal& b, double distance) {
  const Vec normal = Towards(a.position, b.position, distance);
  const double mass_a = a.breed().mass, mass_b = b.breed().mass;
  const double share_a = mass_b / (mass_a + mass_b), share_b = mass_a / (mass_a + mass_b);
  const double approach = Dot(a.velocity - b.velocity, normal);
  if (approach > 0) {
    const double change = (1 + kAnimalBounce) * approach;
    a.velocity -= (change * share_a) * normal;
    b.velocity += (change * share_b) * normal;
  }
  const double overlap = a.breed().radius + b.breed().radius - distance;
  a.position -= (overlap * share_a) * normal;
  b.position += (overlap * share_b) * normal;
}

inline void Meet(World& world, std::size_t i, std::size_t j) {
  Animal &a = world.animals[i], &b = world.animals[j];
  if (!a.in_game() || !b.in_game()) return;
  const double reach = a.breed().radius + b.breed().radius;
  const Vec apart = b.position - a.position;
  if (Dot(apart, apart) >= reach * reach) return;
  if (a.kind != b.kind) {
    const std::size_t fox = a.kind == Kind::kFox ? i : j;
    if (world.animals[fox].airborne()) {
      world.animals[i + j - fox].caught_by = static_cast<std::int32_t>(fox);
      return;
    }
  }
  Collide(a, b, Length(apart));
}

inline void Bounce(Animal& animal, Vec out) {
  const double approach = -Dot(animal.velocity, out);
  if (approach > 0) animal.velocity += ((1 + kWallBounce) * approach) * out;
}

inline void KeepOff(Animal& animal, const Stone& stone) {
  const double reach = animal.breed().radius + stone.radius;
  const Vec apart = animal.position - stone.position;
  if (Dot(apart, apart) >= reach * reach) return;
  const Vec out = Towards(stone.position, animal.position, Length(apart));
  animal.position = stone.position + reach * out;
  Bounce(animal, out);
}

/// Last of all, so that nobody is ever beyond a hedge.
inline void KeepInside(Animal& animal, Vec half_size) {
  const double radius = animal.breed().radius;
  const double x = half_size.x - radius, y = half_size.y - radius;
  if (animal.position.x > x) Bounce(animal, {-1, 0});
  if (animal.position.x < -x) Bounce(animal, {1, 0});
  if (animal.position.y > y) Bounce(animal, {0, -1});
  if (animal.position.y < -y) Bounce(animal, {0, 1});
  animal.position = {std::clamp(animal.position.x, -x, x), std::clamp(animal.position.y, -y, y)};
}

}  // namespace detail

inline void Advance(World& world, std::span<const Command> commands) {
  auto& animals = world.animals;
  for (std::size_t i = 0; i < animals.size(); ++i) {
    if (commands[i].leap && animals[i].in_game() && animals[i].rest == 0) {
      detail::TakeOff(animals[i]);
    }
  }
  for (int substep = 0; substep < kSubsteps; ++substep) {
    for (std::size_t i = 0; i < animals.size(); ++i) {
      if (animals[i].in_game()) detail::Move(animals[i], commands[i]);
    }
    for (std::size_t i = 0; i < animals.size(); ++i) {
      for (std::size_t j = i + 1; j < animals.size(); ++j) detail::Meet(world, i, j);
    }
    for (Animal& animal : animals) {
      if (!animal.in_game()) continue;
      for (const Stone& stone : world.stones) detail::KeepOff(animal, stone);
      detail::KeepInside(animal, world.half_size);
    }
  }
}

}  // namespace meadow
