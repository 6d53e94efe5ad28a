// SPDX-License-Identifier: Apache-2.0
// Views of arrays whose number is known when a pool is made, and not when an environment is
// compiled: ViewMap of a SpecMap, whose arrays have one type and names, ViewList of a SpecList,
// whose arrays have any type and a place.
//
//   state["info"_]["x_position"] = x;
//   std::memcpy(state["obs"_][0].data, from, state["obs"_][0].size);
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/engine/columns.h"
#include "envpool/view.h"

namespace envpool {

/// One environment's part of neighbouring arrays.
class ViewGroup {
 public:
  /// Allocate makes it of `count` columns from `first` on, and the length of the key.
  ViewGroup(const Columns& layout, std::byte* const* columns, std::size_t row, int players,
            std::size_t first, std::size_t count, std::size_t key_size)
      : layout_(&layout),
        columns_(columns),
        row_(row),
        players_(players),
        first_(first),
        count_(count),
        key_size_(key_size) {}

  /// How many arrays there are.
  std::size_t size() const { return count_; }

 protected:
  /// The column of an array. Throws std::out_of_range where there is none.
  std::size_t ColumnOf(std::size_t i) const {
    if (i < count_) return first_ + i;
    throw std::out_of_range("array " + std::to_string(i) + " of " + std::to_string(count_));
  }
  /// The begin of this environment's part of a column.
  std::byte* DataOf(std::size_t column) const {
    return columns_[column] + row_ * layout_->row_sizes[column];
  }

  const Columns* layout_;      ///< the arrays of the whole state or action
  std::byte* const* columns_;  ///< their memory
  std::size_t row_;            ///< this environment's row in them
  int players_;                ///< players in this row
  std::size_t first_;          ///< column of the first array
  std::size_t count_;          ///< how many there are
  std::size_t key_size_;       ///< length of the key, which their names begin with
};

/// The arrays of a SpecMap, as `state["info"_]["x_position"] = x`.
template <typename T>
class ViewMap : public ViewGroup {
 public:
  using dtype = T;
  using ViewGroup::ViewGroup;

  /// The array at a place of the SpecMap. Throws std::out_of_range where there is none.
  template <std::integral Index>
  View<T> operator[](Index i) const {
    const std::size_t column = ColumnOf(static_cast<std::size_t>(i));
    return detail::MakeView<T>(layout_->views[column], DataOf(column), players_,
                               layout_->max_players);
  }
  /// The array of this name, found by comparing them in order. Throws std::out_of_range where there
  /// is none.
  View<T> operator[](std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::string_view whole = layout_->arrays[first_ + i].name;
      const std::string_view inner =
          whole.size() == key_size_ ? std::string_view() : whole.substr(key_size_ + 1);
      if (inner == name) return (*this)[i];
    }
    throw std::out_of_range("no array '" + std::string(name) + "' in this SpecMap");
  }
};

/// The memory of one environment's part of an array.
struct Bytes {
  std::byte* data;   ///< the first element; the others follow without gaps
  std::size_t size;  ///< bytes, of the players that there are
};

/// The arrays of a SpecList, as `std::memcpy(list[0].data, from, list[0].size)`.
class ViewList : public ViewGroup {
 public:
  using ViewGroup::ViewGroup;

  /// The array at a place of the SpecList. Throws std::out_of_range where there is none.
  Bytes operator[](std::size_t i) const {
    const std::size_t column = ColumnOf(i), size = layout_->row_sizes[column];
    const auto rows = static_cast<std::size_t>(layout_->max_players);
    const bool per_player = layout_->arrays[column].per_player();
    return {DataOf(column), per_player ? size / rows * static_cast<std::size_t>(players_) : size};
  }
};

}  // namespace envpool
