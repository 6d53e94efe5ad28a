// SPDX-License-Identifier: Apache-2.0
// A module of environments uses these parts of Python, without the headers of Python and pybind11.
#pragma once

#include <exception>

#include "envpool/binding/env_type.h"

// The declarations that are used of pybind11; some programs include it.
#if defined(__GNUC__)
namespace pybind11 __attribute__((visibility("hidden"))) {
#else
namespace pybind11 {
#endif
  class module_;
  class builtin_exception;
  inline void register_local_exception_translator(void (*&&translator)(std::exception_ptr));
}  // namespace pybind11

namespace envpool::python {

/// Adds an environment type to a module.
void AddEnvType(pybind11::module_& m, const char* attribute, EnvType type);
/// Adds `alias`, another name for an attribute that the module has.
void AddAlias(pybind11::module_& m, const char* alias, const char* attribute);
/// The body of PyInit_<name>; `fill` registers the environments.
::_object* InitModule(const char* name, void (*fill)(pybind11::module_& m));
/// Raises the Python exception of the C++ exception that is being handled.
void RaiseCurrent() noexcept;

/// Makes exceptions that a module's pybind11 functions throw exceptions of Python; the first call
/// does it.
///
/// pybind11 does so by code in the module that was loaded first. If each module has a C++ library
/// of its own inside, as clang's wheels have, that code does not know the other modules'
/// exceptions.
template <typename BuiltinException>
void TranslateThrown() {
  [[maybe_unused]] static const bool done = [] {
    pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const BuiltinException& error) {
        error.set_error();
      } catch (...) {
        RaiseCurrent();
      }
    });
    return true;
  }();
}

}  // namespace envpool::python
