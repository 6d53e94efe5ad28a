// SPDX-License-Identifier: Apache-2.0
// A polygon of four corners, as drawing::SmoothPolygon draws it, to the pixel, but band by band:
// values that all bands share are computed once, and only pixels of mixed columns are drawn.
//
//   const SmoothQuad quad(corners, {1000, 800}, {102, 204, 102});
//   quad.Mix(rows, band);      // marks the columns of its edges
//   band.FindRanges();
//   quad.Paint(canvas, band);  // draws these rows
#pragma once

#include <array>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "render/band.h"

namespace envpool::box2d {

class SmoothQuad {
 public:
  static constexpr int kMostRows = 16;  // maximum rows of a band

  SmoothQuad(const std::array<drawing::Point, 4>& corners, drawing::Size surface,
             drawing::Rgb color);

  /// True if a part of the polygon or of its outline is in a window.
  bool IsIn(const drawing::Window& window) const {
    return top_ <= window.bottom && bottom_ >= window.top - 1 && left_ <= window.right &&
           right_ >= window.left - 1;
  }
  void Mix(int first_row, int last_row, Band& band) const;
  /// Draws the rows of the band; `canvas` has the same rows.
  void Paint(const drawing::BasicCanvas<4>& canvas, Band& band) const;

  const std::array<drawing::Point, 4>& corners() const { return corners_; }
  drawing::Rgb color() const { return color_; }

 private:
  // The part of the outline that is on the surface.
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
