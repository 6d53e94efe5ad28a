// SPDX-License-Identifier: Apache-2.0
// A small surface with transparent pixels, which is drawn, turned and put on a canvas as pygame-ce
// does it: pygame.Surface with SRCALPHA, pygame.transform.rotate, Surface.blit.
//
//   Sprite car({38, 38});
//   car.Rectangle(5, 14, {27, 11}, {100, 200, 255});
//   BlitRotated(canvas, car, {300, 75}, -12.5);  // in degrees, anticlockwise on the screen
//
// A pixel is opaque or transparent, nothing between: blitting copies the opaque pixels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::drawing {

/// Pixels of a colour each, or transparent.
class Sprite {
 public:
  /// All of it transparent. A side may be 0.
  explicit Sprite(Size size)
      : size_(size), pixels_(static_cast<std::size_t>(size.width * size.height)) {}

  /// In pixels.
  [[nodiscard]] Size size() const { return size_; }

  /// pygame.draw.rect: pixels outside are not drawn.
  void Rectangle(int x, int y, Size size, Rgb color);
  /// pygame.draw.rect with width 1: the outermost pixels of the rectangle; all of it where no more
  /// than two rows or columns of it are on the sprite.
  void Frame(int x, int y, Size size, Rgb color);
  /// Surface.blit of another one.
  void Blit(const Sprite& other, Point at);

  /// pygame.transform.rotate, by degrees, anticlockwise: a surface as large as the turned one
  /// needs. Multiples of 90 degrees turn exactly; at other angles each pixel takes the color of the
  /// pixel from which it was turned.
  [[nodiscard]] Sprite Rotated(float degrees) const;

  /// Surface.blit on a canvas.
  template <int kBytes>
  void BlitTo(const BasicCanvas<kBytes>& canvas, Point at) const;

 private:
  struct Pixel {
    Rgb color{0, 0, 0};
    bool opaque = false;
  };

  [[nodiscard]] const Pixel& At(int x, int y) const {
    return pixels_[static_cast<std::size_t>(y * size_.width + x)];
  }
  Pixel& At(int x, int y) { return pixels_[static_cast<std::size_t>(y * size_.width + x)]; }
  void Set(int x, int y, Rgb color) {
    if (x >= 0 && y >= 0 && x < size_.width && y < size_.height) At(x, y) = {color, true};
  }

  Size size_;
  std::vector<Pixel> pixels_;
};

/// The top left corner of a sprite that is turned about its center, which lies at `at`.
Point OriginOfRotated(Size size, Vector at, double degrees);

/// Puts a sprite, turned about its center, with that center at a pixel.
template <typename Target>
void BlitRotated(Target& target, const Sprite& sprite, Point at, double degrees);

// ---------------------------------------------------------------------------------------- detail

inline void Sprite::Rectangle(int x, int y, Size size, Rgb color) {
  for (int row = y; row < y + size.height; ++row) {
    for (int column = x; column < x + size.width; ++column) Set(column, row, color);
  }
}

inline void Sprite::Frame(int x, int y, Size size, Rgb color) {
  const int columns = std::min(x + size.width, size_.width) - std::max(x, 0);
  const int rows = std::min(y + size.height, size_.height) - std::max(y, 0);
  if (columns <= 2 || rows <= 2) return Rectangle(x, y, size, color);
  for (int row = y; row < y + size.height; ++row) {
    const bool whole = row == y || row == y + size.height - 1;
    const int step = whole ? 1 : std::max(size.width - 1, 1);
    for (int column = x; column < x + size.width; column += step) Set(column, row, color);
  }
}

inline void Sprite::Blit(const Sprite& other, Point at) {
  for (int y = 0; y < other.size_.height; ++y) {
    for (int x = 0; x < other.size_.width; ++x) {
      if (const Pixel& pixel = other.At(x, y); pixel.opaque) Set(at.x + x, at.y + y, pixel.color);
    }
  }
}

inline Sprite Sprite::Rotated(float degrees) const {
  if (std::fmod(static_cast<double>(degrees), 90.0) == 0) {
    const int turns = ((static_cast<int>(degrees) / 90) % 4 + 4) % 4;
    Sprite turned = *this;
    for (int i = 0; i < turns; ++i) {
      Sprite next({turned.size_.height, turned.size_.width});
      for (int y = 0; y < turned.size_.height; ++y) {
        for (int x = 0; x < turned.size_.width; ++x) {
          next.At(y, turned.size_.width - 1 - x) = turned.At(x, y);
        }
      }
      turned = next;
    }
    return turned;
  }
  // In 1 / 65536 of a pixel, as pygame counts; its pi has this many digits.
  const double angle = degrees * .01745329251994329, sin = std::sin(angle), cos = std::cos(angle);
  const int width = size_.width, height = size_.height;
  const auto larger = [](double a, double b) {
    return static_cast<int>(std::max(std::abs(a + b), std::abs(a - b)));
  };
  const Size size{larger(cos * width, sin * height), larger(sin * width, cos * height)};
  Sprite turned(size);
  const int step_x = static_cast<int>(cos * 65536), step_y = static_cast<int>(sin * 65536);
  const double last = static_cast<double>((size.width - 1) << 15);
  const int start_x = (size.width << 15) - static_cast<int>(cos * last);
  const int start_y = (size.height << 15) - static_cast<int>(sin * last);
  const int shift_x = (width - size.width) * 32768, shift_y = (height - size.height) * 32768;
  const int most_x = (width << 16) - 1, most_y = (height << 16) - 1;
  for (int y = 0; y < size.height; ++y) {
    int at_x = start_x + step_y * (size.height / 2 - y) + shift_x;
    int at_y = start_y - step_x * (size.height / 2 - y) + shift_y;
    for (int x = 0; x < size.width; ++x, at_x += step_x, at_y += step_y) {
      if (at_x >= 0 && at_y >= 0 && at_x <= most_x && at_y <= most_y) {
        turned.At(x, y) = At(at_x >> 16, at_y >> 16);
      }
    }
  }
  return turned;
}

template <int kBytes>
void Sprite::BlitTo(const BasicCanvas<kBytes>& canvas, Point at) const {
  for (int y = 0; y < size_.height; ++y) {
    for (int x = 0; x < size_.width; ++x) {
      if (const Pixel& pixel = At(x, y); pixel.opaque) {
        canvas.Pixel(at.x + x, at.y + y, pixel.color);
      }
    }
  }
}

inline Point OriginOfRotated(Size size, Vector at, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double width = size.width, height = size.height;
  double left = 0, top = 0;  // of the turned box, whose first corner stays
  for (const Vector& corner : {Vector{width, 0}, {width, -height}, {0, -height}}) {
    const Vector turned = drawing::Rotated(corner, angle);
    left = std::min(left, turned.x);
    top = std::max(top, turned.y);
  }
  const Vector pivot{width / 2, -height / 2}, turned = drawing::Rotated(pivot, angle);
  return {static_cast<int>(at.x - width / 2 + left - (turned.x - pivot.x)),
          static_cast<int>(at.y - height / 2 - top + (turned.y - pivot.y))};
}

template <typename Target>
void BlitRotated(Target& target, const Sprite& sprite, Point at, double degrees) {
  const Vector center{static_cast<double>(at.x), static_cast<double>(at.y)};
  const Point origin = OriginOfRotated(sprite.size(), center, degrees);
  const Sprite turned = sprite.Rotated(static_cast<float>(degrees));
  if constexpr (requires { target.Blit(turned, origin); }) {
    target.Blit(turned, origin);
  } else {
    turned.BlitTo(target, origin);
  }
}

}  // namespace envpool::drawing
