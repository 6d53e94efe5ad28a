// SPDX-License-Identifier: Apache-2.0
// TranslateErrors: what the pybind11 functions of a module throw becomes exceptions of Python.
//
//   PYBIND11_MODULE(_toy, m) {
//     envpool::python::TranslateErrors();
//     m.def("load_map", LoadMap);        // may throw envpool::Error
//   }
//
// Register<E> sees to it where <pybind11/pybind11.h> is included, too. This is for modules that
// register none, or do so in other sources than those that include pybind11.
#pragma once

#include <pybind11/pybind11.h>

#include "envpool/module.h"

namespace envpool::python {

inline void TranslateErrors() { TranslateThrown<pybind11::builtin_exception>(); }

}  // namespace envpool::python
