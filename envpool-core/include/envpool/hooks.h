// SPDX-License-Identifier: Apache-2.0
// The functions that an environment may have besides Reset, Step and IsDone, and that are found by
// their names. One of another shape does not compile, and the error says which shape is meant:
//
//   error: static assertion failed: IsTruncated: has to be a public `bool IsTruncated()`
//
// RenderSize and Render draw a frame (RenderableEnv in env.h), RenderDepth a float for each pixel,
// 0 for near and 1 for far. `std::string RenderText()` gives a text, for render_mode="ansi".
// An environment that has several cameras says so by `static constexpr bool kHasCameras = true;`,
// or has CheckRender; of any other one the pool refuses cameras beyond the first. SaveState and
// LoadState are in state_io.h, kStepKind is in step_kind.h, external steps are in external_steps.h,
// and CheckRender is in pixels.h.
//
// Two functions are for episodes that are parts of something longer, as the lives of a game:
//
//   bool Continue();         // begins an episode where the last one ended, or returns false
//   bool IsTerminalState();  // whether a step was terminal, although the episode goes on
//
// Continue is called in place of Reset by autoreset, after an end that IsDone told within the time
// limit; a reset that the user asks for is a Reset, unless autoreset is "disabled". Continue starts
// an episode as Reset does, calls Allocate once and returns true; the pool goes on counting
// elapsed_step, and the time limit is the limit of the whole. Or Continue changes nothing and
// returns false, and Reset follows.
//
// IsTerminalState is asked after each Step. If it is true the result has terminated and discount 0,
// but nothing is reset and the next Step goes on; dm_env sees no last step. In mode "same_step"
// such a row is also the end and the start of an episode, with the same observation.
//
// An environment that cuts episodes short itself, beside the pool's time limit, has `bool
// IsTruncated()`, which is asked after each Reset and Step, as IsDone is. If it is true the episode
// is over and truncated; it is also terminated if IsDone is true as well.
//
// The description names options of a reset, with their defaults; pool.reset(options={"low": -0.1})
// passes them in Python:
//
//   static auto ResetOptions(const auto& config) { return Dict{"low"_ = -0.05, "high"_ = 0.05}; }
//
// They have the types that options in DefaultConfig may have. Reset reads them as
// `reset_options()["low"_]`; they hold for that episode only. The description may refuse values:
//
//   static void CheckResetOptions(const auto& options, const auto& config);
//
// throws a std::exception whose text becomes that of the ConfigError; no environment is reset then.
//
// Python may send requests of the family to an environment that is not in flight:
//
//   std::string Call(const std::string& request);
//
// `pool.compiled.call(env_ids, requests)` has the answers, bytes for bytes. Several environments
// may be asked at a time, each by one thread. An exception of Call becomes a WorkerError; an Error
// stays an Error.
//
// A new seed makes a new object of an environment. If the reference keeps values nevertheless, the
// old object passes them to the new object before Reset:
//
//   Colors Kept() const;            // of any type that can be copied
//   void Keep(const Colors& kept);
//
// A saved state is loaded into pools with the same options of the environment only. A description
// names the options that do not change the steps after a state, as options of frames:
//
//   static constexpr std::string_view kNotInStates[] = {"render_quality"};
//
// The pool clears rows before each Reset and Step, so arrays that an environment does not write are
// 0. A description says that its environment writes every element each time, and large rows are not
// cleared then:
//
//   static constexpr bool kWritesWholeRows = true;
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "envpool/external_steps.h"
#include "envpool/spec.h"
#include "envpool/state_io.h"
#include "envpool/step_kind.h"

