// SPDX-License-Identifier: Apache-2.0
// PoolWrittenArray: a view of done, trunc and the like, which the pool overwrites after Reset and
// Step.
// An environment that writes to it does not compile, and the error names the function to use
// instead:
//
//   state["done"_] = true;       // error: ... say that an episode is over by `bool IsDone()
//   override`
#pragma once

#include <concepts>
#include <string_view>

#include "envpool/author_errors.h"
#include "envpool/dict.h"
#include "envpool/view.h"

namespace envpool::detail {

/// Whether an array of this name is one.
template <FixedString Name>
inline constexpr bool kIsThePools = [] {
  for (const std::string_view name : {"info:env_id", "info:players.env_id", "elapsed_step", "done",
                                      "step_type", "trunc", "terminated"}) {
    if (Name.view() == name) return true;
  }
  return false;
}();
/// One of them. Any use of it that could be meant to write does not compile.
template <FixedString Name, typename T>
class PoolWrittenArray {
 public:
  using dtype = T;

  explicit(false) PoolWrittenArray(const View<T>&) {}
  template <typename U>
    requires(!std::same_as<U, PoolWrittenArray>)
  void operator=(const U&) const {
    Refuse<U>();
  }
  template <typename... Index>
  View<T> operator()(Index...) const {
    Refuse<Index...>();
    return {};
  }
  template <typename Index>
  View<T> operator[](Index) const {
    Refuse<Index>();
    return {};
  }
  template <typename... U>
  void Assign(const U&...) const {
    Refuse<U...>();
  }
  template <typename U>
  void Fill(const U&) const {
    Refuse<U>();
  }
  template <std::same_as<T> U>
  operator U&() const {
    Refuse<U>();
    return *static_cast<U*>(nullptr);
  }

 private:
  template <typename... U>
  static constexpr void Refuse() {
    constexpr bool kEnds = Name.view() == "trunc" || Name.view() == "done" ||
                           Name.view() == "terminated" || Name.view() == "step_type";
    static_assert(!kEnds || kNever<U...>,
                  "done, trunc, terminated and step_type are written by the pool after Reset and "
                  "Step: say that an episode is over by `bool IsDone() override`, and that it was "
                  "cut short by a public `bool IsTruncated()`");
    static_assert(kEnds || kNever<U...>,
                  "env_id and elapsed_step are written by the pool after Reset and Step; an array "
                  "of the environment's own has another name, as \"info:count\"");
  }
};

}  // namespace envpool::detail
