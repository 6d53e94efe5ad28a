// SPDX-License-Identifier: Apache-2.0
// A polygon of four corners as drawing::SmoothPolygon draws it, to the pixel, but band by band:
// what is the same for all bands is computed once, and only pixels of mixed columns are colored.
//
//   const SmoothQuad quad(corners, {1000, 800}, {102, 204, 102});
//   quad.Mix(rows, band);      // where its edges are
//   band.FindRanges();
//   quad.Paint(canvas, band);  // of these rows
#pragma once

#include <array>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "render/band.h"

namespace envpool::box2d {

class SmoothQuad {
 public:
  static constexpr int kMostRows = 16;  // of a band

  SmoothQuad(const std::array<drawing::Point, 4>& corners, drawing::Size surface,
             drawing::Rgb color);

  /// Whether something of it, or of its outline, is in a window.
  bool IsIn(const drawing::Window& window) const {
    return top_ <= window.bottom && bottom_ >= window.top - 1 && left_ <= window.right &&
           right_ >= window.left - 1;
  }
  void Mix(int first_row, int last_row, Band& band) const;
  /// The band is the rows of `canvas`.
  void Paint(const drawing::BasicCanvas<4>& canvas, Band& band) const;

  const std::array<drawing::Point, 4>& corners() const { return corners_; }
  drawing::Rgb color() const { return color_; }

 private:
  // Of the outline: what is on the surface.
  struct Side {
    drawing::Point from, to;
    bool is_there, is_shortened;
  };

  void Fill(const drawing::BasicCanvas<4>& canvas, Band& band) const;

  std::array<drawing::Point, 4> corners_;
  std::array<Side, 4> sides_;
  drawing::Rgb color_;
  int left_, right_, top_, bottom_;  // of the corners
};

}  // namespace envpool::box2d
