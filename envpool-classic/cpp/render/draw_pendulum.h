// SPDX-License-Identifier: Apache-2.0
// Pendulum as Gymnasium draws it: a red rod and, once a torque was applied, an arrow that grows
// with it. Needs the sprite kTorqueArrow (sprites.h) as soon as there is a torque.
//
//   std::vector<uint8_t> rgb(classic::kPendulumFrame.Bytes());
//   const classic::Canvas canvas(rgb.data(), classic::kPendulumFrame);
//   classic::DrawPendulum(canvas, theta, std::nullopt);
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/scale.h"
#include "envpool/drawing/shapes.h"
#include "sprites.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kPendulumFrame{500, 500};
inline constexpr char kTorqueArrow[] = "classic_control/assets/clockwise.png";

/// `theta`: angle in radians, 0 is upright; `last_torque`: the torque of the last step (after
/// clipping to its limits, in N m), none right after a reset.
inline void DrawPendulum(const Canvas& canvas, double theta, std::optional<double> last_torque) {
  constexpr double kScale = 500 / (2.2 * 2);  // pixels per rod length
  constexpr double kRodWidth = 0.2 * kScale;
  constexpr int kCenter = 250;
  constexpr int kRodRadius = static_cast<int>(kRodWidth / 2);
  constexpr int kAxleRadius = static_cast<int>(0.05 * kScale);
  constexpr Rgb kRod{204, 77, 77};

  canvas.Fill(kWhite);
  const Canvas scene = canvas.UpsideDown();
  const double angle = theta + std::numbers::pi / 2;
  SmoothPolygon(
      scene, RotatedBox(0, kScale, -kRodWidth / 2, kRodWidth / 2, angle, {kCenter, kCenter}), kRod);
  SmoothCircle(scene, {kCenter, kCenter}, kRodRadius, kRod);
  const Vector end = Rotated({kScale, 0}, angle);
  SmoothCircle(scene, {ToPixel(end.x + kCenter), ToPixel(end.y + kCenter)}, kRodRadius, kRod);

  if (last_torque) {
    const std::shared_ptr<const Sprite> arrow = SpriteStore::Find(kTorqueArrow);
    // In single precision, the type of the actions: its last bit can decide about a pixel.
    const auto torque = static_cast<float>(*last_torque);
    const int side = ToPixel(static_cast<float>(kScale) * std::abs(torque) / 2);
    if (side > 0) {
      Sprite scaled{
          {side, side},
          std::vector<uint8_t>(4 * static_cast<size_t>(side) * static_cast<size_t>(side))};
      SmoothScale<4>(arrow->rgba.data(), arrow->size, scaled.rgba.data(), scaled.size);
      Blit(scene, scaled, kCenter - side / 2, kCenter - side / 2,
           {.size = scaled.size, .flip_x = torque > 0, .flip_y = true});
    }
  }
  SmoothCircle(scene, {kCenter, kCenter}, kAxleRadius, kBlack);
}

}  // namespace envpool::classic
