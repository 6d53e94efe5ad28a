// SPDX-License-Identifier: Apache-2.0
// A window onto the bytes of an RGB frame, and the few pixel operations every drawing is made of.
// The canvas owns nothing: the caller keeps the height x width x 3 bytes (rows from top to bottom).
//
//   std::vector<uint8_t> rgb(3 * 600 * 400);
//   classic::Canvas canvas(rgb.data(), {600, 400});
//   canvas.Fill({255, 255, 255});
//   canvas.UpsideDown().HorizontalLine(0, 599, 100, {0, 0, 0});  // y = 100 from the bottom
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace classic {

struct Rgb {
  uint8_t r, g, b;
};

inline constexpr Rgb kWhite{255, 255, 255};
inline constexpr Rgb kBlack{0, 0, 0};

/// Width and height in pixels.
struct Size {
  int width, height;

  bool operator==(const Size&) const = default;

  /// Bytes of an RGB frame of this size.
  [[nodiscard]] size_t Bytes() const {
    return 3 * static_cast<size_t>(width) * static_cast<size_t>(height);
  }
};

/// Every operation clips: what lies outside the frame is not drawn.
class Canvas {
 public:
  Canvas(uint8_t* rgb, Size size) : Canvas(rgb, size, 3 * static_cast<ptrdiff_t>(size.width)) {}

  /// The same frame with y counted upwards from the bottom row.
  [[nodiscard]] Canvas UpsideDown() const {
    return {origin_ + stride_ * (size_.height - 1), size_, -stride_};
  }

  [[nodiscard]] Size size() const { return size_; }

  /// The three bytes of a pixel; (x, y) must lie inside.
  [[nodiscard]] uint8_t* At(int x, int y) const { return origin_ + stride_ * y + 3 * ptrdiff_t{x}; }

  [[nodiscard]] bool Contains(int x, int y) const {
    return x >= 0 && x < size_.width && y >= 0 && y < size_.height;
  }

  void Fill(Rgb color) const {
    HorizontalLine(0, size_.width - 1, 0, color);
    const size_t row = 3 * static_cast<size_t>(size_.width);
    for (int y = 1; y < size_.height; ++y) std::memcpy(At(0, y), origin_, row);
  }

  void Pixel(int x, int y, Rgb color) const {
    if (Contains(x, y)) Store(At(x, y), color);
  }

  /// Mixes `color` in with `alpha` / 256 (the change rounded down), as SDL_gfx does.
  void Blend(int x, int y, Rgb color, int alpha) const {
    if (!Contains(x, y)) return;
    uint8_t* pixel = At(x, y);
    const auto mix = [alpha](uint8_t below, uint8_t above) {
      return static_cast<uint8_t>(below + ((above - below) * alpha >> 8));
    };
    Store(pixel, {mix(pixel[0], color.r), mix(pixel[1], color.g), mix(pixel[2], color.b)});
  }

  /// Both ends are drawn, in either order.
  void HorizontalLine(int x0, int x1, int y, Rgb color) const {
    if (x0 > x1) std::swap(x0, x1);
    x0 = std::max(x0, 0);
    x1 = std::min(x1, size_.width - 1);
    if (x0 > x1 || y < 0 || y >= size_.height) return;
    uint8_t* pixel = At(x0, y);
    const auto count = static_cast<size_t>(x1 - x0 + 1);
    if (color.r == color.g && color.g == color.b) {
      std::memset(pixel, color.r, 3 * count);
    } else {
      for (size_t i = 0; i < count; ++i) Store(pixel + 3 * i, color);
    }
  }

  void VerticalLine(int x, int y0, int y1, Rgb color) const {
    if (y0 > y1) std::swap(y0, y1);
    if (x < 0 || x >= size_.width) return;
    const int last = std::min(y1, size_.height - 1);
    for (int y = std::max(y0, 0); y <= last; ++y) Store(At(x, y), color);
  }

  void Rectangle(int x, int y, Size size, Rgb color) const {
    const int last = std::min(y + size.height, size_.height) - 1;
    if (size.width <= 0) return;
    for (int row = std::max(y, 0); row <= last; ++row) {
      HorizontalLine(x, x + size.width - 1, row, color);
    }
  }

  /// The outermost pixels of the rectangle.
  void Frame(int x, int y, Size size, Rgb color) const {
    if (size.width <= 0 || size.height <= 0) return;
    HorizontalLine(x, x + size.width - 1, y, color);
    HorizontalLine(x, x + size.width - 1, y + size.height - 1, color);
    VerticalLine(x, y, y + size.height - 1, color);
    VerticalLine(x + size.width - 1, y, y + size.height - 1, color);
  }

 private:
  Canvas(uint8_t* origin, Size size, ptrdiff_t stride)
      : origin_(origin), size_(size), stride_(stride) {}

  static void Store(uint8_t* pixel, Rgb color) {
    pixel[0] = color.r;
    pixel[1] = color.g;
    pixel[2] = color.b;
  }

  uint8_t* origin_;  // first byte of row y = 0
  Size size_;
  ptrdiff_t stride_;  // bytes from row y to row y + 1; negative when upside down
};

}  // namespace classic
