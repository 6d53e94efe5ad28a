// SPDX-License-Identifier: Apache-2.0
// Object: a reference to an object of Python that is let go of. Needs Python.h, and no pybind11.
//
//   const Object name = Checked(PyObject_GetAttrString(type, "__name__"));
//
// A Python exception travels through C++ as `Raised`, while Python's error indicator keeps it.
#pragma once

#include <Python.h>

#include <utility>

#include "envpool/binding/options.h"

namespace envpool::python {

/// A reference to an object, or none. The GIL must be held when it is copied or dropped.
class Object {
 public:
  Object() = default;
  static Object Steal(PyObject* object) { return Object(object); }
  static Object Borrow(PyObject* object) {
    Py_XINCREF(object);
    return Object(object);
  }
  Object(const Object& other) : object_(other.object_) { Py_XINCREF(object_); }
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Object(PyObject* object) : object_(object) {}

  PyObject* object_ = nullptr;
};

/// Takes a new reference; throws Raised where there is none.
inline Object Checked(PyObject* object) {
  if (object == nullptr) throw Raised();
  return Object::Steal(object);
}
/// The attribute of an object. Throws Raised where it has none.
inline Object Attribute(PyObject* object, const char* name) {
  return Checked(PyObject_GetAttrString(object, name));
}
/// Throws Raised where a call failed.
inline void Check(int status) {
  if (status < 0) throw Raised();
}

}  // namespace envpool::python
