// SPDX-License-Identifier: Apache-2.0
// Option: one option of an environment, as Python reads and writes it.
//
// An option is a bool, a number, a std::string, or a std::vector, std::map or std::pair of options.
// Options of other types need any_option.h.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "envpool/nested_numbers.h"
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
  std::string (*allowed)();  ///< the allowed values, for a message; null: a value like the default
};

/// One option: its name, and where its value is.
struct Option {
  std::string_view name;
  const OptionType* type;
  void* value;
};

namespace detail {

/// The OptionType of `T`, one of the types that options.cc knows.
template <typename T>
const OptionType& NumberOption();
const OptionType& TextOption();
const OptionType& NestedNumbersOption();

::_object* NewList();
/// Takes over `item`.
void Append(::_object* list, ::_object* item);
void Drop(::_object* object);
void ForEachItem(::_object* list, void (*use)(::_object* item, void* with), void* with);

::_object* NewDict();
/// Takes over both.
void SetItem(::_object* dict, ::_object* key, ::_object* value);
/// Throws WrongOption where it is no mapping.
void ForEachPair(::_object* dict, void (*use)(::_object* key, ::_object* value, void* with),
                 void* with);
/// A tuple of two, which it takes over.
::_object* NewPair(::_object* first, ::_object* second);
/// The two items of a sequence, for as long as `use` takes. Throws WrongOption where it has another
/// number of them.
void WithPair(::_object* pair, void (*use)(::_object* first, ::_object* second, void* with),
              void* with);

template <typename T>
struct OtherOption;  // in any_option.h

template <typename T>
concept Map = requires(T map, typename T::key_type key) {
  { map[key] } -> std::same_as<typename T::mapped_type&>;
};
template <typename T>
concept Pair = std::same_as<T, std::pair<typename T::first_type, typename T::second_type>>;

template <typename T>
concept List = requires(T list) { list.emplace_back(); } && !std::is_same_v<T, std::string>;

template <typename T>
std::string ItemsOf();
template <typename T>
const OptionType& ListOption();
template <typename T>
const OptionType& MapOption();
template <typename T>
const OptionType& PairOption();

}  // namespace detail

/// How Python reads and writes a T.
template <typename T>
const OptionType& OptionTypeOf() {
  if constexpr (ArrayElement<T>) {
    return detail::NumberOption<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return detail::TextOption();
  } else if constexpr (std::is_same_v<T, NestedNumbers>) {
    return detail::NestedNumbersOption();
  } else if constexpr (detail::List<T>) {
    return detail::ListOption<T>();
  } else if constexpr (detail::Map<T>) {
    return detail::MapOption<T>();
  } else if constexpr (detail::Pair<T>) {
    return detail::PairOption<T>();
  } else if constexpr (requires { sizeof(detail::OtherOption<T>); }) {
    return detail::OtherOption<T>::Get();
  } else {
    static_assert(envpool::detail::kNever<T>,
                  "an option is a bool, a number, a std::string, or a std::vector, std::map or "
                  "std::pair of such; for what else pybind11 converts, include "
                  "<envpool/any_option.h>");
  }
}

/// The type of a list's items, for a message.
template <typename T>
std::string detail::ItemsOf() {
  if constexpr (std::is_same_v<T, bool>) return "booleans";
  if constexpr (std::is_integral_v<T>) return "whole numbers";
  if constexpr (std::is_floating_point_v<T>) return "numbers";
  if constexpr (std::is_same_v<T, std::string>) return "strings";
  if constexpr (List<T>) return "lists of " + ItemsOf<typename T::value_type>();
  return "values like those of the default";
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
                                   [] { return "a list of " + ItemsOf<Item>(); }};
  return type;
}

template <typename T>
const OptionType& detail::MapOption() {
  using Key = typename T::key_type;
  using Value = typename T::mapped_type;
  static constexpr OptionType type{
      [](const void* value) {
        ::_object* dict = NewDict();
        try {
          for (const auto& [key, item] : *static_cast<const T*>(value)) {
            ::_object* name = OptionTypeOf<Key>().to_python(&key);
            SetItem(dict, name, OptionTypeOf<Value>().to_python(&item));
          }
        } catch (...) {
          Drop(dict);
          throw;
        }
        return dict;
      },
      [](::_object* object, void* value) {
        T map;
        ForEachPair(
            object,
            [](::_object* name, ::_object* from, void* to) {
              Key key{};
              Value item{};
              OptionTypeOf<Key>().from_python(name, &key);
              OptionTypeOf<Value>().from_python(from, &item);
              (*static_cast<T*>(to))[std::move(key)] = std::move(item);
            },
            &map);
        *static_cast<T*>(value) = std::move(map);
      },
      nullptr};
  return type;
}

template <typename T>
const OptionType& detail::PairOption() {
  using First = typename T::first_type;
  using Second = typename T::second_type;
  static constexpr OptionType type{
      [](const void* value) {
        const T& pair = *static_cast<const T*>(value);
        ::_object* first = OptionTypeOf<First>().to_python(&pair.first);
        return NewPair(first, OptionTypeOf<Second>().to_python(&pair.second));
      },
      [](::_object* object, void* value) {
        T pair{};
        WithPair(
            object,
            [](::_object* first, ::_object* second, void* to) {
              OptionTypeOf<First>().from_python(first, &static_cast<T*>(to)->first);
              OptionTypeOf<Second>().from_python(second, &static_cast<T*>(to)->second);
            },
            &pair);
        *static_cast<T*>(value) = std::move(pair);
      },
      nullptr};
  return type;
}

}  // namespace envpool::python
