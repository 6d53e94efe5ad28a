// SPDX-License-Identifier: Apache-2.0
// Draws the picture of a road as the package does with pygame: lanes, objects, then cars.
//
// The reference is highway_env: road.graphics, vehicle.graphics and envs.common.graphics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/sprite.h"
#include "envpool/drawing/strokes.h"
#include "road/road.h"

namespace envpool::highway {

/// The view of a picture.
struct FrameView {
  drawing::Size size{600, 150};
  double scaling = 5.5;     ///< pixels per metre
  Vec centering{0.3, 0.5};  ///< the center's place in the picture, as shares of its size
};

class Frame {
 public:
  /// `center` is the place in metres of the car that the picture follows.
  Frame(const drawing::Canvas& canvas, const FrameView& view, Vec center)
      : canvas_(canvas),
        view_(view),
        origin_{center.x - view.centering.x * view.size.width / view.scaling,
                center.y - view.centering.y * view.size.height / view.scaling} {}

  void Draw(const Road& road) {
    canvas_.Fill({100, 100, 100});
    for (const Network::Edge& edge : road.network.edges()) {
      for (const Lane& lane : edge.lanes) DrawLane(lane);
    }
    for (const Vehicle& object : road.objects) DrawObject(object);
    for (const Vehicle& v : road.vehicles) DrawCar(road, v);
  }

  /// WorldSurface.vec2pix.
  drawing::Point PixelOf(Vec p) const { return {Pix(p.x - origin_.x), Pix(p.y - origin_.y)}; }

 private:
  static constexpr double kSpacing = 4.33, kStripe = 3;  // of stripes, in metres
  static constexpr drawing::Rgb kOutline{60, 60, 60};

  /// WorldSurface.pix.
  int Pix(double meters) const { return static_cast<int>(meters * view_.scaling); }

  /// Python's float floor division.
  static double FloorDivided(double v, double by) {
    double rest = std::fmod(v, by), quotient = (v - rest) / by;
    if (rest != 0 && (by < 0) != (rest < 0)) quotient -= 1;
    const double whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
  }

  /// LaneGraphics.display: the lines on both sides, near the picture.
  void DrawLane(const Lane& lane) {
    const int count =
        static_cast<int>(2 * (view_.size.height + view_.size.width) / (kSpacing * view_.scaling));
    const double s = std::trunc(lane.LocalCoordinates(origin_).s);
    const double first = (FloorDivided(s, kSpacing) - count / 2) * kSpacing;
    for (int side = 0; side < 2; ++side) {
      const double r = (side - 0.5) * lane.width();
      switch (lane.line(side)) {
        case kNoLine:
          break;
        case kStriped:
          for (int i = 0; i < count; ++i) {
            const double start = first + i * kSpacing;
            DrawStripe(lane, start, start + kStripe, r);
          }
          break;
        case kContinuous:
          for (int i = 0; i < count; ++i) {
            const double start = first + i * kSpacing;
            DrawStripe(lane, start, start + kSpacing, r);
          }
          break;
        case kContinuousLine:
          DrawStripe(lane, first, first + count * kSpacing + kStripe, r);
          break;
      }
    }
  }
  void DrawStripe(const Lane& lane, double start, double end, double r) {
    start = Clip(start, 0, lane.length());
    end = Clip(end, 0, lane.length());
    if (!(std::abs(start - end) > 0.5 * kStripe)) return;
    drawing::DrawLine(canvas_, PixelOf(lane.Position(start, r)), PixelOf(lane.Position(end, r)),
                      drawing::kWhite, std::max(Pix(0.3), 1));
  }

  /// RoadObjectGraphics.display.
  void DrawObject(const Vehicle& o) {
    const int side = Pix(o.length);
    drawing::Sprite sprite({side, side});
    const drawing::Size size{side, Pix(o.width)};
    const int y = Pix(o.length / 2 - o.width / 2);
    sprite.Rectangle(0, y, size, ColorOfObject(o));
    sprite.Frame(0, y, size, kOutline);
    drawing::BlitRotated(canvas_, sprite, PixelOf(o.position), Degrees(o.heading));
  }
  static drawing::Rgb ColorOfObject(const Vehicle& o) {
    if (o.kind == Kind::kObstacle) {
      return o.crashed ? drawing::Rgb{255, 100, 100} : drawing::Rgb{200, 200, 0};
    }
    return o.hit ? drawing::Rgb{50, 200, 0} : drawing::Rgb{100, 200, 255};
  }

