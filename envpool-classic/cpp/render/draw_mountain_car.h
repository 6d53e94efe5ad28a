// SPDX-License-Identifier: Apache-2.0
// MountainCar and MountainCarContinuous as Gymnasium draws them: the track, the car, the flag.
//
//   std::vector<uint8_t> rgb(classic::kMountainCarFrame.Bytes());
//   classic::DrawMountainCar(classic::Canvas(rgb.data(), classic::kMountainCarFrame), -0.5, 0.5);
#pragma once

#include <array>
#include <cmath>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "envpool/drawing/strokes.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kMountainCarFrame{600, 400};

/// `position`: of the car, -1.2 ... 0.6; `goal`: of the flag, 0.5 (0.45 in the continuous task).
inline void DrawMountainCar(const Canvas& canvas, double position, double goal) {
  constexpr double kLeft = -1.2;
  constexpr double kRight = 0.6;
  constexpr double kScale = 600 / (kRight - kLeft);  // pixels per unit
  constexpr int kTrackPoints = 100;
  constexpr double kClearance = 10;  // of the car above the track
  constexpr Rgb kWheel{128, 128, 128};
  constexpr Rgb kFlag{204, 204, 0};
  const auto height = [](double x) { return (std::sin(3 * x) * 0.45 + 0.55) * kScale; };

  canvas.Fill(kWhite);
  const Canvas scene = canvas.UpsideDown();

  Vector previous{};
  for (int i = 0; i < kTrackPoints; ++i) {
    constexpr double kStep = (kRight - kLeft) / (kTrackPoints - 1);
    const double x = i + 1 < kTrackPoints ? i * kStep + kLeft : kRight;
    const Vector point{(x - kLeft) * kScale, height(x)};
    if (i > 0) {
      SmoothLine(scene, static_cast<float>(previous.x), static_cast<float>(previous.y),
                 static_cast<float>(point.x), static_cast<float>(point.y), kBlack);
    }
    previous = point;
  }

  const double tilt = std::cos(3 * position);
  const Vector car{(position - kLeft) * kScale, kClearance + height(position)};
  SmoothPolygon(scene, RotatedBox(-20, 20, 0, 20, tilt, car), kBlack);
  for (const double along : {10.0, -10.0}) {
    const Vector wheel = Rotated({along, 0}, tilt);
    SmoothCircle(scene, {ToPixel(wheel.x + car.x), ToPixel(wheel.y + car.y)}, 8, kWheel);
  }

  const int pole = ToPixel((goal - kLeft) * kScale);
  const int foot = ToPixel(height(goal));
  const int top = foot + 50;
  scene.VerticalLine(pole, foot, top, kBlack);
  SmoothPolygon(scene, std::array<Point, 3>{{{pole, top}, {pole, top - 10}, {pole + 25, top - 5}}},
                kFlag);
}

}  // namespace envpool::classic
