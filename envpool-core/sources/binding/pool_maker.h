// SPDX-License-Identifier: Apache-2.0
// From an environment's class and the options that Python passes to its arrays, or to a pool.
#pragma once

#include <memory>
#include <string>

#include "compiled_pool.h"
#include "envpool/binding/env_type.h"
#include "python.h"

namespace envpool::python {

/// The options of an environment as a dict: its defaults.
Object DefaultConfig(const EnvType& type);
/// All options, and the arrays of state and action, for the options in a dict. Throws
/// Error(kConfig) naming the key whose value has another type.
Object Describe(const EnvType& type, PyObject* config);
/// Throws Error(kConfig) as Describe does, and the exceptions of environments.
std::unique_ptr<CompiledPool> MakePool(const EnvType& type, PyObject* config,
                                       const std::string& task_id,
                                       const std::string& autoreset_mode);
/// Options that have a range, as a dict of (lowest, highest).
Object OptionRanges();

}  // namespace envpool::python
