// SPDX-License-Identifier: Apache-2.0
// These rules were found by drawing with Qt 5.13 and 5.15.2.
#include "own/turning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace envpool::procgen {
namespace {

constexpr double kOne = 65536;  // positions in an image are multiples of 1 / 65536 pixel

// As x86-64 converts, and so Qt there: a value outside int becomes the lowest int.
int Whole(double value) {
  return value >= -0x1p31 && value < 0x1p31 ? static_cast<int>(value)
                                            : std::numeric_limits<int>::min();
}

}  // namespace

Turn::Turn(double degrees) {
  constexpr double kRadians = 0.017453292519943295769;
  if (degrees == 90 || degrees == -270) {
    sine = 1;
    cosine = 0;
  } else if (degrees == 270 || degrees == -90) {
    sine = -1;
    cosine = 0;
  } else if (degrees == 180) {
    cosine = -1;
  } else {
    sine = std::sin(kRadians * degrees);
    cosine = std::cos(kRadians * degrees);
  }
}

bool Turn::keeps_axes() const { return std::abs(sine) <= 1e-12; }

Rect Turn::Moved(const Rect& rect) const {
  const double half_width = rect.width / 2, half_height = rect.height / 2;
  const double right = -half_width + rect.width, bottom = -half_height + rect.height;
  const double x = rect.left + half_width, y = rect.top + half_height;
  const double left = cosine * -half_width + x, top = cosine * -half_height + y;
  return {left, top, cosine * right + x - left, cosine * bottom + y - top};
}

// A side of a rotated rectangle, traced downwards from row to row.
class TurnedImage::Side {
 public:
  Side(const Vertex& top, const Vertex& bottom, int row) {
    const double slope = (bottom.x - top.x) / (bottom.y - top.y);
    step_ = Whole(slope * kOne);
    x_ = Whole((top.x + (0.5 + row - top.y) * slope + 0.5) * kOne);
  }
  int column() const { return x_ >> 16; }
  void GoDown() { x_ = Sum(x_, step_); }

 private:
  int x_, step_;  // in 1 / 65536 pixel
};

TurnedImage::TurnedImage(const Rect& rect, const Turn& turn, int width, int height) {
  const double half_width = rect.width / 2, half_height = rect.height / 2;
  const double right = -half_width + rect.width, bottom = -half_height + rect.height;
  const double x = rect.left + half_width, y = rect.top + half_height;
  const auto place = [&](double across, double down, double u, double v) {
    return Vertex{turn.cosine * across - turn.sine * down + x,
                  turn.sine * across + turn.cosine * down + y, u, v};
  };
  std::array<Vertex, 4> corners = {
      place(-half_width, -half_height, 0, 0), place(right, -half_height, width, 0),
      place(right, bottom, width, height), place(-half_width, bottom, 0, height)};
  const auto highest = std::min_element(corners.begin(), corners.end(),
                                        [](const Vertex& a, const Vertex& b) { return a.y < b.y; });
  std::rotate(corners.begin(), highest, corners.end());
  if ((corners[1].x - corners[0].x) * (corners[3].y - corners[0].y) -
          (corners[3].x - corners[0].x) * (corners[1].y - corners[0].y) >
      0) {
    std::swap(corners[1], corners[3]);
  }
  const auto& [top, left, low, middle_right] = corners;
  if ((left.x - top.x) * (low.y - top.y) == (left.y - top.y) * (low.x - top.x)) return;
  Map(top, left, low);
  if (left.y < middle_right.y) {
    Cover(top, left, top, middle_right, top.y, left.y);
    Cover(left, low, top, middle_right, left.y, middle_right.y);
    Cover(left, low, middle_right, low, middle_right.y, low.y);
  } else {
    Cover(top, left, top, middle_right, top.y, middle_right.y);
    Cover(top, left, middle_right, low, middle_right.y, left.y);
    Cover(left, low, middle_right, low, left.y, low.y);
  }
}

// Computes the mapping from three corners.
void TurnedImage::Map(const Vertex& corner, const Vertex& next, const Vertex& opposite) {
  const double ax = next.x - corner.x, ay = next.y - corner.y;
  const double next_u = next.u - corner.u, next_v = next.v - corner.v;
  const double bx = opposite.x - corner.x, by = opposite.y - corner.y;
  const double far_u = opposite.u - corner.u, far_v = opposite.v - corner.v;
  const double inverse = 1 / (ax * by - ay * bx);
  const double ux = (next_u * by - ay * far_u) * inverse, uy = (ax * far_u - next_u * bx) * inverse;
  const double vx = (next_v * by - ay * far_v) * inverse, vy = (ax * far_v - next_v * bx) * inverse;
  const double u = corner.u - ux * corner.x - uy * corner.y;
  const double v = corner.v - vx * corner.x - vy * corner.y;
  u_by_x_ = Whole(ux * kOne);
  v_by_x_ = Whole(vx * kOne);
  u_by_y_ = Whole(uy * kOne);
  v_by_y_ = Whole(vy * kOne);
  u0_ = Sum(Whole(std::ceil((0.5 * ux + 0.5 * uy + u) * kOne)), -1);
  v0_ = Sum(Whole(std::ceil((0.5 * vx + 0.5 * vy + v) * kOne)), -1);
}

// Adds the rows between two sides. The next call's rows begin at the end of these.
void TurnedImage::Cover(const Vertex& left_top, const Vertex& left_bottom, const Vertex& right_top,
                        const Vertex& right_bottom, double from, double to) {
  const int begin = std::max(Nearest(from), 0), end = std::min(Nearest(to), kSide);
  if (begin >= end) return;
  if (rows_.begin >= rows_.end) rows_.begin = begin;
  rows_.end = end;
  Side left(left_top, left_bottom, begin), right(right_top, right_bottom, begin);
  for (int row = begin; row < end; ++row) {
    columns_[static_cast<std::size_t>(row)] = {std::max(left.column(), 0),
                                               std::min(right.column(), kSide)};
    left.GoDown();
    right.GoDown();
  }
}

}  // namespace envpool::procgen
