// SPDX-License-Identifier: Apache-2.0
#include "envpool/binding/options.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "python.h"

namespace envpool::python::detail {
namespace {

// Python makes numbers of some strings; these are no numbers here.
void RefuseText(PyObject* object) {
  if (PyUnicode_Check(object) != 0) throw WrongOption();
}

template <typename T>
PyObject* ToPython(const void* value) {
  const T number = *static_cast<const T*>(value);
  if constexpr (std::is_same_v<T, bool>) {
    return Bool(number).release();
  } else if constexpr (std::is_floating_point_v<T>) {
    return Checked(PyFloat_FromDouble(static_cast<double>(number))).release();
  } else if constexpr (std::is_signed_v<T>) {
    return Integer(number).release();
  } else {
    return Checked(PyLong_FromUnsignedLongLong(number)).release();
  }
}

bool Truth(PyObject* object) {
  const auto* number = Py_TYPE(object)->tp_as_number;
  if (number == nullptr || number->nb_bool == nullptr) throw WrongOption();
  const int truth = PyObject_IsTrue(object);
  Check(truth);
  return truth != 0;
}

template <typename T>
void FromPython(PyObject* object, void* value) {
  RefuseText(object);
  T& number = *static_cast<T*>(value);
  if constexpr (std::is_same_v<T, bool>) {
    number = Truth(object);
  } else if constexpr (std::is_floating_point_v<T>) {
    const Object real = Checked(PyNumber_Float(object));
    const double exact = PyFloat_AS_DOUBLE(real.get());
    // Infinity may be meant; a number that only becomes it in a float is not.
    if (std::isfinite(exact) && std::abs(exact) > std::numeric_limits<T>::max())
      throw WrongOption();
    number = static_cast<T>(exact);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    const Object whole = Checked(PyNumber_Index(object));
    Wide wide = 0;
    if constexpr (std::is_signed_v<T>) {
      wide = PyLong_AsLongLong(whole.get());
    } else {
      wide = PyLong_AsUnsignedLongLong(whole.get());
    }
    if (wide == static_cast<Wide>(-1) && PyErr_Occurred() != nullptr) {
      if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw Raised();
      PyErr_Clear();
      throw WrongOption();
    }
    number = static_cast<T>(wide);
    if (static_cast<Wide>(number) != wide) throw WrongOption();
  }
}

template <typename T>
std::string Range() {
  return "a whole number of " + std::to_string(std::numeric_limits<T>::min()) + " .. " +
         std::to_string(std::numeric_limits<T>::max());
}

}  // namespace

template <typename T>
const OptionType& NumberOption() {
  constexpr bool kWhole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static constexpr OptionType type = [] {
    OptionType number{ToPython<T>, FromPython<T>, nullptr};
    if constexpr (kWhole) number.allowed = Range<T>;
    return number;
  }();
  return type;
}
template const OptionType& NumberOption<bool>();
template const OptionType& NumberOption<char>();
template const OptionType& NumberOption<signed char>();
template const OptionType& NumberOption<unsigned char>();
template const OptionType& NumberOption<short>();
template const OptionType& NumberOption<unsigned short>();
template const OptionType& NumberOption<int>();
template const OptionType& NumberOption<unsigned>();
template const OptionType& NumberOption<long>();
template const OptionType& NumberOption<unsigned long>();
template const OptionType& NumberOption<long long>();
template const OptionType& NumberOption<unsigned long long>();
template const OptionType& NumberOption<float>();
template const OptionType& NumberOption<double>();

const OptionType& TextOption() {
  static constexpr OptionType type{
      [](const void* value) {
        const auto& text = *static_cast<const std::string*>(value);
        return Checked(
                   PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())))
            .release();
      },
      [](PyObject* object, void* value) {
        auto& text = *static_cast<std::string*>(value);
        if (PyUnicode_Check(object) != 0) {
          text = TextOf(object);
        } else if (PyBytes_Check(object) != 0) {
          text.assign(PyBytes_AS_STRING(object),
                      static_cast<std::size_t>(PyBytes_GET_SIZE(object)));
        } else {
          throw WrongOption();
        }
      },
      nullptr};
  return type;
}

namespace {

void AddNumbers(PyObject* object, void* to) {
  auto& numbers = *static_cast<std::vector<double>*>(to);
  RefuseText(object);
  if (PyNumber_Check(object) != 0 && PySequence_Check(object) == 0) {
    FromPython<double>(object, &numbers.emplace_back());
  } else {
    python::ForEachItem(object, [&](PyObject* item) { AddNumbers(item, to); });
  }
}

}  // namespace

const OptionType& NestedNumbersOption() {
  static constexpr OptionType type{
      [](const void* value) {
        return MapOption<std::map<std::string, std::vector<double>>>().to_python(
            &static_cast<const NestedNumbers*>(value)->values);
      },
      [](PyObject* object, void* value) {
        std::map<std::string, std::vector<double>> values;
        ForEachPair(
            object,
            [](PyObject* key, PyObject* numbers, void* all) {
              std::string name;
              TextOption().from_python(key, &name);
              auto& named = *static_cast<std::map<std::string, std::vector<double>>*>(all);
              AddNumbers(numbers, &named[name]);
            },
            &values);
        static_cast<NestedNumbers*>(value)->values = std::move(values);
      },
      [] { return std::string("a dict of arrays, or of lists of numbers"); }};
  return type;
}

PyObject* NewList() { return Checked(PyList_New(0)).release(); }

void Append(PyObject* list, PyObject* item) {
  const Object owned = Object::Steal(item);
  Check(PyList_Append(list, item));
}

void Drop(PyObject* object) { Py_DECREF(object); }

void ForEachItem(PyObject* list, void (*use)(PyObject* item, void* with), void* with) {
  RefuseText(list);
  python::ForEachItem(list, [&](PyObject* item) { use(item, with); });
}

PyObject* NewDict() { return Checked(PyDict_New()).release(); }

void SetItem(PyObject* dict, PyObject* key, PyObject* value) {
  const Object own_key = Object::Steal(key), own_value = Object::Steal(value);
  Check(PyDict_SetItem(dict, key, value));
}

void ForEachPair(PyObject* dict, void (*use)(PyObject* key, PyObject* value, void* with),
                 void* with) {
  if (PyDict_Check(dict) == 0) throw WrongOption();
  // A list of its own: to convert a value may run a program's code.
  const Object items = Checked(PyDict_Items(dict));
  python::ForEachItem(items.get(), [&](PyObject* item) {
    use(PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1), with);
  });
}

PyObject* NewPair(PyObject* first, PyObject* second) {
  return Tuple(Object::Steal(first), Object::Steal(second)).release();
}

void WithPair(PyObject* pair, void (*use)(PyObject* first, PyObject* second, void* with),
              void* with) {
  RefuseText(pair);
  const Object items = Checked(PySequence_Tuple(pair));
  if (PyTuple_GET_SIZE(items.get()) != 2) throw WrongOption();
  use(PyTuple_GET_ITEM(items.get(), 0), PyTuple_GET_ITEM(items.get(), 1), with);
}

}  // namespace envpool::python::detail
