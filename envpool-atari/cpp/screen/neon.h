// SPDX-License-Identifier: Apache-2.0
// The inner loops of scaling for NEON: 16 colors, 4 sums or 4 pixels at a time.
//
//   if (HasSimd(Simd::kNeon)) atari::kNeonKernels.pool(newer, older, table, 160 * 210, gray);
#pragma once

#include "portable.h"

#if ATARI_NEON
namespace envpool::atari {

namespace neon {

inline constexpr int kLanes = 4;

inline void FindRepeats(const std::uint8_t* screen, std::size_t height, std::uint8_t* repeats) {
  for (std::size_t y = 1; y < height; ++y, screen += kSourceWidth) {
    uint8x16_t difference = vdupq_n_u8(0);
    for (std::size_t x = 0; x < kSourceWidth; x += sizeof(uint8x16_t)) {
      const uint8x16_t both = veorq_u8(vld1q_u8(screen + x), vld1q_u8(screen + kSourceWidth + x));
      difference = vorrq_u8(difference, both);
    }
    repeats[y] &= vmaxvq_u8(difference) == 0 ? 1 : 0;
  }
}

inline void Pool(const std::uint8_t* newer, const std::uint8_t* older, const LookUpTable& table,
                 std::size_t n, std::uint8_t* out) {
  uint8x16x4_t quarters[4];
  for (std::size_t i = 0; i < 4; ++i) {
    quarters[i] = vld1q_u8_x4(&table.values[64 * i]);
  }
  const auto look_up = [&](uint8x16_t index) {
    // An index outside the 64 entries of a quarter does not change the value.
    const uint8x16_t quarter = vdupq_n_u8(64);
    uint8x16_t value = vqtbl4q_u8(quarters[0], index);
    for (std::size_t i = 1; i < 4; ++i) {
      index = vsubq_u8(index, quarter);
      value = vqtbx4q_u8(value, quarters[i], index);
    }
    return value;
  };
  for (std::size_t i = 0; i < n; i += sizeof(uint8x16_t)) {
    uint8x16_t value = look_up(vld1q_u8(newer + i));
    if (older != nullptr) {
      value = vmaxq_u8(value, look_up(vld1q_u8(older + i)));
    }
    vst1q_u8(out + i, value);
  }
}

inline float32x4_t Product(float32x4_t a, float32x4_t b) {
  float32x4_t product = vmulq_f32(a, b);
  asm("" : "+w"(product));  // as in Rounded
  return product;
}

inline void Rows(const RowPlan& plan, const std::uint8_t* source, float* sums) {
  const int stride = (plan.groups * kLanes + kSumsUnit - 1) / kSumsUnit * kSumsUnit;
  const float* weights = plan.weights.data();
  const std::uint8_t* shuffles = plan.shuffles.data();
  for (int group = 0; group < plan.groups; ++group) {
    const std::uint8_t* pixels = source + plan.begins[static_cast<std::size_t>(group)];
    uint8x16_t windows[kRowsAtOnce];
    float32x4_t sum[kRowsAtOnce];
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      windows[row] = vld1q_u8(pixels + row * kSourceWidth);
      sum[row] = vdupq_n_f32(0);
    }
    for (int tap = 0; tap < plan.taps; ++tap, weights += kLanes, shuffles += 4 * kLanes) {
      const uint8x16_t shuffle = vld1q_u8(shuffles);
      const float32x4_t weight = vld1q_f32(weights);
      for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
        const uint32x4_t bytes = vreinterpretq_u32_u8(vqtbl1q_u8(windows[row], shuffle));
        sum[row] = vaddq_f32(sum[row], Product(vcvtq_f32_u32(bytes), weight));
      }
    }
    for (int row = 0; row < kRowsAtOnce; ++row) {
      vst1q_f32(sums + row * stride + group * kLanes, sum[row]);
    }
  }
}

/// Stores `pixels` as bytes, at most `count` of them.
inline void StorePixels(std::uint8_t* out, uint32x4_t pixels, int count) {
  const uint16x4_t words = vmovn_u32(pixels);
  std::array<std::uint8_t, 8> bytes;
  vst1_u8(bytes.data(), vmovn_u16(vcombine_u16(words, words)));
  if (count >= kLanes) {
    std::copy_n(bytes.begin(), kLanes, out);
  } else {
    std::copy_n(bytes.begin(), count, out);
  }
}

inline void SumsDown(const float* const* rows, const float* weights, int taps, float scale,
                     float bias, std::uint8_t* out, int width) {
  for (int x = 0; x < width; x += kLanes) {
    float32x4_t sum = vdupq_n_f32(0);
    for (int tap = 0; tap < taps; ++tap) {
      sum = vaddq_f32(sum, Product(vld1q_f32(rows[tap] + x), vdupq_n_f32(weights[tap])));
    }
    sum = vaddq_f32(Product(sum, vdupq_n_f32(scale)), vdupq_n_f32(bias));
    StorePixels(out + x, vcvtnq_u32_f32(sum), width - x);
  }
}

/// (sums >> 4) * weight >> 16
inline uint32x4_t Part(const float* sums, std::uint32_t weight) {
  const uint32x4_t value = vshrq_n_u32(vcvtq_u32_f32(vld1q_f32(sums)), 4);
  return vshrq_n_u32(vmulq_n_u32(value, weight), 16);
}

inline void LinearDown(const float* const* rows, const float* weights, std::uint8_t* out,
                       int width) {
  const auto first = static_cast<std::uint32_t>(weights[0]);
  const auto second = static_cast<std::uint32_t>(weights[1]);
  for (int x = 0; x < width; x += kLanes) {
    const uint32x4_t sum = vaddq_u32(Part(rows[0] + x, first), Part(rows[1] + x, second));
    StorePixels(out + x, vshrq_n_u32(vaddq_u32(sum, vdupq_n_u32(2)), 2), width - x);
  }
}

inline void Interleave(const std::array<const std::uint8_t*, 3>& planes, std::size_t n,
                       std::uint8_t* out) {
  std::size_t done = 0;
  for (; done + sizeof(uint8x16_t) <= n; done += sizeof(uint8x16_t)) {
    const uint8x16x3_t pixels{
        {vld1q_u8(planes[0] + done), vld1q_u8(planes[1] + done), vld1q_u8(planes[2] + done)}};
    vst3q_u8(out + 3 * done, pixels);
  }
  portable::Interleave({planes[0] + done, planes[1] + done, planes[2] + done}, n - done,
                       out + 3 * done);
}

}  // namespace neon

inline constexpr Kernels kNeonKernels{
    .shape = {.lanes = neon::kLanes, .window_lanes = neon::kLanes, .window_bytes = 16},
    .find_repeats = neon::FindRepeats,
    .pool = neon::Pool,
    .rows = neon::Rows,
    .sums_down = neon::SumsDown,
    .linear_down = neon::LinearDown,
    .interleave = neon::Interleave,
};

}  // namespace envpool::atari
#endif
