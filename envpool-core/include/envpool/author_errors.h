// SPDX-License-Identifier: Apache-2.0
// The compiler says mistakes of an environment's author in the first line of its errors.
//
//   error: ... incomplete type 'envpool::ThisArrayNeedsASpec<FixedString<4>{"obs"}, int>'
//   error: static assertion failed: ActionSpec: the description of an environment needs it ...
//
// A static_assert cannot say which key it is about. Where a key is to be named, the error is the
// use of a class that is never defined: compilers print its name with all of its arguments.
#pragma once

#include <concepts>
#include <random>
#include <type_traits>
#include <utility>

#include "envpool/dict.h"
#include "envpool/hooks.h"
#include "envpool/spec.h"

namespace envpool {

/// Only in errors: the value of this key of StateSpec or ActionSpec is no Spec, Box or Discrete.
template <FixedString Key, typename Value>
struct ThisArrayNeedsASpec;
/// Only in errors: the array of this key is of another type than bool, integers, float or double.
template <FixedString Key, typename DType>
struct ThisArrayCannotHold;
/// Only in errors: every environment has an option or an array of this name already.
template <FixedString Key>
struct ThisKeyIsTakenByEnvPool;

class EnvBase;
template <typename D, typename Generator>
class Env;

namespace detail {

template <typename T>
inline constexpr bool kIsDict = false;
template <typename... Fields>
inline constexpr bool kIsDict<Dict<Fields...>> = true;

/// Replaces a description after an error about it, so that no other error follows.
inline auto WrongDict() { return Dict{Field<FixedString(""), Spec<int>>{Spec<int>({})}}; }
template <typename T>
concept Complete = requires { sizeof(T); };
/// Replaces a generator whose header is not included, for the same reason.
template <typename Generator>
using GeneratorOr = std::conditional_t<Complete<Generator>, Generator, std::mt19937>;

template <typename T>
struct ElementOf {
  using type = void;
};
template <typename T>
struct ElementOf<Spec<T>> {
  using type = T;
};
template <typename T>
struct ElementOf<Spec<Container<T>>> {
  using type = T;
};
template <typename T>
struct ElementOf<SpecMap<T>> {
  using type = T;
};
template <>
struct ElementOf<SpecList> {
  using type = bool;  // it may hold any, so one that is allowed
};

/// `type` is a class whose use tells what is wrong with a field, or void.
template <typename Common, typename Field>
struct OptionProblem;
template <typename Common, FixedString Key, typename T>
struct OptionProblem<Common, Field<Key, T>> {
  using type = std::conditional_t<HasField<Common, Key>, ThisKeyIsTakenByEnvPool<Key>, void>;
};
template <typename Common, typename Field>
struct ArrayProblem;
template <typename Common, FixedString Key, typename T>
struct ArrayProblem<Common, Field<Key, T>> {
  using Element = typename ElementOf<T>::type;
  using type = std::conditional_t<
      HasField<Common, Key>, ThisKeyIsTakenByEnvPool<Key>,
      std::conditional_t<
          std::is_void_v<Element>, ThisArrayNeedsASpec<Key, T>,
          std::conditional_t<!ArrayElement<Element>, ThisArrayCannotHold<Key, Element>, void>>>;
};

/// `common` and `own` in one dict. A wrong field of `own` does not compile.
template <template <typename, typename> typename Problem, typename Common, typename... Fields>
auto Joined(Common common, Dict<Fields...> own) {
  if constexpr ((std::is_void_v<typename Problem<Common, Fields>::type> && ...)) {
    return std::move(common) + std::move(own);
  } else {
    const auto tell = []<typename T>(std::type_identity<T>) {
      if constexpr (!std::is_void_v<T>) return sizeof(T);
    };
    (tell(std::type_identity<typename Problem<Common, Fields>::type>()), ...);
    return std::move(common) + WrongDict();
  }
}

/// The options: first the common ones of all environments, then the options of `D`.
template <typename D, typename Common>
auto JoinedConfig(Common common) {
  if constexpr (!requires { D::DefaultConfig(); }) {
    static_assert(
        kNever<D>,
        "DefaultConfig: the description of an environment needs a public "
        "`static auto DefaultConfig()` that compiles and returns a Dict, Dict{} without options");
    return std::move(common) + WrongDict();
  } else if constexpr (!kIsDict<std::remove_cvref_t<decltype(D::DefaultConfig())>>) {
    static_assert(kNever<D>, "DefaultConfig: has to return a Dict, as Dict{\"goal\"_ = 3}");
    return std::move(common) + WrongDict();
  } else {
    return Joined<OptionProblem>(std::move(common), D::DefaultConfig());
  }
}
/// The arrays of a state.
template <typename D, typename Common>
auto JoinedState(Common common, const auto& config) {
  if constexpr (!requires { D::StateSpec(config); }) {
    static_assert(
        kNever<D>,
        "StateSpec: the description of an environment needs a public "
        "`static auto StateSpec(const auto& config)` that compiles and returns a Dict of arrays");
    return std::move(common) + WrongDict();
  } else if constexpr (!kIsDict<std::remove_cvref_t<decltype(D::StateSpec(config))>>) {
    static_assert(kNever<D>,
                  "StateSpec: has to return a Dict, as Dict{\"obs\"_ = Box<float>({4})}");
    return std::move(common) + WrongDict();
  } else {
    return Joined<ArrayProblem>(std::move(common), D::StateSpec(config));
  }
}
/// The arrays of an action.
template <typename D, typename Common>
auto JoinedAction(Common common, const auto& config) {
  if constexpr (!requires { D::ActionSpec(config); }) {
    static_assert(
        kNever<D>,
        "ActionSpec: the description of an environment needs a public "
        "`static auto ActionSpec(const auto& config)` that compiles and returns a Dict of arrays");
    return std::move(common) + WrongDict();
  } else if constexpr (!kIsDict<std::remove_cvref_t<decltype(D::ActionSpec(config))>>) {
    static_assert(kNever<D>,
                  "ActionSpec: has to return a Dict, as Dict{\"action\"_ = Discrete(2)}");
    return std::move(common) + WrongDict();
  } else {
    return Joined<ArrayProblem>(std::move(common), D::ActionSpec(config));
  }
}

/// The options of a reset.
template <typename D, typename Config>
auto ResetOptionsOf([[maybe_unused]] const Config& config) {
  constexpr bool kChecks = HasCheckResetOptions<D>();
  if constexpr (!HasResetOptions<D>()) {
    static_assert(!kChecks, "CheckResetOptions: means nothing without ResetOptions");
    return Dict{};
  } else if constexpr (!requires { D::ResetOptions(config); }) {
    static_assert(kNever<D>,
                  "ResetOptions: has to be `static auto ResetOptions(const auto& "
                  "config)`, public, and to compile");
    return Dict{};
  } else if constexpr (!kIsDict<std::remove_cvref_t<decltype(D::ResetOptions(config))>>) {
    static_assert(kNever<D>, "ResetOptions: has to return a Dict, as Dict{\"low\"_ = -0.05}");
    return Dict{};
  } else {
    using Options = std::remove_cvref_t<decltype(D::ResetOptions(config))>;
    static_assert(
        !kChecks || requires(const Options& given) { D::CheckResetOptions(given, config); },
        "CheckResetOptions: has to be `static void CheckResetOptions(const auto& options, "
        "const auto& config)`, public, and to compile");
    return D::ResetOptions(config);
  }
}

template <typename D, typename Generator>
Env<D, Generator> EnvBehind(const Env<D, Generator>*);  // never defined
/// The Env that E derives from.
template <typename E>
using EnvOf = decltype(EnvBehind(static_cast<E*>(nullptr)));

// Whether E has a function that is asked of every environment. Not asked of a class that derives
// from E, which may be final.
template <typename E>
concept HasReset = requires { static_cast<void (E::*)()>(&E::Reset); } &&
                   !std::same_as<decltype(&E::Reset), void (EnvBase::*)()>;
template <typename E>
concept HasIsDone = requires { static_cast<bool (E::*)()>(&E::IsDone); } &&
                    !std::same_as<decltype(&E::IsDone), bool (EnvBase::*)()>;
template <typename E>
concept HasStep = requires { static_cast<void (E::*)(const typename E::Action&)>(&E::Step); } &&
                  !std::same_as<decltype(&E::Step), void (EnvOf<E>::*)(const typename E::Action&)>;

/// Whether a pool can run E; if not, it does not compile, and the error says why.
template <typename E>
constexpr bool CheckEnvironment() {
  if constexpr (!std::derived_from<E, EnvBase>) {
    static_assert(kNever<E>,
                  "Register<E>: E has to be an environment, a class that derives publicly from "
                  "envpool::Env<its description>");
    return false;
  } else if constexpr (std::is_abstract_v<E>) {
    static_assert(HasReset<E>, "Reset: the environment needs `void Reset() override`");
    static_assert(HasStep<E>,
                  "Step: the environment needs `void Step(const Action& action) override`");
    static_assert(HasIsDone<E>, "IsDone: the environment needs `bool IsDone() override`");
    static_assert(!HasReset<E> || !HasStep<E> || !HasIsDone<E>,
                  "the environment lacks a function that one of its bases declares `= 0`, as "
                  "RenderableEnv does RenderSize and Render");
    return false;
  } else if constexpr (!std::is_constructible_v<E, const typename E::Spec&, int>) {
    static_assert(kNever<E>,
                  "the constructor: the environment needs `using Env::Env;`, or a "
                  "public one that takes (const Spec& spec, int env_id)");
    return false;
  } else if constexpr (!requires(E& env) { env.E::Reset(); }) {
    static_assert(kNever<E>, "Reset: has to be public");
    return false;
  } else if constexpr (!requires(E& env) { env.E::IsDone(); }) {
    static_assert(kNever<E>, "IsDone: has to be public");
    return false;
  } else if constexpr (!requires(E& env, const typename E::Action& a) { env.E::Step(a); }) {
    static_assert(kNever<E>, "Step: has to be public");
    return false;
  } else {
    CheckHooks<typename HookOwner<E>::type>();
    return true;
  }
}

}  // namespace detail
}  // namespace envpool
