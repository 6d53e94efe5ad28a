// SPDX-License-Identifier: Apache-2.0
//
// numpy.random.SeedSequence for integer seeds of up to 64 bits: spreads a seed over 128 bits of
// entropy, so that neighbouring seeds (0, 1, 2, ...) start unrelated streams.
//
//   constexpr auto words = SeedSequence(42).GenerateState<8>();  // numpy: generate_state(8)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace envpool {

/// SeedSequence(seed).
class SeedSequence {
 public:
  /// Spreads the bits of `seed`.
  explicit constexpr SeedSequence(std::uint64_t seed) {
    // A short seed and the same seed padded with zero words fill the pool alike, as in NumPy.
    pool_ = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
    Hash hash{0x43b0d7e5, 0x931e8875};
    for (std::uint32_t& word : pool_) {
      word = hash(word);
    }
    for (std::size_t source = 0; source < pool_.size(); ++source) {
      for (std::size_t target = 0; target < pool_.size(); ++target) {
        if (source != target) {
          pool_[target] = Mix(pool_[target], hash(pool_[source]));
        }
      }
    }
  }

  /// The first `kWords` 32-bit words; pairs of them, low word first, are NumPy's 64-bit words.
  template <std::size_t kWords>
  [[nodiscard]] constexpr std::array<std::uint32_t, kWords> GenerateState() const {
    std::array<std::uint32_t, kWords> words{};
    Hash hash{0x8b51f9dd, 0x58f38ded};
    for (std::size_t i = 0; i < kWords; ++i) {
      words[i] = hash(pool_[i % pool_.size()]);
    }
    return words;
  }

 private:
  // A multiplicative hash whose constant moves on with every word, so equal words hash apart.
  struct Hash {
    std::uint32_t constant;
    std::uint32_t multiplier;

    constexpr std::uint32_t operator()(std::uint32_t word) {
      word ^= constant;
      constant *= multiplier;
      word *= constant;
      return word ^ (word >> 16);
    }
  };

  static constexpr std::uint32_t Mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xca01f9ddU * x - 0x4973f715U * y;
    return mixed ^ (mixed >> 16);
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace envpool
