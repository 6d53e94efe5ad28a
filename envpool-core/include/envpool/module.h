// SPDX-License-Identifier: Apache-2.0
// Register<E>: makes an environment type known to Python.
//
//   PYBIND11_MODULE(_classic, m) { envpool::Register<classic::CartPole>(m, "CartPole"); }
//
// The module then has an attribute `CartPole`, which a Task names as
// "envpool_classic._classic:CartPole".
//
// A module that does more with `m` includes <pybind11/pybind11.h>. Without it PYBIND11_MODULE is
// one of our own, which does the same for a module of environments: pybind11's headers take longer
// to compile than an environment.
#pragma once

#include <exception>
#include <string>

#include "envpool/author_errors.h"
#include "envpool/binding/env_type.h"
#include "envpool/env.h"
#include "envpool/error.h"

// What is used of pybind11, where it is included.
#if defined(__GNUC__)
namespace pybind11 __attribute__((visibility("hidden"))) {
#else
namespace pybind11 {
#endif
  class module_;
  class builtin_exception;
  inline void register_local_exception_translator(void (*&&translator)(std::exception_ptr));
}  // namespace pybind11

namespace envpool {
namespace python {

/// Adds an environment type to a module.
void AddEnvType(pybind11::module_& m, const char* attribute, EnvType type);
/// Adds `alias`, another name for an attribute that the module has.
void AddAlias(pybind11::module_& m, const char* alias, const char* attribute);
/// What PyInit_<name> does; `fill` registers the environments.
::_object* InitModule(const char* name, void (*fill)(pybind11::module_& m));
/// Raises the exception of Python for what is being handled.
void RaiseCurrent() noexcept;

/// Has what the pybind11 functions of a module throw become exceptions of Python, once.
///
/// pybind11 does so by code in the module that was loaded first. Where each module has a C++
/// library of its own inside, as clang's wheels have, that code does not know what the others
/// throw.
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

}  // namespace python

/// Adds the environment type to the module as attribute `attribute`. `name` is what messages call
/// it, by default the same.
template <typename E, typename Module = pybind11::module_,
          typename BuiltinException = pybind11::builtin_exception>
void Register(Module& m, const char* attribute, const std::string& name = "") {
  if constexpr (detail::CheckEnvironment<E>()) {
    if constexpr (requires { sizeof(Module); }) python::TranslateThrown<BuiltinException>();
    python::AddEnvType(m, attribute, python::MakeEnvType<E>(name.empty() ? attribute : name));
  }
}

}  // namespace envpool

#ifndef PYBIND11_MODULE
#if defined(_WIN32)
#define ENVPOOL_EXPORT __declspec(dllexport)
#else
#define ENVPOOL_EXPORT __attribute__((visibility("default")))
#endif
/// Defines a module; the function body that follows has `variable`, a pybind11::module_&.
#define PYBIND11_MODULE(name, variable)                                \
  static void envpool_fill_##name(::pybind11::module_&);               \
  extern "C" ENVPOOL_EXPORT ::_object* PyInit_##name();                \
  extern "C" ENVPOOL_EXPORT ::_object* PyInit_##name() {               \
    return ::envpool::python::InitModule(#name, &envpool_fill_##name); \
  }                                                                    \
  static void envpool_fill_##name([[maybe_unused]] ::pybind11::module_& variable)
#endif
