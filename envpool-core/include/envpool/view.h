// SPDX-License-Identifier: Apache-2.0
// View<T>: a typed window on one array of a batch.  TArray<T>: an array that owns its memory.
//
//   state["obs"_](y, x) = 255;             // one element, converted to T
//   state["obs"_].Assign(x_, v_);          // all elements in order; the count is checked
//   float force = action["action"_][0];    // reads convert as well
//
// A view is a pointer, a rank and a pointer to the sizes; it never allocates. Arrays are row-major
// and contiguous. Every index is checked, in every build: one that leaves its array throws
// std::out_of_range, which the pool reports as a WorkerError. A number that is read or written
// without an index is the first one; that an array without elements has none is not checked.
//
// In a pool with max_num_players=1 an array of shape (kPlayers, n) takes one index as well as two:
// `a[i]` is `a[0][i]`, so that Spec<float>({-1, 4}) and Spec<float>({4}) serve the same code. With
// more sizes the player's index 0 is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/cxx20.h"

namespace envpool {

template <typename T>
struct Spec;

namespace detail {
[[gnu::always_inline]] inline std::size_t Product(const int* dims, int count) {
  std::size_t n = 1;
  for (int i = 0; i < count; ++i) n *= static_cast<std::size_t>(dims[i]);
  return n;
}

// Refusals take values, never the view: a view whose address is known has to lie in memory, and
// with it all views of a state.
[[noreturn, gnu::cold]] void RefuseIndex(std::size_t i, std::size_t first, const int* dims,
                                         int rank, bool only_player);
[[noreturn, gnu::cold]] void RefuseShape(std::size_t dim, int rank);
[[noreturn, gnu::cold]] void RefuseCount(std::size_t count, std::size_t size);
}  // namespace detail

template <typename T>
class View {
 public:
  using dtype = T;

  View() = default;
  /// `dims` are the sizes after the first one and must outlive the view; `first` is the first size,
  /// `stride` the product of the others. `only_player`: the first dimension is for players, and its
  /// size is at most 1.
  View(T* data, std::size_t first, std::size_t stride, const int* dims, int rank,
       bool only_player = false)
      : data_(data),
        first_(first),
        stride_(stride),
        dims_(dims),
        rank_(rank),
        only_player_(only_player) {}
  View(const View&) = default;

  /// The sub-array (or element) at index `i` of the first dimension.
  [[gnu::always_inline]] View operator[](std::size_t i) const {
    if (i < first_) [[likely]] {
      if (rank_ > 1) {
        return View(data_ + i * stride_, static_cast<std::size_t>(dims_[0]),
                    detail::Product(dims_ + 1, rank_ - 2), dims_ + 1, rank_ - 1);
      }
    } else if (!only_player_ || rank_ != 2 || first_ != 1 || i >= stride_) {
      detail::RefuseIndex(i, first_, dims_, rank_, only_player_);
    }
    return View(data_ + i, 1, 1, dims_, 0);
  }

  /// The element or sub-array at several indices at once.
  template <typename First, typename... Rest>
  [[gnu::always_inline]] View operator()(First first, Rest... rest) const {
    const auto i = static_cast<std::size_t>(first);
    if constexpr (sizeof...(Rest) == 0) {
      return (*this)[i];
    } else {
      if (rank_ != static_cast<int>(1 + sizeof...(Rest))) return (*this)[i](rest...);
      // An element: it is found without the sub-arrays that it is in.
      if (i >= first_) detail::RefuseIndex(i, first_, dims_, rank_, false);
      std::size_t at = i;
      const int* dim = dims_;
      ((at = Inner(at, static_cast<std::size_t>(rest), dim++)), ...);
      return View(data_ + at, 1, 1, dims_, 0);
    }
  }

  /// The first element, which is the value of a scalar array.
  operator T&() const { return *data_; }

  /// Stores a number in the first element, converted to T.
  template <typename U>
    requires std::is_arithmetic_v<U>
  const View& operator=(U value) const {
    *data_ = static_cast<T>(value);
    return *this;
  }
  /// Gives the first element a dynamic array, as `std::make_unique<TArray<int>>(...)`.
  const View& operator=(T&& container) const
    requires(!std::is_arithmetic_v<T>)
  {
    *data_ = std::move(container);
    return *this;
  }
  /// Copies the elements of an array of the same size.
  const View& operator=(const View& other) const {
    Assign(other.data_, other.size());
    return *this;
  }
  template <typename U>
  const View& operator=(const View<U>& other) const {
    Assign(other.data(), other.size());
    return *this;
  }
  /// Stores nothing else; does not compile.
  template <typename U>
    requires(!std::is_arithmetic_v<U>)
  const View& operator=(const U&) const {
    static_assert(std::is_void_v<U>,
                  "operator= of an array: takes a number, an array of the same size, or for an "
                  "element that is a Container<T> a std::unique_ptr<TArray<T>>; "
                  "what else lies in memory is copied by Assign(data, count)");
    return *this;
  }

