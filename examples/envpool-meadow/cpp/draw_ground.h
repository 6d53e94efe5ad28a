// SPDX-License-Identifier: Apache-2.0
// The ground of a meadow: grass, daisies, clover, stones and the hedge around it.
//
//   DrawGround(canvas, view, world, Finish::kFull);
//
// The light comes from the upper left of the whole meadow. Everything that only decorates belongs
// to a place (noise.h), so that it stays where it is from frame to frame.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lidar.h"
#include "noise.h"
#include "paint.h"
#include "view.h"
#include "world.h"

namespace meadow {

enum class Finish {
  kPlain,  ///< one colour per thing: what a small image can show
  kFull
};

inline constexpr Rgb kGrass{118, 168, 78}, kHedgeGreen{46, 88, 52}, kStoneGrey{158, 156, 150};
inline constexpr Rgb kCloverGreen{46, 122, 62}, kShadow{22, 44, 30};
inline constexpr Vec kLight{-0.6, 0.8};  ///< towards it

/// Covers the whole frame.
void DrawGround(const Canvas& canvas, const View& view, const World& world, Finish finish);

// ---------------------------------------------------------------------------------------- detail

namespace detail {

/// Uses of Chance and Noise, so that no two patterns look alike.
enum Use { kPatches = 1, kGrain, kBlade, kBladeTurn, kDaisy, kLeaf, kLeafTone, kMoss, kCloverTurn };

inline bool Inside(Vec place, Vec half_size) {
  return std::abs(place.x) <= half_size.x && std::abs(place.y) <= half_size.y;
}

/// Mown in stripes, with patches, and dark where a hedge keeps the light off.
inline Rgb GrassAt(Vec place, Vec half_size) {
  constexpr double kStripe = 2.0;  // m
  constexpr double kShade = 0.55;  // m, how far the shadow of a hedge goes
  const double stripe = std::sin(std::numbers::pi / kStripe * (place.x + 0.35 * place.y));
  double light = 1 + 0.022 * std::clamp(4 * stripe, -1.0, 1.0);
  light += 0.13 * (Noise(0.45 * place, kPatches) - 0.5);
  light += 0.06 * (Noise(5.0 * place, kGrain) - 0.5);
  const double shade = std::min(half_size.y - place.y, half_size.x + place.x) / kShade;
  light *= 1 - 0.42 * std::pow(std::clamp(1 - shade, 0.0, 1.0), 1.5);
  const Rgb colour = Mix(kGrass, {150, 178, 84}, 0.5 * Noise(0.7 * place, kMoss));
  return Shade(colour, light);
}

inline void DrawBlade(const Canvas& canvas, const View& view, Vec root, double chance,
                      double turn) {
  const double length = 0.08 + 0.10 * chance;
  const Vec tip = root + length * Direction(std::numbers::pi / 2 + 1.6 * (turn - 0.5));
  const Rgb colour = chance < 0.5 ? Rgb{88, 138, 60} : Rgb{156, 196, 104};
  Cone(canvas, view.Pixel(root), 0.014 * view.scale, view.Pixel(tip), 0.004 * view.scale, colour,
       0.55);
}

inline void DrawDaisy(const Canvas& canvas, const View& view, Vec place, double turn) {
  Glow(canvas, view.Pixel(place + Vec{0.02, -0.03}), 0.1 * view.scale, kShadow, 0.35);
  for (int i = 0; i < 6; ++i) {
    const Vec petal = place + 0.042 * Direction(2 * std::numbers::pi * (turn + i / 6.0));
    Disc(canvas, view.Pixel(petal), 0.026 * view.scale, {250, 250, 244});
  }
  Disc(canvas, view.Pixel(place), 0.028 * view.scale, {246, 198, 62});
}

/// Blades and daisies, one chance of each for every cell of 0.4 m.
inline void DrawTufts(const Canvas& canvas, const View& view, Vec half_size) {
  constexpr double kCell = 0.4;
  const int across = static_cast<int>(half_size.x / kCell),
            up = static_cast<int>(half_size.y / kCell);
  for (int j = up; j >= -up; --j) {
    for (int i = -across; i <= across; ++i) {
      const double chance = Chance(i, j, kBlade), turn = Chance(i, j, kBladeTurn);
      const Vec place = {kCell * (i + chance - 0.5), kCell * (j + turn - 0.5)};
      if (!Inside(place, half_size)) continue;
      for (int k = 0; k < 3; ++k) {
        DrawBlade(canvas, view, place + Vec{0.03 * k, 0}, chance,
                  Chance(i, j, kBladeTurn + 100 * k));
      }
      if (Chance(i, j, kDaisy) < 0.035) DrawDaisy(canvas, view, place, turn);
    }
  }
}

inline void DrawClover(const Canvas& canvas, const View& view, Vec place) {
  const double turn = Chance(static_cast<int>(std::floor(100 * place.x)),
                             static_cast<int>(std::floor(100 * place.y)), kCloverTurn);
  Glow(canvas, view.Pixel(place + Vec{0.04, -0.05}), 1.5 * kCloverRadius * view.scale, kShadow,
       0.5);
  for (int i = 0; i < 4; ++i) {
    const Vec out = Direction(2 * std::numbers::pi * (turn + i / 4.0));
    // A leaf is a heart: two discs beside its axis, and the point between them.
    for (const double side : {-1.0, 1.0}) {
      const Vec lobe = place + 0.135 * out + (0.048 * side) * Left(out);
      Cone(canvas, view.Pixel(place), 0.015 * view.scale, view.Pixel(lobe), 0.068 * view.scale,
           side < 0 ? kCloverGreen : Shade(kCloverGreen, 1.18));
    }
    Cone(canvas, view.Pixel(place), 0.008 * view.scale, view.Pixel(place + 0.15 * out),
         0.004 * view.scale, {170, 214, 150}, 0.8);
  }
}

/// A ball lit from one side, with moss on it.
inline void DrawStone(const Canvas& canvas, const View& view, const Stone& stone) {
  const Vec centre = view.Pixel(stone.position);
  const double radius = view.scale * stone.radius;
  Glow(canvas, view.Pixel(stone.position - 0.2 * kLight), 1.22 * radius, kShadow, 0.85);
  const auto colour = [&](Vec pixel) {
    const Vec place = view.Place(pixel);
    const Vec out = (1 / stone.radius) * (place - stone.position);
    const double height = std::sqrt(std::max(0.0, 1 - Dot(out, out)));
    double light = 0.74 + 0.34 * Dot(out, kLight) * (1 - 0.6 * height) + 0.26 * height;
    light += 0.16 * (Noise(6.0 * place, kGrain) - 0.5) + 0.10 * (Noise(17.0 * place, kBlade) - 0.5);
    const double moss = Noise(2.2 * place, kMoss) + 0.35 * Dot(out, Vec{0.8, -0.6}) - 0.35;
    return Shade(Mix(kStoneGrey, {112, 140, 74}, std::clamp(2.2 * moss, 0.0, 0.75)), light);
  };
  Fill(canvas, centre, radius, [&](Vec at) { return Length(at - centre) - radius; }, colour);
}

/// Leaves upon leaves, the lighter the higher; `reach`: how far the frame goes.
inline void DrawHedge(const Canvas& canvas, const View& view, Vec half_size, Vec reach) {
  constexpr double kCell = 0.22;  // m
  const int across = static_cast<int>(reach.x / kCell), up = static_cast<int>(reach.y / kCell);
  for (int layer = 0; layer < 3; ++layer) {
    for (int j = up; j >= -up; --j) {
      for (int i = -across; i <= across; ++i) {
        const double chance = Chance(i, j, kLeaf + 20 * layer);
        const double tone = Chance(i, j, kLeafTone + 20 * layer);
        const Vec place = {kCell * (i + chance - 0.5), kCell * (j + tone - 0.5)};
        if (Inside(place, half_size + Vec{0.06, 0.06} + (0.05 * layer) * Vec{1, 1})) continue;
        const double light = 0.62 + 0.22 * layer + 0.46 * (tone - 0.5);
        const Vec lift = (0.02 * layer) * kLight;
        Disc(canvas, view.Pixel(place + lift), (0.19 - 0.035 * layer) * view.scale,
             Shade(kHedgeGreen, light));
      }
    }
  }
}

inline void DrawFullGround(const Canvas& canvas, const View& view, const World& world) {
  const Vec half_size = world.half_size;
  Vec reach = half_size;
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x) {
      const Vec place = view.Place({x + 0.5, y + 0.5});
      const Rgb colour =
          Inside(place, half_size) ? GrassAt(place, half_size) : Shade(kHedgeGreen, 0.5);
      canvas.Blend(x, y, colour, 1);
      reach = {std::max(reach.x, std::abs(place.x)), std::max(reach.y, std::abs(place.y))};
    }
  }
  DrawTufts(canvas, view, half_size);
  for (const Vec clover : world.clovers) DrawClover(canvas, view, clover);
  DrawHedge(canvas, view, half_size, reach);
  for (const Stone& stone : world.stones) DrawStone(canvas, view, stone);
}

