// SPDX-License-Identifier: Apache-2.0
// Pixels of a frame, and the functions that put an image's pixels into it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine.h"
#include "own/image.h"
#include "own/scaling.h"

namespace envpool::procgen {

using Pixels = std::array<Pixel, std::size_t{kSide} * kSide>;

constexpr Pixel kBlack = 0xff000000;

/// A set of pixels of a frame: a bit per column for each row.
class Mask {
 public:
  std::uint64_t row(int y) const { return rows_[static_cast<std::size_t>(y)]; }
  void Clear() { rows_.fill(0); }
  void AddAll() { rows_.fill(~std::uint64_t{0}); }
  void Add(int y, std::uint64_t columns) { rows_[static_cast<std::size_t>(y)] |= columns; }
  void Add(Span rows, std::uint64_t columns) {
    for (int y = rows.begin; y < rows.end; ++y) Add(y, columns);
  }
  void Remove(const Mask& other) {
    for (std::size_t y = 0; y < kSide; ++y) rows_[y] &= ~other.rows_[y];
  }
  void Remove(Span rows, std::uint64_t columns) {
    for (int y = rows.begin; y < rows.end; ++y) rows_[static_cast<std::size_t>(y)] &= ~columns;
  }
  /// The union of the columns of these rows.
  std::uint64_t In(Span rows) const {
    std::uint64_t all = 0;
    for (int y = rows.begin; y < rows.end; ++y) all |= row(y);
    return all;
  }

 private:
  std::array<std::uint64_t, kSide> rows_{};
};
static_assert(kSide == 64, "a row of a mask is one number");

/// The bits of a range of columns.
inline std::uint64_t BitsOf(Span columns) {
  if (columns.begin >= columns.end) return 0;
  return (~std::uint64_t{0} >> (kSide - (columns.end - columns.begin))) << columns.begin;
}

/// Calls `visit(begin, end)` for each run of columns in a row of a mask.
template <typename F>
void ForRuns(std::uint64_t columns, const F& visit) {
  while (columns != 0) {
    const int begin = std::countr_zero(columns);
    const int end = begin + std::countr_one(columns >> begin);
    visit(begin, end);
    if (end == kSide) return;
    columns &= ~std::uint64_t{0} << end;
  }
}

/// The opacity of an image: `multiplier` of 255, or kNoFading.
struct Ink {
  static constexpr std::uint32_t kNoFading = 256;
  std::uint32_t multiplier = kNoFading;

  explicit Ink(double opacity) {
    const auto parts = static_cast<std::uint32_t>(256 * opacity);
    multiplier = parts >= kNoFading ? kNoFading : parts * 255 >> 8;
  }
  bool fades() const { return multiplier != kNoFading; }
  bool operator==(const Ink&) const = default;
};

/// Puts pixels of an image over the frame's. An alpha of 0 or 255 needs no branch, since Times by
/// 255 and by 0 is exact.
template <bool kFades>
void Blend(Pixel& to, Pixel from, std::uint32_t multiplier) {
  if constexpr (kFades) from = Times(from, multiplier);
  to = from + Times(to, 255 - (from >> 24));
}

/// Puts a part of an image's row into a frame's row: pixel i, `begin` .. `end - 1`, gets
/// source[at[i]].
inline void PutRow(Pixel* line, const Pixel* source, const std::uint16_t* at, int begin, int end,
                   bool opaque, Ink ink) {
  if (ink.fades()) {
    for (int i = begin; i < end; ++i) Blend<true>(line[i], source[at[i]], ink.multiplier);
  } else if (opaque) {
    for (int i = begin; i < end; ++i) line[i] = source[at[i]];
  } else {
    for (int i = begin; i < end; ++i) Blend<false>(line[i], source[at[i]], 0);
  }
}

}  // namespace envpool::procgen