  /// VehicleGraphics.display.
  void DrawCar(const Road& road, const Vehicle& v) {
    constexpr int kMargin = 50;  // pixels around the picture
    constexpr double kTire = 1, kLampLength = 0.72, kLampWidth = 0.6;
    const drawing::Point at = PixelOf(v.position);
    if (!(-kMargin < at.x && at.x < view_.size.width + kMargin && -kMargin < at.y &&
          at.y < view_.size.height + kMargin)) {
      return;
    }
    const double length = v.length + 2 * kTire;
    drawing::Sprite sprite({Pix(length), Pix(length)});
    const drawing::Rgb color = ColorOf(road, v);
    const drawing::Size body{Pix(v.length), Pix(v.width)};
    const int x = Pix(kTire), y = Pix(length / 2 - v.width / 2);
    sprite.Rectangle(x, y, body, color);
    const drawing::Size lamp{Pix(kLampLength), Pix(kLampWidth)};
    const int front = Pix(kTire + v.length - kLampLength);
    sprite.Rectangle(front, Pix(length / 2 - (1.4 * v.width) / 3), lamp, Lightened(color));
    sprite.Rectangle(front, Pix(length / 2 + (0.6 * v.width) / 5), lamp, Lightened(color));
    sprite.Frame(x, y, body, kOutline);
    if (!v.IsControlled()) DrawTires(sprite, v, length, kTire);
    drawing::BlitRotated(canvas_, sprite, at, Degrees(v.heading));
  }
  void DrawTires(drawing::Sprite& car, const Vehicle& v, double length, double tire) {
    constexpr double kWidth = 0.3;
    const int rear = Pix(tire), front = Pix(length - tire);
    const int left = Pix(length / 2 - v.width / 2), right = Pix(length / 2 + v.width / 2);
    drawing::Sprite sprite({Pix(tire), Pix(tire)});
    sprite.Rectangle(0, Pix(tire / 2 - kWidth / 2), {Pix(tire), Pix(kWidth)}, kOutline);
    for (const drawing::Point at : {drawing::Point{rear, left}, {rear, right}}) {
      drawing::BlitRotated(car, sprite, at, -0.0 * (180.0 / kPi));
    }
    for (const drawing::Point at : {drawing::Point{front, left}, {front, right}}) {
      drawing::BlitRotated(car, sprite, at, -v.steering * (180.0 / kPi));
    }
  }
  /// VehicleGraphics.get_color. Cars that park have a color of their own.
  static drawing::Rgb ColorOf(const Road& road, const Vehicle& v) {
    constexpr drawing::Rgb kGreen{50, 200, 0}, kYellow{200, 200, 0};
    if (v.goal >= 0) return kGreen;
    if (v.crashed) return {255, 100, 100};
    if (v.kind == Kind::kDriver) {
      return road.drivers.linear ? kYellow : drawing::Rgb{100, 200, 255};
    }
    return v.kind == Kind::kMdp ? kGreen : kYellow;
  }
  static drawing::Rgb Lightened(drawing::Rgb color) {
    const auto light = [](std::uint8_t v) {
      return static_cast<std::uint8_t>(std::min(static_cast<int>(v / 0.68), 255));
    };
    return {light(color.r), light(color.g), light(color.b)};
  }
  /// Small headings are drawn as 0.
  static double Degrees(double heading) {
    return -(std::abs(heading) > 2 * kPi / 180 ? heading : 0) * (180.0 / kPi);
  }

  const drawing::Canvas& canvas_;
  const FrameView view_;
  const Vec origin_;  // of the picture's upper left corner, in metres
};

}  // namespace envpool::highway
