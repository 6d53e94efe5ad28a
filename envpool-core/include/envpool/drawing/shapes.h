// SPDX-License-Identifier: Apache-2.0
// Polygons and circles that color exactly the pixels that pygame.gfxdraw (SDL_gfx) colors; those of
// pygame.draw are in strokes.h. Gymnasium draws most shapes twice, the outline, then the inside;
// SmoothPolygon and SmoothCircle do both.
//
//   const std::array<envpool::drawing::Point, 3> flag = {{{10, 50}, {10, 40}, {35, 45}}};
//   envpool::drawing::SmoothPolygon(canvas, flag, {204, 204, 0});
//   envpool::drawing::SmoothCircle(canvas, {300, 100}, 5, {129, 132, 203});
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

#include "envpool/drawing/canvas.h"

namespace envpool::drawing {

/// A pixel.
struct Point {
  int x, y;  ///< column and row
};

/// A place between pixels.
struct Vector {
  double x, y;  ///< in pixels
};

/// The pixel of a coordinate: towards zero, as Python's int(). Coordinates have 16 bits; where
/// pygame wraps or raises, these stop at the limits (NaN at the lower one), outside any frame.
inline int ToPixel(double coordinate) {
  if (!(coordinate > -32768.0)) return -32768;
  return coordinate < 32767.0 ? static_cast<int>(coordinate) : 32767;
}

/// Turned by `angle` radians, exactly when that is within a millionth of a quarter turn, as in
/// pygame.Vector2: an upright pole then has the same width as one that leans by an ulp.
inline Vector Rotated(Vector v, double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  constexpr double kQuarter = std::numbers::pi / 2;
  constexpr double kSnap = 1e-6;
  angle = std::fmod(angle, kTurn);
  if (angle < 0) angle += kTurn;
  const double beyond = std::fmod(angle + kSnap, kQuarter);
  if (beyond < 2 * kSnap) {
    const int quarters = static_cast<int>((angle + kSnap) / kQuarter);
    for (int i = 0; i < quarters % 4; ++i) v = {-v.y, v.x};
    return v;
  }
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  return {cosine * v.x - sine * v.y, sine * v.x + cosine * v.y};
}

/// The rectangle [left, right] x [bottom, top], turned by `angle` about (0, 0), moved to `center`.
inline std::array<Point, 4> RotatedBox(double left, double right, double bottom, double top,
                                       double angle, Vector center) {
  const std::array<Vector, 4> corners = {
      {{left, bottom}, {left, top}, {right, top}, {right, bottom}}};
  std::array<Point, 4> points;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Vector corner = Rotated(corners[i], angle);
    points[i] = {ToPixel(corner.x + center.x), ToPixel(corner.y + center.y)};
  }
  return points;
}

namespace detail {
/// Weights of 0 ... 255 become an alpha of one less, SDL_gfx's rounding.
inline int CoverageToAlpha(int coverage) { return 255 * coverage >> 8; }
template <int kBytes>
void SmoothSide(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color);
// Draws a side that ClipLine has shortened, for sides that several parts of a surface share.
template <int kBytes>
void SmoothSideInside(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color);
}  // namespace detail

/// pygame.gfxdraw.aapolygon: the antialiased outline.
template <int kBytes>
void PolygonOutline(const BasicCanvas<kBytes>& canvas, std::span<const Point> corners, Rgb color) {
  for (size_t i = 0; i < corners.size(); ++i) {
    detail::SmoothSide(canvas, corners[i], corners[(i + 1) % corners.size()], color);
  }
}

