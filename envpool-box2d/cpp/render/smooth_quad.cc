// SPDX-License-Identifier: Apache-2.0
#include "render/smooth_quad.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace envpool::box2d {
namespace {

using drawing::Point;

// The number of rows and columns beside a line in which a side has pixels: a side is two pixels
// wide, and the line is rounded to one of them.
constexpr int kBeside = 2;

bool IsHigher(Point a, Point b) { return a.y < b.y; }

void MixLine(Point a, Point b, int first_row, int last_row, Band& band) {
  if (a.y > b.y) std::swap(a, b);
  first_row -= kBeside;
  last_row += kBeside;
  if (b.y < first_row || a.y > last_row) return;
  float begin = static_cast<float>(a.x), end = static_cast<float>(b.x);
  if (a.y < b.y) {
    const float slope = (end - begin) / static_cast<float>(b.y - a.y);
    if (last_row < b.y) end = begin + slope * static_cast<float>(last_row - a.y);
    if (first_row > a.y) begin += slope * static_cast<float>(first_row - a.y);
  }
  if (begin > end) std::swap(begin, end);
  // One more pixel on each side, for rounding.
  band.Mix(static_cast<int>(begin) - kBeside - 1, static_cast<int>(end) + kBeside + 1);
}

}  // namespace

SmoothQuad::SmoothQuad(const std::array<Point, 4>& corners, drawing::Size surface,
                       drawing::Rgb color)
    : corners_(corners), color_(color) {
  const auto more_left = [](Point a, Point b) { return a.x < b.x; };
  const auto [left, right] = std::minmax_element(corners.begin(), corners.end(), more_left);
  const auto [top, bottom] = std::minmax_element(corners.begin(), corners.end(), IsHigher);
  left_ = left->x;
  right_ = right->x;
  top_ = top->y;
  bottom_ = bottom->y;
  for (std::size_t i = 0; i < 4; ++i) {
    Side& side = sides_[i];
    side.from = corners[i];
    side.to = corners[(i + 1) % 4];
    const auto is_inside = [&](Point p) {
      return p.x >= 0 && p.x < surface.width && p.y >= 0 && p.y < surface.height;
    };
    side.is_shortened = !is_inside(side.from) || !is_inside(side.to);
    side.is_there = drawing::detail::ClipLine(surface, side.from, side.to);
  }
}

void SmoothQuad::Mix(int first_row, int last_row, Band& band) const {
  for (std::size_t i = 0; i < 4; ++i) {
    MixLine(corners_[i], corners_[(i + 1) % 4], first_row, last_row, band);
    // A shortened side would be rounded to other pixels.
    const Side& side = sides_[i];
    if (side.is_there && side.is_shortened) {
      MixLine(side.from, side.to, first_row, last_row, band);
    }
  }
}

void SmoothQuad::Paint(const drawing::BasicCanvas<4>& canvas, Band& band) const {
  const drawing::Window& rows = canvas.window();
  for (const Side& side : sides_) {
    if (!side.is_there || std::max(side.from.y, side.to.y) < rows.top - 1 ||
        std::min(side.from.y, side.to.y) > rows.bottom) {
      continue;
    }
    drawing::detail::SmoothSideInside(canvas, side.from, side.to, color_);
  }
  Fill(canvas, band);
}

// Same as drawing::FilledPolygon, but quotients are carried on from row to row.
void SmoothQuad::Fill(const drawing::BasicCanvas<4>& canvas, Band& band) const {
  const drawing::Window& window = canvas.window();
  const int first_row = std::max(top_, window.top), last_row = std::min(bottom_, window.bottom - 1);
  std::array<std::array<std::int64_t, 4>, kMostRows> crossings;  // in 1 / 65536 pixel
  std::array<std::uint8_t, kMostRows> counts{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto [a, b] = std::minmax(corners_[i], corners_[(i + 1) % 4], IsHigher);
    // A side owns its upper end only; the lowest row has no other side.
    const int first = std::max(a.y, first_row);
    const int last = std::min(b.y == bottom_ ? b.y : b.y - 1, last_row);
    if (a.y == b.y || first > last) continue;
    const auto height = static_cast<std::uint32_t>(b.y - a.y);
    const std::uint32_t done = 65536U * static_cast<std::uint32_t>(first - a.y);
    std::uint32_t share = done / height, rest = done % height;
    const std::uint32_t step = 65536U / height, step_rest = 65536U % height;
    const std::int64_t width = b.x - a.x, begin = std::int64_t{65536} * a.x;
    for (int y = first; y <= last; ++y) {
      const auto row = static_cast<std::size_t>(y - first_row);
      crossings[row][counts[row]++] = begin + width * share;
      share += step;
      rest += step_rest;
      if (rest >= height) {
        rest -= height;
        ++share;
      }
    }
  }
  for (int y = first_row; y <= last_row; ++y) {
    const auto row = static_cast<std::size_t>(y - first_row);
    auto& at = crossings[row];
    if (counts[row] == 2) {
      if (at[0] > at[1]) std::swap(at[0], at[1]);
    } else {
      std::sort(at.begin(), at.begin() + counts[row]);
    }
    for (std::size_t i = 0; i + 1 < counts[row]; i += 2) {
      int left = static_cast<int>((at[i] + 1 + 32768) >> 16);
      int right = static_cast<int>((at[i + 1] - 1 + 32768) >> 16);
      if (left > right) std::swap(left, right);
      // A shape that covers a column that is not mixed covers it in all rows.
      if (y == window.top) band.Cover(left, right, color_);
      for (const Band::Pixels& range : band.ranges()) {
        const int from = std::max(left, range.left), to = std::min(right, range.right);
        if (from <= to) canvas.HorizontalLine(from, to, y, color_);
      }
    }
  }
}

}  // namespace envpool::box2d
