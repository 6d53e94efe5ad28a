// SPDX-License-Identifier: Apache-2.0
// A few values in a row of a table: as many as the row lists, at most Capacity, in place.
//
//   struct Row { ShortList<int, 4> primes; };
//   constexpr Row row = {.primes = {2, 3, 5}};
//   for (int prime : row.primes) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace envpool::atari {

/** Up to Capacity values; a longer list in a constant expression does not compile. */
template <typename T, std::size_t Capacity>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> items) {
    for (const T& item : items) Add(item);
  }

  constexpr void Add(const T& item) { items_[size_++] = item; }

  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr T* begin() { return items_.data(); }
  constexpr T* end() { return items_.data() + size_; }

 private:
  std::array<T, Capacity> items_ = {};
  std::uint8_t size_ = 0;
};

}  // namespace envpool::atari
