// SPDX-License-Identifier: Apache-2.0
// ActionTable: the actions that environments read, and the number of players in each row. Row i is
// environment i's.
//
//   table.Write(key, numbers, rows);       // checks and converts what a caller gave
//   table.columns()[key]                   // where environment i reads, at row i
//
// A value is converted where nothing is lost: any integer or whole float to an integer array, any
// number to a float array. Each array is checked before anything is queued: fractions, NaN, and the
// range of integers. Floats outside their bounds pass: environments clip them or not, as their
// reference does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "envpool/engine/columns.h"

namespace envpool {

/// The owner of each row of an action array: row i of `count` belongs to environment env_ids[i],
/// slot slots[i].
struct ActionRows {
  const int* env_ids = nullptr;  ///< null: row i is environment i
  const int* slots = nullptr;    ///< player within the environment; null: 0
  int count = 0;
};

/// The numbers of an action array, contiguous and in the machine's byte order.
struct Numbers {
  enum Type : std::uint8_t { kInt32, kInt64, kFloat32, kFloat64 } type;
  const void* data;
};

class ActionTable {
 public:
  ActionTable(const Columns& columns, int num_envs, std::string task_id);
  ActionTable(const ActionTable&) = delete;
  ActionTable& operator=(const ActionTable&) = delete;

  const Columns& layout() const { return layout_; }
  std::byte* const* columns() const { return data_.data(); }
  /// Players that an environment's action has rows for.
  std::int32_t& players(int env_id) { return players_[static_cast<std::size_t>(env_id)]; }

  /// How many numbers one row of array `key` has.
  std::size_t items(std::size_t key) const { return items_[key]; }
  /// Copies rows.count * items(key) numbers. Throws Error(kAction) naming key, environment, value
  /// and what is allowed; rows that were written before the error are written again before an
  /// environment reads them.
  void Write(std::size_t key, const Numbers& numbers, const ActionRows& rows) const;
  /// The values that element `i` of a row of array `key` may have, for messages.
  std::string BoundsText(std::size_t key, std::size_t i) const;
  /// Throws Error(kAction) about array `key`.
  [[noreturn]] void Refuse(std::size_t key, const std::string& got,
                           const std::string& allowed) const;

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };

  // Looks for the number that cannot be had, and throws Error(kAction). `begin` is the place of
  // from[0] in the whole array.
  [[noreturn]] void RefuseNumber(std::size_t key, const Numbers& numbers, std::size_t begin,
                                 const ActionRows& rows) const;
  std::byte* at(std::size_t key, int env_id) const {
    return data_[key] + static_cast<std::size_t>(env_id) * layout_.row_sizes[key];
  }

  const Columns& layout_;
  const std::string task_id_;
  std::vector<std::byte*> data_;  // by action key
  std::vector<std::unique_ptr<std::byte, AlignedFree>> memory_;
  std::vector<std::size_t> items_;
  std::vector<std::int32_t> players_;
};

}  // namespace envpool
