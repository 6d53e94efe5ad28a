// SPDX-License-Identifier: Apache-2.0
// The engine's seeds of an environment's episodes, as EnvPool 1.2.5 draws them: by std::mt19937 and
// libstdc++'s uniform_int_distribution<int>(0, 2000000000). The first number is not used.
#pragma once

#include <cstdint>

namespace envpool::gfootball {

/// A number of 0 .. 2000000000, from a generator of 32 bits.
template <typename Generator>
std::int32_t DrawEngineSeed(Generator& generator) {
  constexpr std::uint64_t kCount = 2000000001;
  constexpr std::uint64_t kUneven = (std::uint64_t{1} << 32) % kCount;
  for (;;) {
    const std::uint64_t product = static_cast<std::uint64_t>(generator()) * kCount;
    if ((product & 0xffffffff) >= kUneven) return static_cast<std::int32_t>(product >> 32);
  }
}

}  // namespace envpool::gfootball
