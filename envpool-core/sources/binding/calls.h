// SPDX-License-Identifier: Apache-2.0
// Makes a method in C++ a method in Python: its arguments and its exceptions.
//
//   Method<Pool, [](Pool& pool, PyObject* const* arguments) -> Object { ... },
//          "step", 1, "action", "env_id">()                // the first is needed
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "envpool/dict.h"
#include "python.h"

namespace envpool::python {

/// Sorts the arguments of a vector call by their names, of which the first `needed` have to be
/// there. Those that are left out are null. Raises TypeError.
void SortArguments(const char* function, const char* const* names, std::size_t count,
                   std::size_t needed, PyObject* const* given, Py_ssize_t positional,
                   PyObject* keywords, PyObject** sorted);

// These read arguments; `or_default` stands for one that is left out. They raise TypeError.
bool ToBool(PyObject* object, bool or_default);
int ToInt(PyObject* object);
std::string ToText(PyObject* object);

/// A Python object with a C++ object inside.
template <typename T>
struct Boxed {
  PyObject_HEAD T* inside;
  PyObject* weak_references;
};
template <typename T>
T& Inside(PyObject* self) {
  return *reinterpret_cast<Boxed<T>*>(self)->inside;
}

template <typename T, auto kBody, FixedString kName, std::size_t kNeeded, FixedString... kNames>
struct MethodOf {
  static PyObject* Call(PyObject* self, PyObject* const* given, Py_ssize_t positional,
                        PyObject* keywords) noexcept {
    static constexpr std::array<const char*, sizeof...(kNames) + 1> kAll{kNames.text..., nullptr};
    try {
      std::array<PyObject*, sizeof...(kNames) + 1> sorted{};
      SortArguments(kName.text, kAll.data(), sizeof...(kNames), kNeeded, given, positional,
                    keywords, sorted.data());
      return kBody(Inside<T>(self), sorted.data()).release();
    } catch (...) {
      RaiseCurrent();
      return nullptr;
    }
  }
};

/// `kBody` is called with the object and the arguments, those left out being null; the first
/// `kNeeded` of `kNames` have to be passed.
template <typename T, auto kBody, FixedString kName, std::size_t kNeeded, FixedString... kNames>
PyMethodDef Method() {
  auto* call = &MethodOf<T, kBody, kName, kNeeded, kNames...>::Call;
  return {kName.text, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
          METH_FASTCALL | METH_KEYWORDS, nullptr};
}

/// The method with a docstring, which begins with its signature.
inline PyMethodDef WithText(PyMethodDef method, const char* text) {
  method.ml_doc = text;
  return method;
}

/// The method under another name; its messages have the first one.
inline PyMethodDef Renamed(PyMethodDef method, const char* name) {
  method.ml_name = name;
  return method;
}

template <typename T, auto kBody>
PyObject* ReadProperty(PyObject* self, void*) noexcept {
  try {
    return kBody(Inside<T>(self)).release();
  } catch (...) {
    RaiseCurrent();
    return nullptr;
  }
}

}  // namespace envpool::python
