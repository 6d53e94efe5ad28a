// SPDX-License-Identifier: Apache-2.0
// The size of a frame of which the caller may have asked for a width, a height, both or neither.
//
//   std::pair<int, int> RenderSize(int width, int height) const {
//     return FrameSize(width, height, kCartPoleFrame);
//   }
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "envpool/drawing/canvas.h"

namespace envpool::drawing {

/// (width, height) in pixels; 0 means no wish. One wish alone keeps the proportions of `frame`,
/// which is the size without any.
inline std::pair<int, int> FrameSize(int width, int height, Size frame) {
  const auto scaled = [](int side, int wish, int other) {
    return std::max(1, static_cast<int>(std::lround(1.0 * side * wish / other)));
  };
  if (width == 0 && height == 0) return {frame.width, frame.height};
  if (width == 0) return {scaled(frame.width, height, frame.height), height};
  if (height == 0) return {width, scaled(frame.height, width, frame.width)};
  return {width, height};
}

}  // namespace envpool::drawing
