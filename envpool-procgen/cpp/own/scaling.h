// SPDX-License-Identifier: Apache-2.0
// Scaling: which pixels of the frame a rectangle covers, and which pixel of an image each of them
// shows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine.h"

namespace envpool::procgen {

/// A range of pixels, the last one excluded.
struct Span {
  int begin = 0, end = 0;
};

/// The nearest whole number, halves upwards; exact in and near the frame, and far from it there.
inline int Nearest(double value) {
  const double up = std::clamp(value + 0.5, -1e6, 1e6);
  const int whole = static_cast<int>(up);
  return whole - (up < whole ? 1 : 0);
}

/// The pixels of the frame between an edge and the one that is `size` beside it.
inline Span PixelsOf(double edge, double size) {
  const int a = std::clamp(Nearest(edge), 0, kSide);
  const int b = std::clamp(Nearest(edge + size), 0, kSide);
  return {std::min(a, b), std::max(a, b)};
}

/// Which pixels of an image, along one side, the pixels of a span show.
struct Samples {
  Span span;
  std::array<std::uint16_t, kSide> at;
};

/// Finds them for an image of `source` pixels that is drawn `size` wide from `edge` on; a negative
/// size mirrors. `exact`: the position of the first pixel comes from the scale itself and not from
/// its rounded step. Qt has a program for either. Returns whether there are any.
bool FindSamples(double edge, double size, int source, bool exact, Samples& found);

}  // namespace envpool::procgen
