// SPDX-License-Identifier: Apache-2.0
// ResultTree: what Python wants a result to be. It is given once, and built anew for each batch:
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
  enum class Kind { kNone, kLeaf, kTuple, kDict, kCall };
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
    return Checked(PyObject_Call(node.callable.get(), tuple.get(), nullptr));
  }

  Node root_;
};

}  // namespace envpool::python
