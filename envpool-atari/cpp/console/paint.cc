// SPDX-License-Identifier: Apache-2.0
// The painters: one implementation for each kind of vector instructions.
#include "console/paint.h"

#include <array>
#include <cstring>

#include "simd.h"

namespace envpool::atari {
namespace {

// Entry m has 0xFF in byte i if bit i of m is set.
constexpr std::array<std::uint64_t, 256> MakeBytes() {
  std::array<std::uint64_t, 256> table{};
  for (int m = 0; m < 256; ++m) {
    for (int i = 0; i < 8; ++i) {
      if (m >> i & 1) table[static_cast<std::size_t>(m)] |= std::uint64_t{0xFF} << (8 * i);
    }
  }
  return table;
}
constexpr std::array<std::uint64_t, 256> kBytes = MakeBytes();

constexpr std::uint64_t Splat(std::uint8_t color) { return color * 0x0101010101010101u; }

void PaintPortable(std::uint8_t* row, const LineImage& image) {
  std::uint64_t pixels[20];
  for (std::uint64_t& eight : pixels) eight = Splat(image.background);
  for (int layer = 0; layer < image.layers; ++layer) {
    const std::uint64_t color = Splat(image.color[layer]);
    for (int word = 0; word < 3; ++word) {
      std::uint64_t bits = image.mask[layer].w[word];
      for (std::uint64_t* eight = pixels + 8 * word; bits; ++eight, bits >>= 8) {
        const std::uint64_t bytes = kBytes[bits & 0xFF];
        *eight = (*eight & ~bytes) | (color & bytes);
      }
    }
  }
  std::memcpy(row, pixels, sizeof(pixels));
}

#if ATARI_X86

ATARI_AVX2 void PaintAvx2(std::uint8_t* row, const LineImage& image) {
  // Byte i of a vector looks at bit i % 8 of byte i / 8 of its 32 bits.
  const __m256i byte_of =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit_of = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
  __m256i pixels[5];
  for (__m256i& part : pixels) {
    part = _mm256_set1_epi8(static_cast<char>(image.background));
  }
  for (int layer = 0; layer < image.layers; ++layer) {
    const __m256i color = _mm256_set1_epi8(static_cast<char>(image.color[layer]));
    for (int i = 0; i < 5; ++i) {
      const auto bits = static_cast<int>(image.mask[layer].w[i / 2] >> (i % 2 * 32));
      const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of);
      const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit_of), bit_of);
      pixels[i] = _mm256_blendv_epi8(pixels[i], color, is_set);
    }
  }
  for (int i = 0; i < 5; ++i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + 32 * i), pixels[i]);
  }
}

ATARI_AVX512 void PaintAvx512(std::uint8_t* row, const LineImage& image) {
  __m512i left = _mm512_set1_epi8(static_cast<char>(image.background));
  __m512i middle = left;
  __m256i right = _mm512_castsi512_si256(left);
  for (int layer = 0; layer < image.layers; ++layer) {
    const Mask& mask = image.mask[layer];
    const __m512i color = _mm512_set1_epi8(static_cast<char>(image.color[layer]));
    left = _mm512_mask_mov_epi8(left, mask.w[0], color);
    middle = _mm512_mask_mov_epi8(middle, mask.w[1], color);
    right = _mm256_mask_mov_epi8(right, static_cast<__mmask32>(mask.w[2]),
                                 _mm512_castsi512_si256(color));
  }
  _mm512_storeu_si512(row, left);
  _mm512_storeu_si512(row + 64, middle);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + 128), right);
}

#endif

#if ATARI_NEON

void PaintNeon(std::uint8_t* row, const LineImage& image) {
  const uint8x16_t bit_of = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  uint8x16_t pixels[10];
  for (uint8x16_t& part : pixels) part = vdupq_n_u8(image.background);
  for (int layer = 0; layer < image.layers; ++layer) {
    const uint8x16_t color = vdupq_n_u8(image.color[layer]);
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t bits = image.mask[layer].w[i / 4] >> (i % 4 * 16);
      const uint8x16_t spread = vcombine_u8(vdup_n_u8(static_cast<std::uint8_t>(bits)),
                                            vdup_n_u8(static_cast<std::uint8_t>(bits >> 8)));
      pixels[i] = vbslq_u8(vtstq_u8(spread, bit_of), color, pixels[i]);
    }
  }
  for (int i = 0; i < 10; ++i) vst1q_u8(row + 16 * i, pixels[i]);
}

#endif

}  // namespace

Painter BestPainter() {
  switch (BestSimd()) {
#if ATARI_X86
    case Simd::kAvx512:
      return PaintAvx512;
    case Simd::kAvx2:
      return PaintAvx2;
#endif
#if ATARI_NEON
    case Simd::kNeon:
      return PaintNeon;
#endif
    default:
      return PaintPortable;
  }
}

}  // namespace envpool::atari
