// SPDX-License-Identifier: Apache-2.0
// ActionTable: the actions that environments read, row i being environment i's, and for how many
// players each row is.
//
//   table.Write(key, numbers, rows);       // checks and converts what a caller gave
//   table.columns()[key]                   // where environment i reads, at row i
//
// A value is converted where nothing is lost: any integer or whole float to an integer array, any
// number to a float array. Each array is checked before anything is queued: fractions, NaN, and the
// range of integers. Floats outside their bounds pass: environments clip them or not, as their
// reference does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/engine/columns.h"
#include "envpool/error.h"

namespace envpool {

/// Where each row of an action array goes: row i of `count` belongs to environment env_ids[i], slot
/// slots[i].
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
  /// Players in the last result of an environment that was received, or kNoResult. Who receives
  /// results keeps it, unless there is one player in each.
  std::int32_t& last_players(int env_id) { return last_players_[static_cast<std::size_t>(env_id)]; }
  static constexpr std::int32_t kNoResult = -1;

  /// How many numbers one row of array `key` has.
  std::size_t items(std::size_t key) const { return items_[key]; }
  /// Copies rows.count * items(key) numbers. Throws Error(kAction) naming key, environment, value
  /// and what is allowed; what was written until then is written again before anybody reads it.
  void Write(std::size_t key, const Numbers& numbers, const ActionRows& rows) const;
  /// Throws Error(kAction) about array `key`.
  [[noreturn]] void Refuse(std::size_t key, const std::string& got,
                           const std::string& allowed) const;

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };

  template <typename From>
  void WriteFrom(std::size_t key, const From* from, const ActionRows& rows) const;
  template <typename From, typename To>
  void WriteTo(std::size_t key, const From* from, const ActionRows& rows) const;
  template <typename From, typename To>
  void WriteNumbers(std::size_t key, const From* from, const ActionRows& rows) const;
  template <typename From, typename To>
  void Convert(std::size_t key, const From* from, To* to, std::size_t count, const ActionRows& rows,
               std::size_t begin) const;
  template <typename To>
  To* at(std::size_t key, int env_id) const {
    return reinterpret_cast<To*>(data_[key] +
                                 static_cast<std::size_t>(env_id) * layout_.row_sizes[key]);
  }

  const Columns& layout_;
  const std::string task_id_;
  std::vector<std::byte*> data_;  // by action key
  std::vector<std::unique_ptr<std::byte, AlignedFree>> memory_;
  std::vector<std::size_t> items_;
  std::vector<std::int32_t> players_, last_players_;
};

