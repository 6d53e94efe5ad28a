// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <limits>

namespace envpool::python {

void SortArguments(const char* function, const char* const* names, std::size_t count,
                   std::size_t needed, PyObject* const* given, Py_ssize_t positional,
                   PyObject* keywords, PyObject** sorted) {
  const auto in_order = static_cast<std::size_t>(positional);
  if (in_order > count) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zu arguments, got %zd", function, count, positional);
    throw Raised();
  }
  for (std::size_t i = 0; i < in_order; ++i) sorted[i] = given[i];
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GET_ITEM(keywords, k);
    std::size_t i = 0;
    while (i < count && PyUnicode_CompareWithASCIIString(name, names[i]) != 0) ++i;
    if (i == count || sorted[i] != nullptr) {
      PyErr_Format(
          PyExc_TypeError,
          i == count ? "%s() got an unexpected argument '%U'" : "%s() got the argument '%U' twice",
          function, name);
      throw Raised();
    }
    sorted[i] = given[positional + k];
  }
  for (std::size_t i = 0; i < needed; ++i) {
    if (sorted[i] != nullptr) continue;
    PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, names[i]);
    throw Raised();
  }
}

bool ToBool(PyObject* object, bool or_default) {
  if (object == nullptr) return or_default;
  const int truth = PyObject_IsTrue(object);
  Check(truth);
  return truth != 0;
}

int ToInt(PyObject* object) {
  const Object whole = Checked(PyNumber_Index(object));
  const long value = PyLong_AsLong(whole.get());
  if (value == -1 && PyErr_Occurred() != nullptr) throw Raised();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    PyErr_SetString(PyExc_OverflowError, "the number is too large");
    throw Raised();
  }
  return static_cast<int>(value);
}

std::string ToText(PyObject* object) {
  if (PyUnicode_Check(object) == 0) {
    PyErr_Format(PyExc_TypeError, "expected a str, got %R", object);
    throw Raised();
  }
  return TextOf(object);
}

}  // namespace envpool::python
