// SPDX-License-Identifier: Apache-2.0
// The vector instructions of this machine, detected at run time: one wheel serves every CPU. An
// attribute compiles a function for a kind of instructions. No compiler flag does so for a whole
// file, so the rest of the module needs none of those instructions.
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

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define ATARI_X86 1
#else
#define ATARI_X86 0
#endif

#if ATARI_X86 && defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
// Every function of this compiler may use every instruction.
#define ATARI_AVX2
#define ATARI_AVX512
#elif ATARI_X86
#include <cpuid.h>
#define ATARI_AVX2 __attribute__((target("avx2")))
#define ATARI_AVX512 \
  __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#define ATARI_NEON 1
#else
#define ATARI_NEON 0
#endif

namespace envpool::atari {

/// Kinds of vector instructions, each better than the ones before it on the same CPU.
/// kAvx512 stands for the extensions of Ice Lake and Zen 4: F, BW, DQ, VL, VBMI and VBMI2.
enum class Simd : std::uint8_t { kPortable, kNeon, kAvx2, kAvx512 };

/// Their names in ENVPOOL_ATARI_SIMD, in the order of Simd.
inline constexpr std::array<std::string_view, 4> kSimdNames{"portable", "neon", "avx2", "avx512"};

#if ATARI_X86
namespace detail {

/// The CPU's answer in EAX, EBX, ECX and EDX. __builtin_cpu_supports is not used: it reads data
/// that a library fills in, and zig's library fills in nothing.
inline std::array<std::uint32_t, 4> CpuId(std::uint32_t leaf) {
  std::array<std::uint32_t, 4> r{};
#if defined(_MSC_VER) && !defined(__clang__)
  __cpuidex(reinterpret_cast<int*>(r.data()), static_cast<int>(leaf), 0);
#else
  __cpuid_count(leaf, 0, r[0], r[1], r[2], r[3]);
#endif
  return r;
}

/// The registers that the operating system saves for each thread; call it only if CpuId says
/// OSXSAVE.
inline std::uint32_t KeptRegisters() {
#if defined(_MSC_VER) && !defined(__clang__)
  return static_cast<std::uint32_t>(_xgetbv(0));
#else
  std::uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

inline Simd DetectX86() {
  if (CpuId(0)[0] < 7) return Simd::kPortable;
  constexpr std::uint32_t kAvxAndItsState = 1u << 28 | 1u << 27;
  if ((CpuId(1)[2] & kAvxAndItsState) != kAvxAndItsState) return Simd::kPortable;
  const std::uint32_t kept = KeptRegisters();
  const auto features = CpuId(7);
  constexpr std::uint32_t kYmm = 1u << 1 | 1u << 2, kZmm = kYmm | 1u << 5 | 1u << 6 | 1u << 7;
  if ((kept & kYmm) != kYmm || !(features[1] >> 5 & 1)) return Simd::kPortable;
  constexpr std::uint32_t kFDqBwVl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  constexpr std::uint32_t kVbmi1And2 = 1u << 1 | 1u << 6;
  const bool has_avx512 = (kept & kZmm) == kZmm && (features[1] & kFDqBwVl) == kFDqBwVl &&
                          (features[2] & kVbmi1And2) == kVbmi1And2;
  return has_avx512 ? Simd::kAvx512 : Simd::kAvx2;
}

}  // namespace detail
#endif

/// True if code of this kind can run on this machine.
inline bool HasSimd(Simd kind) {
  if (kind == Simd::kPortable) return true;
#if ATARI_X86
  static const Simd best = detail::DetectX86();
  return kind != Simd::kNeon && kind <= best;
#else
  return kind == Simd::kNeon && ATARI_NEON;
#endif
}

/// The machine's best kind up to `limit`, a name of kSimdNames. Throws std::invalid_argument for
/// another name.
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

/// The kind to use: the machine's best, or a lower kind that the environment variable
/// ENVPOOL_ATARI_SIMD names (for tests and debugging). Determined once per process.
inline Simd BestSimd() {
  static const Simd best = [] {
    const char* limit = std::getenv("ENVPOOL_ATARI_SIMD");
    return BestSimdUpTo(limit == nullptr || *limit == '\0' ? kSimdNames.back() : limit);
  }();
  return best;
}

}  // namespace envpool::atari
