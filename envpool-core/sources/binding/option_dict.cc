// SPDX-License-Identifier: Apache-2.0
#include "option_dict.h"

#include <string>

#include "envpool/error.h"

namespace envpool::python {
namespace {

void Read(const Option& option, PyObject* given) {
  const auto refusal = [&] {
    return OptionError(std::string(option.name), ReprAndType(given),
                       option.type->allowed != nullptr
                           ? option.type->allowed()
                           : "a value like the default, " + ReprAndType(ToPython(option).get()),
                       "correct the value");
  };
  try {
    option.type->from_python(given, option.value);
  } catch (const WrongOption&) {
    throw refusal();
  } catch (const Raised&) {
    const Object cause = TakeCause();
    throw ErrorWithCause(refusal(), cause);
  }
}

}  // namespace

Object Key(std::string_view name) {
  return Checked(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

Object ToPython(const Option& option) { return Checked(option.type->to_python(option.value)); }

Object ToDict(const std::vector<Option>& options) {
  Object dict = Checked(PyDict_New());
  for (const Option& option : options) {
    Check(PyDict_SetItem(dict.get(), Key(option.name).get(), ToPython(option).get()));
  }
  return dict;
}

Object Given(PyObject* dict, const Option& option) {
  PyObject* value = PyDict_GetItemWithError(dict, Key(option.name).get());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw Raised();
  return Object::Borrow(value);
}

void ReadOptions(const std::vector<Option>& options, PyObject* dict) {
  for (const Option& option : options) {
    if (const Object given = Given(dict, option)) Read(option, given.get());
  }
}

}  // namespace envpool::python
