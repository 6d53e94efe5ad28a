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

namespace envpool {

/// A string literal that can be a template argument.
template <std::size_t N>
struct FixedString {
  char text[N];
  consteval FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// One named value.
template <FixedString Name, typename T>
struct Field {
  static constexpr std::string_view name = Name.view();
  using type = T;
  T value;
};

/// What `"name"_` makes: the name alone, as a type.
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
// Accepts every use of a missing field, so that the static_assert that names the key is the only
// error the author sees.
struct MissingField {
  void operator=(const auto&) const {}
  MissingField operator[](auto) const { return {}; }
  MissingField operator()(auto...) const { return {}; }
  template <typename T>
  operator T() const;
  void Assign(const auto&...) const {}
  void Fill(auto) const {}
  void Zero() const {}
  MissingField data() const { return {}; }
  MissingField Data() const { return {}; }
  MissingField Shape(auto...) const { return {}; }
  std::size_t size() const { return 0; }
};
constexpr bool operator==(MissingField, const auto&) { return false; }
constexpr bool operator<(MissingField, const auto&) { return false; }
constexpr bool operator>(MissingField, const auto&) { return false; }
constexpr double operator+(MissingField, const auto&) { return 0; }
constexpr double operator-(MissingField, const auto&) { return 0; }
constexpr double operator*(MissingField, const auto&) { return 0; }
constexpr double operator/(MissingField, const auto&) { return 0; }
constexpr double operator+(const auto&, MissingField) { return 0; }
constexpr double operator-(const auto&, MissingField) { return 0; }
constexpr double operator*(const auto&, MissingField) { return 0; }
constexpr double operator/(const auto&, MissingField) { return 0; }
inline constexpr MissingField missing_field;
}  // namespace detail

template <typename D, FixedString Name>
concept HasField = requires(D& dict) { detail::FieldValue<Name>(dict); };

/// An ordered set of fields.
template <typename... Fields>
struct Dict : Fields... {
  static constexpr std::size_t size = sizeof...(Fields);

  template <FixedString Name>
  constexpr auto& operator[](Key<Name>) {
    static_assert(HasField<Dict, Name>, "this Dict has no field of the name in the Key");
    if constexpr (HasField<Dict, Name>) {
      return detail::FieldValue<Name>(*this);
    } else {
      return detail::missing_field;
    }
  }
  template <FixedString Name>
  constexpr const auto& operator[](Key<Name>) const {
    static_assert(HasField<const Dict, Name>, "this Dict has no field of the name in the Key");
    if constexpr (HasField<const Dict, Name>) {
      return detail::FieldValue<Name>(*this);
    } else {
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
};
template <typename... Fields>
Dict(Fields...) -> Dict<Fields...>;

/// Joins two dicts, the fields of `a` first.
template <typename... A, typename... B>
constexpr Dict<A..., B...> operator+([[maybe_unused]] Dict<A...> a, [[maybe_unused]] Dict<B...> b) {
  return {static_cast<A&&>(a)..., static_cast<B&&>(b)...};
}

/// The spellings of the EnvPool documentation for `Dict{...}` and `a + b`.
template <typename... Fields>
constexpr auto MakeDict(Fields... fields) {
  return Dict<Fields...>{std::move(fields)...};
}
template <typename... A, typename... B>
constexpr auto ConcatDict(Dict<A...> a, Dict<B...> b) {
  return std::move(a) + std::move(b);
}

}  // namespace envpool
