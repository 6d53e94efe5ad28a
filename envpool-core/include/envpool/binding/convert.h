// SPDX-License-Identifier: Apache-2.0
// FromPython<T>: a Python object as a C++ value.
//
//   const auto seed = FromPython<std::int64_t>(item);
//
// Throws py::cast_error when it is of another kind, and what the object itself raises while it is
// converted, Ctrl-C among it, which pybind11's casts keep to themselves.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <type_traits>

namespace envpool::python {

namespace py = pybind11;

template <typename T>
T FromPython(const py::handle& value) {
  const auto checked = [](PyObject* object) {
    if (object == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(object);
  };
  if constexpr (!std::is_same_v<T, std::string>) {
    if (py::isinstance<py::str>(value)) throw py::cast_error();  // Python makes numbers of some
  }
  if constexpr (std::is_same_v<T, bool>) {
    const auto* number = Py_TYPE(value.ptr())->tp_as_number;
    if (number == nullptr || number->nb_bool == nullptr) throw py::cast_error();
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw py::error_already_set();
    return truth != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return checked(PyNumber_Index(value.ptr())).template cast<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return checked(PyNumber_Float(value.ptr())).template cast<T>();
  } else if constexpr (requires(T list) { list.emplace_back(); } &&
                       !std::is_same_v<T, std::string>) {
    T list;
    for (const py::handle item : py::iter(value)) {
      list.push_back(FromPython<typename T::value_type>(item));
    }
    return list;
  } else {
    return value.cast<T>();
  }
}

}  // namespace envpool::python
