// SPDX-License-Identifier: Apache-2.0
// Spec<T>: dtype, shape and bounds of one array that an environment reads or writes.
//
//   "obs"_ = Box<float>({4}, {-4.8f, -kInf, -0.42f, -kInf}, {4.8f, kInf, 0.42f, kInf})
//   "obs"_ = Box<std::uint8_t>({3, 84, 84}, 0, 255)
//   "action"_ = Discrete(2)                // one choice: Gymnasium's Discrete
//   "action"_ = MultiDiscrete({3, 4})       // two choices at once: its MultiDiscrete
//   "obs:keys"_ = MultiBinary(5)            // five flags: its MultiBinary
//   "obs:players.view"_ = Spec<float>({kPlayers, 7})      // one row per player, unbounded
//   "info:list"_ = Spec<Container<int>>({kPlayers}, Spec<int>({-1, 3}))      // dynamic arrays
//   "info"_ = SpecMap<double>{{"x", Spec<double>({})}}    // "info:x", and others that options name
//
// Unbounded means -inf, +inf for floating types and the full range for integers.
//
// Several players: an array whose first size is kPlayers has a row for each of the n players that
// Allocate(n) asks for; reward and discount are such arrays. A Step's action has the rows of the
// last result, in its order, unless Python names others with players.env_id: Shape(0) says how many
// there are. Allocate is asked again each time, so a player that leaves has its last row, with its
// last reward, in the result of that Step, and no row in the next. The pool knows environments, not
// players: done, terminated and truncated, and a Reset, are for all of them together. An
// environment marks a player's last row for dm_env by discount 0, and for Gymnasium by an array of
// its own, as "info:players.done". At a terminal state the pool makes each discount that is still 1
// a 0.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/view.h"

namespace envpool {

/// First size of an array that has one row per player.
inline constexpr int kPlayers = -1;

/// The types that arrays hold: bool, integers, float and double.
template <typename T>
concept ArrayElement =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

namespace detail {
template <typename...>
inline constexpr bool kNever = false;

template <typename T>
constexpr T LowestBound() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}
template <typename T>
constexpr T HighestBound() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}
// A tuple of two vectors would be made of two numbers as well, some compilers say: their sizes.
template <typename T>
struct Ranges {
  std::vector<T> low, high;
};
}  // namespace detail

/// One array of numbers of type `T`: `bool`, an integer type, `float` or `double`.
template <typename T>
struct Spec {
  using dtype = T;

  std::vector<int> shape;                          ///< sizes; `kPlayers` first: a row per player
  std::vector<T> low{detail::LowestBound<T>()};    ///< one value, or one per element
  std::vector<T> high{detail::HighestBound<T>()};  ///< one value, or one per element
  bool categorical = false;  ///< whole numbers that name choices, and are no quantities

  /// An array without bounds.
  explicit Spec(std::vector<int> shape) : shape(std::move(shape)) {}
  /// One range for all elements: `Spec<int>({-1}, {0, 5})`.
  Spec(std::vector<int> shape, std::tuple<T, T> range)
      : shape(std::move(shape)), low{std::get<0>(range)}, high{std::get<1>(range)} {}
  /// A range for each element: `Spec<float>({2}, {{0, -1}, {4, 1}})`.
  Spec(std::vector<int> shape, detail::Ranges<T> ranges)
      : shape(std::move(shape)), low(std::move(ranges.low)), high(std::move(ranges.high)) {}
  /// The same, as a tuple that has been made before.
  template <std::same_as<std::tuple<std::vector<T>, std::vector<T>>> Tuple>
  Spec(std::vector<int> shape, const Tuple& ranges)
      : Spec(std::move(shape), detail::Ranges<T>{std::get<0>(ranges), std::get<1>(ranges)}) {}
};

/// A dynamic array: every element is an array with its own shape; `inner` describes an element.
template <typename T>
struct Spec<Container<T>> {
  using dtype = Container<T>;

  std::vector<int> shape;             ///< sizes; `kPlayers` first: a row per player
  Spec<T> inner{std::vector<int>{}};  ///< the spec of one element, if it is known

  /// Elements of any shape, or of the shape that `inner` has.
  explicit Spec(std::vector<int> shape) : shape(std::move(shape)) {}
  Spec(std::vector<int> shape, Spec<T> inner) : shape(std::move(shape)), inner(std::move(inner)) {}
};

/// Arrays of one type whose names depend on the options: the key and each name, joined by a colon,
/// are the names of the arrays; an empty name stands for the key alone. Written through a ViewMap.
template <typename T>
struct SpecMap {
  std::vector<std::pair<std::string, Spec<T>>> arrays;  ///< in order, by name

  /// None yet.
  SpecMap() = default;
  /// Pairs of a name and a spec.
  SpecMap(std::initializer_list<std::pair<std::string, Spec<T>>> arrays) : arrays(arrays) {}
  /// One array more.
  void Add(std::string name, Spec<T> spec) {
    arrays.emplace_back(std::move(name), std::move(spec));
  }
};

/// The spelling of the EnvPool documentation for a spec without a type's bounds.
using ShapeSpec = std::vector<int>;

/// One bound for a whole array, or one per element.
template <typename T>
struct Bound {
  static_assert(ArrayElement<T>, "Box<T>: arrays hold bool, integers, float or double");

  std::vector<T> values;  ///< one, or one per element
  /// From a number of any type, or from a list.
  template <typename U>
    requires std::is_convertible_v<U, T>
  Bound(U value) : values{static_cast<T>(value)} {}
  Bound(std::initializer_list<T> list) : values(list) {}
  Bound(std::vector<T> list) : values(std::move(list)) {}
  /// From anything else; does not compile.
  template <typename U>
    requires(!std::is_convertible_v<U, T>)
  Bound(const U&) {
    static_assert(detail::kNever<U>,
                  "Box: a bound is a number, or a list or std::vector of the array's own type");
  }
};

