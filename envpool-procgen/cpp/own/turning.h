// SPDX-License-Identifier: Apache-2.0
// Turning: the frame's pixels that a rotated image covers, and the image's pixel that each shows.
#pragma once

#include <array>
#include <cstdint>

#include "engine.h"
#include "own/scaling.h"

namespace envpool::procgen {

/// A rectangle in pixels of a frame, y downwards. A negative width or height mirrors.
struct Rect {
  double left = 0, top = 0, width = 0, height = 0;

  friend bool operator==(const Rect&, const Rect&) = default;
};

/// A rectangle's clockwise rotation around its middle.
struct Turn {
  double sine = 0, cosine = 1;

  explicit Turn(double degrees);
  /// True for a rotation by 0 or 180 degrees: the rectangle is only moved and mirrored.
  bool keeps_axes() const;
  /// The rectangle after such a rotation.
  Rect Moved(const Rect& rect) const;
};

/// A rotated image in the frame.
class TurnedImage {
 public:
  TurnedImage(const Rect& rect, const Turn& turn, int width, int height);

  Span rows() const { return rows_; }
  /// The pixels of a row.
  Span columns(int row) const { return columns_[static_cast<std::size_t>(row)]; }

  /// A place in the image, in 1 / 65536 pixel.
  struct Position {
    int u = 0, v = 0;
  };
  /// The place that a pixel shows.
  Position At(int column, int row) const {
    return {Sum(Sum(Product(column, u_by_x_), Product(row, u_by_y_)), u0_),
            Sum(Sum(Product(column, v_by_x_), Product(row, v_by_y_)), v0_)};
  }
  /// The place that the next pixel to the right shows, if this pixel shows `at`.
  Position Next(Position at) const { return {Sum(at.u, u_by_x_), Sum(at.v, v_by_x_)}; }

 private:
  struct Vertex {
    double x, y;  // in the frame
    double u, v;  // in the image
  };
  class Side;

  // A sum that may overflow int, as for an almost horizontal side.
  static int Sum(int a, int b) {
    return static_cast<int>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
  static int Product(int a, int b) {
    return static_cast<int>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
  }
  void Map(const Vertex& corner, const Vertex& next, const Vertex& opposite);
  void Cover(const Vertex& left_top, const Vertex& left_bottom, const Vertex& right_top,
             const Vertex& right_bottom, double from, double to);

  Span rows_;
  std::array<Span, kSide> columns_;  // the columns of rows_
  int u0_ = 0, v0_ = 0, u_by_x_ = 0, v_by_x_ = 0, u_by_y_ = 0, v_by_y_ = 0;
};

}  // namespace envpool::procgen
