// SPDX-License-Identifier: Apache-2.0
// The numbers of std::mt19937 (Matsumoto and Nishimura, 1998) in half the memory of libstdc++'s
// generator. Its state may be read from arbitrary bytes.
//
//   MersenneTwister random(42);   // std::mt19937(42)
//   std::uint32_t number = random();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace envpool::atari {

/** 2,500 bytes, saved as they are. */
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      words_[i] = seed;
      seed = 1812433253U * (seed ^ (seed >> 30)) + i + 1;
    }
  }

  /** The next number. */
  std::uint32_t operator()() {
    if (used_ >= kWords) Twist();
    std::uint32_t word = words_[used_++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9D2C5680U;
    word ^= word << 15 & 0xEFC60000U;
    return word ^ word >> 18;
  }

 private:
  static constexpr std::uint32_t kWords = 624;

  void Twist() {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const std::uint32_t joined =
          (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7FFFFFFFU);
      const std::uint32_t odd = (joined & 1U) != 0 ? 0x9908B0DFU : 0U;
      words_[i] = words_[(i + 397) % kWords] ^ joined >> 1 ^ odd;
    }
    used_ = 0;
  }

  std::array<std::uint32_t, kWords> words_;
  std::uint32_t used_ = kWords;  // of the words
};
static_assert(std::has_unique_object_representations_v<MersenneTwister>);

}  // namespace envpool::atari