/// pygame.gfxdraw.filled_polygon: even-odd filling, row by row.
template <int kBytes, size_t kCorners>
void FilledPolygon(const BasicCanvas<kBytes>& canvas, const std::array<Point, kCorners>& corners,
                   Rgb color) {
  const auto higher = [](Point a, Point b) { return a.y < b.y; };
  const auto [top, bottom] = std::minmax_element(corners.begin(), corners.end(), higher);
  const int last = std::min(bottom->y, canvas.window().bottom - 1);
  for (int y = std::max(top->y, canvas.window().top); y <= last; ++y) {
    std::array<int64_t, kCorners> crossings;  // x in 1 / 65536 pixel, ascending
    size_t count = 0;
    for (size_t i = 0; i < kCorners; ++i) {
      const auto [a, b] = std::minmax(corners[i], corners[(i + 1) % kCorners], higher);
      // A side owns its upper end only, so a corner counts once; below the last row is no other.
      if (a.y == b.y || y < a.y || y > b.y || (y == b.y && y != bottom->y)) continue;
      const int64_t share = 65536 * int64_t{y - a.y} / (b.y - a.y);
      const int64_t x = share * (b.x - a.x) + 65536 * int64_t{a.x};
      size_t place = count++;
      while (place > 0 && crossings[place - 1] > x) {
        crossings[place] = crossings[place - 1];
        --place;
      }
      crossings[place] = x;
    }
    for (size_t i = 0; i + 1 < count; i += 2) {
      const auto round = [](int64_t x) { return static_cast<int>((x + 32768) >> 16); };
      canvas.HorizontalLine(round(crossings[i] + 1), round(crossings[i + 1] - 1), y, color);
    }
  }
}

/// The outline, then the inside.
template <int kBytes, size_t kCorners>
void SmoothPolygon(const BasicCanvas<kBytes>& canvas, const std::array<Point, kCorners>& corners,
                   Rgb color) {
  PolygonOutline(canvas, corners, color);
  FilledPolygon(canvas, corners, color);
}

/// pygame.gfxdraw.aacircle: an antialiased circle one pixel wide. Each column of its flat parts and
/// each row of its steep parts colours the two pixels beside the true circle, by distance.
template <int kBytes>
void CircleOutline(const BasicCanvas<kBytes>& canvas, Point center, int radius, Rgb color) {
  const auto plot = [&](int x, int y, int coverage) {
    for (const auto& [px, py] : {Point{x, y}, Point{-x, y}, Point{x, -y}, Point{-x, -y}}) {
      canvas.Blend(center.x + px, center.y + py, color, detail::CoverageToAlpha(coverage));
    }
  };
  const auto inside = [radius](int x, int y) { return radius * radius - x * x - y * y; };
  const auto coverage = [](int error, int along) {
    if (along == 0) return 255;
    return static_cast<int>(
        255 * std::min(1.0F, static_cast<float>(std::abs(error)) / static_cast<float>(2 * along)));
  };
  const int diagonal = static_cast<int>(std::lrint(radius / std::numbers::sqrt2));
  canvas.Pixel(center.x, center.y - radius, color);
  canvas.Pixel(center.x, center.y + radius, color);
  int x = 0;
  int y = radius;
  while (x < diagonal) {
    ++x;
    int second = y + 1;
    if (const int here = inside(x, y), below = inside(x, y - 1); here < 0) {
      second = y - 1;
      if (below <= 0 || here + below < 0) {
        second = below <= 0 ? y - 2 : y;
        --y;
      }
    }
    const int share = coverage(inside(x, y), y);
    plot(x, y, 255 - share);
    plot(x, second, share);
  }
  for (int i = 0; i < diagonal; ++i) {
    --y;
    int second = x - 1;
    if (const int here = inside(x, y), beside = inside(x + 1, y); here > 0) {
      second = x + 1;
      if (beside >= 0 || here + beside > 0) {
        second = beside >= 0 ? x + 2 : x;
        ++x;
      }
    }
    const int share = coverage(inside(x, y), x);
    plot(x, y, 255 - share);
    plot(second, y, share);
  }
}

/// pygame.gfxdraw.filled_circle: the midpoint circle. A row that the flat octant visits several
/// times keeps its narrowest width, which makes the poles one pixel wide.
template <int kBytes>
void FilledCircle(const BasicCanvas<kBytes>& canvas, Point center, int radius, Rgb color) {
  const auto rows = [&](int y, int half_width) {
    canvas.HorizontalLine(center.x - half_width, center.x + half_width, center.y + y, color);
    canvas.HorizontalLine(center.x - half_width, center.x + half_width, center.y - y, color);
  };
  int y = radius;
  int last = -1;
  for (int x = 0; x <= y; ++x) {
    if (y != last) rows(y, x);
    if (x != y) rows(x, y);
    last = y;
    if ((x + 1) * (x + 1) + y * (y - 1) >= radius * radius) --y;
  }
}

