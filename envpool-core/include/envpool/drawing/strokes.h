// SPDX-License-Identifier: Apache-2.0
// Polygons, circles and lines that color exactly the pixels that pygame.draw of pygame-ce colors.
//
//   using namespace envpool::drawing;
//   const Point flag[] = {{10, 50}, {10, 40}, {35, 45}};
//   DrawPolygon(canvas, flag, {204, 204, 0});
//   DrawLine(canvas, {10, 0}, {10, 50}, kWhite, 1);
//   SmoothLine(canvas, 0.5f, 0, 20, 7.25f, kBlack);
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <utility>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::drawing {

/// pygame.draw.polygon: filled, with 3 to 16 corners. A row is colored between its first and second
/// crossing of the outline, and so on; both ends are drawn, rounded away from each other.
template <int kBytes>
void DrawPolygon(const BasicCanvas<kBytes>& canvas, std::span<const Point> corners, Rgb color);

/// pygame.draw.circle: filled, of two columns and two rows around its center for each pixel of
/// `radius`.
template <int kBytes>
void DrawCircle(const BasicCanvas<kBytes>& canvas, Point center, int radius, Rgb color);

/// pygame.draw.line: Bresenham's, `width` pixels wide. A line of two pixels gets its second one on
/// the right, or below.
template <int kBytes>
void DrawLine(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color, int width);

/// pygame.draw.aaline: each column of a flat line (row of a steep one) splits its color over two
/// pixels; the end columns get their covered share.
template <int kBytes>
void SmoothLine(const BasicCanvas<kBytes>& canvas, float x0, float y0, float x1, float y1,
                Rgb color);

/// A point between pixels.
struct SmoothPoint {
  float x, y;  ///< in pixels
};

/// pygame.draw.aalines, closed: of three points or more.
template <int kBytes>
void SmoothOutline(const BasicCanvas<kBytes>& canvas, std::span<const SmoothPoint> points,
                   Rgb color);

namespace detail {

inline constexpr std::size_t kMaxCorners = 16;

// A row of a triangle goes from its long side, which joins the highest corner and the lowest, to
// the other side of this height. Slopes are float32, and rounded towards the first corner of a
// side.
template <int kBytes>
void DrawTriangle(const BasicCanvas<kBytes>& canvas, std::array<Point, 3> corners, Rgb color) {
  auto& [high, middle, low] = corners;
  if (middle.y < high.y) std::swap(middle, high);
  if (low.y < middle.y) {
    std::swap(low, middle);
    if (middle.y < high.y) std::swap(middle, high);
  }
  if (high.y == low.y && high.x == middle.x) std::swap(middle, low);
  const auto slope = [](Point from, Point to) {
    // A level side has no slope: the added number keeps the value finite, and the value is not
    // used.
    return static_cast<float>((to.x - from.x) / ((to.y - from.y) + 1e-17));
  };
  const auto at = [](Point from, float slope, int y) {
    return from.x + static_cast<int>(static_cast<float>(y - from.y) * slope);
  };
  const float along = slope(high, low), upper = slope(high, middle), lower = slope(middle, low);
  const int last = std::min(low.y, canvas.window().bottom - 1);
  for (int y = std::max(high.y, canvas.window().top); y <= last; ++y) {
    const int other = y < middle.y ? at(high, upper, y) : at(middle, lower, y);
    canvas.HorizontalLine(at(high, along, y), other, y, color);
  }
}

// In an outline the ends of a line are left to the lines beside, unless `ends` or `corners` says
// otherwise.
template <int kBytes>
void SmoothStroke(const BasicCanvas<kBytes>& canvas, SmoothPoint from, SmoothPoint to, Rgb color,
                  bool ends, bool corners) {
  const auto blend = [&](int x, int y, float share) {
    if (!canvas.Contains(x, y)) return;
    const uint8_t* pixel = canvas.At(x, y);
    const auto mix = [share](uint8_t below, uint8_t above) {
      return static_cast<uint8_t>(share * above + (1 - share) * below);
    };
    canvas.Pixel(x, y, {mix(pixel[0], color.r), mix(pixel[1], color.g), mix(pixel[2], color.b)});
  };
  if (std::abs(to.x - from.x) < 0.0001 && std::abs(to.y - from.y) < 0.0001) {
    blend(static_cast<int>(std::floor(from.x + 0.5)), static_cast<int>(std::floor(from.y + 0.5)),
          1);
    return;
  }
  const bool steep = std::abs(to.x - from.x) < std::abs(to.y - from.y);
  // From here on x is the longer way, and goes up.
  float right = static_cast<float>(canvas.size().width);
  float bottom = static_cast<float>(canvas.size().height);
  if (steep) {
    std::swap(from.x, from.y);
    std::swap(to.x, to.y);
    std::swap(right, bottom);
  }
  if (to.x < from.x) std::swap(from, to);
  // One pixel beyond the surface a line is cut, lest it be long.
  constexpr float kLow = -1;
  if (to.x <= kLow || from.x >= right) return;
  const float slope = (to.y - from.y) / (to.x - from.x);
  if (from.x < kLow) {
    from.y += slope * (kLow - from.x);
    from.x = kLow;
  }
  if (to.x > right) {
    to.y += slope * (right - to.x);
    to.x = right;
  }
  SmoothPoint& high = slope > 0 ? from : to;
  SmoothPoint& low = slope > 0 ? to : from;
  if (low.y <= kLow || high.y >= bottom) return;
  if (high.y < kLow) {
    high.x += (kLow - high.y) / slope;
    high.y = kLow;
  }
  if (low.y > bottom) {
    low.x += (bottom - low.y) / slope;
    low.y = bottom;
  }
  // One more than the coordinate, so that rounding towards zero rounds down there too.
  from.y += 1;
  to.y += 1;
  const auto column = [&](int along, float across, float share, bool far_first) {
    const int whole = static_cast<int>(across);
    const float rest = across - static_cast<float>(whole);
    const auto far = [&] {
      if (static_cast<float>(whole) < across) {
        steep ? blend(whole, along, rest * share) : blend(along, whole, rest * share);
      }
    };
    if (far_first) far();
    const float near = (far_first ? 1 - rest : 1 - across + static_cast<float>(whole)) * share;
    steep ? blend(whole - 1, along, near) : blend(along, whole - 1, near);
    if (!far_first && static_cast<float>(whole) < across) {
      const float other = 1 - near;
      steep ? blend(whole, along, other) : blend(along, whole, other);
    }
  };
  int first = static_cast<int>(from.x);
  float across = from.y + slope * (static_cast<float>(first) - from.x);
  if (ends || corners) {
    if (to.x > kLow + 1) {
      column(first, across, static_cast<float>(1 + first) - from.x, true);
      across += slope;
      ++first;
    }
  }
  if (!ends) {
    first = static_cast<int>(std::ceil(from.x));
    across = from.y + slope * (static_cast<float>(first) - from.x);
  }
  const int last = static_cast<int>(std::ceil(to.x));
  if ((ends || corners) && from.x < right - 1) {
    column(last, to.y + slope * (static_cast<float>(last) - to.x),
           static_cast<float>(1 - last) + to.x, true);
  }
  for (int along = first; along < last; ++along) {
    column(along, across, 1, false);
    across += slope;
  }
}

}  // namespace detail

template <int kBytes>
void DrawPolygon(const BasicCanvas<kBytes>& canvas, std::span<const Point> corners, Rgb color) {
  const std::size_t n = corners.size();
  if (n < 3 || n > detail::kMaxCorners)
    throw std::invalid_argument("a polygon has 3 to 16 corners");
  if (n == 3) return detail::DrawTriangle(canvas, {corners[0], corners[1], corners[2]}, color);
  const auto by_row = [](Point a, Point b) { return a.y < b.y; };
  const auto [high, low] = std::minmax_element(corners.begin(), corners.end(), by_row);
  const int top = high->y, bottom = low->y;
  if (top == bottom) {
    const auto [left, right] = std::minmax_element(corners.begin(), corners.end(),
                                                   [](Point a, Point b) { return a.x < b.x; });
    return canvas.HorizontalLine(left->x, right->x, top, color);
  }
  const int last = std::min(bottom, canvas.window().bottom - 1);
  for (int y = std::max(top, canvas.window().top); y <= last; ++y) {
    std::array<int, detail::kMaxCorners> crossings;  // ascending
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      auto [a, b] = std::minmax(corners[i == 0 ? n - 1 : i - 1], corners[i], by_row);
      // A side owns its upper end only; the lowest row has no other.
      if (a.y == b.y || y < a.y || (y >= b.y && !(y == bottom && b.y == bottom))) continue;
      const float shift =
          static_cast<float>((y - a.y) * (b.x - a.x)) / static_cast<float>(b.y - a.y);
      const float rounded = count % 2 == 0 ? std::floor(shift) : std::ceil(shift);
      crossings[count++] = static_cast<int>(rounded) + a.x;
    }
    std::sort(crossings.begin(), crossings.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      canvas.HorizontalLine(crossings[i], crossings[i + 1], y, color);
    }
  }
  // Level sides between the first and the last row, of which crossings know nothing.
  for (std::size_t i = 0; i < n; ++i) {
    const Point a = corners[i == 0 ? n - 1 : i - 1], b = corners[i];
    if (a.y == b.y && top < b.y && b.y < bottom) canvas.HorizontalLine(a.x, b.x, b.y, color);
  }
}

