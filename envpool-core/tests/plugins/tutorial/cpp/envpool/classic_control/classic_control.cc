// SPDX-License-Identifier: Apache-2.0
// The extension module, as the documentation's page has it.
#include "envpool/classic_control/cartpole.h"
#include "envpool/core/py_envpool.h"

// generate python-side (raw) CartPoleEnvSpec
using CartPoleEnvSpec = PyEnvSpec<classic_control::CartPoleEnvSpec>;
// generate python-side (raw) CartPoleEnvPool
using CartPoleEnvPool = PyEnvPool<classic_control::CartPoleEnvPool>;

// generate classic_control_envpool.so
PYBIND11_MODULE(classic_control_envpool, m) { REGISTER(m, CartPoleEnvSpec, CartPoleEnvPool) }
