// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "engine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace envpool::procgen {
namespace {

constexpr std::size_t kPlane = std::size_t{kSide} * kSide;

#if defined(__x86_64__)
// The source of byte i of part `part` (of three) in a pixel plane's 16 bytes; -128: in another
// part.
constexpr std::array<std::int8_t, 16> PickOf(int color, int part) {
  std::array<std::int8_t, 16> pick{};
  for (int i = 0; i < 16; ++i) {
    const int at = 3 * i + color - 16 * part;
    pick[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(at >= 0 && at < 16 ? at : -128);
  }
  return pick;
}
constexpr std::array<std::array<std::array<std::int8_t, 16>, 3>, 3> kPick = {{
    {PickOf(0, 0), PickOf(0, 1), PickOf(0, 2)},
    {PickOf(1, 0), PickOf(1, 1), PickOf(1, 2)},
    {PickOf(2, 0), PickOf(2, 1), PickOf(2, 2)},
}};

// Used if the CPU has these instructions.
[[gnu::target("ssse3")]] void SplitByShuffles(const std::uint8_t* rgb, std::uint8_t* planes) {
  __m128i pick[3][3];
  for (std::size_t color = 0; color < 3; ++color) {
    for (std::size_t part = 0; part < 3; ++part) {
      pick[color][part] =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(kPick[color][part].data()));
    }
  }
  for (std::size_t at = 0; at < kPlane; at += 16) {
    __m128i parts[3];
    for (std::size_t part = 0; part < 3; ++part) {
      parts[part] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb + 3 * at + 16 * part));
    }
    for (std::size_t color = 0; color < 3; ++color) {
      const __m128i bytes = _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(parts[0], pick[color][0]),
                                                      _mm_shuffle_epi8(parts[1], pick[color][1])),
                                         _mm_shuffle_epi8(parts[2], pick[color][2]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + color * kPlane + at), bytes);
    }
  }
}
#endif

}  // namespace

void SplitPlanes(const std::uint8_t* rgb, std::uint8_t* planes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3")) return SplitByShuffles(rgb, planes);
#endif
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t color = 0; color < 3; ++color) planes[color * kPlane + i] = rgb[3 * i + color];
  }
}

void Scale(const std::uint8_t* rgb, int from, int width, int height, std::uint8_t* to) {
  // Pixel i of n covers [i * from, (i + 1) * from) of from * n parts; each old pixel has n parts.
  for (int y = 0; y < height; ++y) {
    const std::int64_t top = std::int64_t{y} * from, bottom = top + from;
    for (int x = 0; x < width; ++x) {
      const std::int64_t left = std::int64_t{x} * from, right = left + from;
      std::int64_t sum[3] = {0, 0, 0};
      for (std::int64_t j = top / height; j * height < bottom; ++j) {
        const std::int64_t rows = std::min(bottom, (j + 1) * height) - std::max(top, j * height);
        for (std::int64_t i = left / width; i * width < right; ++i) {
          const std::int64_t parts =
              rows * (std::min(right, (i + 1) * width) - std::max(left, i * width));
          const std::uint8_t* const pixel = rgb + 3 * (j * from + i);
          for (int color = 0; color < 3; ++color) sum[color] += parts * pixel[color];
        }
      }
      const std::int64_t all = std::int64_t{from} * from;
      for (int color = 0; color < 3; ++color) {
        *to++ = static_cast<std::uint8_t>((sum[color] + all / 2) / all);
      }
    }
  }
}

}  // namespace envpool::procgen
