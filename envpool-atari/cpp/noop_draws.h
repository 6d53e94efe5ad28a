// SPDX-License-Identifier: Apache-2.0
// The number of no-ops at the beginning of an episode: std::uniform_int_distribution over
// std::mt19937, as upstream and ALE's vector environment draw it.
//
//   NoopDraws draws(seed);
//   int noops = draws.Below(30);
//
// The generator's 5 kB are not kept: the number of draws suffices to compute the next one, and a
// saved environment has 16 bytes in their place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace envpool::atari {

class NoopDraws {
 public:
  explicit NoopDraws(std::uint32_t seed) : seed_(seed) {}

  /// A number of 0 .. count - 1. `count` is 1 or more; count = 1 takes a draw, too.
  int Below(int count) {
    used_ = std::min(used_, kMost);
    std::mt19937 generator(static_cast<std::uint32_t>(seed_));
    generator.discard(used_);
    // Lemire's method: the high half of a product. Products whose low half would make some numbers
    // likelier are rejected.
    const auto range = static_cast<std::uint32_t>(count);
    const std::uint32_t few = (0U - range) % range;
    std::uint64_t product = 0;
    do {
      product = std::uint64_t{static_cast<std::uint32_t>(generator())} * range;
      ++used_;
    } while (static_cast<std::uint32_t>(product) < few);
    return static_cast<int>(product >> 32);
  }

 private:
  // Limits the draws of a damaged state: an arbitrary number of draws could take years.
  static constexpr std::uint64_t kMost = 1 << 26;

  std::uint64_t seed_;  // 64 bits, so that the struct has no padding, which would be saved, too
  std::uint64_t used_ = 0;
};

}  // namespace envpool::atari