  /// Stores every element in order; throws std::invalid_argument when the count differs from
  /// size().
  template <typename... U>
    requires(sizeof...(U) > 0 && (std::is_arithmetic_v<U> && ...))
  [[gnu::always_inline]] void Assign(U... values) const {
    CheckCount(sizeof...(U));
    T* out = data_;
    ((*out++ = static_cast<T>(values)), ...);
  }
  /// Copies `count` elements; throws std::invalid_argument when it differs from size().
  template <typename U>
    requires std::is_arithmetic_v<U>
  [[gnu::always_inline]] void Assign(const U* values, std::size_t count) const {
    CheckCount(count);
    if constexpr (std::is_same_v<U, T>) {
      std::memmove(data_, values, count * sizeof(T));
    } else {
      std::transform(values, values + count, data_, [](U v) { return static_cast<T>(v); });
    }
  }
  void Assign(const View& other) const { Assign(other.data_, other.size()); }

  /// Stores one number in every element.
  template <typename U>
  void Fill(U value) const {
    std::fill_n(data_, size(), static_cast<T>(value));
  }
  /// Stores 0 in every element.
  void Zero() const { Fill(T{}); }

  /// Rows [begin, end) of the first dimension.
  View Slice(std::size_t begin, std::size_t end) const {
    if (begin > end || end > first_ || rank_ == 0) {
      throw std::out_of_range("Slice(" + std::to_string(begin) + ", " + std::to_string(end) +
                              ") of an array with " + std::to_string(first_) + " rows");
    }
    return View(data_ + begin * stride_, end - begin, stride_, dims_, rank_);
  }

  /// The first element; the others follow without gaps.
  T* data() const { return data_; }
  T* Data() const { return data_; }
  /// Number of elements, 1 for a lone number.
  [[gnu::always_inline]] std::size_t size() const { return first_ * stride_; }
  /// Number of dimensions, 0 for a lone number.
  int ndim() const { return rank_; }
  /// The size of one dimension, or all of them.
  std::size_t Shape(std::size_t dim) const {
    if (dim == 0) return first_;
    if (dim >= static_cast<std::size_t>(rank_)) detail::RefuseShape(dim, rank_);
    return static_cast<std::size_t>(dims_[dim - 1]);
  }
  std::vector<std::size_t> Shape() const {
    std::vector<std::size_t> shape;
    for (int i = 0; i < rank_; ++i) shape.push_back(Shape(static_cast<std::size_t>(i)));
    return shape;
  }
  /// A view of the same shape at `data`.
  template <typename U>
  View<U> Over(U* data) const {
    return View<U>(data, first_, stride_, dims_, rank_, only_player_);
  }
  /// For loops over all elements.
  T* begin() const { return data_; }
  /// For loops over all elements.
  T* end() const { return data_ + size(); }

 private:
  /// The position of index `i` of the dimension of size `*dim`, in row number `row`.
  [[gnu::always_inline]] std::size_t Inner(std::size_t row, std::size_t i, const int* dim) const {
    const auto size = static_cast<std::size_t>(*dim);
    if (i >= size) {
      detail::RefuseIndex(i, size, dim + 1, rank_ - 1 - static_cast<int>(dim - dims_), false);
    }
    return row * size + i;
  }
  [[gnu::always_inline]] void CheckCount(std::size_t count) const {
    if (count != size()) detail::RefuseCount(count, size());
  }

  T* data_ = nullptr;
  std::size_t first_ = 1;
  std::size_t stride_ = 1;  // elements in each of the `first_` rows
  const int* dims_ = nullptr;
  int rank_ = 0;
  bool only_player_ = false;
};

/// An array with memory and shape of its own, as a dynamic `Container` holds it. Its elements start
/// as 0.
template <typename T>
class TArray {
 public:
  using dtype = T;

  /// An array of a spec's shape, or of the given shape.
  explicit TArray(const Spec<T>& spec);
  explicit TArray(std::vector<int> shape) : shape_(std::move(shape)), size_(1) {
    for (int dim : shape_) {
      if (dim < 0) throw std::invalid_argument("TArray needs a shape without negative sizes");
      size_ *= static_cast<std::size_t>(dim);
    }
    data_ = std::make_unique<T[]>(size_);
  }

  /// A view of the whole array, which must outlive it.
  View<T> view() const {
    const bool scalar = shape_.empty();
    const int* dims = shape_.data() + (scalar ? 0 : 1);
    const int rank = static_cast<int>(shape_.size());
    return View<T>(data_.get(), scalar ? 1 : static_cast<std::size_t>(shape_[0]),
                   detail::Product(dims, rank - 1), dims, rank);
  }
  /// As of a View.
  View<T> operator[](std::size_t i) const { return view()[i]; }
  /// As of a View.
  template <typename... Index>
  View<T> operator()(Index... index) const {
    return view()(index...);
  }
  /// As of a View.
  template <typename... U>
  void Assign(const U&... values) const {
    view().Assign(values...);
  }
  /// As of a View.
  template <typename U>
  void Fill(U value) const {
    view().Fill(value);
  }
  /// As of a View.
  void Zero() const { view().Zero(); }

  /// The sizes of all dimensions, or of one.
  const std::vector<int>& Shape() const { return shape_; }
  std::size_t Shape(std::size_t dim) const { return static_cast<std::size_t>(shape_.at(dim)); }
  /// Number of elements.
  std::size_t size() const { return size_; }
  /// The first element; the others follow without gaps.
  T* data() const { return data_.get(); }
  T* Data() const { return data_.get(); }

 private:
  std::vector<int> shape_;
  std::size_t size_;
  std::unique_ptr<T[]> data_;
};

/// One element of a dynamic array: `Spec<Container<int>>({-1})` becomes a NumPy array of objects.
template <typename T>
using Container = std::unique_ptr<TArray<T>>;

}  // namespace envpool
