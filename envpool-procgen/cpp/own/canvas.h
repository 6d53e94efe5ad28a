// SPDX-License-Identifier: Apache-2.0
// Canvas: the 64 x 64 pixels of a frame, and what is drawn on them, as Qt 5 does it without
// smoothing.
#pragma once

#include <array>
#include <cstdint>

#include "engine.h"
#include "own/image.h"

namespace envpool::procgen {

/// A rectangle in pixels.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
};

class Canvas {
 public:
  /// Fills pixels whose centre is inside.
  void Fill(const Rect& rect, std::uint32_t color);
  /// Scales a picture to a rectangle, each pixel being the nearest of the picture's. `opacity`:
  /// 0 .. 1.
  void Draw(const Rect& rect, const Image& image, double opacity = 1);
  /// The same, turned around the middle of the rectangle by so many radians.
  void DrawRotated(const Rect& rect, const Image& image, float rotation, double opacity = 1);
  /// 64 x 64 x 3 bytes, RGB.
  void Write(std::uint8_t* rgb) const;

 private:
  struct Corner {
    double x, y;  // on the canvas
    double u, v;  // in the picture
  };
  struct Sampling {
    int du_dx, dv_dx, du_dy, dv_dy, u, v;  // in 1/65536 of a pixel
  };
  void Scale(double x_edge, double y_edge, double x_other, double y_other, const Image& image,
             double opacity);
  void Slice(const Corner& left, const Corner& left_end, const Corner& right,
             const Corner& right_end, double top, double bottom, const Sampling& sampling,
             const Image& image, std::uint32_t share, bool solid);
  std::array<std::uint32_t, std::size_t{kSide} * kSide> pixels_{};
};

}  // namespace envpool::procgen
