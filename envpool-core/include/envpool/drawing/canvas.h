// SPDX-License-Identifier: Apache-2.0
// A window onto the bytes of a frame, and the few pixel operations every drawing is made of. The
// canvas owns nothing: the caller keeps the pixels, in rows from top to bottom.
//
//   using namespace envpool::drawing;
//   std::vector<uint8_t> rgb(3 * 600 * 400);
//   Canvas canvas(rgb.data(), {600, 400});
//   canvas.Fill({255, 255, 255});
//   canvas.UpsideDown().HorizontalLine(0, 599, 100, {0, 0, 0});  // y = 100 from the bottom
//
// A canvas may have a part of a surface only. It then shows the same pixels in this part as a
// canvas with the whole surface: shapes are clipped to the whole surface.
//
//   Canvas part(rgb.data(), {3000, 400}, {2400, 0, 3000, 400});  // the last 600 columns
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace envpool::drawing {

/// A color.
struct Rgb {
  uint8_t r, g, b;  ///< from 0 to 255
};

inline constexpr Rgb kWhite{255, 255, 255};  ///< all of each
inline constexpr Rgb kBlack{0, 0, 0};        ///< none

/// Width and height in pixels.
struct Size {
  int width, height;  ///< both at least 1

  /// Whether both are the same.
  bool operator==(const Size&) const = default;

  /// How many pixels there are.
  [[nodiscard]] size_t Pixels() const {
    return static_cast<size_t>(width) * static_cast<size_t>(height);
  }
  /// Bytes of an RGB frame of this size.
  [[nodiscard]] size_t Bytes() const { return 3 * Pixels(); }
};

/// Columns from `left` to before `right`, rows from `top` to before `bottom`.
struct Window {
  int left, top, right, bottom;  ///< in pixels of the surface
};

/// `kBytes` is the bytes of a pixel: 3, or 4 with an unused last byte. Every operation clips:
/// pixels outside are not drawn.
template <int kBytes>
class BasicCanvas {
  static_assert(kBytes == 3 || kBytes == 4);

 public:
  /// A whole surface.
  BasicCanvas(uint8_t* pixels, Size size)
      : BasicCanvas(pixels, size, {0, 0, size.width, size.height}) {}
  /// A part of a surface of this size; `pixels` has that part only.
  BasicCanvas(uint8_t* pixels, Size size, Window window)
      : BasicCanvas(pixels, size, window,
                    kBytes * static_cast<ptrdiff_t>(window.right - window.left)) {}

  /// The same frame with y counted upwards from the bottom row.
  [[nodiscard]] BasicCanvas UpsideDown() const {
    const Window window{window_.left, size_.height - window_.bottom, window_.right,
                        size_.height - window_.top};
    return {first_ + stride_ * (window_.bottom - window_.top - 1), size_, window, -stride_};
  }

  /// The size of the surface.
  [[nodiscard]] Size size() const { return size_; }
  /// The part of the surface that is here.
  [[nodiscard]] const Window& window() const { return window_; }

  /// The bytes of a pixel; (x, y) must be in the window.
  [[nodiscard]] uint8_t* At(int x, int y) const {
    return first_ + stride_ * (y - window_.top) + kBytes * ptrdiff_t{x - window_.left};
  }

  /// Whether a pixel is in the window.
  [[nodiscard]] bool Contains(int x, int y) const {
    return x >= window_.left && x < window_.right && y >= window_.top && y < window_.bottom;
  }

  /// Colors all pixels.
  void Fill(Rgb color) const {
    for (int y = window_.top; y < window_.bottom; ++y) {
      HorizontalLine(window_.left, window_.right - 1, y, color);
    }
  }

  /// Colors one pixel.
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
    x0 = std::max(x0, window_.left);
    x1 = std::min(x1, window_.right - 1);
    if (x0 > x1 || y < window_.top || y >= window_.bottom) return;
    uint8_t* pixel = At(x0, y);
    const auto count = static_cast<size_t>(x1 - x0 + 1);
    if constexpr (kBytes == 4) {
      const uint8_t bytes[4] = {color.r, color.g, color.b, 0};
      for (size_t i = 0; i < count; ++i) std::memcpy(pixel + 4 * i, bytes, 4);
    } else if (color.r == color.g && color.g == color.b) {
      std::memset(pixel, color.r, 3 * count);
    } else {
      for (size_t i = 0; i < count; ++i) Store(pixel + 3 * i, color);
    }
  }

  /// Both ends are drawn, in either order.
  void VerticalLine(int x, int y0, int y1, Rgb color) const {
    if (y0 > y1) std::swap(y0, y1);
    if (x < window_.left || x >= window_.right) return;
    const int last = std::min(y1, window_.bottom - 1);
    for (int y = std::max(y0, window_.top); y <= last; ++y) Store(At(x, y), color);
  }

  /// Colors a rectangle.
  void Rectangle(int x, int y, Size size, Rgb color) const {
    if (size.width <= 0) return;
    const int last = std::min(y + size.height, window_.bottom) - 1;
    for (int row = std::max(y, window_.top); row <= last; ++row) {
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
  BasicCanvas(uint8_t* first, Size size, Window window, ptrdiff_t stride)
      : first_(first), size_(size), window_(window), stride_(stride) {}

  static void Store(uint8_t* pixel, Rgb color) {
    pixel[0] = color.r;
    pixel[1] = color.g;
    pixel[2] = color.b;
  }

  uint8_t* first_;  // of the window's top left pixel
  Size size_;
  Window window_;
  ptrdiff_t stride_;  // bytes from row y to row y + 1; negative when upside down
};

/// An RGB frame.
using Canvas = BasicCanvas<3>;

}  // namespace envpool::drawing
