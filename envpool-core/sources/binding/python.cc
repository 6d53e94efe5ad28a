// SPDX-License-Identifier: Apache-2.0
#include "python.h"

#include <cstddef>
#include <new>
#include <stdexcept>

namespace envpool::python {

Object SafeText(const std::string& text) {
  return Checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

std::string TextOf(PyObject* string) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string, &size);
  if (text == nullptr) throw Raised();
  return {text, static_cast<std::size_t>(size)};
}

std::string Repr(PyObject* object) {
  constexpr std::size_t kMost = 80;
  const Object repr = Checked(PyObject_Repr(object));
  const Object bytes = Checked(PyUnicode_AsEncodedString(repr.get(), "utf-8", "replace"));
  std::string text(PyBytes_AS_STRING(bytes.get()),
                   static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
  if (text.size() <= kMost) return text;
  std::size_t end = kMost - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string ReprAndType(PyObject* object) {
  const Object name = Attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__");
  return Repr(object) + " (" + TextOf(name.get()) + ")";
}

Object TakeCause() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw Raised();
#if PY_VERSION_HEX >= 0x030c0000
  return Object::Steal(PyErr_GetRaisedException());
#else
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return Object::Steal(value);
#endif
}

void Throw(const Error& error, const Object& cause) {
  if (!cause) throw error;
  throw ErrorWithCause(error, cause);
}

namespace {

void Raise(const Error& error) {
  const Object module = Checked(PyImport_ImportModule("envpool.errors"));
  const Object type = Attribute(module.get(), PythonClass(error.kind));
  const Object parts = Tuple(SafeText(error.asked), SafeText(error.got), SafeText(error.allowed),
                             SafeText(error.hint));
  const Object exception = Checked(PyObject_Call(type.get(), parts.get(), nullptr));
  const auto set = [&](const char* name, const Object& value) {
    Check(PyObject_SetAttrString(exception.get(), name, value.get()));
  };
  if (!error.option.empty()) {
    const Object choices = Checked(PyTuple_New(static_cast<Py_ssize_t>(error.choices.size())));
    Py_ssize_t i = 0;
    for (const std::string& choice : error.choices) {
      PyTuple_SET_ITEM(choices.get(), i++, SafeText(choice).release());
    }
    set("option", SafeText(error.option));
    set("choices", choices);
  }
  if (error.kind == ErrorKind::kWorker && !error.failures.empty()) {
    const Object failures = Checked(PyList_New(0));
    for (const Failure& failure : error.failures) {
      const Object pair = Tuple(Integer(failure.env_id), SafeText(failure.text));
      Check(PyList_Append(failures.get(), pair.get()));
    }
    set("task_id", SafeText(error.task_id));
    set("env_id", Integer(error.failures.front().env_id));
    set("failures", failures);
  }
  if (const auto* caused = dynamic_cast<const ErrorWithCause*>(&error)) {
    PyException_SetCause(exception.get(), Object(caused->cause).release());
  }
  PyErr_SetObject(type.get(), exception.get());
}

/// Whether an exception is one of some types.
template <typename... Types>
bool IsA(const std::exception& error) {
  return (... || (dynamic_cast<const Types*>(&error) != nullptr));
}

/// The exception of Python for one of C++'s library, which is pybind11's choice, too.
PyObject* PythonType(const std::exception& error) {
  if (IsA<std::bad_alloc>(error)) return PyExc_MemoryError;
  if (IsA<std::out_of_range>(error)) return PyExc_IndexError;
  if (IsA<std::overflow_error>(error)) return PyExc_OverflowError;
  if (IsA<std::domain_error, std::invalid_argument, std::length_error, std::range_error>(error)) {
    return PyExc_ValueError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void RaiseCurrent() noexcept {
  try {
    throw;
  } catch (const Raised&) {
  } catch (const Error& error) {
    try {
      Raise(error);
    } catch (const Raised&) {  // the exception that could not be made says why
    }
  } catch (const std::exception& error) {
    PyErr_SetString(PythonType(error), error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception that is not a std::exception");
  }
}

}  // namespace envpool::python
