// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/action_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "envpool/error.h"

namespace envpool {

ActionTable::ActionTable(const Columns& columns, int num_envs, std::string task_id)
    : layout_(columns), task_id_(std::move(task_id)) {
  const auto n = static_cast<std::size_t>(num_envs);
  players_.assign(n, 1);
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
    const int env_id = static_cast<int>(i);
    *reinterpret_cast<int*>(at(0, env_id)) = env_id;
    std::fill_n(reinterpret_cast<int*>(at(1, env_id)), max_players, env_id);
  }
}

namespace {

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

/// The bound of element `i` of an array: its own, or the one that all elements share.
std::int64_t BoundAt(const std::vector<std::int64_t>& bounds, std::size_t i) {
  return bounds[bounds.size() == 1 ? 0 : i % bounds.size()];
}
bool InBounds(const ArraySpec& spec, std::int64_t value, std::size_t i) {
  if (spec.int_low.empty()) return true;
  return value >= BoundAt(spec.int_low, i) && value <= BoundAt(spec.int_high, i);
}

/// Copies `count` numbers, the first of which is element `first` of its row; false when one of them
/// cannot be converted, or is out of bounds.
using Convert = bool(const void* from, void* to, std::size_t count, const ArraySpec& spec,
                     std::size_t first);

template <typename From, typename To>
bool ConvertAll(const void* numbers, void* converted, std::size_t count, const ArraySpec& spec,
                std::size_t first) {
  const auto* from = static_cast<const From*>(numbers);
  auto* to = static_cast<To*>(converted);
  // Bits, not conditions, and bounds as narrow as the numbers: the compiler takes many at a time.
  unsigned bad = 0;
  if constexpr (std::is_integral_v<To>) {
    if (spec.int_low.size() == 1 && spec.int_high.size() == 1) {
      const auto low = static_cast<To>(spec.int_low[0]);
      const auto high = static_cast<To>(spec.int_high[0]);
      for (std::size_t i = 0; i < count; ++i) {
        To value{};
        bad |= static_cast<unsigned>(!ConvertNumber(from[i], value));
        bad |= static_cast<unsigned>(value < low) | static_cast<unsigned>(value > high);
        to[i] = value;
      }
      return bad == 0;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    bad |= static_cast<unsigned>(!ConvertNumber(from[i], to[i]));
    if constexpr (std::is_integral_v<To>) {
      bad |= static_cast<unsigned>(!InBounds(spec, static_cast<std::int64_t>(to[i]), first + i));
    }
  }
  return bad == 0;
}

template <typename From>
Convert* ConvertTo(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return ConvertAll<From, bool>;
    case DType::kInt8:
      return ConvertAll<From, std::int8_t>;
    case DType::kUint8:
      return ConvertAll<From, std::uint8_t>;
    case DType::kInt16:
      return ConvertAll<From, std::int16_t>;
    case DType::kUint16:
      return ConvertAll<From, std::uint16_t>;
    case DType::kInt32:
      return ConvertAll<From, std::int32_t>;
    case DType::kUint32:
      return ConvertAll<From, std::uint32_t>;
    case DType::kInt64:
      return ConvertAll<From, std::int64_t>;
    case DType::kUint64:
      return ConvertAll<From, std::uint64_t>;
    case DType::kFloat32:
      return ConvertAll<From, float>;
    case DType::kFloat64:
      return ConvertAll<From, double>;
  }
  throw std::logic_error("unknown dtype");
}

Convert* ConvertFor(Numbers::Type from, DType to) {
  switch (from) {
    case Numbers::kInt32:
      return ConvertTo<std::int32_t>(to);
    case Numbers::kInt64:
      return ConvertTo<std::int64_t>(to);
    case Numbers::kFloat32:
      return ConvertTo<float>(to);
    case Numbers::kFloat64:
      return ConvertTo<double>(to);
  }
  throw std::logic_error("unknown numbers");
}

std::size_t SizeOf(Numbers::Type type) {
  return type == Numbers::kInt32 || type == Numbers::kFloat32 ? 4 : 8;
}

const std::byte* At(const Numbers& numbers, std::size_t i) {
  return static_cast<const std::byte*>(numbers.data) + i * SizeOf(numbers.type);
}

/// Numbers of `kSize` bytes, one for each environment.
template <std::size_t kSize>
void Scatter(const std::byte* from, const int* env_ids, int count, std::byte* to,
             std::size_t row_size) {
  for (int i = 0; i < count; ++i, from += kSize) {
    std::memcpy(to + static_cast<std::size_t>(env_ids[i]) * row_size, from, kSize);
  }
}

}  // namespace

