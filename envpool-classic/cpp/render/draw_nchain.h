// SPDX-License-Identifier: Apache-2.0
// NChain: a row of circles, the agent's one filled, a gold rim around the last (the large reward).
// Our own design, as Gymnasium has no NChain.
//
//   std::vector<uint8_t> rgb(classic::NChainFrame(5).Bytes());
//   classic::DrawNChain(classic::Canvas(rgb.data(), classic::NChainFrame(5)), 5, 2);
#pragma once

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr int kNChainLink = 96;  // from one circle's centre to the next, in pixels

inline Size NChainFrame(int length) { return {length * kNChainLink, kNChainLink}; }

/// `length`: number of states; `state`: 0 ... length - 1.
inline void DrawNChain(const Canvas& canvas, int length, int state) {
  constexpr Rgb kRim{70, 78, 96};
  constexpr Rgb kGoal{214, 158, 0};
  constexpr Rgb kAgent{204, 77, 77};
  constexpr int kMiddle = kNChainLink / 2;

  canvas.Fill(kWhite);
  canvas.Rectangle(kMiddle, kMiddle - 1, {(length - 1) * kNChainLink, 3}, kRim);
  for (int i = 0; i < length; ++i) {
    const Point center{i * kNChainLink + kMiddle, kMiddle};
    SmoothCircle(canvas, center, 32, i + 1 == length ? kGoal : kRim);
    SmoothCircle(canvas, center, 28, kWhite);
    if (i == state) SmoothCircle(canvas, center, 22, kAgent);
  }
}

}  // namespace envpool::classic
