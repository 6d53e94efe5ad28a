// SPDX-License-Identifier: Apache-2.0
// Foxes and hares from above, the rays that one of them sees by, and a tally of the hares.
//
//   DrawRays(canvas, view, world.animals[0], scan, 10.0);
//   for (const Animal& animal : world.animals) DrawAnimal(canvas, view, animal, Finish::kFull);
//   DrawTally(canvas, view, world);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "draw_ground.h"
#include "lidar.h"
#include "paint.h"
#include "view.h"
#include "world.h"

namespace meadow {

inline constexpr Rgb kFoxOrange{222, 112, 38}, kHareBrown{156, 118, 80}, kCream{250, 240, 222};
inline constexpr Rgb kInk{38, 28, 26};

/// An animal, if it is in the game.
void DrawAnimal(const Canvas& canvas, const View& view, const Animal& animal, Finish finish);

/// The rays of an animal, each in the colour of what it meets; `scan` is what Lidar::Scan wrote.
void DrawRays(const Canvas& canvas, const View& view, const Animal& animal,
              std::span<const float> scan, double range);

/// A dot for every hare upon the upper hedge; those that were caught are hollow.
void DrawTally(const Canvas& canvas, const View& view, const World& world);

// ---------------------------------------------------------------------------------------- detail

namespace detail {

/// Shapes in the coordinates of an animal: x ahead and y to its left, in metres.
class Puppet {
 public:
  Puppet(const Canvas& canvas, const View& view, const Animal& animal)
      : canvas_(canvas),
        origin_(view.Pixel(animal.position)),
        ahead_(view.Turn(Direction(animal.heading))),
        // An animal in the air is nearer to the eye.
        scale_(view.scale * (animal.airborne() ? 1.12 : 1)) {}

  void Oval(Vec at, double along, double across, Rgb colour, double alpha = 1) const {
    meadow::Oval(canvas_, Pixel(at), ahead_, scale_ * along, scale_ * across, colour, alpha);
  }
  void Cone(Vec from, double start, Vec to, double end, Rgb colour, double alpha = 1) const {
    meadow::Cone(canvas_, Pixel(from), scale_ * start, Pixel(to), scale_ * end, colour, alpha);
  }
  void Disc(Vec at, double radius, Rgb colour) const {
    meadow::Disc(canvas_, Pixel(at), scale_ * radius, colour);
  }

 private:
  // y is down in a frame, so a left turn there is the other way round.
  Vec Pixel(Vec at) const {
    return origin_ + scale_ * (at.x * ahead_ + at.y * Vec{ahead_.y, -ahead_.x});
  }

