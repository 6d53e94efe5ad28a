// SPDX-License-Identifier: Apache-2.0
// The interface that an environment implements.
//
//   struct CounterSpec {
//     static auto DefaultConfig() { return Dict{"goal"_ = 3}; }
//     static auto StateSpec(const auto& config) {
//       return Dict{"obs"_ = Box<int>({1}, 0, config["goal"_])};
//     }
//     static auto ActionSpec(const auto& config) { return Dict{"action"_ = Discrete(2)}; }
//   };
//   class Counter : public Env<CounterSpec> {
//    public:
//     using Env::Env;
//     bool IsDone() override { return n_ >= spec_.config["goal"_]; }
//     void Reset() override { n_ = 0; Write(0); }
//     void Step(const Action& action) override { n_ += action["action"_]; Write(1); }
//    private:
//     void Write(float reward) {
//       State state = Allocate();
//       state["obs"_] = n_;
//       state["reward"_] = reward;
//     }
//     int n_ = 0;
//   };
//
// The pool counts steps, applies max_episode_steps and writes env_id, elapsed_step, done, trunc,
// step_type and discount (1, or 0 at a terminal state unless the environment wrote another).
// Elements that an environment does not write are 0.
//
// `static constexpr auto kStepKind` tells how long a step takes, see step_kind.h. hooks.h has the
// optional functions: frames, saved states, parts of episodes, episodes that are cut short, options
// of a reset. spec.h explains several players in one environment.
#pragma once

#include <cstdint>
#include <random>
#include <utility>

#include "envpool/author_errors.h"
#include "envpool/dict.h"
#include "envpool/engine/columns.h"
#include "envpool/env_base.h"
#include "envpool/env_spec.h"
#include "envpool/spec.h"
#include "envpool/state_views.h"
#include "envpool/step_kind.h"
#include "envpool/view.h"

namespace envpool {

class NumpyRandom;
class NumpyLegacyRandom;

/// One environment. `D` is a description or an `EnvSpec` of one; `Generator` is the type of `gen_`.
/// Reset and Step each call Allocate once and fill the State that it returns.
template <typename D, typename Generator = std::mt19937>
class Env : public EnvBase {
  static_assert(detail::Complete<Generator>,
                "Env<D, Generator>: NumpyRandom needs #include <envpool/random/numpy_random.h>, "
                "NumpyLegacyRandom needs #include <envpool/random/numpy_legacy_random.h>");

 public:
  using Spec = typename detail::SpecOf<D>::type;
  using State =
      typename detail::StateOf<typename detail::ViewsOf<typename Spec::StateSpec>::type>::type;
  using Action = typename detail::ViewsOf<typename Spec::ActionSpec>::type;

  /// `spec` is the pool's and outlives the environment.
  Env(const Spec& spec, int env_id)
      : EnvBase(env_id, spec.SeedOf(env_id), spec.config["max_num_players"_]),
        spec_(spec),
        gen_(static_cast<typename detail::GeneratorOr<Generator>::result_type>(seed_)) {}

  /// Takes a step: calls Allocate once, and writes observation and reward. `action` is the action
  /// of this environment; it is valid until Step returns.
  virtual void Step(const Action& action) = 0;

 protected:
  /// The arrays to write the result into, for `player_num` players (0 .. max_num_players).
  [[gnu::always_inline]] State Allocate(int player_num = 1) {
    Row& row = *row_;
    if (row.players != Row::kOffered || player_num != 1) row.CheckPlayers(player_num);
    row.players = player_num;
    return detail::PointedViews<State>::At(spec_.state, row.columns, row.index, player_num);
  }

  /// In Reset: the `options` of the call, with defaults for options that it leaves out. They hold
  /// for that episode only. At other times, and if autoreset calls Reset, they are the defaults.
  const typename Spec::ResetOptions& reset_options() const {
    const void* given = row_->reset_options;
    return given == nullptr ? spec_.reset_options
                            : *static_cast<const typename Spec::ResetOptions*>(given);
  }

  const Spec& spec_;                    ///< the pool's; options are in `spec_.config`
  detail::GeneratorOr<Generator> gen_;  ///< the environment's own random numbers, from its seed

 private:
  template <typename>
  friend class EnvArray;
  template <typename>
  friend class FromPixels;
  // `gen_` of a derived class may be a private name for it.
  auto& generator() { return gen_; }
};

/// An environment that draws itself. Deriving from it is optional: the pool looks for the two
/// functions.
class RenderableEnv {
 public:
  virtual ~RenderableEnv() = default;
  /// The size (width, height) of the frame that is drawn when (width, height) is asked for; 0
  /// means no wish.
  virtual std::pair<int, int> RenderSize(int width, int height) const = 0;
  /// Draws into `rgb`, height x width x 3 bytes, row-major. `camera_id` is -1 for the default one.
  virtual void Render(int width, int height, int camera_id, unsigned char* rgb) = 0;
};

}  // namespace envpool
