// SPDX-License-Identifier: Apache-2.0
// Array: a view that learns the type of its elements at run time, for helpers that serve arrays of
// several types. It is a name of the EnvPool documentation; a View<T> is faster, and converts.
//
//   void Darken(const Array& frame) {               // Darken(state["obs"_]);
//     for (std::size_t i = 0; i < frame.Shape(0); ++i) {
//       frame(i, 0) = static_cast<double>(frame(i, 0)) / 2;  // converted, whatever it holds
//     }
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/spec.h"
#include "envpool/view.h"

namespace envpool {

namespace detail {
/// Its address stands for T.
template <typename T>
inline constexpr char kTypeTag = 0;

/// Calls use(T{}) for the type T that `dtype` names.
template <typename Use>
decltype(auto) WithType(DType dtype, const Use& use) {
  switch (dtype) {
    case DType::kBool:
      return use(bool{});
    case DType::kInt8:
      return use(std::int8_t{});
    case DType::kUint8:
      return use(std::uint8_t{});
    case DType::kInt16:
      return use(std::int16_t{});
    case DType::kUint16:
      return use(std::uint16_t{});
    case DType::kInt32:
      return use(std::int32_t{});
    case DType::kUint32:
      return use(std::uint32_t{});
    case DType::kInt64:
      return use(std::int64_t{});
    case DType::kUint64:
      return use(std::uint64_t{});
    case DType::kFloat32:
      return use(float{});
    default:
      return use(double{});
  }
}
}  // namespace detail

/// A number that may be written with () and without: a View has functions of these names, the
/// EnvPool documentation members.
struct Count {
  std::size_t value;
  constexpr operator std::size_t() const { return value; }
  constexpr std::size_t operator()() const { return value; }
};

/// A window on an array of any type, which must outlive it.
class Array {
 public:
  /// Looks at the same elements as the view.
  template <typename T>
  Array(const View<T>& view)
      : Array(reinterpret_cast<std::byte*>(view.data()),
              view.Over(reinterpret_cast<std::byte*>(view.data())), Element::Of<T>()) {}
  /// The array must outlive it.
  template <typename T>
  Array(const TArray<T>& array) : Array(array.view()) {}
  Array(const Array&) = default;

  /// As of a View.
  Array operator[](std::size_t i) const { return Array(base_, index_[i], element_); }
  /// As of a View.
  template <typename... Index>
    requires(sizeof...(Index) > 0)
  Array operator()(Index... index) const {
    return Array(base_, index_(index...), element_);
  }
  /// As of a View.
  Array Slice(std::size_t begin, std::size_t end) const {
    return Array(base_, index_.Slice(begin, end), element_);
  }

  /// The first element, converted to T.
  template <typename T>
    requires std::is_arithmetic_v<T>
  operator T() const {
    return Load<T>(0);
  }
  /// The first element of an array of dynamic arrays; throws std::invalid_argument when they hold
  /// another type.
  template <typename T>
  operator Container<T>&() const {
    if (element_.tag != &detail::kTypeTag<Container<T>>) {
      throw std::invalid_argument("Container<T>& of an array whose elements are of another type");
    }
    return *static_cast<Container<T>*>(data());
  }

  /// Stores a number in the first element, converted to its type.
  template <typename U>
    requires std::is_arithmetic_v<U>
  const Array& operator=(U value) const {
    Store(0, value);
    return *this;
  }
  /// Copies the elements of an array of the same size.
  const Array& operator=(const Array& other) const {
    Assign(other);
    return *this;
  }

  /// Stores every element in order; throws std::invalid_argument when the count differs from size.
  template <typename... U>
    requires(sizeof...(U) > 0 && (std::is_arithmetic_v<U> && ...))
  void Assign(U... values) const {
    CheckCount(sizeof...(U));
    std::size_t i = 0;
    (Store(i++, values), ...);
  }
  /// Copies `count` elements; throws std::invalid_argument when it differs from size.
  template <typename U>
    requires std::is_arithmetic_v<U>
  void Assign(const U* values, std::size_t count) const {
    CheckCount(count);
    for (std::size_t i = 0; i < count; ++i) Store(i, values[i]);
  }
  void Assign(const Array& other) const {
    CheckCount(other.size);
    CheckNumbers();
    other.CheckNumbers();
    if (element_.dtype == other.element_.dtype) {
      std::memmove(data(), other.data(), size * element_size);
      return;
    }
    detail::WithType(other.element_.dtype, [&]<typename U>(U) {
      for (std::size_t i = 0; i < size; ++i) Store(i, other.Load<U>(i));
    });
  }
  /// Stores one number in every element.
  template <typename U>
    requires std::is_arithmetic_v<U>
  void Fill(U value) const {
    for (std::size_t i = 0; i < size; ++i) Store(i, value);
  }
  /// Stores 0 in every element.
  void Zero() const { Fill(0); }

  /// The first element; the others follow without gaps.
  void* data() const {
    return base_ + static_cast<std::size_t>(index_.data() - base_) * element_.size;
  }
  void* Data() const { return data(); }
  /// The size of one dimension, or all of them.
  std::size_t Shape(std::size_t dim) const { return index_.Shape(dim); }
  std::vector<std::size_t> Shape() const { return index_.Shape(); }
  /// The type of the elements; for dynamic arrays, the type of the elements that they hold.
  DType dtype() const { return element_.dtype; }

 private:
  struct Element {
    DType dtype;
    std::size_t size;
    const char* tag;
    bool dynamic;

    template <typename T>
    static constexpr Element Of() {
      if constexpr (ArrayElement<T>) {
        return {detail::DTypeOf<T>(), sizeof(T), &detail::kTypeTag<T>, false};
      } else {
        using Number = std::remove_pointer_t<decltype(T{}->data())>;
        return {detail::DTypeOf<Number>(), sizeof(T), &detail::kTypeTag<T>, true};
      }
    }
  };

  Array(std::byte* base, const View<std::byte>& index, const Element& element)
      : base_(base),
        index_(index),
        element_(element),
        size{index.size()},
        ndim{static_cast<std::size_t>(index.ndim())},
        element_size{element.size} {}

  void CheckCount(std::size_t count) const {
    if (count != size) detail::RefuseCount(count, size);
  }
  void CheckNumbers() const {
    if (element_.dynamic) {
      throw std::invalid_argument(
          "an array of dynamic arrays has no numbers of its own; an element of it is a "
          "Container<T>&");
    }
  }
  // Copied bytes, since `long` and `long long` are one dtype and two types.
  template <typename T>
  T Load(std::size_t i) const {
    CheckNumbers();
    return detail::WithType(element_.dtype, [&]<typename Own>(Own own) {
      std::memcpy(&own, static_cast<const std::byte*>(data()) + i * sizeof(Own), sizeof(Own));
      return static_cast<T>(own);
    });
  }
  template <typename U>
  void Store(std::size_t i, U value) const {
    CheckNumbers();
    detail::WithType(element_.dtype, [&]<typename Own>(Own) {
      const auto own = static_cast<Own>(value);
      std::memcpy(static_cast<std::byte*>(data()) + i * sizeof(Own), &own, sizeof(Own));
    });
  }

  std::byte* base_;  // of the array that this one is a part of
  // Has a byte at `base_` for each element of that array, so that it counts, and checks, as every
  // View does; how far it lies from `base_` is the number of the first element.
  View<std::byte> index_;
  Element element_;

 public:
  const Count size;          ///< number of elements, 1 for a lone number
  const Count ndim;          ///< number of dimensions, 0 for a lone number
  const Count element_size;  ///< bytes of one element
};

}  // namespace envpool
