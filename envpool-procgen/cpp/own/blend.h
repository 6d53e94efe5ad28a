// SPDX-License-Identifier: Apache-2.0
// Arithmetic of pixels, 0xAARRGGBB with colors multiplied by alpha, as Qt 5 rounds it.
#pragma once

#include <cstdint>

namespace envpool::procgen {

/// All four parts times a / 255.
inline std::uint32_t Times(std::uint32_t pixel, std::uint32_t a) {
  std::uint32_t even = (pixel & 0xff00ffu) * a;
  even = (even + ((even >> 8) & 0xff00ffu) + 0x800080u) >> 8 & 0xff00ffu;
  std::uint32_t odd = (pixel >> 8 & 0xff00ffu) * a;
  odd = (odd + ((odd >> 8) & 0xff00ffu) + 0x800080u) & 0xff00ff00u;
  return even | odd;
}

/// Colors multiplied by alpha.
inline std::uint32_t Premultiplied(std::uint32_t pixel) {
  const std::uint32_t alpha = pixel >> 24;
  return (Times(pixel, alpha) & 0xffffffu) | alpha << 24;
}

/// One pixel over another.
inline std::uint32_t Over(std::uint32_t above, std::uint32_t below) {
  return above + Times(below, 255u - (above >> 24));
}

}  // namespace envpool::procgen
