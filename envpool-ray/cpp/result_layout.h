// SPDX-License-Identifier: Apache-2.0
// ResultLayout: how results lie in memory, and what the caller sees of them.
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

namespace envpool::ray_family {

namespace py = pybind11;

/// Where the results of a message are.
struct BufferSlot {
  py::object buffer;  ///< of memory in common with workers; null: responses are copied to here
  py::object memory;  ///< an array of bytes, which keeps it
  std::byte* data = nullptr;
  int capacity = 0;  ///< rows of each field
  int row = 0;       ///< the first of the message

  bool shared() const { return static_cast<bool>(buffer); }
};

class ResultLayout {
 public:
  /// `fields` are (dtype, shape of a row); of `tree` the leaves are numbers of fields, True and
  /// False for arrays of that, and None; a list is a class and what it is called with.
  ResultLayout(const py::list& fields, const py::handle& tree) {
    for (const py::handle field : fields) {
      auto [dtype, item] = field.cast<std::pair<py::dtype, std::vector<py::ssize_t>>>();
      auto bytes = static_cast<std::size_t>(dtype.itemsize());
      for (const py::ssize_t dim : item) bytes *= static_cast<std::size_t>(dim);
      fields_.push_back({std::move(dtype), std::move(item), bytes});
    }
    root_ = Parse(tree);
  }

  std::size_t num_fields() const { return fields_.size(); }
  std::size_t row_bytes(std::size_t field) const { return fields_.at(field).row_bytes; }
  std::size_t bytes(int capacity) { return Places(capacity).back(); }

  /// The first row of a message in a field.
  std::byte* Row(std::size_t field, const BufferSlot& slot) {
    return slot.data + Places(slot.capacity).at(field) +
           static_cast<std::size_t>(slot.row) * fields_[field].row_bytes;
  }
  /// Rows of a field from there on, as an array that keeps the memory.
  py::object Array(std::size_t field, const BufferSlot& slot, int rows) {
    const Field& of = fields_[field];
    std::vector<py::ssize_t> shape{rows};
    shape.insert(shape.end(), of.item.begin(), of.item.end());
    return py::array(of.dtype, std::move(shape), {}, Row(field, slot), slot.memory);
  }
  /// What the caller sees.
  py::object Build(const BufferSlot& slot, int rows) { return Build(root_, slot, rows); }

 private:
  struct Field {
    py::dtype dtype;
    std::vector<py::ssize_t> item;
    std::size_t row_bytes;
  };
  enum class Kind { kNone, kField, kFalse, kTrue, kTuple, kDict, kCall };
  struct Node {
    Kind kind = Kind::kNone;
    std::size_t field = 0;
    py::object callable;
    std::vector<py::object> keys;
    std::vector<Node> children;
  };

  // Where fields begin, and the end.
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

  static Node Parse(const py::handle& tree) {
    Node node;
    if (tree.is_none()) return node;
    if (py::isinstance<py::bool_>(tree)) {
      node.kind = tree.cast<bool>() ? Kind::kTrue : Kind::kFalse;
    } else if (py::isinstance<py::dict>(tree)) {
      node.kind = Kind::kDict;
      for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(tree)) {
        node.keys.push_back(py::reinterpret_borrow<py::object>(key));
        node.children.push_back(Parse(value));
      }
    } else if (py::isinstance<py::tuple>(tree)) {
      node.kind = Kind::kTuple;
      for (const py::handle child : tree) node.children.push_back(Parse(child));
    } else if (py::isinstance<py::list>(tree)) {
      node.kind = Kind::kCall;
      for (const py::handle child : tree) {
        if (node.callable) {
          node.children.push_back(Parse(child));
        } else {
          node.callable = py::reinterpret_borrow<py::object>(child);
        }
      }
    } else {
      node.kind = Kind::kField;
      node.field = tree.cast<std::size_t>();
    }
    return node;
  }

  py::object Build(const Node& node, const BufferSlot& slot, int rows) {
    switch (node.kind) {
      case Kind::kNone:
        return py::none();
      case Kind::kField:
        return Array(node.field, slot, rows);
      case Kind::kFalse:
      case Kind::kTrue: {
        py::array_t<bool> all(rows);
        std::memset(all.mutable_data(), node.kind == Kind::kTrue ? 1 : 0,
                    static_cast<std::size_t>(rows));
        return all;
      }
      case Kind::kDict: {
        py::dict dict;
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
          dict[node.keys[i]] = Build(node.children[i], slot, rows);
        }
        return dict;
      }
      default: {
        py::tuple tuple(node.children.size());
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          tuple[i] = Build(node.children[i], slot, rows);
        }
        return node.kind == Kind::kTuple ? py::object(tuple) : node.callable(*tuple);
      }
    }
  }

  std::vector<Field> fields_;
  Node root_;
  std::map<int, std::vector<std::size_t>> places_;  // by capacity
};

}  // namespace envpool::ray_family
