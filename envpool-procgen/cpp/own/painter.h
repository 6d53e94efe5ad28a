// SPDX-License-Identifier: Apache-2.0
// Painter: draws a frame, each pixel as Qt 5.13 draws it.
#pragma once

#include <array>
#include <cstdint>

#include "engine.h"
#include "own/image.h"

namespace envpool::procgen {

/// A rectangle in pixels of a frame, y downwards. A negative width or height mirrors.
struct Rect {
  double left = 0, top = 0, width = 0, height = 0;
};

class Painter {
 public:
  /// Makes the whole frame black.
  void Clear() { pixels_.fill(kBlack); }
  /// Fills with a color without alpha, 0xrrggbb.
  void Fill(const Rect& rect, Pixel color);
  /// Draws a whole image into a rectangle; `opacity` 0 .. 1.
  void Draw(const Image& image, const Rect& rect, double opacity = 1);
  /// The same, turned clockwise around its middle.
  void DrawTurned(const Image& image, const Rect& rect, double degrees, double opacity = 1);
  /// Writes 64 x 64 x 3 bytes.
  void Write(std::uint8_t* rgb) const;

 private:
  static constexpr Pixel kBlack = 0xff000000;

  std::array<Pixel, std::size_t{kSide} * kSide> pixels_{};
};

}  // namespace envpool::procgen
