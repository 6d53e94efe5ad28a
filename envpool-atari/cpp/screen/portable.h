// SPDX-License-Identifier: Apache-2.0
// The inner loops of scaling in plain C++. They define the result on every machine; compilers
// vectorize most of them.
//
//   atari::kPortableKernels.pool(newer, nullptr, table, 160 * 210, gray);
#pragma once

#include <cstring>

#include "kernels.h"

namespace envpool::atari {

namespace portable {

inline constexpr int kLanes = 4;
inline constexpr int kBlock = 16;

inline void FindRepeats(const std::uint8_t* screen, std::size_t height, std::uint8_t* repeats) {
  for (std::size_t y = 1; y < height; ++y, screen += kSourceWidth) {
    repeats[y] &= std::memcmp(screen, screen + kSourceWidth, kSourceWidth) == 0 ? 1 : 0;
  }
}

inline void Pool(const std::uint8_t* newer, const std::uint8_t* older, const LookUpTable& table,
                 std::size_t n, std::uint8_t* out) {
  if (older == nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = table.values[newer[i]];
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = std::max(table.values[newer[i]], table.values[older[i]]);
  }
}

inline void Rows(const RowPlan& plan, const std::uint8_t* source, float* sums) {
  const auto taps = static_cast<std::size_t>(plan.taps);
  const auto groups = static_cast<std::size_t>(plan.groups);
  const std::size_t stride = (groups * kLanes + kSumsUnit - 1) / kSumsUnit * kSumsUnit;
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      const std::uint8_t* pixels = source + row * kSourceWidth;
      const float* weights = &plan.weights[group * taps * kLanes];
      const std::uint8_t* sources = &plan.sources[group * taps * kLanes];
      std::array<float, kLanes> sum{};
      for (std::size_t tap = 0; tap < taps; ++tap, weights += kLanes, sources += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          sum[lane] += Rounded(static_cast<float>(pixels[sources[lane]]) * weights[lane]);
        }
      }
      std::copy(sum.begin(), sum.end(), sums + row * stride + group * kLanes);
    }
  }
}

inline void SumsDown(const float* const* rows, const float* weights, int taps, float scale,
                     float bias, std::uint8_t* out, int width) {
  // A float of 2^23 or more has no fraction: adding 2^23 rounds, and the low bits are the integer.
  constexpr float kIntegers = 1U << 23;
  for (int x = 0; x < width; x += kBlock) {
    std::array<float, kBlock> sum{};
    for (int tap = 0; tap < taps; ++tap) {
      for (std::size_t lane = 0; lane < kBlock; ++lane) {
        sum[lane] += Rounded(rows[tap][static_cast<std::size_t>(x) + lane] * weights[tap]);
      }
    }
    std::array<std::uint8_t, kBlock> pixels;
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      const float value = Rounded(sum[lane] * scale) + bias + kIntegers;
      pixels[lane] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value));
    }
    std::copy_n(pixels.begin(), std::min(width - x, kBlock), out + x);
  }
}

inline void LinearDown(const float* const* rows, const float* weights, std::uint8_t* out,
                       int width) {
  const auto first = static_cast<int>(weights[0]);
  const auto second = static_cast<int>(weights[1]);
  for (int x = 0; x < width; ++x) {
    const int above = ((static_cast<int>(rows[0][x]) >> 4) * first) >> 16;
    const int below = ((static_cast<int>(rows[1][x]) >> 4) * second) >> 16;
    out[x] = static_cast<std::uint8_t>((above + below + 2) >> 2);
  }
}

inline void Interleave(const std::array<const std::uint8_t*, 3>& planes, std::size_t n,
                       std::uint8_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[3 * i] = planes[0][i];
    out[3 * i + 1] = planes[1][i];
    out[3 * i + 2] = planes[2][i];
  }
}

}  // namespace portable

inline constexpr Kernels kPortableKernels{
    .shape = {.lanes = portable::kLanes, .window_lanes = portable::kLanes, .window_bytes = 0},
    .find_repeats = portable::FindRepeats,
    .pool = portable::Pool,
    .rows = portable::Rows,
    .sums_down = portable::SumsDown,
    .linear_down = portable::LinearDown,
    .interleave = portable::Interleave,
};

}  // namespace envpool::atari
