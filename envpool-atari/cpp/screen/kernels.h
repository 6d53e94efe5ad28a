// SPDX-License-Identifier: Apache-2.0
// The inner loops of scaling a screen, as a table of functions per kind of vector instructions, and
// their data. kPortable defines the results; the other kinds give the same bits.
//
//   const atari::Kernels& kernels = atari::kPortableKernels;  // portable.h
//   kernels.pool(newer, older, table, 160 * 210, gray);
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "../simd.h"
#include "envpool/drawing/resize_plan.h"

namespace envpool::atari {

inline constexpr int kSourceWidth = 160;

/// Number of rows that are summed across at a time; their weights are read once.
inline constexpr int kRowsAtOnce = 4;

/// The length of a row of sums is rounded up to a multiple of this.
inline constexpr int kSumsUnit = 32;

/// Memory that begins at a multiple of 64 bytes, so that no vector of 64 bytes straddles two lines
/// of the cache.
template <typename T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheAligned() = default;
  template <typename U>
  CacheAligned(const CacheAligned<U>& /*unused*/) {}  // NOLINT: an allocator converts

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t /*unused*/) { ::operator delete(p, kAlignment); }
  friend bool operator==(CacheAligned, CacheAligned) { return true; }
};

template <typename T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

/// A table of 256 bytes, and the same table for look-ups of 16 bytes at a time: entry i of `even`
/// is for value 2 i. From the second 16 on, an entry holds the XOR with the entry 16 places before
/// it.
struct alignas(64) LookUpTable {
  explicit LookUpTable(const std::array<std::uint8_t, 256>& table) : values(table) {
    for (std::size_t i = 0; i < 128; ++i) {
      const bool first = i < 16;
      even[i] = table[2 * i] ^ (first ? std::uint8_t{0} : table[2 * (i - 16)]);
      odd[i] = table[2 * i + 1] ^ (first ? std::uint8_t{0} : table[2 * (i - 16) + 1]);
    }
  }

  std::array<std::uint8_t, 256> values;
  std::array<std::uint8_t, 128> even{}, odd{};
};

/// The shape in which a kind of vectors reads the taps of a row: `lanes` sums at a time. The
/// sources of one tap of `window_lanes` lanes come from `window_bytes` neighboring bytes (0: from
/// any bytes).
struct RowShape {
  int lanes, window_lanes, window_bytes;
};

/// The taps of all pixels of a row, for groups of `shape.lanes` pixels that each have `taps` taps;
/// a missing tap has weight 0, which changes no sum.
struct RowPlan {
  /// Sets `fits` to false if the sources of a window lie too far apart for the shape.
  RowPlan(const drawing::Taps& across, RowShape shape);

  bool fits = true;
  int groups, taps;
  AlignedVector<float> weights;          // [group][tap][lane]
  AlignedVector<std::uint8_t> sources;   // [group][tap][lane]
  AlignedVector<std::uint8_t> begins;    // [group][window]
  AlignedVector<std::uint8_t> shuffles;  // [group][tap][lane][4]: place in the window, and 3 x none
};

/// Readable bytes that the `rows` kernels need behind the last row.
inline constexpr int kRowSlack = 64;

struct Kernels {
  RowShape shape;

  /// Clears repeats[y] of the rows y > 0 that differ from the row above; the others stay.
  void (*find_repeats)(const std::uint8_t* screen, std::size_t height, std::uint8_t* repeats);

  /// out[i] = table[newer[i]], or the greater of table[newer[i]] and table[older[i]] if `older` is
  /// not null. `n` is a multiple of kSourceWidth.
  void (*pool)(const std::uint8_t* newer, const std::uint8_t* older, const LookUpTable& table,
               std::size_t n, std::uint8_t* out);

  /// Sums kRowsAtOnce rows of kSourceWidth bytes across; a row of sums is plan.groups * shape.lanes
  /// long, rounded up to kSumsUnit.
  void (*rows)(const RowPlan& plan, const std::uint8_t* source, float* sums);

  /// One row of the image from `taps` rows of sums: round(sum * scale + bias).
  void (*sums_down)(const float* const* rows, const float* weights, int taps, float scale,
                    float bias, std::uint8_t* out, int width);

  /// One row of the image by linear interpolation between two rows.
  void (*linear_down)(const float* const* rows, const float* weights, std::uint8_t* out, int width);

  /// Three planes of n bytes into n pixels of three bytes.
  void (*interleave)(const std::array<const std::uint8_t*, 3>& planes, std::size_t n,
                     std::uint8_t* out);
};

/// Returns `value`, rounded. The compiler may fuse a multiplication and an addition; a product that
/// passes through here is rounded first in spite of compiler flags.
inline float Rounded(float value) {
#if defined(__FMA__) && ATARI_X86
  asm("" : "+x"(value));
#elif ATARI_NEON
  asm("" : "+w"(value));
#endif
  return value;
}

inline RowPlan::RowPlan(const drawing::Taps& across, RowShape shape) {
  const auto lanes = static_cast<std::size_t>(shape.lanes);
  const auto window = static_cast<std::size_t>(shape.window_lanes);
  const std::size_t group_count = (across.size() + lanes - 1) / lanes;
  std::size_t tap_count = 1;
  for (const std::vector<drawing::Tap>& pixel : across) {
    tap_count = std::max(tap_count, pixel.size());
  }
  groups = static_cast<int>(group_count);
  taps = static_cast<int>(tap_count);
  weights.resize(group_count * tap_count * lanes);
  sources.resize(weights.size());
  for (std::size_t i = 0; i < across.size(); ++i) {
    for (std::size_t tap = 0; tap < tap_count; ++tap) {
      const std::size_t at = (i / lanes * tap_count + tap) * lanes + i % lanes;
      const bool exists = tap < across[i].size();
      weights[at] = exists ? across[i][tap].weight : 0;
      sources[at] = static_cast<std::uint8_t>(across[i][exists ? tap : 0].source);
    }
  }
  if (shape.window_bytes == 0) {
    return;
  }
  begins.resize(group_count * lanes / window);
  constexpr std::uint8_t kNone = 0x80;
  shuffles.resize(sources.size() * 4, kNone);
  for (std::size_t w = 0; w < begins.size(); ++w) {
    // The sources of a pixel's taps only increase, also from pixel to pixel.
    const std::size_t first = w * window;
    begins[w] = first < across.size() ? static_cast<std::uint8_t>(across[first][0].source) : 0;
    for (std::size_t i = first; i < std::min(first + window, across.size()); ++i) {
      for (std::size_t tap = 0; tap < tap_count; ++tap) {
        const std::size_t at = (i / lanes * tap_count + tap) * lanes + i % lanes;
        const int place = sources[at] - begins[w];
        fits = fits && place < shape.window_bytes;
        shuffles[4 * at] = static_cast<std::uint8_t>(place);
      }
    }
  }
}

}  // namespace envpool::atari
