// SPDX-License-Identifier: Apache-2.0
// TranslateErrors: makes exceptions that pybind11 functions throw exceptions of Python.
//
//   PYBIND11_MODULE(_toy, m) {
//     envpool::python::TranslateErrors();
//     m.def("load_map", LoadMap);        // may throw envpool::Error
//   }
//
// Register<E> calls it if the file includes <pybind11/pybind11.h>. Modules call it themselves if
// they register no environment, or register it in a file without pybind11.
#pragma once

#include <pybind11/pybind11.h>

#include "envpool/module.h"

namespace envpool::python {

inline void TranslateErrors() { TranslateThrown<pybind11::builtin_exception>(); }

}  // namespace envpool::python
