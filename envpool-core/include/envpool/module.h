// SPDX-License-Identifier: Apache-2.0
// Register<E>: makes an environment type known to Python.
//
//   PYBIND11_MODULE(_classic, m) { envpool::Register<classic::CartPole>(m, "CartPole"); }
//
// The module then has an attribute `CartPole`, which a Task names as
// "envpool_classic._classic:CartPole".
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "envpool/author_errors.h"
#include "envpool/binding/compiled_env.h"
#include "envpool/env.h"

namespace envpool {

/// Adds the environment type to the module as attribute `attribute`. `name` is what messages call
/// it, by default the same.
template <typename E>
void Register(pybind11::module_& m, const char* attribute, const std::string& name = "") {
  if constexpr (detail::CheckEnvironment<E>()) {
    python::Bind(m);
    m.attr(attribute) = pybind11::cast(python::MakeCompiledEnv<E>(name.empty() ? attribute : name));
  }
}

}  // namespace envpool
