// SPDX-License-Identifier: Apache-2.0
// CartPole as Gymnasium draws it: a black cart on a rail, a brown pole, a violet axle.
//
//   std::vector<uint8_t> rgb(classic::kCartPoleFrame.Bytes());
//   classic::DrawCartPole(classic::Canvas(rgb.data(), classic::kCartPoleFrame), x, theta);
#pragma once

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kCartPoleFrame{600, 400};

/// `x`: cart position in metres, -2.4 and 2.4 are the frame's sides; `theta`: pole angle in
/// radians, 0 is upright and positive leans right.
inline void DrawCartPole(const Canvas& canvas, double x, double theta) {
  constexpr double kScale = 600 / (2.4 * 2);  // pixels per metre
  constexpr double kPoleWidth = 10;
  constexpr double kPoleLength = kScale * (2 * 0.5);
  constexpr int kRail = 100;          // height above the frame's bottom
  constexpr double kAxle = 30 / 4.0;  // above the rail, a quarter of the cart's height
  constexpr Rgb kPole{202, 152, 101};
  constexpr Rgb kJoint{129, 132, 203};

  canvas.Fill(kWhite);
  const Canvas scene = canvas.UpsideDown();
  const double cart = x * kScale + 600 / 2.0;
  SmoothPolygon(scene, RotatedBox(-25, 25, -15, 15, 0, {cart, kRail}), kBlack);
  SmoothPolygon(scene,
                RotatedBox(-kPoleWidth / 2, kPoleWidth / 2, -kPoleWidth / 2,
                           kPoleLength - kPoleWidth / 2, -theta, {cart, kRail + kAxle}),
                kPole);
  SmoothCircle(scene, {ToPixel(cart), ToPixel(kRail + kAxle)}, 5, kJoint);
  scene.HorizontalLine(0, 600, kRail, kBlack);
}

}  // namespace envpool::classic