namespace envpool {

template <typename E>
class FromPixels;

namespace detail {

template <typename E>
concept Renderable = requires(E& env, unsigned char* rgb) {
  { env.RenderSize(0, 0) } -> std::convertible_to<std::pair<int, int>>;
  env.Render(0, 0, 0, rgb);
};
template <typename E>
concept DepthRenderable =
    Renderable<E> && requires(E& env, float* depth) { env.RenderDepth(0, 0, 0, depth); };
template <typename E>
concept TextRenderable = requires(E& env) {
  { env.RenderText() } -> std::same_as<std::string>;
};
template <typename E>
concept Savable = requires(E& env, StateWriter& out, StateReader& in) {
  env.SaveState(out);
  env.LoadState(in);
};
template <typename E>
concept Callable = requires(E& env, const std::string& request) {
  { env.Call(request) } -> std::same_as<std::string>;
};
template <typename E>
concept Keeping = requires(E& env) { env.Keep(std::as_const(env).Kept()); };
template <typename E>
concept Continuing = requires(E& env) {
  { env.Continue() } -> std::same_as<bool>;
};
template <typename E>
concept MarkingTerminalStates = requires(E& env) {
  { env.IsTerminalState() } -> std::same_as<bool>;
};
template <typename E>
concept Truncating = requires(E& env) {
  { env.IsTruncated() } -> std::same_as<bool>;
};
template <typename E>
concept ExternallyStepped =
    requires(E& env, const typename E::Action& action, const typename E::Spec& spec) {
      { E::ExternalStepsOf(spec) } -> std::same_as<ExternalSteps&>;
      requires noexcept(env.Submit(action));
      requires noexcept(env.SubmitReset());
    };

// Whether a class has a member of a name, of any kind: if a second base class has a member of that
// name too, the name is ambiguous. A final class cannot be a base class; of its members only public
// ones without overloads are found.
#define ENVPOOL_HAS_MEMBER(name)                  \
  struct Beside##name {                           \
    int name;                                     \
  };                                              \
  template <typename E>                           \
  struct With##name : E, Beside##name {};         \
  template <typename E>                           \
  constexpr bool Has##name() {                    \
    if constexpr (std::is_final_v<E>) {           \
      return requires { &E::name; };              \
    } else {                                      \
      return !requires { &With##name<E>::name; }; \
    }                                             \
  }
ENVPOOL_HAS_MEMBER(RenderSize)
ENVPOOL_HAS_MEMBER(Render)
ENVPOOL_HAS_MEMBER(RenderDepth)
ENVPOOL_HAS_MEMBER(RenderText)
ENVPOOL_HAS_MEMBER(CheckRender)
ENVPOOL_HAS_MEMBER(SaveState)
ENVPOOL_HAS_MEMBER(LoadState)
ENVPOOL_HAS_MEMBER(Call)
ENVPOOL_HAS_MEMBER(Kept)
ENVPOOL_HAS_MEMBER(Keep)
ENVPOOL_HAS_MEMBER(Continue)
ENVPOOL_HAS_MEMBER(IsTerminalState)
ENVPOOL_HAS_MEMBER(IsTruncated)
ENVPOOL_HAS_MEMBER(ExternalStepsOf)
ENVPOOL_HAS_MEMBER(SubmitReset)
ENVPOOL_HAS_MEMBER(kStepKind)
ENVPOOL_HAS_MEMBER(ResetOptions)
ENVPOOL_HAS_MEMBER(CheckResetOptions)
#undef ENVPOOL_HAS_MEMBER

template <typename E>
constexpr bool HasCameras() {
  if constexpr (requires { E::kHasCameras; }) {
    return E::kHasCameras;
  } else {
    return HasCheckRender<E>();
  }
}

// Ways to write kStepKind that do not mean it.
template <typename E>
concept HasMisspeltStepKind =
    requires { E::kStepkind; } || requires { E::kstepKind; } || requires { E::kstepkind; } ||
    requires { E::kStepKinds; } || requires { E::KStepKind; } || requires { E::StepKind; } ||
    requires { E::stepKind; } || requires { E::step_kind; } || requires { E::kStep_Kind; } ||
    requires { E::kKind; };

/// Does not compile if an environment has such a function with another signature.
template <typename E>
constexpr void CheckHooks() {
  static_assert(!HasIsTruncated<E>() || Truncating<E>,
                "IsTruncated: has to be a public `bool IsTruncated()`");
  static_assert(!HasIsTerminalState<E>() || MarkingTerminalStates<E>,
                "IsTerminalState: has to be a public `bool IsTerminalState()`");
  static_assert(!HasContinue<E>() || Continuing<E>,
                "Continue: has to be a public `bool Continue()`");
  static_assert(!(HasRender<E>() || HasRenderSize<E>()) || Renderable<E>,
                "Render: an environment that draws itself has two public functions, "
                "`std::pair<int, int> RenderSize(int width, int height)` and "
                "`void Render(int width, int height, int camera_id, unsigned char* rgb)`");
  static_assert(!HasRenderDepth<E>() || DepthRenderable<E>,
                "RenderDepth: has to be a public "
                "`void RenderDepth(int width, int height, int camera_id, float* depth)`, "
                "beside Render");
  static_assert(!HasRenderText<E>() || TextRenderable<E>,
                "RenderText: has to be a public `std::string RenderText()`");
  static_assert(
      !HasCheckRender<E>() || requires(E& env) { env.CheckRender(0, 0, 0); },
      "CheckRender: has to be a public "
      "`void CheckRender(int width, int height, int camera_id)`");
  static_assert(!(HasSaveState<E>() || HasLoadState<E>()) || Savable<E>,
                "SaveState: an environment that can be saved has two public functions, "
                "`void SaveState(StateWriter& out)` and `void LoadState(StateReader& in)`");
  static_assert(!HasCall<E>() || Callable<E>,
                "Call: has to be a public `std::string Call(const std::string& request)`");
  static_assert(!(HasKept<E>() || HasKeep<E>()) || Keeping<E>,
                "Keep: what a new seed leaves alone is in two public functions, "
                "`T Kept() const` and `void Keep(const T& kept)`");
  static_assert(!(HasExternalStepsOf<E>() || HasSubmitReset<E>()) || ExternallyStepped<E>,
                "Submit: an environment that another program steps has three public functions, "
                "`static ExternalSteps& ExternalStepsOf(const Spec& spec)`, "
                "`void Submit(const Action& action) noexcept` and `void SubmitReset() noexcept`");
  static_assert(
      !HaskStepKind<E>() || requires {
        { E::kStepKind } -> std::convertible_to<StepKind>;
      }, "kStepKind: has to be public, `static constexpr auto kStepKind = StepKind::kTrivial;`");
  static_assert(!HasMisspeltStepKind<E>,
                "kStepKind: is written `static constexpr auto kStepKind = StepKind::kTrivial;`");
}

/// The class that has the functions: the environment inside of a wrapper, else `E` itself.
template <typename E>
struct HookOwner {
  using type = E;
};
template <typename E>
struct HookOwner<FromPixels<E>> {
  using type = E;
};

}  // namespace detail
}  // namespace envpool
