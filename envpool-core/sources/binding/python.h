// SPDX-License-Identifier: Apache-2.0
// Helpers for Python's objects: texts, tuples, and errors with their causes.
#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include "envpool/binding/object.h"
#include "envpool/error.h"

namespace envpool::python {

/// A str of any bytes: an environment's message may hold some that are no UTF-8.
Object SafeText(const std::string& text);
/// The text of a str.
std::string TextOf(PyObject* string);
/// The repr of an object for a message, cut where it is long; never in the middle of a character.
std::string Repr(PyObject* object);
/// The same, with the name of its type.
std::string ReprAndType(PyObject* object);
/// A tuple of new references, whose parts are `objects`.
template <typename... Objects>
Object Tuple(Objects... objects) {
  Object tuple = Checked(PyTuple_New(sizeof...(Objects)));
  Py_ssize_t i = 0;
  (PyTuple_SET_ITEM(tuple.get(), i++, objects.release()), ...);
  return tuple;
}
inline Object Integer(long long value) { return Checked(PyLong_FromLongLong(value)); }
inline Object Bool(bool value) { return Object::Borrow(value ? Py_True : Py_False); }
inline Object None() { return Object::Borrow(Py_None); }
inline bool IsNone(PyObject* object) { return object == Py_None; }

/// Calls use(item) for each item of an iterable.
template <typename Use>
void ForEachItem(PyObject* iterable, const Use& use) {
  const Object iterator = Checked(PyObject_GetIter(iterable));
  while (PyObject* item = PyIter_Next(iterator.get())) use(Object::Steal(item).get());
  if (PyErr_Occurred() != nullptr) throw Raised();
}

/// Takes the exception that was raised, to be the cause of an error of EnvPool. An exception that
/// is no subclass of Exception, as KeyboardInterrupt, stays raised and is thrown on.
Object TakeCause();

/// An Error with the Python exception that led to it.
class ErrorWithCause : public Error {
 public:
  ErrorWithCause(const Error& error, Object cause) : Error(error), cause(std::move(cause)) {}
  Object cause;  ///< an exception
};
/// Throws the error, with its cause where there is one.
[[noreturn]] void Throw(const Error& error, const Object& cause);

/// Raises the exception of Python for the C++ exception that is being handled. To be called in a
/// `catch`.
void RaiseCurrent() noexcept;

/// Raises KeyboardInterrupt and the like. The GIL must be held.
inline void CheckSignals() { Check(PyErr_CheckSignals()); }

}  // namespace envpool::python
