// SPDX-License-Identifier: Apache-2.0
// EnvSpec: a description with a value for every option, and the options and arrays that all
// environments have.
//
//   EnvSpec<CounterSpec> spec;                     // with the defaults
//   spec.config["goal"_];                          // an option
//   spec.state_spec["obs"_].shape;                 // an array that environments write
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/author_errors.h"
#include "envpool/dict.h"
#include "envpool/engine/columns.h"
#include "envpool/spec.h"

namespace envpool {

/// Options of every environment. Python fills them in; an environment may read them.
inline auto CommonConfig() {
  return Dict{"num_envs"_ = 1,
              "batch_size"_ = 0,
              "num_threads"_ = 0,
              "max_num_players"_ = 1,
              "thread_affinity_offset"_ = -1,
              "base_path"_ = "",
              "seed"_ = std::int64_t{42},
              "env_seed"_ = std::vector<std::int64_t>{},
              "gym_reset_return_info"_ = true,
              "max_episode_steps"_ = std::numeric_limits<int>::max()};
}
/// The range of an option.
struct OptionRange {
  std::string_view name;  ///< the option
  int low, high;          ///< its smallest and its largest value
};
/// 2^24 environments of the smallest kind take gigabytes; beyond that a typing error is likelier
/// than a wish.
inline constexpr OptionRange kOptionRanges[] = {
    {"num_envs", 1, 1 << 24},
    {"num_threads", 0, 4096},
    {"max_num_players", 1, 1 << 16},
    {"thread_affinity_offset", -1, 1 << 16},
    {"max_episode_steps", 1, std::numeric_limits<int>::max()}};
/// Arrays of every state; the order is that of CommonColumn.
inline auto CommonState() {
  return Dict{
      "info:env_id"_ = Spec<int>({}),       "info:players.env_id"_ = Spec<int>({kPlayers}),
      "elapsed_step"_ = Spec<int>({}),      "done"_ = Spec<bool>({}),
      "reward"_ = Spec<float>({kPlayers}),  "discount"_ = Spec<float>({kPlayers}, {0.0f, 1.0f}),
      "step_type"_ = Spec<int>({}, {0, 2}), "trunc"_ = Spec<bool>({}),
      "terminated"_ = Spec<bool>({})};
}
/// Arrays of every action: which environment, and which environment each player is in.
inline auto CommonAction() {
  return Dict{"env_id"_ = Spec<int>({}), "players.env_id"_ = Spec<int>({kPlayers})};
}
inline constexpr std::size_t kNumCommonActions = 2;  ///< how many they are

/// A description with a value for every option: all that a pool of environments shares.
template <typename D>
struct EnvSpec {
  using Description = D;
  using Config = decltype(detail::JoinedConfig<D>(CommonConfig()));
  using StateSpec = decltype(detail::JoinedState<D>(CommonState(), std::declval<const Config&>()));
  using ActionSpec =
      decltype(detail::JoinedAction<D>(CommonAction(), std::declval<const Config&>()));
  using ResetOptions = decltype(detail::ResetOptionsOf<D>(std::declval<const Config&>()));

  /// The options of all environments, then the environment's own.
  static Config DefaultConfig() { return detail::JoinedConfig<D>(CommonConfig()); }

  Config config;           ///< all options
  StateSpec state_spec;    ///< the arrays that environments write, by key
  ActionSpec action_spec;  ///< the arrays that they read, by key
  /// The options of a reset, with their defaults; Dict{} if the description has none.
  ResetOptions reset_options;
  Columns state;   ///< the same, as the engine sees them
  Columns action;  ///< the same, as the engine sees them
  /// The pool's seed of each environment, which a reset may change; null outside of a pool.
  const std::int64_t* seeds = nullptr;

  /// Asks the description for the arrays that these options give.
  explicit EnvSpec(Config options = DefaultConfig());

  /// Seed of environment `env_id`: its own where one was given, else `seed` + env_id.
  std::int64_t SeedOf(int env_id) const {
    if (seeds != nullptr) return seeds[env_id];
    const auto& own = config["env_seed"_];
    return own.empty() ? config["seed"_] + env_id : own[static_cast<std::size_t>(env_id)];
  }
};

namespace detail {
/// The EnvSpec of a description, or of an EnvSpec itself.
template <typename D>
struct SpecOf {
  using type = EnvSpec<D>;
};
template <typename D>
struct SpecOf<EnvSpec<D>> {
  using type = EnvSpec<D>;
};
}  // namespace detail

template <typename D>
EnvSpec<D>::EnvSpec(Config options)
    : config(std::move(options)),
      state_spec(detail::JoinedState<D>(CommonState(), std::as_const(config))),
      action_spec(detail::JoinedAction<D>(CommonAction(), std::as_const(config))),
      reset_options(detail::ResetOptionsOf<D>(std::as_const(config))) {
  const auto layout = [this](const auto& specs) {
    std::vector<ArraySpec> arrays;
    std::vector<std::size_t> map_sizes;
    specs.ForEach([&](std::string_view name, const auto& spec) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(spec)>, SpecList>) {
        for (const ArraySpec& array : spec.arrays) {
          detail::CheckArray(array);
          arrays.push_back(array);
        }
        map_sizes.push_back(spec.arrays.size());
      } else if constexpr (requires { spec.arrays; }) {
        for (const auto& [inner, one] : spec.arrays) {
          const std::string key(name);
          arrays.push_back(MakeArraySpec(inner.empty() ? key : key + ":" + inner, one));
        }
        map_sizes.push_back(spec.arrays.size());
      } else {
        arrays.push_back(MakeArraySpec(name, spec));
      }
    });
    Columns columns(std::move(arrays), config["max_num_players"_]);
    columns.map_sizes = std::move(map_sizes);
    return columns;
  };
  state = layout(state_spec);
  action = layout(action_spec);
  if constexpr (requires { D::kWritesWholeRows; }) state.written_whole = D::kWritesWholeRows;
}

}  // namespace envpool
