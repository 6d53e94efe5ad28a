// SPDX-License-Identifier: Apache-2.0
// Errors on their way to Python: each is an exception of envpool.errors with the four parts of its
// message, and the exception that caused it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/error.h"

namespace envpool::python {

namespace py = pybind11;

/// A str of any bytes: an environment's message may hold some that are no UTF-8.
inline py::str SafeText(const std::string& text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

/// The repr of an object for a message, cut where it is long; never in the middle of a character.
inline std::string Text(const py::handle& object) {
  constexpr std::size_t kMost = 80;
  const py::str repr = py::repr(object);
  PyObject* bytes = PyUnicode_AsEncodedString(repr.ptr(), "utf-8", "replace");
  if (bytes == nullptr) throw py::error_already_set();
  std::string text = py::reinterpret_steal<py::bytes>(bytes);
  if (text.size() <= kMost) return text;
  std::size_t end = kMost - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

/// An Error with the Python exception that led to it.
class ErrorWithCause : public Error {
 public:
  ErrorWithCause(const Error& error, py::object cause) : Error(error), cause(std::move(cause)) {}
  py::object cause;  ///< an exception
};

/// Takes the Python exception that is being raised, to be the cause of one of ours. What is no
/// Exception, as Ctrl-C, is raised on.
inline py::object TakeCause() {
  py::error_already_set raised;
  if (!raised.matches(PyExc_Exception)) throw raised;
  return raised.value();
}

/// Raises the class of envpool.errors that the kind names.
inline void RaiseError(const Error& error) {
  const py::object type = py::module_::import("envpool.errors").attr(PythonClass(error.kind));
  const py::object exception = type(SafeText(error.asked), SafeText(error.got),
                                    SafeText(error.allowed), SafeText(error.next));
  if (!error.option.empty()) {
    exception.attr("option") = error.option;
    exception.attr("choices") = py::tuple(py::cast(error.choices));
  }
  if (error.kind == ErrorKind::kWorker && !error.failures.empty()) {
    py::list failures;
    for (const Failure& failure : error.failures) {
      failures.append(py::make_tuple(failure.env_id, SafeText(failure.text)));
    }
    exception.attr("task_id") = error.task_id;
    exception.attr("env_id") = error.failures.front().env_id;
    exception.attr("failures") = failures;
  }
  const auto* caused = dynamic_cast<const ErrorWithCause*>(&error);
  if (caused != nullptr) PyException_SetCause(exception.ptr(), caused->cause.inc_ref().ptr());
  PyErr_SetObject(type.ptr(), exception.ptr());
}

/// Whether an exception is one of some types.
template <typename... Types>
bool IsA(const std::exception& error) {
  return (... || (dynamic_cast<const Types*>(&error) != nullptr));
}

/// The exception of Python for one of C++'s library, which is pybind11's choice, too.
inline PyObject* PythonType(const std::exception& error) {
  if (IsA<std::bad_alloc>(error)) return PyExc_MemoryError;
  if (IsA<std::out_of_range>(error)) return PyExc_IndexError;
  if (IsA<std::overflow_error>(error)) return PyExc_OverflowError;
  if (IsA<std::domain_error, std::invalid_argument, std::length_error, std::range_error>(error)) {
    return PyExc_ValueError;
  }
  return PyExc_RuntimeError;
}

/// Has what the functions of a module throw become exceptions of Python; once for each module.
///
/// pybind11 does so by code in the module that was loaded first. Where each module has a C++
/// library of its own inside, as clang's wheels have, that code does not know what the others
/// throw.
inline void TranslateErrors() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        RaiseError(error);
      } catch (py::error_already_set& interrupt) {  // Ctrl-C, while the exception was being made
        interrupt.restore();
      }
    } catch (py::error_already_set& error) {
      error.restore();
    } catch (const py::builtin_exception& error) {
      error.set_error();
    } catch (const std::exception& error) {
      PyErr_SetString(PythonType(error), error.what());
    }
  });
}

}  // namespace envpool::python