/// An array of numbers in `low .. high`; a bound is a number, or a list with one per element.
template <typename T>
Spec<T> Box(std::vector<int> shape, Bound<T> low = detail::LowestBound<T>(),
            Bound<T> high = detail::HighestBound<T>()) {
  return {std::move(shape), std::tuple(std::move(low.values), std::move(high.values))};
}
/// Whole numbers 0 .. n-1.
inline Spec<int> Discrete(int n) { return {{kPlayers}, std::tuple(0, n - 1)}; }
/// Several choices at once: number i is one of 0 .. counts[i]-1. A Box of such numbers has the same
/// bounds, but learners take it for continuous.
inline Spec<int> MultiDiscrete(std::vector<int> counts) {
  for (int& count : counts) --count;
  const int size = static_cast<int>(counts.size());
  Spec<int> spec({kPlayers, size}, std::tuple(std::vector<int>{0}, std::move(counts)));
  spec.categorical = true;
  return spec;
}
/// `n` flags, each true or false.
inline Spec<bool> MultiBinary(int n) { return Spec<bool>({kPlayers, n}); }

/// The type of an array's elements, as NumPy names them.
enum class DType : std::uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64
};

namespace detail {
template <ArrayElement T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) {
    return DType::kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? DType::kFloat32 : DType::kFloat64;
  } else {
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<DType>(1 + 2 * log2 + (std::is_unsigned_v<T> ? 1 : 0));
  }
}
}  // namespace detail

/// The memory of one dynamic element, handed over: `free(owner)` releases it.
struct DynamicArray {
  void* owner = nullptr;                ///< null: the element was not set
  void (*free)(void* owner) = nullptr;  ///< releases `owner`
  void* data = nullptr;                 ///< elements, row-major
  std::vector<int> shape;               ///< their sizes
};

/// A Spec without its type, as the engine and Python see it.
struct ArraySpec {
  std::string name;               ///< the key, as "info:env_id"
  DType dtype;                    ///< the dtype of the elements
  std::vector<int> shape;         ///< sizes for one environment; -1 first: one row per player
  std::size_t element_size;       ///< bytes of one element
  std::vector<double> low, high;  ///< one value or one per element; 64-bit integers are rounded
  std::vector<std::int64_t> int_low, int_high;  ///< exact bounds of integer types, else empty
  /// Takes the array out of a Container; null for arrays of fixed shape.
  DynamicArray (*take)(void* container) = nullptr;
  std::vector<int> inner_shape;  ///< shape that a dynamic element has, where the author said
  bool categorical = false;      ///< whole numbers that name choices: MultiDiscrete

  /// Whether it has a row per player.
  bool per_player() const { return !shape.empty() && shape[0] == kPlayers; }
  /// Whether its elements are arrays of their own.
  bool dynamic() const { return take != nullptr; }
  /// Sizes of one environment's part (or one player's, if per_player()).
  std::vector<int> item_shape() const {
    return {shape.begin() + (per_player() ? 1 : 0), shape.end()};
  }
  /// Bytes of one environment's part (or one player's, if per_player()); the largest number there
  /// is when they cannot be counted.
  std::size_t item_size() const {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    std::size_t n = element_size;
    for (int dim : item_shape()) {
      if (dim != 0 && n > kMost / static_cast<std::size_t>(dim)) return kMost;
      n *= static_cast<std::size_t>(dim);
    }
    return n;
  }
};

/// Arrays of any types whose names depend on the options: each has its whole name, and the key of
/// the list is no part of it. Read and written as bytes, through a ViewList.
struct SpecList {
  std::vector<ArraySpec> arrays;  ///< in order
};

/// Forgets the type of a spec; throws std::invalid_argument on an impossible shape or bounds.
template <typename T>
ArraySpec MakeArraySpec(std::string_view name, const Spec<T>& spec);
template <typename T>
ArraySpec MakeArraySpec(std::string_view name, const Spec<Container<T>>& spec);

namespace detail {

/// Throws std::invalid_argument on an impossible shape, or on bounds that do not fit it.
void CheckArray(const ArraySpec& spec);

template <typename T>
ArraySpec MakeNumbersSpec(std::string_view name, const Spec<T>& spec);
// The engine has one for every type that arrays hold.
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<bool>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<signed char>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned char>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<short>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned short>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<int>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<long>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned long>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<long long>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<unsigned long long>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<float>&);
extern template ArraySpec MakeNumbersSpec(std::string_view, const Spec<double>&);

template <typename T>
DynamicArray TakeContainer(void* slot) {
  auto* container = static_cast<Container<T>*>(slot);
  TArray<T>* array = container->release();
  if (array == nullptr) return {};
  return {array, [](void* owner) { delete static_cast<TArray<T>*>(owner); }, array->data(),
          array->Shape()};
}

}  // namespace detail

template <typename T>
ArraySpec MakeArraySpec(std::string_view name, const Spec<T>& spec) {
  return detail::MakeNumbersSpec(name, spec);
}

template <typename T>
ArraySpec MakeArraySpec(std::string_view name, const Spec<Container<T>>& spec) {
  ArraySpec array = MakeArraySpec(name, Spec<T>(spec.shape));
  array.element_size = sizeof(Container<T>);
  array.take = detail::TakeContainer<T>;
  array.inner_shape = spec.inner.shape;
  return array;
}

template <typename T>
TArray<T>::TArray(const Spec<T>& spec) : TArray(spec.shape) {}

}  // namespace envpool
