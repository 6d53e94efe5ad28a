// SPDX-License-Identifier: Apache-2.0
// The inner loops of scaling for AVX-512: 64 colors, 16 sums or 16 pixels at a time.
//
//   if (HasSimd(Simd::kAvx512)) atari::kAvx512Kernels.pool(newer, older, table, 160 * 210, gray);
#pragma once

#include "avx2.h"

#if ATARI_X86
namespace envpool::atari {

namespace avx512 {

inline constexpr int kLanes = 16;

/// A mask for calls that need none: without a mask gcc 12 warns of an undefined source.
inline constexpr __mmask16 kAll = 0xFFFF;

/// A mask of the lowest `count` of 64 bytes.
inline __mmask64 First(std::size_t count) {
  return count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
}

ATARI_AVX512 inline __m512i LookUp(const __m512i (&table)[4], __m512i index) {
  const __m512i low = _mm512_permutex2var_epi8(table[0], index, table[1]);
  const __m512i high = _mm512_permutex2var_epi8(table[2], index, table[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

ATARI_AVX512 inline void Pool(const std::uint8_t* newer, const std::uint8_t* older,
                              const LookUpTable& table, std::size_t n, std::uint8_t* out) {
  __m512i parts[4];
  for (std::size_t i = 0; i < 4; ++i) {
    parts[i] = _mm512_load_si512(&table.values[64 * i]);
  }
  for (std::size_t i = 0; i < n; i += sizeof(__m512i)) {
    const __mmask64 mask = First(n - i);
    __m512i value = LookUp(parts, _mm512_maskz_loadu_epi8(mask, newer + i));
    if (older != nullptr) {
      const __m512i other = LookUp(parts, _mm512_maskz_loadu_epi8(mask, older + i));
      value = _mm512_max_epu8(value, other);
    }
    _mm512_mask_storeu_epi8(out + i, mask, value);
  }
}

ATARI_AVX512 inline __m512 Product(__m512 a, __m512 b) {
  __m512 product = _mm512_mul_ps(a, b);
  asm("" : "+v"(product));  // as in Rounded; AVX-512 implies fused multiply-add
  return product;
}

ATARI_AVX512 inline void Rows(const RowPlan& plan, const std::uint8_t* source, float* sums) {
  constexpr __mmask64 kLowBytes = 0x1111'1111'1111'1111;
  const int stride = (plan.groups * kLanes + kSumsUnit - 1) / kSumsUnit * kSumsUnit;
  const float* weights = plan.weights.data();
  const std::uint8_t* shuffles = plan.shuffles.data();
  for (int group = 0; group < plan.groups; ++group) {
    const std::uint8_t* pixels = source + plan.begins[static_cast<std::size_t>(group)];
    __m512i windows[kRowsAtOnce];
    __m512 sum[kRowsAtOnce];
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      windows[row] = _mm512_loadu_si512(pixels + row * kSourceWidth);
      sum[row] = _mm512_setzero_ps();
    }
    for (int tap = 0; tap < plan.taps; ++tap, weights += kLanes, shuffles += 4 * kLanes) {
      const __m512i shuffle = _mm512_load_si512(shuffles);
      const __m512 weight = _mm512_load_ps(weights);
      for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
        const __m512i bytes = _mm512_maskz_permutexvar_epi8(kLowBytes, shuffle, windows[row]);
        sum[row] = _mm512_add_ps(sum[row], Product(_mm512_maskz_cvtepi32_ps(kAll, bytes), weight));
      }
    }
    for (int row = 0; row < kRowsAtOnce; ++row) {
      _mm512_store_ps(sums + row * stride + group * kLanes, sum[row]);
    }
  }
}

/// Stores the low bytes of 2 x 16 integers, at most `count` of the 32.
ATARI_AVX512 inline void StorePixels(std::uint8_t* out, __m512i low, __m512i high, int count) {
  // Packing works in quarters of a vector, so groups of four words are out of order.
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i words = _mm512_maskz_permutexvar_epi64(0xFF, order, _mm512_packs_epi32(low, high));
  const auto mask = static_cast<__mmask32>(First(static_cast<std::size_t>(count)));
  _mm256_mask_storeu_epi8(out, mask, _mm512_maskz_cvtepi16_epi8(mask, words));
}

ATARI_AVX512 inline __m512i Rounded(__m512 sum, float scale, float bias) {
  const __m512 scaled = Product(sum, _mm512_set1_ps(scale));
  return _mm512_maskz_cvtps_epi32(kAll, _mm512_add_ps(scaled, _mm512_set1_ps(bias)));
}

ATARI_AVX512 inline void SumsDown(const float* const* rows, const float* weights, int taps,
                                  float scale, float bias, std::uint8_t* out, int width) {
  for (int x = 0; x < width; x += 2 * kLanes) {
    __m512 low = _mm512_setzero_ps();
    __m512 high = _mm512_setzero_ps();
    for (int tap = 0; tap < taps; ++tap) {
      const __m512 weight = _mm512_set1_ps(weights[tap]);
      low = _mm512_add_ps(low, Product(_mm512_load_ps(rows[tap] + x), weight));
      high = _mm512_add_ps(high, Product(_mm512_load_ps(rows[tap] + x + kLanes), weight));
    }
    StorePixels(out + x, Rounded(low, scale, bias), Rounded(high, scale, bias), width - x);
  }
}

/// (sums >> 4) * weight >> 16
ATARI_AVX512 inline __m512i Part(const float* sums, __m512i weight) {
  const __m512i value = _mm512_maskz_cvttps_epi32(kAll, _mm512_load_ps(sums));
  const __m512i product = _mm512_mullo_epi32(_mm512_maskz_srai_epi32(kAll, value, 4), weight);
  return _mm512_maskz_srai_epi32(kAll, product, 16);
}

ATARI_AVX512 inline __m512i Interpolated(const float* above, const float* below, __m512i first,
                                         __m512i second) {
  const __m512i sum = _mm512_add_epi32(Part(above, first), Part(below, second));
  return _mm512_maskz_srai_epi32(kAll, _mm512_add_epi32(sum, _mm512_set1_epi32(2)), 2);
}

ATARI_AVX512 inline void LinearDown(const float* const* rows, const float* weights,
                                    std::uint8_t* out, int width) {
  const __m512i first = _mm512_set1_epi32(static_cast<int>(weights[0]));
  const __m512i second = _mm512_set1_epi32(static_cast<int>(weights[1]));
  for (int x = 0; x < width; x += 2 * kLanes) {
    const float* above = rows[0] + x;
    const float* below = rows[1] + x;
    StorePixels(out + x, Interpolated(above, below, first, second),
                Interpolated(above + kLanes, below + kLanes, first, second), width - x);
  }
}

/// For each third of the 192 bytes of 64 pixels: the indices of its red and green bytes (a green
/// index is 64 higher) and of its blue bytes.
struct Weave {
  consteval explicit Weave(int third) {
    for (int i = 0; i < 64; ++i) {
      const int at = 64 * third + i;
      places[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(at / 3 + (at % 3 == 1 ? 64 : 0));
      blue |= at % 3 == 2 ? __mmask64{1} << i : 0;
    }
  }

  alignas(64) std::array<std::uint8_t, 64> places{};
  __mmask64 blue = 0;
};

ATARI_AVX512 inline void Interleave(const std::array<const std::uint8_t*, 3>& planes, std::size_t n,
                                    std::uint8_t* out) {
  static constexpr std::array<Weave, 3> kWeave{Weave(0), Weave(1), Weave(2)};
  for (std::size_t done = 0; done < n; done += sizeof(__m512i)) {
    const std::size_t count = std::min(n - done, sizeof(__m512i));
    const __m512i red = _mm512_maskz_loadu_epi8(First(count), planes[0] + done);
    const __m512i green = _mm512_maskz_loadu_epi8(First(count), planes[1] + done);
    const __m512i blue = _mm512_maskz_loadu_epi8(First(count), planes[2] + done);
    for (std::size_t third = 0; third < 3; ++third) {
      const __m512i places = _mm512_load_si512(kWeave[third].places.data());
      const __m512i two = _mm512_permutex2var_epi8(red, places, green);
      const __m512i all = _mm512_mask_permutexvar_epi8(two, kWeave[third].blue, places, blue);
      const std::size_t begin = 64 * third;
      const __mmask64 mask = First(3 * count > begin ? 3 * count - begin : 0);
      _mm512_mask_storeu_epi8(out + 3 * done + begin, mask, all);
    }
  }
}

}  // namespace avx512

inline constexpr Kernels kAvx512Kernels{
    .shape = {.lanes = avx512::kLanes, .window_lanes = avx512::kLanes, .window_bytes = 64},
    .find_repeats = avx2::FindRepeats,
    .pool = avx512::Pool,
    .rows = avx512::Rows,
    .sums_down = avx512::SumsDown,
    .linear_down = avx512::LinearDown,
    .interleave = avx512::Interleave,
};

}  // namespace envpool::atari
#endif
