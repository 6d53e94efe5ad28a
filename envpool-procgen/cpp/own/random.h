// SPDX-License-Identifier: Apache-2.0
// Random: Procgen's draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace envpool::procgen {

class Random {
 public:
  void Seed(std::int32_t seed) {
    generator.seed(static_cast<std::uint32_t>(seed));
    seeded = true;
  }
  std::int32_t Bits() { return static_cast<std::int32_t>(generator()); }
  /// 0 .. n - 1; the bias of the remainder is part of it.
  int Below(std::size_t n) { return Below(static_cast<int>(n)); }
  int Below(int n) { return static_cast<int>(generator() % static_cast<std::uint32_t>(n)); }
  /// low .. high - 1.
  int Between(int low, int high) {
    return low + static_cast<int>(generator() % static_cast<std::uint32_t>(high - low));
  }
  /// 0 .. 1; 1 where the quotient is rounded up.
  float Unit() { return static_cast<float>(static_cast<double>(generator()) / 4294967296.0); }
  float Between(float low, float high) { return Unit() * (high - low) + low; }
  bool Coin() { return static_cast<double>(Unit()) > .5; }
  /// `count` different numbers of 0 .. n - 1; one that was there already is drawn again.
  std::vector<int> Different(std::size_t n, int count) {
    std::vector<int> chosen;
    std::set<int> seen;
    while (static_cast<int>(chosen.size()) < count) {
      if (const int next = Below(n); seen.insert(next).second) chosen.push_back(next);
    }
    return chosen;
  }

  std::mt19937 generator;
  bool seeded = false;
};

}  // namespace envpool::procgen