template <int kBytes>
void DrawCircle(const BasicCanvas<kBytes>& canvas, Point center, int radius, Rgb color) {
  if (radius < 1) return;
  const auto rows = [&](int x, int y) {
    canvas.HorizontalLine(center.x - x, center.x + x - 1, center.y + y - 1, color);
    canvas.HorizontalLine(center.x - x, center.x + x - 1, center.y - y, color);
  };
  // The midpoint method; `error` tells on which side of the circle the midpoint is.
  int error = 1 - radius, y = radius;
  for (int x = 0; x < y;) {
    if (error >= 0) {
      --y;
      error -= 2 * y;
    }
    ++x;
    error += 2 * x + 1;
    if (error >= 0) rows(x, y);
    rows(y, x);
  }
}

template <int kBytes>
void DrawLine(const BasicCanvas<kBytes>& canvas, Point from, Point to, Rgb color, int width) {
  const int across = std::abs(to.x - from.x), down = std::abs(to.y - from.y);
  const int step_x = to.x > from.x ? 1 : -1, step_y = to.y > from.y ? 1 : -1;
  const bool beside = across <= down;  // where a wide line gets its other pixels
  const int before = width / 2 - (1 - width % 2), after = width / 2;
  int error = (across > down ? across : -down) / 2;
  for (Point at = from;;) {
    if (width == 1) {
      canvas.Pixel(at.x, at.y, color);
    } else if (beside) {
      canvas.HorizontalLine(at.x - before, at.x + after, at.y, color);
    } else {
      canvas.VerticalLine(at.x, at.y - before, at.y + after, color);
    }
    // A wide line ends with its last row or column, one of one pixel at its end.
    if (at.x == to.x && at.y == to.y) break;
    const int old = error;
    if (old > -across) {
      error -= down;
      at.x += step_x;
    }
    if (old < down) {
      error += across;
      at.y += step_y;
    }
  }
}

