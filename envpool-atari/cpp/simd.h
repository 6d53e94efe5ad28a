// SPDX-License-Identifier: Apache-2.0
// Which vector instructions this machine has, found at run time: one wheel serves every CPU.
// A function for one kind is compiled for it by an attribute, never by a flag for the whole file,
// so that nothing else of the module needs those instructions.
//
//   ATARI_AVX2 inline void ClearAvx2(uint8_t* row) { _mm256_storeu_si256(...); }
//   ...
//   switch (atari::BestSimd()) {
// #if ATARI_X86
//     case atari::Simd::kAvx512:
//     case atari::Simd::kAvx2: return ClearAvx2(row);
// #endif
//     default: return ClearPortable(row);
//   }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#define ATARI_X86 1
#define ATARI_AVX2 __attribute__((target("avx2")))
#define ATARI_AVX512 \
  __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
#else
#define ATARI_X86 0
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#define ATARI_NEON 1
#else
#define ATARI_NEON 0
#endif

namespace atari {

/// Kinds of vector instructions, each better than the ones before it on the same CPU.
/// kAvx512 is what Ice Lake and Zen 4 brought: F, BW, DQ, VL, VBMI and VBMI2.
enum class Simd : std::uint8_t { kPortable, kNeon, kAvx2, kAvx512 };

/// Their names in ENVPOOL_ATARI_SIMD, in the order of Simd.
inline constexpr std::array<std::string_view, 4> kSimdNames{"portable", "neon", "avx2", "avx512"};

/// Whether code of this kind can run on this machine.
inline bool HasSimd(Simd kind) {
#if ATARI_X86
  __builtin_cpu_init();  // in case a constructor of a global variable asks
#endif
  switch (kind) {
    case Simd::kPortable:
      return true;
    case Simd::kNeon:
      return ATARI_NEON != 0;
#if ATARI_X86
    case Simd::kAvx2:
      return __builtin_cpu_supports("avx2") != 0;
    case Simd::kAvx512:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
             __builtin_cpu_supports("avx512vbmi2");
#endif
    default:
      return false;
  }
}

/// The best kind of this machine that is not better than `limit`, a name of kSimdNames.
/// Throws std::invalid_argument for another name.
inline Simd BestSimdUpTo(std::string_view limit) {
  for (std::size_t i = 0; i < kSimdNames.size(); ++i) {
    if (kSimdNames[i] != limit) {
      continue;
    }
    std::size_t best = i;
    while (!HasSimd(static_cast<Simd>(best))) {
      --best;
    }
    return static_cast<Simd>(best);
  }
  throw std::invalid_argument("ENVPOOL_ATARI_SIMD is '" + std::string(limit) +
                              "'; it has to be portable, neon, avx2 or avx512");
}

/// The kind to use: the best one of this machine, or a lower one that the environment variable
/// ENVPOOL_ATARI_SIMD names (to test, or to rule out a cause). Looked up once per process.
inline Simd BestSimd() {
  static const Simd best = [] {
    const char* limit = std::getenv("ENVPOOL_ATARI_SIMD");
    return BestSimdUpTo(limit == nullptr || *limit == '\0' ? kSimdNames.back() : limit);
  }();
  return best;
}

}  // namespace atari
