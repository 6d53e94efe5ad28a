// SPDX-License-Identifier: Apache-2.0
// Custom calls for XLA, the compiler behind JAX, on top of EnvPoolC.
//
//   send(handle, action..., [env_id]) -> handle
//   recv(handle)                      -> handle, result...
//   step(handle, action..., [env_id]) -> handle, result...
//
// A handle is the number of a registered pool, 8 bytes that every call passes on: so the order in
// which a program hands it from call to call is the order of the calls. XLA calls from threads of
// its own, without the GIL.
//
// XLA and a custom call talk through a C interface that XLA keeps stable ("XLA FFI", major
// version 0). The structs here have the part of it that is needed, as laid out in the headers that
// jaxlib 0.10 brings; they are no dependency, at build time or later.
#pragma once

#include <string>
#include <vector>

#include "python.h"

namespace envpool::python {

/// The custom calls of this module by name, in capsules as `jax.ffi` wants them.
Object XlaHandlers();
/// Returns the number of a pool, and an object that keeps it valid. `arrays` names the arrays that
/// a call returns. Raises KeyError if the pool has no array of a name.
Object XlaRegister(PyObject* c_pool, const std::vector<std::string>& arrays);

}  // namespace envpool::python
