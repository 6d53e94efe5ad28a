// SPDX-License-Identifier: Apache-2.0
// Actions: from what Python passes to the rows that environments read.
//
// A value is cast where nothing is lost: any integer or whole float to an integer array, any number
// to a float array. Each array is checked before anything is queued: shape, fractions, NaN, and the
// range of integers. Floats outside their bounds pass: environments clip them or not, as their
// reference does.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/pool_base.h"
#include "envpool/binding/arrays.h"

namespace envpool::python {

/// Where each row of an action array goes: row i of `count` belongs to environment env_ids[i], slot
/// slots[i].
struct ActionRows {
  const int* env_ids = nullptr;  ///< null: row i is environment i
  const int* slots = nullptr;    ///< player within the environment; null: 0
  int count = 0;
};

namespace detail {

inline std::string Text(const py::handle& object) {
  std::string text = py::repr(object).cast<std::string>();
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}
inline std::string ShapeText(const std::vector<int>& item, const std::string& rows) {
  std::string text = "(" + rows;
  for (int dim : item) text += ", " + std::to_string(dim);
  return text + (item.empty() ? ",)" : ")");
}

/// Converts a value; false when that would lose something.
template <typename From, typename To>
bool Convert(From value, To& out) {
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

}  // namespace detail

/// Writes the arrays of one call into the action rows of a pool.
class ActionWriter {
 public:
  ActionWriter(PoolBase& pool, std::size_t key)
      : pool_(pool), key_(key), spec_(pool.action_layout().arrays[key]), item_(spec_.item_shape()) {
    for (int dim : item_) items_ *= static_cast<std::size_t>(dim);
  }

  /// Throws Error(kAction) naming key, environment, value and what is allowed.
  void Write(const py::handle& value, const ActionRows& rows) const {
    if (py::isinstance<py::array>(value)) {
      return WriteArray(py::reinterpret_borrow<py::array>(value), value, rows);
    }
    PyObject* array = PyArray(value);
    if (array == nullptr) {
      PyErr_Clear();
      Refuse(detail::Text(value), "numbers of shape " + Shape(rows));
    }
    WriteArray(py::reinterpret_steal<py::array>(array), value, rows);
  }

 private:
  static PyObject* PyArray(const py::handle& value) {
    return py::detail::npy_api::get().PyArray_FromAny_(value.ptr(), nullptr, 0, 0, 0, nullptr);
  }

  void WriteArray(py::array array, const py::handle& value, const ActionRows& rows) const {
    CheckShape(array, rows);
    const py::dtype dtype = array.dtype();
    const int number = dtype.num();
    constexpr int kPlain = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_ALIGNED_;
    const bool ready = (array.flags() & kPlain) == kPlain && dtype.byteorder() == '=';
    if (ready && number == py::dtype::of<std::int64_t>().num()) {
      return Copy<std::int64_t>(array, rows);
    }
    if (ready && number == py::dtype::of<std::int32_t>().num()) {
      return Copy<std::int32_t>(array, rows);
    }
    if (ready && number == py::dtype::of<float>().num()) return Copy<float>(array, rows);
    if (ready && number == py::dtype::of<double>().num()) return Copy<double>(array, rows);
    switch (array.dtype().kind()) {
      case 'u':
        if (array.itemsize() == 8) CheckUnsigned(array);
        [[fallthrough]];
      case 'b':
      case 'i':
        return Copy<std::int64_t>(
            py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array), rows);
      case 'f':
        return Copy<double>(py::array_t<double, py::array::c_style | py::array::forcecast>(array),
                            rows);
      default:
        Refuse(detail::Text(value) + " of dtype " + py::str(array.dtype()).cast<std::string>(),
               "numbers of shape " + Shape(rows));
    }
  }

  void CheckShape(const py::array& array, const ActionRows& rows) const {
    const std::vector<int>& item = item_;
    bool fits =
        array.ndim() == static_cast<py::ssize_t>(item.size()) + 1 && array.shape(0) == rows.count;
    for (std::size_t i = 0; fits && i < item.size(); ++i) {
      fits = array.shape(static_cast<py::ssize_t>(i) + 1) == item[i];
    }
    // A lone number stands for the action of a lone environment.
    if (fits || (array.ndim() == 0 && item.empty() && rows.count == 1)) return;
    std::string shape = "(";
    for (py::ssize_t i = 0; i < array.ndim(); ++i) shape += std::to_string(array.shape(i)) + ", ";
    if (array.ndim() > 1) shape.resize(shape.size() - 2);
    if (array.ndim() == 1) shape.resize(shape.size() - 1);
    Refuse("shape " + shape + ")", "shape " + Shape(rows) +
                                       (spec_.per_player() && pool_.action_layout().max_players > 1
                                            ? ", one row per player"
                                            : ", one row per environment id"));
  }

  void CheckUnsigned(const py::array& array) const {
    const py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast> wide(array);
    for (py::ssize_t i = 0; i < wide.size(); ++i) {
      if (wide.data()[i] > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        Refuse(std::to_string(wide.data()[i]), Range(0));
      }
    }
  }

