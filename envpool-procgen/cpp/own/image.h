// SPDX-License-Identifier: Apache-2.0
// Image: a picture as it is drawn, read from a file of the package.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace envpool::procgen {

/// A pixel: 8 bits each of alpha, red, green and blue, the highest first. Colors are multiplied by
/// alpha.
using Pixel = std::uint32_t;

/// x * a / 255 of each part of a pixel, rounded as Qt rounds it.
constexpr Pixel Times(Pixel pixel, std::uint32_t a) {
  constexpr std::uint32_t kOdd = 0xff00ff, kHalf = 0x800080;
  std::uint32_t low = (pixel & kOdd) * a, high = ((pixel >> 8) & kOdd) * a;
  low = ((low + ((low >> 8) & kOdd) + kHalf) >> 8) & kOdd;
  high = (high + ((high >> 8) & kOdd) + kHalf) & ~kOdd;
  return low | high;
}

struct Image {
  int width = 0, height = 0;
  bool has_alpha = true;      ///< whether the file's alpha counts; Qt draws such images otherwise
  bool opaque = true;         ///< alpha is 255 everywhere
  std::vector<Pixel> pixels;  ///< row after row

  const Pixel* row(int y) const {
    return pixels.data() + static_cast<std::ptrdiff_t>(y) * static_cast<std::ptrdiff_t>(width);
  }
  Pixel at(int x, int y) const { return row(y)[x]; }
};

/// The use of a file's alpha. If it is ignored, colors stay as they are, and all is opaque.
enum class Alpha { kMultiplied, kIgnored };

/// Reads a PNG file without interlacing, of 8 bits or with a palette. Throws Error(kConfig) if the
/// file is missing, damaged or of another kind.
Image ReadPng(const std::string& path, Alpha alpha);

/// The same picture with left and right exchanged.
Image Mirrored(const Image& image);

}  // namespace envpool::procgen
