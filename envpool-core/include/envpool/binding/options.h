// SPDX-License-Identifier: Apache-2.0
// Option: one option of an environment, as Python reads and writes it.
//
// An option is a bool, a number, a std::string, or a list of such as std::vector<int>. Options of
// other types are for who includes any_option.h.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "envpool/spec.h"

struct _object;  // Python's PyObject

namespace envpool::python {

/// Thrown where a Python exception was raised; Python keeps it.
struct Raised {};
/// Thrown by OptionType::from_python: the object is of another kind.
struct WrongOption {};

/// How Python reads and writes an option of one type.
struct OptionType {
  ::_object* (*to_python)(const void* value);           ///< a new reference
  void (*from_python)(::_object* object, void* value);  ///< throws Raised, or WrongOption
  std::string (*allowed)();  ///< what it may be, for a message; null: a value like the default
};

/// One option: its name, and where its value is.
struct Option {
  std::string_view name;
  const OptionType* type;
  void* value;
};

namespace detail {

/// Of the types that options.cc knows.
template <typename T>
const OptionType& NumberOption();
const OptionType& TextOption();

::_object* NewList();
/// Takes over `item`.
void Append(::_object* list, ::_object* item);
void Drop(::_object* object);
void ForEachItem(::_object* list, void (*use)(::_object* item, void* with), void* with);

template <typename T>
struct OtherOption;  // in any_option.h

template <typename T>
concept List = requires(T list) { list.emplace_back(); } && !std::is_same_v<T, std::string>;

template <typename T>
const OptionType& ListOption();

}  // namespace detail

/// How Python reads and writes a T.
template <typename T>
const OptionType& OptionTypeOf() {
  if constexpr (ArrayElement<T>) {
    return detail::NumberOption<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return detail::TextOption();
  } else if constexpr (detail::List<T>) {
    return detail::ListOption<T>();
  } else if constexpr (requires { sizeof(detail::OtherOption<T>); }) {
    return detail::OtherOption<T>::Get();
  } else {
    static_assert(envpool::detail::kNever<T>,
                  "an option is a bool, a number, a std::string, or a std::vector of such; for "
                  "what else pybind11 converts, include <envpool/any_option.h>");
  }
}

template <typename T>
const OptionType& detail::ListOption() {
  using Item = typename T::value_type;
  static constexpr OptionType type{[](const void* value) {
                                     ::_object* list = NewList();
                                     try {
                                       for (const auto& item : *static_cast<const T*>(value)) {
                                         const Item copy = item;
                                         Append(list, OptionTypeOf<Item>().to_python(&copy));
                                       }
                                     } catch (...) {
                                       Drop(list);
                                       throw;
                                     }
                                     return list;
                                   },
                                   [](::_object* object, void* value) {
                                     T list;
                                     ForEachItem(
                                         object,
                                         [](::_object* from, void* to) {
                                           Item item{};
                                           OptionTypeOf<Item>().from_python(from, &item);
                                           static_cast<T*>(to)->push_back(std::move(item));
                                         },
                                         &list);
                                     *static_cast<T*>(value) = std::move(list);
                                   },
                                   nullptr};
  return type;
}

}  // namespace envpool::python