  template <typename From>
  void Copy(const py::array& array, const ActionRows& rows) const {
    const auto* from = static_cast<const From*>(array.data());
    switch (spec_.dtype) {
      case DType::kBool:
        return CopyTo<From, bool>(from, rows);
      case DType::kInt8:
        return CopyTo<From, std::int8_t>(from, rows);
      case DType::kUint8:
        return CopyTo<From, std::uint8_t>(from, rows);
      case DType::kInt16:
        return CopyTo<From, std::int16_t>(from, rows);
      case DType::kUint16:
        return CopyTo<From, std::uint16_t>(from, rows);
      case DType::kInt32:
        return CopyTo<From, std::int32_t>(from, rows);
      case DType::kUint32:
        return CopyTo<From, std::uint32_t>(from, rows);
      case DType::kInt64:
        return CopyTo<From, std::int64_t>(from, rows);
      case DType::kUint64:
        return CopyTo<From, std::uint64_t>(from, rows);
      case DType::kFloat32:
        return CopyTo<From, float>(from, rows);
      case DType::kFloat64:
        return CopyTo<From, double>(from, rows);
    }
  }

  template <typename From, typename To>
  void CopyTo(const From* from, const ActionRows& rows) const {
    if (rows.env_ids == nullptr && rows.slots == nullptr &&
        pool_.action_layout().max_players == 1) {
      auto* to = reinterpret_cast<To*>(pool_.action_row(key_, 0));
      return CopyItems(from, to, static_cast<std::size_t>(rows.count) * items_, rows, 0);
    }
    if (items_ == 1 && rows.slots == nullptr && rows.env_ids != nullptr) {
      return CopyNumbers<From, To>(from, rows);
    }
    for (int i = 0; i < rows.count; ++i) {
      const int env_id = rows.env_ids == nullptr ? i : rows.env_ids[i];
      const int slot = rows.slots == nullptr ? 0 : rows.slots[i];
      auto* to = reinterpret_cast<To*>(pool_.action_row(key_, env_id)) +
                 static_cast<std::size_t>(slot) * items_;
      const std::size_t begin = static_cast<std::size_t>(i) * items_;
      CopyItems(from + begin, to, items_, rows, begin);
    }
  }

  /// One number for each environment: converted and checked side by side, then dealt out.
  template <typename From, typename To>
  void CopyNumbers(const From* from, const ActionRows& rows) const {
    constexpr int kBlock = 256;
    To block[kBlock];
    const std::size_t row_size = pool_.action_layout().row_sizes[key_];
    std::byte* first = pool_.action_row(key_, 0);
    for (int begin = 0; begin < rows.count; begin += kBlock) {
      const int count = std::min(kBlock, rows.count - begin);
      CopyItems(from + begin, block, static_cast<std::size_t>(count), rows,
                static_cast<std::size_t>(begin));
      const int* env_ids = rows.env_ids + begin;
      for (int i = 0; i < count; ++i) {
        *reinterpret_cast<To*>(first + static_cast<std::size_t>(env_ids[i]) * row_size) = block[i];
      }
    }
  }

  /// `begin`: index of from[0] in the whole array, for the message.
  template <typename From, typename To>
  void CopyItems(const From* from, To* to, std::size_t count, const ActionRows& rows,
                 std::size_t begin) const {
    // Bits, not conditions, and bounds as narrow as the numbers: the compiler takes many at a time.
    unsigned bad = 0;
    if constexpr (std::is_integral_v<To>) {
      if (spec_.int_low.size() == 1 && spec_.int_high.size() == 1) {
        const auto low = static_cast<To>(spec_.int_low[0]);
        const auto high = static_cast<To>(spec_.int_high[0]);
        for (std::size_t i = 0; i < count; ++i) {
          To value{};
          bad |= static_cast<unsigned>(!detail::Convert(from[i], value));
          bad |= static_cast<unsigned>(value < low) | static_cast<unsigned>(value > high);
          to[i] = value;
        }
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          bad |= static_cast<unsigned>(
              !(detail::Convert(from[i], to[i]) && InRange(static_cast<std::int64_t>(to[i]), i)));
        }
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        bad |= static_cast<unsigned>(!detail::Convert(from[i], to[i]));
      }
    }
    if (bad == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      To converted{};
      if (!detail::Convert(from[i], converted) ||
          !InRange(static_cast<std::int64_t>(converted), i)) {
        const std::size_t row = (begin + i) / items_;
        const int env_id = rows.env_ids == nullptr ? static_cast<int>(row) : rows.env_ids[row];
        std::ostringstream text;
        text << +from[i] << " for env " << env_id;
        Refuse(text.str(), Range((begin + i) % items_));
      }
    }
  }

  static std::int64_t At(const std::vector<std::int64_t>& bounds, std::size_t i) {
    return bounds[bounds.size() == 1 ? 0 : i % bounds.size()];
  }
  bool InRange(std::int64_t value, std::size_t i) const {
    if (spec_.int_low.empty()) return true;
    return value >= At(spec_.int_low, i) && value <= At(spec_.int_high, i);
  }
  std::string Range(std::size_t i) const {
    if (spec_.int_low.empty()) return "any number but NaN";
    return "whole numbers " + std::to_string(At(spec_.int_low, i)) + " .. " +
           std::to_string(At(spec_.int_high, i));
  }
  std::string Shape(const ActionRows& rows) const {
    return detail::ShapeText(spec_.item_shape(), std::to_string(rows.count));
  }
  [[noreturn]] void Refuse(const std::string& got, const std::string& allowed) const {
    throw Error(ErrorKind::kAction, "action '" + spec_.name + "' of " + pool_.options().task_id,
                got, allowed, "correct the action; nothing was sent");
  }

  PoolBase& pool_;
  std::size_t key_;
  const ArraySpec& spec_;
  std::vector<int> item_;  // shape of what one row holds, and how many numbers that is
  std::size_t items_ = 1;
};

}  // namespace envpool::python
