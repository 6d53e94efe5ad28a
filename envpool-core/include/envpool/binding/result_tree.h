// SPDX-License-Identifier: Apache-2.0
// ResultTree: the form of a result in Python. Python gives it once, and each batch is built in it:
//
//   ("obs", "reward")    a tuple
//   {"id": "info:id"}    a new dict
//   [TimeStep, "obs"]    TimeStep(obs)
//   None                 None
//
// Anything else is a leaf, here a name: the owner of the tree knows what it means.
#pragma once

#include <Python.h>

#include <cstddef>
#include <vector>

#include "envpool/binding/object.h"

namespace envpool::python {

/// Whether a call of this class with `count` arguments makes a tuple of them and does nothing else:
/// a named tuple with the `__new__` that Python has generated.
inline bool IsNamedTuple(PyObject* callable, std::size_t count) {
  if (PyType_Check(callable) == 0) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(callable);
  if (PyType_IsSubtype(type, &PyTuple_Type) == 0 || type->tp_init != PyBaseObject_Type.tp_init ||
      Py_TYPE(type) != &PyType_Type || PyObject_HasAttrString(callable, "_fields") == 0) {
    return false;
  }
  const Object make = Attribute(callable, "__new__");
  if (PyFunction_Check(make.get()) == 0) return false;
  PyObject* globals = PyFunction_GetGlobals(make.get());  // borrowed, as is the next
  PyObject* makes = PyDict_GetItemString(globals, "_tuple_new");
  const Object of_tuple = Attribute(reinterpret_cast<PyObject*>(&PyTuple_Type), "__new__");
  const Object fields = Attribute(callable, "_fields");
  return makes == of_tuple.get() && PyTuple_Check(fields.get()) != 0 &&
         PyTuple_GET_SIZE(fields.get()) == static_cast<Py_ssize_t>(count);
}

template <typename Leaf>
class ResultTree {
 public:
  /// `parse(PyObject*)` gives the Leaf of an object, and throws if there is none.
  template <typename ParseLeaf>
  ResultTree(PyObject* tree, const ParseLeaf& parse) : root_(Parse(tree, parse)) {}

  /// `build(const Leaf&)` gives the Object of a leaf. Throws Raised when a call fails.
  template <typename BuildLeaf>
  Object Build(const BuildLeaf& build) const {
    return Build(root_, build);
  }

 private:
  enum class Kind { kNone, kLeaf, kTuple, kDict, kNamedTuple, kCall };
  struct Node {
    Kind kind = Kind::kNone;
    Leaf leaf{};
    Object callable;
    std::vector<Object> keys;
    std::vector<Node> children;
  };

  template <typename ParseLeaf>
  static Node Parse(PyObject* tree, const ParseLeaf& parse) {
    Node node;
    if (tree == Py_None) return node;
    if (PyDict_Check(tree) != 0) {
      node.kind = Kind::kDict;
      PyObject *key = nullptr, *value = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(tree, &at, &key, &value) != 0;) {
        node.keys.push_back(Object::Borrow(key));
        node.children.push_back(Parse(value, parse));
      }
    } else if (PyTuple_Check(tree) != 0) {
      node.kind = Kind::kTuple;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tree); ++i) {
        node.children.push_back(Parse(PyTuple_GET_ITEM(tree, i), parse));
      }
    } else if (PyList_Check(tree) != 0 && PyList_GET_SIZE(tree) > 0) {
      node.kind = Kind::kCall;
      node.callable = Object::Borrow(PyList_GET_ITEM(tree, 0));
      for (Py_ssize_t i = 1; i < PyList_GET_SIZE(tree); ++i) {
        node.children.push_back(Parse(PyList_GET_ITEM(tree, i), parse));
      }
      if (IsNamedTuple(node.callable.get(), node.children.size())) node.kind = Kind::kNamedTuple;
    } else {
      node.kind = Kind::kLeaf;
      node.leaf = parse(tree);
    }
    return node;
  }

  template <typename BuildLeaf>
  static Object Build(const Node& node, const BuildLeaf& build) {
    if (node.kind == Kind::kNone) return Object::Borrow(Py_None);
    if (node.kind == Kind::kLeaf) return build(node.leaf);
    if (node.kind == Kind::kDict) {
      Object dict = Checked(PyDict_New());
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const Object value = Build(node.children[i], build);
        Check(PyDict_SetItem(dict.get(), node.keys[i].get(), value.get()));
      }
      return dict;
    }
    Object tuple = Checked(PyTuple_New(static_cast<Py_ssize_t>(node.children.size())));
    Py_ssize_t i = 0;
    for (const Node& child : node.children) {
      PyTuple_SET_ITEM(tuple.get(), i++, Build(child, build).release());
    }
    if (node.kind == Kind::kTuple) return tuple;
    if (node.kind == Kind::kNamedTuple) {  // as its __new__ does, which is a function of Python
      const Object arguments = Checked(PyTuple_New(1));
      PyTuple_SET_ITEM(arguments.get(), 0, tuple.release());
      auto* type = reinterpret_cast<PyTypeObject*>(node.callable.get());
      return Checked(PyTuple_Type.tp_new(type, arguments.get(), nullptr));
    }
    return Checked(PyObject_Call(node.callable.get(), tuple.get(), nullptr));
  }

  Node root_;
};

}  // namespace envpool::python
