// SPDX-License-Identifier: Apache-2.0
// Scaling: the frame's pixels that a rectangle covers, and the image's pixel that each of them
// shows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine.h"

namespace envpool::procgen {

/// A range of pixels; the end is excluded.
struct Span {
  int begin = 0, end = 0;
};

/// The nearest integer, halves upwards; exact in and near the frame, and far away elsewhere.
inline int Nearest(double value) {
  const double up = std::clamp(value + 0.5, -1e6, 1e6);
  const int whole = static_cast<int>(up);
  return whole - (up < whole ? 1 : 0);
}

/// The pixels of the frame between an edge and the edge at distance `size`.
inline Span PixelsOf(double edge, double size) {
  const int a = std::clamp(Nearest(edge), 0, kSide);
  const int b = std::clamp(Nearest(edge + size), 0, kSide);
  return {std::min(a, b), std::max(a, b)};
}

/// The image's pixels, along one axis, that the pixels of a span show.
struct Samples {
  Span span;
  std::array<std::uint16_t, kSide> at;
};

/// Computes the samples for an image of `source` pixels that is drawn `size` wide from `edge` on; a
/// negative size mirrors. `exact`: the first pixel's position comes from the scale itself, not from
/// its rounded step; Qt has code for both. Returns false if there are no pixels.
bool FindSamples(double edge, double size, int source, bool exact, Samples& found);

}  // namespace envpool::procgen
