// SPDX-License-Identifier: Apache-2.0
#include "render/draw_car_racing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "envpool/drawing/scale.h"
#include "envpool/drawing/strokes.h"
#include "render/shrink_rows.h"

namespace envpool::box2d {
namespace {

using drawing::BasicCanvas, drawing::Point, drawing::Rgb, drawing::Size, drawing::ToPixel;
using drawing::Vector;

constexpr Size kSurface{1000, 800};
constexpr int kBar = 100;         // rows of the bar at the bottom
constexpr Point kScore{60, 750};  // its middle
constexpr double kPixels = 6;     // pixels per m at the start
constexpr double kField = CarRacingGame::kField, kGrass = kField / 20;

// Converts places in the world to pixels: the car is at the bottom center and looks up.
class Camera {
 public:
  explicit Camera(const CarRacingGame& game) {
    const double angle = -static_cast<double>(game.hull()->GetAngle());
    const double time = game.time();
    zoom_ = 0.1 * kPixels * std::max(1 - time, 0.0) + 2.7 * kPixels * std::min(time, 1.0);
    // Rotating any vector equals combining the rotated (1, 0) and (0, 1), to the bit.
    const Vector right = drawing::Rotated({1, 0}, angle);
    cosine_ = right.x;
    sine_ = right.y;
    const b2Vec2 car = game.hull()->GetPosition();
    const Vector scroll =
        Turned({-static_cast<double>(car.x) * zoom_, -static_cast<double>(car.y) * zoom_});
    move_ = {kSurface.width / 2.0 + scroll.x, kSurface.height / 4.0 + scroll.y};
    middle_ = Place({kSurface.width / 2.0, kSurface.height / 2.0});
    reach_ = (std::hypot(kSurface.width, kSurface.height) / 2 + 2) / zoom_;
  }

  /// Returns false only if no point within `distance` m of a place is visible.
  bool MaySee(Vector place, double distance) const {
    const double x = place.x - middle_.x, y = place.y - middle_.y;
    const double reach = distance + reach_;
    return x * x + y * y < reach * reach;
  }

  /// True if only the field is visible.
  bool SeesFieldOnly() const {
    constexpr double kMargin = 1;  // m
    for (const double x : {0.0, 1.0 * kSurface.width}) {
      for (const double y : {0.0, 1.0 * kSurface.height}) {
        const Vector place = Place({x, y});
        if (std::abs(place.x) > kField - kMargin || std::abs(place.y) > kField - kMargin) {
          return false;
        }
      }
    }
    return true;
  }

  Point operator()(Vector place) const {
    const Vector turned = Turned(place);
    return {ToPixel(turned.x * zoom_ + move_.x), ToPixel(turned.y * zoom_ + move_.y)};
  }

 private:
  Vector Turned(Vector v) const {
    return {cosine_ * v.x - sine_ * v.y, sine_ * v.x + cosine_ * v.y};
  }

  // Converts a pixel to a place.
  Vector Place(Vector pixel) const {
    const Vector v{(pixel.x - move_.x) / zoom_, (pixel.y - move_.y) / zoom_};
    return {cosine_ * v.x + sine_ * v.y, cosine_ * v.y - sine_ * v.x};
  }

