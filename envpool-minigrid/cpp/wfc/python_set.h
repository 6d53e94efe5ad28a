// SPDX-License-Identifier: Apache-2.0
// The order in which CPython iterates over a set of pairs: in minigrid's WFC it decides the meaning
// of a drawn number.
//
//   PythonSet set;
//   set.Add({3, 5});
//   for (const auto& [row, col] : set.InOrder()) ...
//
// CPython 3.8 to 3.14: hashes of tuples are xxHash's. A table is rebuilt when it is three fifths
// full; its new size is the first power of two above four times the number of elements. The search
// for a place tries ten neighbors, then other places.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace envpool::minigrid {

class PythonSet {
 public:
  using Pair = std::pair<int, int>;

  PythonSet() : table_(8, kFree) {}

  /// Adds a pair that is not in the set.
  void Add(Pair pair) {
    Insert(pair);
    if (++used_ * 5 < (table_.size() - 1) * 3) return;
    std::size_t size = 8;
    while (size <= 4 * used_) size *= 2;
    const std::vector<Pair> old = InOrder();
    table_.assign(size, kFree);
    for (const Pair& one : old) Insert(one);
  }
  std::vector<Pair> InOrder() const {
    std::vector<Pair> pairs;
    for (const Pair& one : table_) {
      if (one != kFree) pairs.push_back(one);
    }
    return pairs;
  }

 private:
  static constexpr Pair kFree{-1, -1};

  static std::uint64_t Hash(Pair pair) {
    constexpr std::uint64_t kPrime1 = 11400714785074694791u, kPrime2 = 14029467366897019727u;
    constexpr std::uint64_t kPrime5 = 2870177450012600261u;
    std::uint64_t hash = kPrime5;
    for (const int number : {pair.first, pair.second}) {
      hash += static_cast<std::uint64_t>(number) * kPrime2;
      hash = std::rotl(hash, 31) * kPrime1;
    }
    return hash + (2 ^ (kPrime5 ^ 3527539u));
  }
  void Insert(Pair pair) {
    constexpr std::size_t kNeighbors = 9;
    const std::size_t mask = table_.size() - 1;
    std::uint64_t rest = Hash(pair);
    std::size_t at = rest & mask;
    while (true) {
      const std::size_t more = at + kNeighbors <= mask ? kNeighbors : 0;
      for (std::size_t i = 0; i <= more; ++i) {
        if (table_[at + i] == kFree) {
          table_[at + i] = pair;
          return;
        }
      }
      rest >>= 5;
      at = (at * 5 + 1 + rest) & mask;
    }
  }

  std::vector<Pair> table_;
  std::size_t used_ = 0;
};

}  // namespace envpool::minigrid