inline ActionTable::ActionTable(const Columns& columns, int num_envs, std::string task_id)
    : layout_(columns), task_id_(std::move(task_id)) {
  const auto n = static_cast<std::size_t>(num_envs);
  players_.assign(n, 1);
  last_players_.assign(n, layout_.max_players == 1 ? 1 : kNoResult);
  for (std::size_t i = 0; i < layout_.arrays.size(); ++i) {
    const std::size_t size = std::max<std::size_t>(layout_.row_sizes[i] * n, 1);
    memory_.emplace_back(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
    std::memset(memory_.back().get(), 0, size);
    data_.push_back(memory_.back().get());
    items_.push_back(layout_.arrays[i].item_size() / layout_.arrays[i].element_size);
  }
  // The first two arrays say where an action goes, which for a row never changes.
  const auto max_players = static_cast<std::size_t>(layout_.max_players);
  for (std::size_t i = 0; i < n; ++i) {
    *at<int>(0, static_cast<int>(i)) = static_cast<int>(i);
    std::fill_n(at<int>(1, static_cast<int>(i)), max_players, static_cast<int>(i));
  }
}

namespace detail {

/// Converts a value; false when that would lose something.
template <typename From, typename To>
bool ConvertNumber(From value, To& out) {
  if constexpr (std::is_floating_point_v<To>) {
    out = static_cast<To>(value);
    if constexpr (std::is_floating_point_v<From>) return value == value;  // not NaN
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Compared as double before the cast, which would be undefined outside the range.
    constexpr auto low = static_cast<double>(std::numeric_limits<To>::lowest());
    constexpr double beyond = 2.0 * static_cast<double>(std::numeric_limits<To>::max() / 2 + 1);
    const auto wide = static_cast<double>(value);
    if (!(wide >= low && wide < beyond) || std::floor(wide) != wide) return false;
    out = static_cast<To>(value);
    return true;
  } else {
    out = static_cast<To>(value);
    return std::in_range<std::conditional_t<std::is_same_v<To, bool>, std::uint8_t, To>>(value) &&
           (!std::is_same_v<To, bool> || value == 0 || value == 1);
  }
}

/// Of element `i` of an array: its own bound, or the one that all have.
inline std::int64_t BoundAt(const std::vector<std::int64_t>& bounds, std::size_t i) {
  return bounds[bounds.size() == 1 ? 0 : i % bounds.size()];
}
inline bool InBounds(const ArraySpec& spec, std::int64_t value, std::size_t i) {
  if (spec.int_low.empty()) return true;
  return value >= BoundAt(spec.int_low, i) && value <= BoundAt(spec.int_high, i);
}
inline std::string BoundsText(const ArraySpec& spec, std::size_t i) {
  if (spec.int_low.empty()) return "any number but NaN";
  return "whole numbers " + std::to_string(BoundAt(spec.int_low, i)) + " .. " +
         std::to_string(BoundAt(spec.int_high, i));
}

}  // namespace detail

inline void ActionTable::Write(std::size_t key, const Numbers& numbers,
                               const ActionRows& rows) const {
  switch (numbers.type) {
    case Numbers::kInt32:
      return WriteFrom(key, static_cast<const std::int32_t*>(numbers.data), rows);
    case Numbers::kInt64:
      return WriteFrom(key, static_cast<const std::int64_t*>(numbers.data), rows);
    case Numbers::kFloat32:
      return WriteFrom(key, static_cast<const float*>(numbers.data), rows);
    case Numbers::kFloat64:
      return WriteFrom(key, static_cast<const double*>(numbers.data), rows);
  }
}

template <typename From>
void ActionTable::WriteFrom(std::size_t key, const From* from, const ActionRows& rows) const {
  switch (layout_.arrays[key].dtype) {
    case DType::kBool:
      return WriteTo<From, bool>(key, from, rows);
    case DType::kInt8:
      return WriteTo<From, std::int8_t>(key, from, rows);
    case DType::kUint8:
      return WriteTo<From, std::uint8_t>(key, from, rows);
    case DType::kInt16:
      return WriteTo<From, std::int16_t>(key, from, rows);
    case DType::kUint16:
      return WriteTo<From, std::uint16_t>(key, from, rows);
    case DType::kInt32:
      return WriteTo<From, std::int32_t>(key, from, rows);
    case DType::kUint32:
      return WriteTo<From, std::uint32_t>(key, from, rows);
    case DType::kInt64:
      return WriteTo<From, std::int64_t>(key, from, rows);
    case DType::kUint64:
      return WriteTo<From, std::uint64_t>(key, from, rows);
    case DType::kFloat32:
      return WriteTo<From, float>(key, from, rows);
    case DType::kFloat64:
      return WriteTo<From, double>(key, from, rows);
  }
}

template <typename From, typename To>
void ActionTable::WriteTo(std::size_t key, const From* from, const ActionRows& rows) const {
  const std::size_t items = items_[key];
  if (rows.env_ids == nullptr && rows.slots == nullptr && layout_.max_players == 1) {
    return Convert(key, from, at<To>(key, 0), static_cast<std::size_t>(rows.count) * items, rows,
                   0);
  }
  if (items == 1 && rows.slots == nullptr && rows.env_ids != nullptr) {
    return WriteNumbers<From, To>(key, from, rows);
  }
  for (int i = 0; i < rows.count; ++i) {
    const int env_id = rows.env_ids == nullptr ? i : rows.env_ids[i];
    const auto slot = static_cast<std::size_t>(rows.slots == nullptr ? 0 : rows.slots[i]);
    const std::size_t begin = static_cast<std::size_t>(i) * items;
    Convert(key, from + begin, at<To>(key, env_id) + slot * items, items, rows, begin);
  }
}

/// One number for each environment: converted and checked side by side, then dealt out.
template <typename From, typename To>
void ActionTable::WriteNumbers(std::size_t key, const From* from, const ActionRows& rows) const {
  constexpr int kBlock = 256;
  To block[kBlock];
  for (int begin = 0; begin < rows.count; begin += kBlock) {
    const int count = std::min(kBlock, rows.count - begin);
    Convert(key, from + begin, block, static_cast<std::size_t>(count), rows,
            static_cast<std::size_t>(begin));
    for (int i = 0; i < count; ++i) *at<To>(key, rows.env_ids[begin + i]) = block[i];
  }
}

/// `begin`: index of from[0] in the whole array, for the message.
template <typename From, typename To>
void ActionTable::Convert(std::size_t key, const From* from, To* to, std::size_t count,
                          const ActionRows& rows, std::size_t begin) const {
  const ArraySpec& spec = layout_.arrays[key];
  // Bits, not conditions, and bounds as narrow as the numbers: the compiler takes many at a time.
  unsigned bad = 0;
  if constexpr (std::is_integral_v<To>) {
    if (spec.int_low.size() == 1 && spec.int_high.size() == 1) {
      const auto low = static_cast<To>(spec.int_low[0]);
      const auto high = static_cast<To>(spec.int_high[0]);
      for (std::size_t i = 0; i < count; ++i) {
        To value{};
        bad |= static_cast<unsigned>(!detail::ConvertNumber(from[i], value));
        bad |= static_cast<unsigned>(value < low) | static_cast<unsigned>(value > high);
        to[i] = value;
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        bad |=
            static_cast<unsigned>(!(detail::ConvertNumber(from[i], to[i]) &&
                                    detail::InBounds(spec, static_cast<std::int64_t>(to[i]), i)));
      }
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      bad |= static_cast<unsigned>(!detail::ConvertNumber(from[i], to[i]));
    }
  }
  if (bad == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    To converted{};
    if (detail::ConvertNumber(from[i], converted) &&
        detail::InBounds(spec, static_cast<std::int64_t>(converted), i)) {
      continue;
    }
    const std::size_t row = (begin + i) / items_[key];
    const int env_id = rows.env_ids == nullptr ? static_cast<int>(row) : rows.env_ids[row];
    std::ostringstream text;
    text << +from[i] << " for env " << env_id;
    Refuse(key, text.str(), detail::BoundsText(spec, (begin + i) % items_[key]));
  }
}

inline void ActionTable::Refuse(std::size_t key, const std::string& got,
                                const std::string& allowed) const {
  throw Error(ErrorKind::kAction, "action '" + layout_.arrays[key].name + "' of " + task_id_, got,
              allowed, "correct the action; nothing was sent");
}

}  // namespace envpool
