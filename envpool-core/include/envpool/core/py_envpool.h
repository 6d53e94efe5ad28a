// SPDX-License-Identifier: Apache-2.0
// A documented include path: the Python side of an environment.
//
//   using CartPoleEnvSpec = PyEnvSpec<classic_control::CartPoleEnvSpec>;
//   using CartPoleEnvPool = PyEnvPool<classic_control::CartPoleEnvPool>;
//   PYBIND11_MODULE(classic_control_envpool, m) { REGISTER(m, CartPoleEnvSpec, CartPoleEnvPool) }
//
// The module then has `_CartPoleEnvSpec` and `_CartPoleEnvPool`, which `envpool.python.api.py_env`
// takes.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "envpool/core/async_envpool.h"
#include "envpool/module.h"

namespace envpool {

/// Marks a spec or a pool as one that Python sees.
template <typename Spec>
struct PyEnvSpec {
  using type = Spec;
};
template <typename EnvPool>
struct PyEnvPool;
/// As PyEnvSpec, of a pool.
template <typename E>
struct PyEnvPool<AsyncEnvPool<E>> {
  using type = E;
};

/// Both names stand for one object, which describes the environment and makes pools of it.
template <typename PySpec, typename PyPool>
void RegisterPool(pybind11::module_& m, const char* spec_name, const char* pool_name) {
  static_assert(std::is_same_v<typename PySpec::type, typename PyPool::type::Spec>,
                "REGISTER: the spec is not the one of the pool's environment");
  std::string_view name = spec_name;
  name.remove_prefix(1);  // "_CartPoleEnvSpec" is of CartPole
  if (name.ends_with("EnvSpec")) name.remove_suffix(7);
  Register<typename PyPool::type>(m, spec_name, std::string(name));
  python::AddAlias(m, pool_name, spec_name);
}

}  // namespace envpool

using envpool::PyEnvPool;
using envpool::PyEnvSpec;

/// Adds `_CartPoleEnvSpec` and `_CartPoleEnvPool` to a module, given the names without underscore.
#define REGISTER(MODULE, SPEC, ENVPOOL) \
  ::envpool::RegisterPool<SPEC, ENVPOOL>(MODULE, "_" #SPEC, "_" #ENVPOOL);