  double zoom_, cosine_, sine_;
  Vector move_;
  Vector middle_;  // middle of the visible part, m
  double reach_;   // distance from there to the corners, m
};

Vector In64(b2Vec2 v) { return {v.x, v.y}; }

}  // namespace

template <typename At>
void CarRacingPicture::AddShape(std::size_t count, Rgb color, const At& at,
                                std::vector<Shape>& shapes) {
  Shape& shape = shapes.emplace_back();
  shape.count = count;
  shape.color = color;
  for (std::size_t i = 0; i < count; ++i) shape.corners[i] = at(i);
}

void CarRacingPicture::Prepare(const CarRacingGame& game, bool with_marks) {
  const Camera camera(game);
  quads_.clear();
  marks_.clear();
  // Rows count from below, without the bar.
  constexpr drawing::Window kVisible{0, kBar, kSurface.width, kSurface.height};
  const auto add = [&](const std::array<Vector, 4>& corners, Rgb color) {
    std::array<Point, 4> points;
    std::transform(corners.begin(), corners.end(), points.begin(), camera);
    const SmoothQuad quad(points, kSurface, color);
    if (quad.IsIn(kVisible)) quads_.push_back(quad);
  };
  const bool field_only = camera.SeesFieldOnly();
  behind_ = field_only ? game.background() : drawing::kBlack;
  if (!field_only) {
    add({{{kField, kField}, {kField, -kField}, {-kField, -kField}, {-kField, kField}}},
        game.background());
  }
  for (int x = -20; x < 20; x += 2) {
    for (int y = -20; y < 20; y += 2) {
      const double left = kGrass * x, low = kGrass * y;
      if (!camera.MaySee({left, low}, 2 * kGrass)) continue;
      add({{{left + kGrass, low},
            {left, low},
            {left, low + kGrass},
            {left + kGrass, low + kGrass}}},
          game.grass());
    }
  }
  for (const CarRacingGame::Quad& quad : game.road()) {
    constexpr double kLongest = 20;  // m, of a piece of road
    if (!camera.MaySee({quad.corners[0].x, quad.corners[0].y}, kLongest)) continue;
    std::array<Vector, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = {quad.corners[i].x, quad.corners[i].y};
    add(corners, quad.color);
  }
  if (with_marks) {
    for (const CarRacingGame::Mark& mark : game.marks()) {
      const Rgb color = mark.on_grass ? Rgb{102, 102, 0} : drawing::kBlack;
      for (std::size_t i = 1; i < mark.points.size(); ++i) {
        const Point64 from = mark.points[i - 1], to = mark.points[i];
        marks_.push_back({camera({from.x, from.y}), camera({to.x, to.y}), color});
      }
    }
  }
  AddCar(game);
  AddGauges(game);
  std::snprintf(score_.data(), score_.size(), "%04.0f", game.score());
}

void CarRacingPicture::AddCar(const CarRacingGame& game) {
  const Camera camera(game);
  car_.clear();
  const auto add_body = [&](const b2Body& body, Rgb color) {
    // Box2D's list begins with the newest fixture.
    std::array<const b2Fixture*, 4> fixtures{};
    std::size_t count = 0;
    for (const b2Fixture* f = body.GetFixtureList(); f != nullptr; f = f->GetNext()) {
      fixtures[count++] = f;
    }
    while (count > 0) {
      const auto& polygon = static_cast<const b2PolygonShape&>(*fixtures[--count]->GetShape());
      AddShape(
          static_cast<std::size_t>(polygon.m_count), color,
          [&](std::size_t i) {
            return camera(In64(b2Mul(body.GetTransform(), polygon.m_vertices[i])));
          },
          car_);
    }
  };
  for (const CarRacingGame::Wheel& wheel : game.wheels()) {
    add_body(*wheel.body, drawing::kBlack);
    // A white stripe on the tire, while it is on top.
    const double begin = wheel.phase, end = wheel.phase + 1.2;
    const double sine_0 = std::sin(begin), sine_1 = std::sin(end);
    if (sine_0 > 0 && sine_1 > 0) continue;
    const auto edge = [](double sine, double cosine) {
      return sine > 0 ? (cosine > 0 ? 1.0 : cosine < 0 ? -1.0 : 0.0) : cosine;
    };
    constexpr double kSize = CarRacingGame::kSize;
    constexpr double kHalf = CarRacingGame::kWheelWidth * kSize;
    const double y0 = CarRacingGame::kWheelRadius * edge(sine_0, std::cos(begin)) * kSize;
    const double y1 = CarRacingGame::kWheelRadius * edge(sine_1, std::cos(end)) * kSize;
    const Point64 stripe[] = {{-kHalf, y0}, {kHalf, y0}, {kHalf, y1}, {-kHalf, y1}};
    AddShape(
        4, {77, 77, 77},
        [&](std::size_t i) { return camera(In64(b2Mul(wheel.body->GetTransform(), stripe[i]))); },
        car_);
  }
  add_body(*game.hull(), {204, 0, 0});
}

void CarRacingPicture::AddGauges(const CarRacingGame& game) {
  constexpr double kColumn = kSurface.width / 40.0, kRow = kSurface.height / 40.0;
  constexpr double kBottom = kSurface.height;
  gauges_.clear();
  const auto add = [&](double value, const std::array<Vector, 4>& corners, Rgb color) {
    if (!(std::abs(value) > 1e-4)) return;
    AddShape(
        4, color,
        [&](std::size_t i) { return Point{ToPixel(corners[i].x), ToPixel(corners[i].y)}; },
        gauges_);
  };
  const auto upright = [](int place, double height) -> std::array<Vector, 4> {
    const double top = kBottom - (kRow + kRow * height);
    return {{{place * kColumn, top},
             {(place + 1) * kColumn, top},
             {(place + 1) * kColumn, kBottom - kRow},
             {(place + 0) * kColumn, kBottom - kRow}}};
  };
  const auto level = [](int place, double width) -> std::array<Vector, 4> {
    return {{{(place + 0) * kColumn, kBottom - 4 * kRow},
             {(place + width) * kColumn, kBottom - 4 * kRow},
             {(place + width) * kColumn, kBottom - 2 * kRow},
             {(place + 0) * kColumn, kBottom - 2 * kRow}}};
  };
  const Vector velocity = In64(game.hull()->GetLinearVelocity());
  const double speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
  add(speed, upright(5, 0.02 * speed), drawing::kWhite);
  for (int i = 0; i < 4; ++i) {
    const double omega = game.wheels()[static_cast<std::size_t>(i)].omega;
    add(omega, upright(7 + i, 0.01 * omega), {static_cast<uint8_t>(i < 2 ? 0 : 51), 0, 255});
  }
  const double steer = game.wheels()[0].joint->GetJointAngle();
  add(steer, level(20, -10.0 * steer), {0, 255, 0});
  const double spin = game.hull()->GetAngularVelocity();
  add(spin, level(30, -0.8 * spin), {255, 0, 0});
}

// Small shapes are not examined further.
void CarRacingPicture::Shape::Mix(const drawing::Window& window, Band& band) const {
  const auto begin = corners.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  const auto [top, bottom] =
      std::minmax_element(begin, end, [](Point a, Point b) { return a.y < b.y; });
  if (top->y >= window.bottom || bottom->y < window.top) return;
  const auto [left, right] =
      std::minmax_element(begin, end, [](Point a, Point b) { return a.x < b.x; });
  band.Mix(left->x - 1, right->x + 1);
}

void CarRacingPicture::PaintBand(const BasicCanvas<4>& canvas, Band& band) const {
  const drawing::Window rows = canvas.window();
  constexpr int kBarTop = kSurface.height - kBar;
  const bool has_scene = rows.top<kBarTop, has_bar = rows.bottom> kBarTop;
  const BasicCanvas<4> scene = canvas.UpsideDown();
  const drawing::Window here = scene.window();
  thread_local std::vector<const SmoothQuad*> quads;
  quads.clear();
  band.Begin(has_scene ? behind_ : drawing::kBlack);
  if (has_scene) {
    for (const SmoothQuad& quad : quads_) {
      if (!quad.IsIn(here)) continue;
      quads.push_back(&quad);
      quad.Mix(here.top, here.bottom - 1, band);
    }
    for (const Shape& shape : car_) shape.Mix(here, band);
  }
  if (has_bar) {
    if (has_scene) band.Mix(0, kSurface.width - 1);
    for (const Shape& shape : gauges_) shape.Mix(rows, band);
    if (glyphs_ != nullptr) band.Mix(0, 2 * kScore.x);
  }
  band.FindRanges();
  const Rgb first = has_scene ? behind_ : drawing::kBlack;
  for (int y = rows.top; y < rows.bottom; ++y) {
    for (const Band::Pixels& range : band.ranges()) {
      canvas.HorizontalLine(range.left, range.right, y, first);
    }
  }
  for (const SmoothQuad* quad : quads) quad->Paint(scene, band);
  if (has_scene) {
    for (const Shape& shape : car_) {
      DrawPolygon(scene, {shape.corners.data(), shape.count}, shape.color);
    }
  }
  if (has_bar) PaintBar(canvas);
}

void CarRacingPicture::PaintScene(const drawing::Canvas& canvas) const {
  canvas.Fill(behind_);
  const drawing::Canvas scene = canvas.UpsideDown();
  for (const SmoothQuad& quad : quads_) SmoothPolygon(scene, quad.corners(), quad.color());
  for (const Stroke& mark : marks_) DrawLine(scene, mark.from, mark.to, mark.color, 2);
  for (const Shape& shape : car_) {
    DrawPolygon(scene, {shape.corners.data(), shape.count}, shape.color);
  }
}

template <int kBytes>
void CarRacingPicture::PaintBar(const BasicCanvas<kBytes>& canvas) const {
  canvas.Rectangle(0, kSurface.height - kBar, {kSurface.width, kBar}, drawing::kBlack);
  for (const Shape& shape : gauges_) {
    DrawPolygon(canvas, {shape.corners.data(), shape.count}, shape.color);
  }
  if (glyphs_ != nullptr) glyphs_->Draw(canvas, std::string_view(score_.data()), kScore);
}

void CarRacingPicture::Observe(const CarRacingGame& game, std::uint8_t* rgb) {
  Prepare(game, false);
  thread_local RowShrinker shrinker(kSurface, kCarRacingObservation);
  thread_local Band band = shrinker.MakeBand();
  thread_local std::vector<std::uint8_t> pixels(4 * kSurface.width * SmoothQuad::kMostRows);
  shrinker.Begin();
  int top = 0;
  while (const int rows = shrinker.NextRows()) {
    PaintBand(BasicCanvas<4>(pixels.data(), kSurface, {0, top, kSurface.width, top + rows}), band);
    shrinker.BeginBand(band);
    for (int row = 0; row < rows; ++row) {
      shrinker.Add(pixels.data() + std::ptrdiff_t{4} * kSurface.width * row, band, rgb);
    }
    top += rows;
  }
}

void CarRacingPicture::Draw(const CarRacingGame& game, std::uint8_t* rgb, Size size) {
  Prepare(game, true);
  std::vector<std::uint8_t> surface(kSurface.Bytes()), frame(kCarRacingFrame.Bytes());
  const drawing::Canvas canvas(surface.data(), kSurface);
  PaintScene(canvas);
  PaintBar(canvas);
  drawing::SmoothScale<3>(surface.data(), kSurface, frame.data(), kCarRacingFrame);
  if (size == kCarRacingFrame) {
    std::copy(frame.begin(), frame.end(), rgb);
  } else {
    drawing::SmoothScale<3>(frame.data(), kCarRacingFrame, rgb, size);
  }
}

}  // namespace envpool::box2d
