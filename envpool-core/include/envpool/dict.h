// SPDX-License-Identifier: Apache-2.0
// Dict: a struct whose members are named by string literals.
//
//   auto config = Dict{"frame_skip"_ = 4, "gravity"_ = 9.8};
//   config["frame_skip"_] += 1;      // an int; a misspelt key does not compile
//
// Every field is a base class, so a lookup is overload resolution: nothing happens at run time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "envpool/view.h"

namespace envpool {

/// A string literal that can be a template argument.
template <std::size_t N>
struct FixedString {
  char text[N];  ///< with the zero at its end
  /// From a literal only.
  consteval FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  /// The text, without the zero.
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// One named value.
template <FixedString Name, typename T>
struct Field {
  static constexpr std::string_view name = Name.view();  ///< the key
  using type = T;
  T value;  ///< the value of the key
};

/// The type of `"name"_`: the name alone.
template <FixedString Name>
struct Key {
  /// `"name"_ = value` makes a field; a literal becomes a std::string.
  template <typename T>
  constexpr Field<Name, T> operator=(T value) const {
    return {std::move(value)};
  }
  Field<Name, std::string> operator=(const char* text) const { return {text}; }

  /// The spelling of the EnvPool documentation, `"name"_.Bind(value)`.
  template <typename T>
  constexpr auto Bind(T value) const {
    return *this = std::move(value);
  }
};

inline namespace literals {
/// `"name"_`, after `using namespace envpool::literals`.
template <FixedString Name>
consteval Key<Name> operator""_() {
  return {};
}
}  // namespace literals

namespace detail {
template <FixedString Name, typename T>
constexpr T& FieldValue(Field<Name, T>& field) {
  return field.value;
}
template <FixedString Name, typename T>
constexpr const T& FieldValue(const Field<Name, T>& field) {
  return field.value;
}
// The value of a missing field: almost every use of it compiles, so that the line that names the
// key is the only error that the author sees.
inline const View<int> missing_field;
}  // namespace detail

/// Occurs in errors only: the Dict has no field of this name. The class is never defined, because a
/// compiler that needs an undefined class prints its name, and with it the key. A static_assert
/// cannot print the key.
template <FixedString Key>
struct ThisDictHasNoKey;

/// Whether a dict has a field of this name.
template <typename D, FixedString Name>
concept HasField = requires(D& dict) { detail::FieldValue<Name>(dict); };

/// An ordered set of fields.
template <typename... Fields>
struct Dict : Fields... {
  static constexpr std::size_t size = sizeof...(Fields);  ///< number of fields

  /// The value of a field, as in `config["goal"_]`.
  template <FixedString Name>
  constexpr auto& operator[](Key<Name>) {
    if constexpr (HasField<Dict, Name>) {
      return detail::FieldValue<Name>(*this);
    } else {
      if constexpr (!kNameless) static_cast<void>(sizeof(ThisDictHasNoKey<Name>));
      return detail::missing_field;
    }
  }
  template <FixedString Name>
  constexpr const auto& operator[](Key<Name>) const {
    if constexpr (HasField<const Dict, Name>) {
      return detail::FieldValue<Name>(*this);
    } else {
      if constexpr (!kNameless) static_cast<void>(sizeof(ThisDictHasNoKey<Name>));
      return detail::missing_field;
    }
  }

  /// Calls visit(name, value) for every field, in order.
  template <typename Visitor>
  constexpr void ForEach(Visitor&& visit) const {
    (visit(Fields::name, static_cast<const Fields&>(*this).value), ...);
  }
  template <typename Visitor>
  constexpr void ForEach(Visitor&& visit) {
    (visit(Fields::name, static_cast<Fields&>(*this).value), ...);
  }

 private:
  // A nameless field stands for a description that is wrong; of its keys nothing more is said.
  static constexpr bool kNameless = (Fields::name.empty() || ...);
};
template <typename... Fields>
Dict(Fields...) -> Dict<Fields...>;

/// Joins two dicts, the fields of `a` first.
template <typename... A, typename... B>
constexpr Dict<A..., B...> operator+([[maybe_unused]] Dict<A...> a, [[maybe_unused]] Dict<B...> b) {
  return {static_cast<A&&>(a)..., static_cast<B&&>(b)...};
}

/// The spelling of the EnvPool documentation for `Dict{...}`.
template <typename... Fields>
constexpr auto MakeDict(Fields... fields) {
  return Dict<Fields...>{std::move(fields)...};
}
/// The spelling of the EnvPool documentation for `a + b`.
template <typename... A, typename... B>
constexpr auto ConcatDict(Dict<A...> a, Dict<B...> b) {
  return std::move(a) + std::move(b);
}

}  // namespace envpool
