// SPDX-License-Identifier: Apache-2.0
#include "result_layout.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "numpy.h"

namespace envpool::python {

ResultLayout::Node ResultLayout::Parse(PyObject* tree, ResultMemory& memory) {
  Node node;
  if (IsNone(tree)) return node;
  if (PyUnicode_Check(tree) != 0) return ParseName(tree, memory);
  if (PyDict_Check(tree) != 0) {
    node.kind = Kind::kDict;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(tree, &at, &key, &value) != 0;) {
      node.keys.push_back(Object::Borrow(key));
      node.children.push_back(Parse(value, memory));
    }
  } else if (PyTuple_Check(tree) != 0) {
    node.kind = Kind::kTuple;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tree); ++i) {
      node.children.push_back(Parse(PyTuple_GET_ITEM(tree, i), memory));
    }
  } else if (PyList_Check(tree) != 0 && PyList_GET_SIZE(tree) > 0) {
    node.kind = Kind::kCall;
    node.callable = Object::Borrow(PyList_GET_ITEM(tree, 0));
    for (Py_ssize_t i = 1; i < PyList_GET_SIZE(tree); ++i) {
      node.children.push_back(Parse(PyList_GET_ITEM(tree, i), memory));
    }
  } else {
    throw std::invalid_argument("layout: got " + Repr(tree));
  }
  return node;
}

ResultLayout::Node ResultLayout::ParseName(PyObject* name, ResultMemory& memory) {
  Node node;
  const std::string text = TextOf(name);
  if (text == "*") {
    node.kind = Kind::kMask;
    return node;
  }
  const bool is_final = text.starts_with("final ");
  node.kind = is_final ? Kind::kFinalColumn : Kind::kColumn;
  node.column = memory.Find(is_final ? text.substr(6) : text);
  if (node.column == memory.num_columns() || (is_final && !memory.has_final(node.column))) {
    throw std::invalid_argument("layout: there is no array '" + text + "'");
  }
  memory.Show(node.column);
  return node;
}

Object ResultLayout::Build(const Node& node, const Received& received, ResultMemory& memory) {
  switch (node.kind) {
    case Kind::kNone:
      return None();
    case Kind::kColumn:
      return memory.Array(received, node.column, false);
    case Kind::kFinalColumn:
      return memory.Array(received, node.column, true);
    case Kind::kMask: {
      const std::intptr_t rows = received.rows;
      const NumpyArray mask = NumpyArray::Make(NumpyType(DType::kBool), 1, &rows);
      std::memset(mask.data(), 1, static_cast<std::size_t>(rows));
      return mask;
    }
    case Kind::kDict: {
      const Object dict = Checked(PyDict_New());
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const Object value = Build(node.children[i], received, memory);
        Check(PyDict_SetItem(dict.get(), node.keys[i].get(), value.get()));
      }
      return dict;
    }
    case Kind::kTuple:
    case Kind::kCall: {
      const Object tuple = Checked(PyTuple_New(static_cast<Py_ssize_t>(node.children.size())));
      Py_ssize_t i = 0;
      for (const Node& child : node.children) {
        PyTuple_SET_ITEM(tuple.get(), i++, Build(child, received, memory).release());
      }
      if (node.kind == Kind::kTuple) return tuple;
      return Checked(PyObject_Call(node.callable.get(), tuple.get(), nullptr));
    }
  }
  return None();
}

}  // namespace envpool::python