/// The outline, then the inside.
template <int kBytes>
void SmoothCircle(const BasicCanvas<kBytes>& canvas, Point center, int radius, Rgb color) {
  CircleOutline(canvas, center, radius, color);
  FilledCircle(canvas, center, radius, color);
}

namespace detail {

/// Shortens a line to the part inside; false if there is none. Cohen and Sutherland's method with
/// SDL_gfx's rounding (single precision slope, corrections towards zero), and like it this may swap
/// the ends: the outline of a shape that leaves the frame depends on both.
inline bool ClipLine(Size size, Point& a, Point& b) {
  enum : unsigned { kLeft = 1, kRight = 2, kAbove = 4, kBelow = 8 };
  const auto sides = [size](Point p) {
    const unsigned across = p.x < 0 ? kLeft : p.x >= size.width ? kRight : 0U;
    return across | (p.y < 0 ? kAbove : p.y >= size.height ? kBelow : 0U);
  };
  while (true) {
    if ((sides(a) | sides(b)) == 0) return true;
    if ((sides(a) & sides(b)) != 0) return false;
    if (sides(a) == 0) std::swap(a, b);
    const unsigned side = sides(a);
    const auto dx = static_cast<float>(b.x - a.x);
    const auto dy = static_cast<float>(b.y - a.y);
    if ((side & (kLeft | kRight)) != 0) {
      const int edge = (side & kLeft) != 0 ? 0 : size.width - 1;
      a = {edge, a.y + static_cast<int>(static_cast<float>(edge - a.x) * (dy / dx))};
    } else {
      const int edge = (side & kAbove) != 0 ? 0 : size.height - 1;
      const auto rows = static_cast<float>(edge - a.y);
      const int shift = a.x == b.x ? 0 : static_cast<int>(rows / (dy / dx));
      a = {a.x + shift, edge};
    }
  }
}

/// One side of a smooth polygon: the first end in full colour, the other left to the next side.
/// Each step along the longer axis splits the colour over two pixels (Wu's method, 16.16 bits).
template <int kBytes>
void SmoothSide(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color) {
  if (ClipLine(canvas.size(), from, to)) SmoothSideInside(canvas, from, to, color);
}

template <int kBytes>
void SmoothSideInside(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color) {
  if (from.x == to.x) return canvas.VerticalLine(from.x, from.y, to.y, color);
  if (from.y == to.y) return canvas.HorizontalLine(from.x, to.x, from.y, color);
  canvas.Pixel(from.x, from.y, color);
  const auto [upper, lower] = from.y < to.y ? std::pair(from, to) : std::pair(to, from);
  const int dx = std::abs(lower.x - upper.x);
  const int dy = lower.y - upper.y;
  const int direction = lower.x > upper.x ? 1 : -1;
  const bool steep = dy > dx;
  const int length = std::max(dx, dy);
  const int slope = (std::min(dx, dy) << 16) / length;
  // The steps whose pixels are in rows of the window.
  const int64_t above = canvas.window().top - upper.y, below = canvas.window().bottom - upper.y;
  int64_t begin = above, end = below;
  if (!steep) {
    begin = above < 2 ? 0 : (((above - 1) << 16) + slope - 1) / slope;
    end = below < 1 ? 0 : ((below << 16) - 1) / slope + 1;
  }
  const int last = static_cast<int>(std::min<int64_t>(length, end));
  for (int i = static_cast<int>(std::max<int64_t>(1, begin)); i < last; ++i) {
    const int64_t offset = int64_t{slope} * i;
    const int whole = static_cast<int>(offset >> 16);
    const int coverage = static_cast<int>(offset >> 8) & 255;
    const Point near = steep ? Point{upper.x + direction * whole, upper.y + i}
                             : Point{upper.x + direction * i, upper.y + whole};
    const Point far = steep ? Point{near.x + direction, near.y} : Point{near.x, near.y + 1};
    canvas.Blend(near.x, near.y, color, CoverageToAlpha(255 - coverage));
    canvas.Blend(far.x, far.y, color, CoverageToAlpha(coverage));
  }
}

}  // namespace detail

}  // namespace envpool::drawing
