// SPDX-License-Identifier: Apache-2.0
// Acrobot as Gymnasium draws it: two links, their joints, and the line that the tip has to reach.
//
//   std::vector<uint8_t> rgb(classic::kAcrobotFrame.Bytes());
//   classic::DrawAcrobot(classic::Canvas(rgb.data(), classic::kAcrobotFrame), theta1, theta2);
#pragma once

#include <cmath>
#include <numbers>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kAcrobotFrame{500, 500};

/// `theta1`: angle of the first link in radians, 0 hangs down; `theta2`: angle of the second link
/// relative to the first.
inline void DrawAcrobot(const Canvas& canvas, double theta1, double theta2) {
  constexpr double kScale = 500 / (2.2 * 2);  // pixels per link length
  constexpr double kHalfWidth = 0.1 * kScale;
  constexpr int kJointRadius = static_cast<int>(kHalfWidth);
  constexpr double kCenter = 250;
  constexpr Rgb kLink{0, 204, 204};
  constexpr Rgb kJoint{204, 204, 0};

  canvas.Fill(kWhite);
  const Canvas scene = canvas.UpsideDown();
  scene.HorizontalLine(0, kAcrobotFrame.width, static_cast<int>(kScale + kCenter), kBlack);

  const auto draw_link = [&](Vector joint, double angle) {
    SmoothPolygon(
        scene, RotatedBox(0, kScale, -kHalfWidth, kHalfWidth, angle - std::numbers::pi / 2, joint),
        kLink);
    SmoothCircle(scene, {ToPixel(joint.x), ToPixel(joint.y)}, kJointRadius, kJoint);
  };
  draw_link({kCenter, kCenter}, theta1);
  draw_link({std::sin(theta1) * kScale + kCenter, -std::cos(theta1) * kScale + kCenter},
            theta1 + theta2);
}

}  // namespace envpool::classic