  const Canvas& canvas_;
  Vec origin_, ahead_;
  double scale_;
};

/// -1 to 1, how far the legs are in a stride: it goes with the way that is made.
inline double Stride(const Animal& animal) {
  return std::sin(5.0 * (animal.position.x + animal.position.y)) *
         std::min(1.0, Length(animal.velocity));
}

inline void DrawFox(const Puppet& puppet, const Animal& animal) {
  constexpr Rgb kDark{150, 66, 22}, kBack{238, 140, 62}, kSock{62, 40, 34};
  const double stride = Stride(animal), sway = 0.10 * stride;
  const double stretch = animal.airborne() ? 0.09 : 0;
  puppet.Cone({-0.24, 0}, 0.06, {-0.52, 0.6 * sway}, 0.125, kDark);
  puppet.Cone({-0.24, 0}, 0.045, {-0.52, 0.6 * sway}, 0.11, kFoxOrange);
  puppet.Cone({-0.52, 0.6 * sway}, 0.11, {-0.72, sway}, 0.05, kFoxOrange);
  puppet.Cone({-0.66, 0.88 * sway}, 0.075, {-0.78, 1.1 * sway}, 0.025, kCream);
  for (const double side : {-1.0, 1.0}) {
    const double swing = 0.06 * side * stride;
    puppet.Oval({0.21 + swing + stretch, 0.16 * side}, 0.09, 0.052, kSock);
    puppet.Oval({-0.20 - swing - stretch, 0.165 * side}, 0.09, 0.052, kSock);
  }
  puppet.Oval({-0.03, 0}, 0.345, 0.185, kDark);
  puppet.Oval({-0.03, 0}, 0.325, 0.165, kFoxOrange);
  puppet.Oval({-0.03, 0}, 0.27, 0.09, kBack, 0.8);
  for (const double side : {-1.0, 1.0}) {  // ears, behind the brow
    puppet.Cone({0.27, 0.10 * side}, 0.07, {0.20, 0.165 * side}, 0.02, kDark);
    puppet.Cone({0.27, 0.10 * side}, 0.045, {0.215, 0.15 * side}, 0.012, kInk);
  }
  puppet.Oval({0.33, 0}, 0.155, 0.145, kDark);
  for (const double side : {-1.0, 1.0}) puppet.Oval({0.36, 0.07 * side}, 0.11, 0.065, kCream);
  puppet.Cone({0.28, 0}, 0.115, {0.42, 0}, 0.055, kFoxOrange);
  puppet.Cone({0.42, 0}, 0.055, {0.51, 0}, 0.032, kBack);
  puppet.Disc({0.53, 0}, 0.03, kInk);
  for (const double side : {-1.0, 1.0}) puppet.Disc({0.39, 0.075 * side}, 0.02, kInk);
}

inline void DrawHare(const Puppet& puppet, const Animal& animal) {
  constexpr Rgb kDark{96, 68, 44}, kBack{184, 148, 106}, kPink{226, 164, 150};
  const double stride = Stride(animal);
  const double stretch = animal.airborne() ? 0.08 : 0;
  for (const double side : {-1.0, 1.0}) {
    const double swing = 0.05 * stride;
    puppet.Oval({0.17 + swing + stretch, 0.085 * side}, 0.07, 0.035, kDark);
    puppet.Oval({-0.19 - swing - stretch, 0.12 * side}, 0.11, 0.045, kDark);
  }
  puppet.Oval({-0.05, 0}, 0.275, 0.165, kDark);
  puppet.Oval({-0.05, 0}, 0.255, 0.148, kHareBrown);
  puppet.Oval({-0.06, 0}, 0.20, 0.08, kBack, 0.7);
  puppet.Disc({-0.31, 0}, 0.068, kDark);
  puppet.Disc({-0.31, 0}, 0.056, kCream);
  puppet.Oval({0.22, 0}, 0.135, 0.11, kDark);
  puppet.Oval({0.22, 0}, 0.12, 0.096, kHareBrown);
  for (const double side : {-1.0, 1.0}) {  // ears, laid back and black at the tips
    const Vec root = {0.18, 0.04 * side}, tip = {-0.13, 0.135 * side};
    puppet.Cone(root, 0.034, tip, 0.058, kDark);
    puppet.Cone(root, 0.022, tip, 0.044, kHareBrown);
    puppet.Cone(root, 0.010, tip + Vec{0.05, -0.02 * side}, 0.024, kPink);
    puppet.Disc(tip + Vec{-0.025, 0.008 * side}, 0.03, kInk);
  }
  puppet.Oval({0.27, 0}, 0.05, 0.04, kBack, 0.8);
  puppet.Disc({0.335, 0}, 0.02, kPink);
  for (const double side : {-1.0, 1.0}) {
    puppet.Disc({0.255, 0.085 * side}, 0.026, kInk);
    puppet.Disc({0.262, 0.082 * side}, 0.008, kCream);
  }
}

/// An animal in a small image, without details.
inline void DrawPlain(const Puppet& puppet, Kind kind) {
  if (kind == Kind::kFox) {
    puppet.Cone({-0.24, 0}, 0.06, {-0.7, 0}, 0.10, kFoxOrange);
    puppet.Oval({-0.03, 0}, 0.33, 0.18, kFoxOrange);
    puppet.Oval({0.36, 0}, 0.15, 0.13, kCream);
  } else {
    puppet.Oval({-0.05, 0}, 0.27, 0.16, kHareBrown);
    puppet.Oval({0.22, 0}, 0.13, 0.11, kInk);
    puppet.Disc({-0.31, 0}, 0.08, kCream);
  }
}

}  // namespace detail

inline void DrawAnimal(const Canvas& canvas, const View& view, const Animal& animal,
                       Finish finish) {
  if (!animal.in_game()) return;
  const detail::Puppet puppet(canvas, view, animal);
  if (finish == Finish::kPlain) return detail::DrawPlain(puppet, animal.kind);
  const double radius = view.scale * animal.breed().radius;
  const double height = animal.airborne() ? 0.30 : 0.09;
  Oval(canvas, view.Pixel(animal.position - height * kLight), view.Turn(Direction(animal.heading)),
       1.25 * radius, 0.72 * radius, kShadow, animal.airborne() ? 0.22 : 0.34);
  if (animal.airborne()) {  // what it has just left behind
    Cone(canvas, view.Pixel(animal.position - 0.16 * animal.velocity), 0.02 * view.scale,
         view.Pixel(animal.position), 0.7 * radius, kCream, 0.28);
  }
  if (animal.kind == Kind::kFox) {
    detail::DrawFox(puppet, animal);
  } else {
    detail::DrawHare(puppet, animal);
  }
}

inline void DrawRays(const Canvas& canvas, const View& view, const Animal& animal,
                     std::span<const float> scan, double range) {
  constexpr Rgb kColours[kSights] = {{236, 236, 228}, kFoxOrange, {255, 226, 92}, {60, 190, 96}};
  const std::size_t rays = scan.size() / kSights;
  for (std::size_t i = 0; i < rays; ++i) {
    const Vec ray = Direction(animal.heading + 2 * std::numbers::pi * static_cast<double>(i) /
                                                   static_cast<double>(rays));
    const auto place = [&](double seen) {
      return view.Pixel(animal.position + ((1 - seen) * range) * ray);
    };
    const auto solid = std::max_element(&scan[i * kSights], &scan[i * kSights] + kCloverSight);
    const Rgb colour = kColours[solid - &scan[i * kSights]];
    const double width = 0.012 * view.scale;
    Cone(canvas, view.Pixel(animal.position), width, place(*solid), width, colour, 0.5);
    if (*solid > 0) Disc(canvas, place(*solid), 0.055 * view.scale, colour, 0.9);
    const double clover = scan[i * kSights + kCloverSight];
    if (clover > 0) Disc(canvas, place(clover), 0.045 * view.scale, kColours[kCloverSight]);
  }
}

inline void DrawTally(const Canvas& canvas, const View& view, const World& world) {
  Vec place = {-world.half_size.x + 0.2, world.half_size.y + 0.5 * kHedge};
  for (const Animal& animal : world.animals) {
    if (animal.kind != Kind::kHare) continue;
    if (animal.in_game()) {
      Disc(canvas, view.Pixel(place), 0.13 * view.scale, kCream);
    } else {
      Ring(canvas, view.Pixel(place), 0.115 * view.scale, 0.04 * view.scale, kCream, 0.7);
    }
    place.x += 0.42;
  }
}

}  // namespace meadow
