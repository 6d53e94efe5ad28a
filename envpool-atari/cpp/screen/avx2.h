// SPDX-License-Identifier: Apache-2.0
// The inner loops of scaling for AVX2: 32 colors, 8 sums or 8 pixels at a time.
//
//   if (HasSimd(Simd::kAvx2)) atari::kAvx2Kernels.pool(newer, older, table, 160 * 210, gray);
#pragma once

#include <cstring>

#include "portable.h"

#if ATARI_X86
namespace envpool::atari {

namespace avx2 {

inline constexpr int kLanes = 8;
inline constexpr int kBlock = 4 * kLanes;

ATARI_AVX2 inline __m256i Load(const std::uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

ATARI_AVX2 inline void Store(std::uint8_t* p, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), value);
}

ATARI_AVX2 inline void FindRepeats(const std::uint8_t* screen, std::size_t height,
                                   std::uint8_t* repeats) {
  constexpr std::size_t kVectors = kSourceWidth / sizeof(__m256i);
  __m256i above[kVectors];
  for (std::size_t i = 0; i < kVectors; ++i) {
    above[i] = Load(screen + i * sizeof(__m256i));
  }
  for (std::size_t y = 1; y < height; ++y) {
    screen += kSourceWidth;
    __m256i difference = _mm256_setzero_si256();
    for (std::size_t i = 0; i < kVectors; ++i) {
      const __m256i row = Load(screen + i * sizeof(__m256i));
      difference = _mm256_or_si256(difference, _mm256_xor_si256(row, above[i]));
      above[i] = row;
    }
    repeats[y] &= static_cast<std::uint8_t>(_mm256_testz_si256(difference, difference));
  }
}

/// table[index / 2] of half a table of `LookUpTable`.
ATARI_AVX2 inline __m256i LookUpHalf(const std::uint8_t* half, __m256i index) {
  index = _mm256_and_si256(_mm256_srli_epi16(index, 1), _mm256_set1_epi8(0x7F));
  __m256i value = _mm256_setzero_si256();
  for (int i = 0; i < 8; ++i) {
    // A negative index (an index below these 16 entries) gives 0. An index above them gives an
    // entry; the next 16 entries contain the difference from it.
    const auto* entries = reinterpret_cast<const __m128i*>(half + 16 * i);
    const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128(entries));
    value = _mm256_xor_si256(value, _mm256_shuffle_epi8(table, index));
    index = _mm256_sub_epi8(index, _mm256_set1_epi8(16));
  }
  return value;
}

ATARI_AVX2 inline __m256i LookUp(const LookUpTable& table, __m256i index) {
  const __m256i is_odd = _mm256_slli_epi16(index, 7);
  const int odd = _mm256_movemask_epi8(is_odd);
  if (odd == 0) {
    return LookUpHalf(table.even.data(), index);
  }
  const __m256i value = LookUpHalf(table.odd.data(), index);
  if (odd == -1) {
    return value;
  }
  return _mm256_blendv_epi8(LookUpHalf(table.even.data(), index), value, is_odd);
}

ATARI_AVX2 inline void Pool(const std::uint8_t* newer, const std::uint8_t* older,
                            const LookUpTable& table, std::size_t n, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; i += sizeof(__m256i)) {
    const __m256i index = Load(newer + i);
    __m256i value = LookUp(table, index);
    if (older != nullptr) {
      const __m256i other = Load(older + i);
      // Most pixels of a screen equal those of the screen before.
      if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(index, other)) != -1) {
        value = _mm256_max_epu8(value, LookUp(table, other));
      }
    }
    Store(out + i, value);
  }
}

ATARI_AVX2 inline __m256 Product(__m256 a, __m256 b) {
  __m256 product = _mm256_mul_ps(a, b);
  asm("" : "+x"(product));  // as in Rounded
  return product;
}

ATARI_AVX2 inline void Rows(const RowPlan& plan, const std::uint8_t* source, float* sums) {
  const int stride = (plan.groups * kLanes + kSumsUnit - 1) / kSumsUnit * kSumsUnit;
  const float* weights = plan.weights.data();
  const std::uint8_t* shuffles = plan.shuffles.data();
  for (int group = 0; group < plan.groups; ++group) {
    __m256i windows[kRowsAtOnce];
    __m256 sum[kRowsAtOnce];
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      const std::uint8_t* pixels = source + row * kSourceWidth;
      const std::uint8_t* begins = &plan.begins[2 * static_cast<std::size_t>(group)];
      windows[row] = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(pixels + begins[1]),
                                         reinterpret_cast<const __m128i*>(pixels + begins[0]));
      sum[row] = _mm256_setzero_ps();
    }
    for (int tap = 0; tap < plan.taps; ++tap, weights += kLanes, shuffles += 4 * kLanes) {
      const __m256i shuffle = Load(shuffles);
      const __m256 weight = _mm256_load_ps(weights);
      for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
        const __m256i pixels = _mm256_shuffle_epi8(windows[row], shuffle);
        sum[row] = _mm256_add_ps(sum[row], Product(_mm256_cvtepi32_ps(pixels), weight));
      }
    }
    for (int row = 0; row < kRowsAtOnce; ++row) {
      _mm256_store_ps(sums + row * stride + group * kLanes, sum[row]);
    }
  }
}

