// SPDX-License-Identifier: Apache-2.0
// Smooth scaling that gives the bytes of pygame.transform.smoothscale (on x86): averages over the
// covered area to shrink, linear interpolation to enlarge, first across, then down.
//
//   std::vector<uint8_t> small(size_t{3} * 150 * 100);
//   envpool::drawing::SmoothScale<3>(rgb.data(), {600, 400}, small.data(), {150, 100});
//
//   // A drawing of 600 x 400 delivered at the size that was asked for:
//   envpool::drawing::DrawAtSize(out, {300, 200}, kCartPoleFrame,
//                       [&](const envpool::drawing::Canvas& canvas) { DrawCartPole(canvas, x,
//                       theta); });
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/drawing/canvas.h"

namespace envpool::drawing {

/// `source` and `target` have kChannels bytes per pixel and must not overlap; both sizes are at
/// least 1 x 1.
template <size_t kChannels>
void SmoothScale(const uint8_t* source, Size from, uint8_t* target, Size to);

/// Calls draw(canvas) for a frame of `native` size and leaves it in `rgb` at `wanted` size.
template <typename Draw>
void DrawAtSize(uint8_t* rgb, Size wanted, Size native, Draw&& draw) {
  if (wanted == native) {
    draw(Canvas(rgb, native));
    return;
  }
  std::vector<uint8_t> frame(native.Bytes());
  draw(Canvas(frame.data(), native));
  SmoothScale<3>(frame.data(), native, rgb, wanted);
}

namespace detail {

/// The source is `blocks` runs of `from` rows of bytes; every run becomes `to` rows.
struct RowScaling {
  int blocks, from, to;

  [[nodiscard]] size_t SourceOffset(int block, size_t row) const {
    return static_cast<size_t>(block) * static_cast<size_t>(from) * row;
  }
};

/// `zeros` is one empty accumulator per byte of a row: an array where that number is known, so that
/// the sums stay in registers. Row k of the result covers source rows [k * step, (k + 1) * step) in
/// 1 / 16384 row. pygame's 16-bit sums overflow when more than 257 rows become one; these do not.
template <typename Sums>
void ShrinkRows(const uint8_t* source, RowScaling s, uint8_t* target, const Sums& zeros) {
  constexpr uint32_t kUnit = 16384;
  const uint32_t step = kUnit * static_cast<uint32_t>(s.from) / static_cast<uint32_t>(s.to);
  const uint32_t reciprocal = (1U << 30) / step;
  const size_t row = zeros.size();
  for (int block = 0; block < s.blocks; ++block) {
    const uint8_t* rows = source + s.SourceOffset(block, row);
    for (uint32_t k = 0; k < static_cast<uint32_t>(s.to); ++k) {
      const uint32_t begin = k * step;
      const uint32_t end = begin + step;
      const uint32_t first = (begin + kUnit - 1) / kUnit;  // first row that lies inside as a whole
      const uint32_t last = (end - 1) / kUnit;             // the row that holds the end
      Sums sums = zeros;
      if (const uint32_t share = first * kUnit - begin; share > 0) {
        const uint8_t* before = rows + (first - 1) * row;
        for (size_t i = 0; i < row; ++i) sums[i] = 4U * before[i] * share >> 16;
      }
      for (size_t r = first; r < last; ++r) {
        for (size_t i = 0; i < row; ++i) sums[i] += rows[r * row + i];
      }
      const uint32_t share = end - last * kUnit;
      for (size_t i = 0; i < row; ++i) {
        const uint32_t sum = sums[i] + (4U * rows[last * row + i] * share >> 16);
        target[i] = static_cast<uint8_t>(std::min(255U, sum * reciprocal >> 16));
      }
      target += row;
    }
  }
}

inline void EnlargeRows(const uint8_t* source, RowScaling s, uint8_t* target, size_t row) {
  for (int block = 0; block < s.blocks; ++block) {
    for (int k = 0; k < s.to; ++k) {
      const int position = k * (s.from - 1);
      const int index = position / s.to;
      const int share = 256 * (position % s.to) / s.to;
      const uint8_t* a = source + s.SourceOffset(block, row) + static_cast<size_t>(index) * row;
      const uint8_t* b = index + 1 < s.from ? a + row : a;
      for (size_t i = 0; i < row; ++i) {
        *target++ = static_cast<uint8_t>((a[i] * (256 - share) + b[i] * share) >> 8);
      }
    }
  }
}

template <typename Sums>
void ScaleRows(const uint8_t* source, RowScaling s, uint8_t* target, const Sums& zeros) {
  if (s.to < s.from) {
    ShrinkRows(source, s, target, zeros);
  } else if (s.to > s.from) {
    EnlargeRows(source, s, target, zeros.size());
  } else {
    std::copy_n(source, s.SourceOffset(s.blocks, zeros.size()), target);
  }
}

}  // namespace detail

template <size_t kChannels>
void SmoothScale(const uint8_t* source, Size from, uint8_t* target, Size to) {
  const size_t row = static_cast<size_t>(to.width) * kChannels;
  std::vector<uint8_t> narrow(static_cast<size_t>(from.height) * row);
  detail::ScaleRows(source, {from.height, from.width, to.width}, narrow.data(),
                    std::array<uint32_t, kChannels>{});
  detail::ScaleRows(narrow.data(), {1, from.height, to.height}, target, std::vector<uint32_t>(row));
}

}  // namespace envpool::drawing
