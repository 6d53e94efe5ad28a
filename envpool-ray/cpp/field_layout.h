// SPDX-License-Identifier: Apache-2.0
// FieldLayout: the places of results in memory, and the objects that a caller gets.
//
// Memory has one field behind the other, each with a row for each environment, as in
// wire/shared_buffers.py:
//
//   | obs of env 0 | obs of env 1 | ... | reward of env 0 | reward of env 1 | ...
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "envpool/binding/result_tree.h"

namespace envpool::ray_family {

namespace py = pybind11;

/// The memory for the results of a message.
struct ResultMemory {
  py::object buffer;  ///< the buffer that workers share; null: responses are copied to `memory`
  py::object memory;  ///< an array of bytes, which keeps the memory alive
  std::byte* data = nullptr;
  int capacity = 0;  ///< rows of each field
  int row = 0;       ///< the first of the message

  bool shared() const { return static_cast<bool>(buffer); }
};

class FieldLayout {
 public:
  /// `fields` are (dtype, shape of a row). `tree` is that of a ResultTree, of which the leaves are
  /// numbers of fields, and True and False for arrays of that.
  FieldLayout(const py::list& fields, const py::handle& tree) : tree_(tree.ptr(), Parse) {
    for (const py::handle field : fields) {
      auto [dtype, item] = field.cast<std::pair<py::dtype, std::vector<py::ssize_t>>>();
      auto bytes = static_cast<std::size_t>(dtype.itemsize());
      for (const py::ssize_t dim : item) bytes *= static_cast<std::size_t>(dim);
      fields_.push_back({std::move(dtype), std::move(item), bytes});
    }
  }

  std::size_t num_fields() const { return fields_.size(); }
  std::size_t row_bytes(std::size_t field) const { return fields_.at(field).row_bytes; }
  std::size_t bytes(int capacity) { return Places(capacity).back(); }

  /// The first row of a message in a field.
  std::byte* Row(std::size_t field, const ResultMemory& slot) {
    return slot.data + Places(slot.capacity).at(field) +
           static_cast<std::size_t>(slot.row) * fields_[field].row_bytes;
  }
  /// Rows of a field from there on, as an array that keeps the memory.
  py::object Array(std::size_t field, const ResultMemory& slot, int rows) {
    const Field& of = fields_[field];
    std::vector<py::ssize_t> shape{rows};
    shape.insert(shape.end(), of.item.begin(), of.item.end());
    return py::array(of.dtype, std::move(shape), {}, Row(field, slot), slot.memory);
  }
  /// The result as the caller sees it.
  py::object Build(const ResultMemory& slot, int rows) {
    try {
      python::Object result = tree_.Build([&](const Leaf& leaf) {
        return python::Object::Steal((leaf.kind == Leaf::Kind::kField
                                          ? Array(leaf.field, slot, rows)
                                          : Mask(leaf.kind == Leaf::Kind::kTrue, rows))
                                         .release()
                                         .ptr());
      });
      return py::reinterpret_steal<py::object>(result.release());
    } catch (const python::Raised&) {
      throw py::error_already_set();
    }
  }

 private:
  struct Field {
    py::dtype dtype;
    std::vector<py::ssize_t> item;
    std::size_t row_bytes;
  };
  struct Leaf {
    enum class Kind { kField, kFalse, kTrue } kind;
    std::size_t field;
  };

  // The byte at which each field begins, and the end.
  const std::vector<std::size_t>& Places(int capacity) {
    std::vector<std::size_t>& places = places_[capacity];
    if (places.empty()) {
      constexpr std::size_t kAlign = 64;  // of wire/shared_buffers.py
      std::size_t end = 0;
      for (const Field& field : fields_) {
        places.push_back(end);
        end += field.row_bytes * static_cast<std::size_t>(capacity);
        end = (end + kAlign - 1) / kAlign * kAlign;
      }
      places.push_back(end);
    }
    return places;
  }

  static Leaf Parse(PyObject* leaf) {
    if (leaf == Py_True) return {Leaf::Kind::kTrue, 0};
    if (leaf == Py_False) return {Leaf::Kind::kFalse, 0};
    return {Leaf::Kind::kField, py::handle(leaf).cast<std::size_t>()};
  }
  static py::object Mask(bool value, int rows) {
    py::array_t<bool> all(rows);
    std::memset(all.mutable_data(), value ? 1 : 0, static_cast<std::size_t>(rows));
    return all;
  }

  std::vector<Field> fields_;
  python::ResultTree<Leaf> tree_;
  std::map<int, std::vector<std::size_t>> places_;  // by capacity
};

}  // namespace envpool::ray_family