/// Stores the low bytes of 4 x 8 integers, at most `count` of the 32.
ATARI_AVX2 inline void StorePixels(std::uint8_t* out, const __m256i (&pixels)[4], int count) {
  const __m256i low = _mm256_packs_epi32(pixels[0], pixels[1]);
  const __m256i high = _mm256_packs_epi32(pixels[2], pixels[3]);
  // Packing works in halves of a vector, so groups of four bytes are out of order.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
  if (count >= kBlock) {
    Store(out, bytes);
  } else {
    std::array<std::uint8_t, kBlock> copy;
    Store(copy.data(), bytes);
    std::memcpy(out, copy.data(), static_cast<std::size_t>(count));
  }
}

ATARI_AVX2 inline void SumsDown(const float* const* rows, const float* weights, int taps,
                                float scale, float bias, std::uint8_t* out, int width) {
  for (int x = 0; x < width; x += kBlock) {
    __m256 sum[4];
    for (int i = 0; i < 4; ++i) {
      sum[i] = Product(_mm256_load_ps(rows[0] + x + i * kLanes), _mm256_set1_ps(weights[0]));
    }
    for (int tap = 1; tap < taps; ++tap) {
      const __m256 weight = _mm256_set1_ps(weights[tap]);
      for (int i = 0; i < 4; ++i) {
        const __m256 product = Product(_mm256_load_ps(rows[tap] + x + i * kLanes), weight);
        sum[i] = _mm256_add_ps(sum[i], product);
      }
    }
    __m256i pixels[4];
    for (int i = 0; i < 4; ++i) {
      const __m256 scaled = Product(sum[i], _mm256_set1_ps(scale));
      pixels[i] = _mm256_cvtps_epi32(_mm256_add_ps(scaled, _mm256_set1_ps(bias)));
    }
    StorePixels(out + x, pixels, width - x);
  }
}

/// (sums >> 4) * weight >> 16
ATARI_AVX2 inline __m256i Part(const float* sums, __m256i weight) {
  const __m256i value = _mm256_srai_epi32(_mm256_cvttps_epi32(_mm256_load_ps(sums)), 4);
  return _mm256_srai_epi32(_mm256_mullo_epi32(value, weight), 16);
}

ATARI_AVX2 inline void LinearDown(const float* const* rows, const float* weights, std::uint8_t* out,
                                  int width) {
  const __m256i first = _mm256_set1_epi32(static_cast<int>(weights[0]));
  const __m256i second = _mm256_set1_epi32(static_cast<int>(weights[1]));
  for (int x = 0; x < width; x += kBlock) {
    __m256i pixels[4];
    for (int i = 0; i < 4; ++i) {
      const int at = x + i * kLanes;
      const __m256i sum = _mm256_add_epi32(Part(rows[0] + at, first), Part(rows[1] + at, second));
      pixels[i] = _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(2)), 2);
    }
    StorePixels(out + x, pixels, width - x);
  }
}

/// The shuffles that spread the 16 bytes of a plane over the 48 bytes of 16 pixels.
struct Spread {
  consteval explicit Spread(int plane) {
    for (int i = 0; i < 48; ++i) {
      shuffles[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(i % 3 == plane ? i / 3 : 0x80);
    }
  }

  alignas(16) std::array<std::uint8_t, 48> shuffles{};
};

ATARI_AVX2 inline void Interleave(const std::array<const std::uint8_t*, 3>& planes, std::size_t n,
                                  std::uint8_t* out) {
  constexpr std::size_t kPixels = 16;
  static constexpr std::array<Spread, 3> kSpread{Spread(0), Spread(1), Spread(2)};
  std::size_t done = 0;
  for (; done + kPixels <= n; done += kPixels) {
    for (std::size_t part = 0; part < 48; part += sizeof(__m128i)) {
      __m128i pixels = _mm_setzero_si128();
      for (std::size_t plane = 0; plane < 3; ++plane) {
        const auto* bytes = reinterpret_cast<const __m128i*>(planes[plane] + done);
        const auto* shuffle = reinterpret_cast<const __m128i*>(&kSpread[plane].shuffles[part]);
        const __m128i spread = _mm_shuffle_epi8(_mm_loadu_si128(bytes), _mm_load_si128(shuffle));
        pixels = _mm_or_si128(pixels, spread);
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * done + part), pixels);
    }
  }
  portable::Interleave({planes[0] + done, planes[1] + done, planes[2] + done}, n - done,
                       out + 3 * done);
}

}  // namespace avx2

inline constexpr Kernels kAvx2Kernels{
    .shape = {.lanes = avx2::kLanes, .window_lanes = 4, .window_bytes = 16},
    .find_repeats = avx2::FindRepeats,
    .pool = avx2::Pool,
    .rows = avx2::Rows,
    .sums_down = avx2::SumsDown,
    .linear_down = avx2::LinearDown,
    .interleave = avx2::Interleave,
};

}  // namespace envpool::atari
#endif
