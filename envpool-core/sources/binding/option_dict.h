// SPDX-License-Identifier: Apache-2.0
// Options of an environment, in a C++ Dict, from and to a dict of Python.
#pragma once

#include <string_view>
#include <vector>

#include "envpool/binding/options.h"
#include "python.h"

namespace envpool::python {

/// A str.
Object Key(std::string_view name);
/// The value of an option.
Object ToPython(const Option& option);
/// All options by name.
Object ToDict(const std::vector<Option>& options);
/// The value that a dict has for an option, or null.
Object Given(PyObject* dict, const Option& option);
/// Sets the options that a dict has; its other keys do not matter. Throws OptionError where a value
/// has another type.
void ReadOptions(const std::vector<Option>& options, PyObject* dict);

}  // namespace envpool::python
