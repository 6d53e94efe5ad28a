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

#include <string>

#include "envpool/author_errors.h"
#include "envpool/binding/env_type.h"
#include "envpool/binding/python_module.h"
#include "envpool/env.h"

namespace envpool {

/// Adds the environment type to the module as attribute `attribute`. Messages call it `name`, by
/// default the same.
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
