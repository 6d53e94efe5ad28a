// SPDX-License-Identifier: Apache-2.0
// View: where a place in the meadow is in a frame, and how large a metre is there.
//
//   const View view = WholeMeadow(world.half_size, {800, 600});
//   Disc(canvas, view.Pixel(stone.position), view.scale * stone.radius, kGrey);
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "vec.h"
#include "world.h"

namespace meadow {

inline constexpr double kHedge = 0.8;          ///< m of hedge around the meadow in a frame
inline constexpr double kPixelsPerMetre = 50;  ///< of a frame without a wish for its size

struct View {
  Vec centre;    ///< place in the middle of the frame
  Vec up;        ///< direction towards its upper side, of length 1
  Vec middle;    ///< pixels from its upper left corner
  double scale;  ///< pixels per metre

  Vec Pixel(Vec place) const {
    const Vec from = place - centre;
    return middle + scale * Vec{Cross(from, up), -Dot(from, up)};
  }
  Vec Place(Vec pixel) const {
    const Vec from = (1 / scale) * (pixel - middle);
    return centre - from.x * Left(up) - from.y * up;
  }
  /// A direction in the frame.
  Vec Turn(Vec direction) const { return {Cross(direction, up), -Dot(direction, up)}; }
};

/// The whole meadow with its hedges, as large as fits.
inline View WholeMeadow(Vec half_size, int width, int height) {
  const double scale =
      std::min(width / (2 * (half_size.x + kHedge)), height / (2 * (half_size.y + kHedge)));
  return {{0, 0}, {0, 1}, {0.5 * width, 0.5 * height}, scale};
}

/// The surroundings of an animal, `span` metres wide, with its direction ahead upwards.
inline View Around(const Animal& animal, double span, int width, int height) {
  return {animal.position,
          Direction(animal.heading),
          {0.5 * width, 0.5 * height},
          std::min(width, height) / span};
}

/// (width, height) of a frame; 0 is no wish, and one wish alone keeps the meadow's proportions.
inline std::pair<int, int> FrameSize(Vec half_size, int width, int height) {
  const double across = 2 * (half_size.x + kHedge), down = 2 * (half_size.y + kHedge);
  const auto pixels = [](double length) {
    return std::max(1, static_cast<int>(std::lround(length)));
  };
  if (width == 0 && height == 0) {
    return {pixels(kPixelsPerMetre * across), pixels(kPixelsPerMetre * down)};
  }
  if (width == 0) return {pixels(height * across / down), height};
  if (height == 0) return {width, pixels(width * down / across)};
  return {width, height};
}

}  // namespace meadow
