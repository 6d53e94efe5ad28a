// SPDX-License-Identifier: Apache-2.0
// A frame in another size: each pixel is the average of what it covers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace minigrid {

/// The size of a frame when (width, height) is asked for; 0 leaves one to the other's proportion.
inline std::pair<int, int> ScaledSize(int width, int height, int own_width, int own_height) {
  const auto other = [](int asked, int numerator, int denominator) {
    return std::max(1, static_cast<int>(std::lround(1.0 * asked * numerator / denominator)));
  };
  if (width <= 0 && height <= 0) return {own_width, own_height};
  if (height <= 0) return {width, other(width, own_height, own_width)};
  if (width <= 0) return {other(height, own_width, own_height), height};
  return {width, height};
}

/// Scales height x width x 3 bytes in integers, so that every CPU gives the same: both sides are
/// measured in units of which a pixel of either frame has a whole number.
inline void Scale(const std::uint8_t* from, int from_width, int from_height, std::uint8_t* to,
                  int to_width, int to_height) {
  for (int y = 0; y < to_height; ++y) {
    const std::int64_t top = std::int64_t{y} * from_height, bottom = top + from_height;
    for (int x = 0; x < to_width; ++x) {
      const std::int64_t left = std::int64_t{x} * from_width, right = left + from_width;
      std::int64_t sums[3] = {};
      for (std::int64_t j = top / to_height; j * to_height < bottom; ++j) {
        const std::int64_t high =
            std::min(bottom, (j + 1) * to_height) - std::max(top, j * to_height);
        for (std::int64_t i = left / to_width; i * to_width < right; ++i) {
          const std::int64_t wide =
              std::min(right, (i + 1) * to_width) - std::max(left, i * to_width);
          const std::uint8_t* pixel = from + 3 * (j * from_width + i);
          for (int c = 0; c < 3; ++c) sums[c] += high * wide * pixel[c];
        }
      }
      const std::int64_t area = std::int64_t{from_width} * from_height;
      for (const std::int64_t sum : sums) {
        *to++ = static_cast<std::uint8_t>((sum + area / 2) / area);
      }
    }
  }
}

}  // namespace minigrid