inline void DrawPlainGround(const Canvas& canvas, const View& view, const World& world) {
  // From pixel to pixel by addition: this is most of the time that a player's image takes.
  const Vec first = view.Place({0.5, 0.5});
  const Vec right = view.Place({1.5, 0.5}) - first, down = view.Place({0.5, 1.5}) - first;
  unsigned char* pixel = canvas.rgb;
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x, pixel += 3) {
      const Vec place = first + static_cast<double>(x) * right + static_cast<double>(y) * down;
      const Rgb& colour = Inside(place, world.half_size) ? kGrass : kHedgeGreen;
      pixel[0] = static_cast<unsigned char>(colour.r);
      pixel[1] = static_cast<unsigned char>(colour.g);
      pixel[2] = static_cast<unsigned char>(colour.b);
    }
  }
  for (const Vec clover : world.clovers) {
    Disc(canvas, view.Pixel(clover), view.scale * kCloverRadius, kCloverGreen);
  }
  for (const Stone& stone : world.stones) {
    Disc(canvas, view.Pixel(stone.position), view.scale * stone.radius, kStoneGrey);
  }
}

}  // namespace detail

inline void DrawGround(const Canvas& canvas, const View& view, const World& world, Finish finish) {
  if (finish == Finish::kFull) {
    detail::DrawFullGround(canvas, view, world);
  } else {
    detail::DrawPlainGround(canvas, view, world);
  }
}

}  // namespace meadow