template <int kBytes>
void SmoothLine(const BasicCanvas<kBytes>& canvas, float x0, float y0, float x1, float y1,
                Rgb color) {
  detail::SmoothStroke(canvas, {x0, y0}, {x1, y1}, color, true, true);
}

template <int kBytes>
void SmoothOutline(const BasicCanvas<kBytes>& canvas, std::span<const SmoothPoint> points,
                   Rgb color) {
  const std::size_t n = points.size();
  const auto steep = [](SmoothPoint a, SmoothPoint b) {
    return std::abs(b.x - a.x) < std::abs(b.y - a.y);
  };
  const auto whole = [](SmoothPoint p) { return std::round(p.x) == p.x && std::round(p.y) == p.y; };
  for (std::size_t i = 0; i < n; ++i) {
    const SmoothPoint from = points[i], to = points[(i + 1) % n];
    // Ends are drawn where they are on a pixel, or where a flat line meets a steep one. Of the
    // first line pygame asks that otherwise, and of the second point with a coordinate of the
    // first.
    bool corner;
    if (i == 0) {
      const SmoothPoint next = points[2 % n];
      corner = steep(from, to) && !(std::abs(next.x - to.x) < std::abs(next.y - from.y));
    } else {
      corner = steep(points[i - 1], from) != steep(from, to);
    }
    detail::SmoothStroke(canvas, from, to, color, whole(to), corner);
  }
}

}  // namespace envpool::drawing