std::string ActionTable::BoundsText(std::size_t key, std::size_t i) const {
  const ArraySpec& spec = layout_.arrays[key];
  if (spec.int_low.empty()) return "any number but NaN";
  return "whole numbers " + std::to_string(BoundAt(spec.int_low, i)) + " .. " +
         std::to_string(BoundAt(spec.int_high, i));
}

void ActionTable::Write(std::size_t key, const Numbers& numbers, const ActionRows& rows) const {
  const ArraySpec& spec = layout_.arrays[key];
  const std::size_t items = items_[key];
  Convert& convert = *ConvertFor(numbers.type, spec.dtype);
  if (rows.env_ids == nullptr && rows.slots == nullptr && layout_.max_players == 1) {
    const std::size_t count = static_cast<std::size_t>(rows.count) * items;
    if (!convert(numbers.data, at(key, 0), count, spec, 0)) RefuseNumber(key, numbers, 0, rows);
    return;
  }
  const auto write = [&](std::size_t begin, std::size_t count, void* to) {
    if (convert(At(numbers, begin), to, count, spec, 0)) return;
    RefuseNumber(key, {numbers.type, At(numbers, begin)}, begin, rows);
  };
  if (items == 1 && rows.slots == nullptr && rows.env_ids != nullptr) {
    // One number for each environment: converted and checked side by side, then dealt out.
    constexpr int kBlock = 256;
    alignas(8) std::byte block[kBlock * 8];
    for (int begin = 0; begin < rows.count; begin += kBlock) {
      const int count = std::min(kBlock, rows.count - begin);
      write(static_cast<std::size_t>(begin), static_cast<std::size_t>(count), block);
      const auto scatter = spec.element_size == 1   ? Scatter<1>
                           : spec.element_size == 2 ? Scatter<2>
                           : spec.element_size == 4 ? Scatter<4>
                                                    : Scatter<8>;
      scatter(block, rows.env_ids + begin, count, at(key, 0), layout_.row_sizes[key]);
    }
    return;
  }
  for (int i = 0; i < rows.count; ++i) {
    const int env_id = rows.env_ids == nullptr ? i : rows.env_ids[i];
    const auto slot = static_cast<std::size_t>(rows.slots == nullptr ? 0 : rows.slots[i]);
    write(static_cast<std::size_t>(i) * items, items,
          at(key, env_id) + slot * items * spec.element_size);
  }
}

void ActionTable::RefuseNumber(std::size_t key, const Numbers& numbers, std::size_t begin,
                               const ActionRows& rows) const {
  const ArraySpec& spec = layout_.arrays[key];
  Convert& convert = *ConvertFor(numbers.type, spec.dtype);
  alignas(8) std::byte converted[8];
  std::size_t i = 0;
  while (convert(At(numbers, i), converted, 1, spec, i)) ++i;
  std::ostringstream text;
  const std::byte* const wrong = At(numbers, i);
  const auto print = [&]<typename T>(T number) {
    std::memcpy(&number, wrong, sizeof(number));
    text << number;
  };
  switch (numbers.type) {
    case Numbers::kInt32:
      print(std::int32_t{});
      break;
    case Numbers::kInt64:
      print(std::int64_t{});
      break;
    case Numbers::kFloat32:
      print(float{});
      break;
    case Numbers::kFloat64:
      print(double{});
      break;
  }
  const std::size_t row = (begin + i) / items_[key];
  text << " for env " << (rows.env_ids == nullptr ? static_cast<int>(row) : rows.env_ids[row]);
  Refuse(key, text.str(), BoundsText(key, (begin + i) % items_[key]));
}

void ActionTable::Refuse(std::size_t key, const std::string& got,
                         const std::string& allowed) const {
  throw Error(ErrorKind::kAction, "action '" + layout_.arrays[key].name + "' of " + task_id_, got,
              allowed, "correct the action; nothing was sent");
}

}  // namespace envpool
