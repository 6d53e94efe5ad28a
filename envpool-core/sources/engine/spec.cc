// SPDX-License-Identifier: Apache-2.0
#include "envpool/spec.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::detail {
namespace {

void CheckShape(const ArraySpec& spec) {
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    if (spec.shape[i] < 0 && !(i == 0 && spec.shape[i] == kPlayers)) {
      throw std::invalid_argument("array '" + spec.name + "': size " +
                                  std::to_string(spec.shape[i]) + " at position " +
                                  std::to_string(i) +
                                  "; sizes are >= 0, and only the first may be -1 (one row per "
                                  "player)");
    }
  }
}

void CheckBounds(const ArraySpec& spec) {
  std::size_t n = 1;
  for (int dim : spec.item_shape()) n *= static_cast<std::size_t>(dim);
  for (std::size_t count : {spec.low.size(), spec.high.size()}) {
    if (count != 1 && count != n) {
      throw std::invalid_argument("array '" + spec.name + "': " + std::to_string(count) +
                                  " bounds for " + std::to_string(n) +
                                  " elements; give one value or one per element");
    }
  }
}

// Choices whose count is 0 have the bounds 0 .. -1, for one.
template <typename T>
void CheckOrder(std::string_view name, const Spec<T>& spec) {
  for (std::size_t i = 0; i < std::max(spec.low.size(), spec.high.size()); ++i) {
    const T low = spec.low[spec.low.size() == 1 ? 0 : i];
    const T high = spec.high[spec.high.size() == 1 ? 0 : i];
    if (low <= high) continue;
    throw std::invalid_argument("array '" + std::string(name) + "': bounds " + std::to_string(low) +
                                " .. " + std::to_string(high) + " leave no number");
  }
}

}  // namespace

void CheckArray(const ArraySpec& spec) {
  CheckShape(spec);
  CheckBounds(spec);
}

template <typename T>
ArraySpec MakeNumbersSpec(std::string_view name, const Spec<T>& spec) {
  ArraySpec array{.name = std::string(name),
                  .dtype = DTypeOf<T>(),
                  .shape = spec.shape,
                  .element_size = sizeof(T),
                  .low = {},
                  .high = {},
                  .int_low = {},
                  .int_high = {},
                  .take = nullptr,
                  .inner_shape = {},
                  .categorical = spec.categorical};
  for (T value : spec.low) array.low.push_back(static_cast<double>(value));
  for (T value : spec.high) array.high.push_back(static_cast<double>(value));
  if constexpr (std::is_integral_v<T>) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto exact = [](T value) {
      // An unsigned 64-bit bound above the signed range is no bound for the actions we can read.
      if (std::is_unsigned_v<T> && static_cast<std::uint64_t>(value) > kMax) {
        return std::numeric_limits<std::int64_t>::max();
      }
      return static_cast<std::int64_t>(value);
    };
    for (T value : spec.low) array.int_low.push_back(exact(value));
    for (T value : spec.high) array.int_high.push_back(exact(value));
  }
  CheckArray(array);
  CheckOrder(name, spec);
  return array;
}

template ArraySpec MakeNumbersSpec(std::string_view, const Spec<bool>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<signed char>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned char>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<short>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned short>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<int>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<long>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned long>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<long long>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned long long>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<float>&);
template ArraySpec MakeNumbersSpec(std::string_view, const Spec<double>&);

}  // namespace envpool::detail
