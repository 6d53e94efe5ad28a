// SPDX-License-Identifier: Apache-2.0
//
// The common parts of the two NumPy generators: argument checks that throw NumPy's errors, and a
// product that is always rounded, because `a * b + c` in one fused instruction gives other bits
// than NumPy.
//
//   detail::RequireScale(scale);
//   return loc + detail::Rounded(scale * StandardNormal());
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/cxx20.h"

namespace envpool::detail {

// Keeps the compiler from fusing `value`, a product, with the addition it is used in.
// Clang fuses within one expression only, so there the function call is barrier enough.
[[nodiscard]] inline double Rounded(double value) {
#if defined(__GNUC__) && !defined(__clang__)
  return __builtin_assoc_barrier(value);
#else
  return value;
#endif
}

inline void RequireBelow(std::int64_t low, std::int64_t high) {
  if (low >= high) [[unlikely]] {
    throw std::invalid_argument("low >= high: the range [" + std::to_string(low) + ", " +
                                std::to_string(high) + ") holds no integer");
  }
}

inline void RequireFinite(double range) {
  if (!std::isfinite(range)) [[unlikely]] {
    throw std::invalid_argument("high - low must be finite, got " + std::to_string(range));
  }
}

inline void RequireNonNegative(const char* name, double value) {
  if (value < 0.0) [[unlikely]] {
    throw std::invalid_argument(std::string(name) + " must not be negative, got " +
                                std::to_string(value));
  }
}

inline void RequireChoices(std::int64_t count) {
  if (count <= 0) [[unlikely]] {
    throw std::invalid_argument("cannot choose from " + std::to_string(count) + " items");
  }
}

// Uniform in [0, largest] as NumPy masks it: numbers of as many bits as `largest` has, until one is
// not above it. They come from `draw32` where 32 bits suffice; 0 takes no draw.
template <typename Draw32, typename Draw64>
std::uint64_t MaskedBounded(std::uint64_t largest, Draw32&& draw32, Draw64&& draw64) {
  if (largest == 0) {
    return 0;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(largest);
  const bool narrow = largest <= std::numeric_limits<std::uint32_t>::max();
  std::uint64_t value = 0;
  do {
    value = (narrow ? std::uint64_t{draw32()} : draw64()) & mask;
  } while (value > largest);
  return value;
}

// The Fisher-Yates shuffle from the back, as NumPy walks it; `draw(i)` is uniform in [0, i].
template <typename T, typename Draw>
void ShuffleWith(std::span<T> values, Draw&& draw) {
  for (std::size_t i = values.size(); i-- > 1;) {
    using std::swap;
    swap(values[i], values[static_cast<std::size_t>(draw(i))]);
  }
}

// Fills `values` with 0, 1, 2, ...
template <typename T>
void FillAscending(std::span<T> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(i);
  }
}

}  // namespace envpool::detail
