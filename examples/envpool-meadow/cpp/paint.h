// SPDX-License-Identifier: Apache-2.0
// Paint: smooth shapes on an RGB frame. A shape is a signed distance in pixels, negative inside;
// a pixel is covered by half a pixel minus its distance, which is what smooths the edges.
//
//   Canvas canvas{rgb, 800, 600};
//   Disc(canvas, {400, 300}, 20, {230, 120, 40});
//   Cone(canvas, {400, 300}, 8, {440, 300}, 3, {255, 255, 255}, 0.5);
//
// Pixels are x to the right and y down; the centre of the first one is (0.5, 0.5).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "vec.h"

namespace meadow {

/// Components 0 to 255; numbers in between are rounded when they are painted.
struct Rgb {
  double r = 0, g = 0, b = 0;
};
constexpr Rgb Mix(Rgb a, Rgb b, double share) {
  return {a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b)};
}
constexpr Rgb Shade(Rgb colour, double light) {
  return {light * colour.r, light * colour.g, light * colour.b};
}

struct Canvas {
  unsigned char* rgb;  ///< height x width x 3
  int width, height;

  /// Lays a colour over a pixel; alpha 0 is nothing, 1 covers.
  void Blend(int x, int y, Rgb colour, double alpha) const {
    unsigned char* pixel = rgb + 3 * (static_cast<std::ptrdiff_t>(y) * width + x);
    const double parts[] = {colour.r, colour.g, colour.b};
    for (int i = 0; i < 3; ++i) {
      const double mixed = pixel[i] + alpha * (parts[i] - pixel[i]);
      pixel[i] = static_cast<unsigned char>(std::clamp(mixed + 0.5, 0.0, 255.0));
    }
  }
};

/// Calls visit(x, y, centre of the pixel) for the pixels within `reach` of `centre`.
template <typename Visitor>
void ForPixels(const Canvas& canvas, Vec centre, double reach, const Visitor& visit) {
  const auto bound = [](double at, int size) {
    return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(size)));
  };
  const int left = bound(std::floor(centre.x - reach), canvas.width);
  const int right = bound(std::ceil(centre.x + reach), canvas.width);
  const int top = bound(std::floor(centre.y - reach), canvas.height);
  const int bottom = bound(std::ceil(centre.y + reach), canvas.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) visit(x, y, Vec{x + 0.5, y + 0.5});
  }
}

/// Any shape: distance(point) in pixels, colour(point).
template <typename Distance, typename Colour>
void Fill(const Canvas& canvas, Vec centre, double reach, const Distance& distance,
          const Colour& colour, double alpha = 1) {
  ForPixels(canvas, centre, reach + 1, [&](int x, int y, Vec at) {
    const double covered = std::clamp(0.5 - distance(at), 0.0, 1.0);
    if (covered > 0) canvas.Blend(x, y, colour(at), alpha * covered);
  });
}

inline void Disc(const Canvas& canvas, Vec centre, double radius, Rgb colour, double alpha = 1) {
  Fill(
      canvas, centre, radius, [&](Vec at) { return Length(at - centre) - radius; },
      [&](Vec) { return colour; }, alpha);
}

inline void Ring(const Canvas& canvas, Vec centre, double radius, double width, Rgb colour,
                 double alpha = 1) {
  Fill(
      canvas, centre, radius + width,
      [&](Vec at) { return std::abs(Length(at - centre) - radius) - width / 2; },
      [&](Vec) { return colour; }, alpha);
}

/// A disc that fades towards its edge: shadows and light.
inline void Glow(const Canvas& canvas, Vec centre, double radius, Rgb colour, double alpha) {
  ForPixels(canvas, centre, radius, [&](int x, int y, Vec at) {
    const Vec from = at - centre;
    const double left = 1 - Dot(from, from) / (radius * radius);
    if (left > 0) canvas.Blend(x, y, colour, alpha * left * left);
  });
}

/// An ellipse with the half axes `along` and `across` the unit vector `axis`.
inline void Oval(const Canvas& canvas, Vec centre, Vec axis, double along, double across,
                 Rgb colour, double alpha = 1) {
  const auto distance = [&](Vec at) {
    const Vec from = at - centre;
    const double x = Dot(from, axis) / along, y = Cross(axis, from) / across;
    const double level = std::sqrt(x * x + y * y);
    const double slope = Length({x / along, y / across});
    // To first order; exact on the edge, which is where it counts.
    return slope > 0 ? level * (level - 1) / slope : -std::min(along, across);
  };
  Fill(canvas, centre, std::max(along, across), distance, [&](Vec) { return colour; }, alpha);
}

/// A line with round ends of the radii `start` and `end`.
inline void Cone(const Canvas& canvas, Vec from, double start, Vec to, double end, Rgb colour,
                 double alpha = 1) {
  const Vec span = to - from;
  const double square = std::max(Dot(span, span), 1e-9);
  const auto distance = [&](Vec at) {
    const double share = std::clamp(Dot(at - from, span) / square, 0.0, 1.0);
    return Length(at - (from + share * span)) - (start + share * (end - start));
  };
  const Vec middle = 0.5 * (from + to);
  Fill(
      canvas, middle, 0.5 * Length(span) + std::max(start, end), distance,
      [&](Vec) { return colour; }, alpha);
}

}  // namespace meadow
