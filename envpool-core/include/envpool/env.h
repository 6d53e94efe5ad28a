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
// step_type and discount (1, or 0 at a terminal state unless the environment wrote another). What
// an environment does not write is 0.
//
// How long a step takes is said by `static constexpr auto kStepKind`, see step_kind.h.
//
// Functions that an environment may have besides, and that are found by their names (one of another
// shape does not compile, see hooks.h): RenderSize and Render (RenderableEnv below), RenderDepth
// (Render with a float for each pixel, 0 for near and 1 for far), SaveState and LoadState
// (state_io.h), and two for episodes that are parts of something longer, as the lives of a game:
//
//   bool Continue();         // begins an episode where the last one ended, or returns false
//   bool IsTerminalState();  // whether a step was terminal, although the episode goes on
//
// Continue is called in place of Reset by autoreset, after an end that IsDone told within the time
// limit; a reset that the user asks for is a Reset, unless autoreset is "disabled". It does what
// Reset does, calls Allocate once and returns true, and the pool goes on counting: elapsed_step and
// time limit are of the whole. Or it leaves everything alone and returns false, and Reset follows.
//
// IsTerminalState is asked after each Step. Where it is true the result says terminated and
// discount 0, but nothing is reset and the next Step goes on; dm_env sees no last step. In mode
// "same_step" such a row is also the end and the start of an episode, with the same observation.
//
// An environment whose episodes can also be cut short by something else than the pool's time limit
// says so by `bool IsTruncated()`, which is asked after each Reset and Step, as IsDone is. Where it
// is true the episode is over, truncated, and terminated only if IsDone is true as well.
//
// A Reset that may be told how to begin, by pool.reset(options={"low": -0.1}) in Python, says in
// its description by what, with the defaults:
//
//   static auto ResetOptions(const auto& config) { return Dict{"low"_ = -0.05, "high"_ = 0.05}; }
//
// They are of the types that options in DefaultConfig may have. Reset reads them as
// `reset_options()["low"_]`; they hold for that one episode. The description may refuse values:
//
//   static void CheckResetOptions(const auto& options, const auto& config);
//
// throws a std::exception whose text becomes that of the ConfigError; no environment is reset then.
//
// Several players: an array whose first size is kPlayers has a row for each of the n players that
// Allocate(n) asks for; reward and discount are such arrays. A Step's action has the rows of the
// last result, in its order, unless Python names others with players.env_id: Shape(0) says how many
// there are. Allocate is asked again each time, so a player that leaves has its last row, with its
// last reward, in the result of that Step, and no row in the next. The pool knows environments, not
// players: done, terminated and truncated, and a Reset, are for all of them together. So an
// environment says by the row's discount, 0, that nothing comes after it, which dm_env shows, and
// for Gymnasium by an array of its own, as "info:players.done". At a terminal state the pool makes
// each discount that is still 1 a 0.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/author_errors.h"
#include "envpool/dict.h"
#include "envpool/engine/columns.h"
#include "envpool/spec.h"
#include "envpool/step_kind.h"
#include "envpool/view.h"

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
/// What some of them may be.
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

  /// The options of every environment, and those of this one.
  static Config DefaultConfig() { return detail::JoinedConfig<D>(CommonConfig()); }

  Config config;           ///< all options
  StateSpec state_spec;    ///< the arrays that environments write, by key
  ActionSpec action_spec;  ///< the arrays that they read, by key
  /// What a reset may be told, with the defaults; Dict{} where the description says nothing.
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

template <typename T>
class ViewMap;
class ViewList;
class NumpyRandom;
class NumpyLegacyRandom;

namespace detail {
/// The arrays that the pool writes after Reset and Step, whatever an environment has put there.
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
class PoolsArray {
 public:
  using dtype = T;

  explicit(false) PoolsArray(const View<T>&) {}
  template <typename U>
    requires(!std::same_as<U, PoolsArray>)
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
template <typename D>
struct SpecOf {
  using type = EnvSpec<D>;
};
template <typename D>
struct SpecOf<EnvSpec<D>> {
  using type = EnvSpec<D>;
};
template <typename S>
struct ViewOf;
template <typename T>
struct ViewOf<Spec<T>> {
  using type = View<T>;
};
template <typename T>
struct ViewOf<SpecMap<T>> {
  using type = ViewMap<T>;
};
template <>
struct ViewOf<SpecList> {
  using type = ViewList;
};
template <typename SpecDict>
struct ViewsOf;
template <FixedString... Name, typename... S>
struct ViewsOf<Dict<Field<Name, S>...>> {
  using type = Dict<Field<Name, typename ViewOf<S>::type>...>;
};
template <typename Field>
struct StateField {
  using type = Field;
};
template <FixedString Name, typename T>
  requires(kIsThePools<Name>)
struct StateField<Field<Name, View<T>>> {
  using type = Field<Name, PoolsArray<Name, T>>;
};
/// As the views of an action, but that an environment does not write what the pool writes.
template <typename ViewDict>
struct StateOf;
template <typename... Fields>
struct StateOf<Dict<Fields...>> {
  using type = Dict<typename StateField<Fields>::type...>;
};

// After the parameters of a lambda.
#if defined(_MSC_VER) && !defined(__clang__)
#define ENVPOOL_ALWAYS_INLINE [[msvc::forceinline]]
#else
#define ENVPOOL_ALWAYS_INLINE __attribute__((always_inline))
#endif

template <typename T>
[[gnu::always_inline]] inline View<T> MakeView(const ViewShape& shape, std::byte* data, int players,
                                               int max_players) {
  const int first = shape.first == kPlayers ? players : shape.first;
  return View<T>(reinterpret_cast<T*>(data), static_cast<std::size_t>(first), shape.stride,
                 shape.dims, shape.rank, shape.first == kPlayers && max_players == 1);
}
template <typename>
inline constexpr bool kIsViewMap = false;
template <typename T>
inline constexpr bool kIsViewMap<ViewMap<T>> = true;
template <>
inline constexpr bool kIsViewMap<ViewList> = true;
/// The views of one environment's part of all arrays: row `row` of each column. Inlined everywhere,
/// so that the views that the environment does not look at are never made: half of a cheap step.
template <typename ViewDict>
struct PointedViews;
template <typename... Fields>
struct PointedViews<Dict<Fields...>> {
  [[gnu::always_inline]] static Dict<Fields...> At(const Columns& layout, std::byte* const* columns,
                                                   std::size_t row, int players) {
    std::size_t next = 0, next_map = 0;
    const auto field = [&]<typename F>() ENVPOOL_ALWAYS_INLINE {
      const std::size_t i = next;
      if constexpr (kIsViewMap<typename F::type>) {
        next += layout.map_sizes[next_map];
        return F{{layout, columns, row, players, i, layout.map_sizes[next_map++], F::name.size()}};
      } else {
        ++next;
        return F{MakeView<typename F::type::dtype>(
            layout.views[i], columns[i] + row * layout.row_sizes[i], players, layout.max_players)};
      }
    };
    return Dict<Fields...>{field.template operator()<Fields>()...};  // braces: in this order
  }
};
}  // namespace detail

/// The arrays of a SpecMap, as `state["info"_]["x_position"] = x`.
template <typename T>
class ViewMap {
 public:
  using dtype = T;

  /// What Allocate makes it of: `count` columns from `first` on, and the length of the key.
  ViewMap(const Columns& layout, std::byte* const* columns, std::size_t row, int players,
          std::size_t first, std::size_t count, std::size_t key_size)
      : layout_(&layout),
        columns_(columns),
        row_(row),
        players_(players),
        first_(first),
        count_(count),
        key_size_(key_size) {}

  /// The array at a place of the SpecMap. Throws std::out_of_range where there is none.
  template <std::integral Index>
  View<T> operator[](Index i) const {
    if (static_cast<std::size_t>(i) >= count_) {
      throw std::out_of_range("array " + std::to_string(i) + " of " + std::to_string(count_));
    }
    const std::size_t column = first_ + static_cast<std::size_t>(i);
    return detail::MakeView<T>(layout_->views[column],
                               columns_[column] + row_ * layout_->row_sizes[column], players_,
                               layout_->max_players);
  }
  /// The array of this name, found by comparing them in order. Throws std::out_of_range where there
  /// is none.
  View<T> operator[](std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::string_view whole = layout_->arrays[first_ + i].name;
      const std::string_view inner =
          whole.size() == key_size_ ? std::string_view() : whole.substr(key_size_ + 1);
      if (inner == name) return (*this)[i];
    }
    throw std::out_of_range("no array '" + std::string(name) + "' in this SpecMap");
  }
  /// How many there are.
  std::size_t size() const { return count_; }

 private:
  const Columns* layout_;
  std::byte* const* columns_;
  std::size_t row_;
  int players_;
  std::size_t first_, count_, key_size_;
};

/// The memory of one environment's part of an array.
struct Bytes {
  std::byte* data;   ///< the first element; the others follow without gaps
  std::size_t size;  ///< bytes, of the players that there are
};

/// The arrays of a SpecList, as `std::memcpy(list[0].data, from, list[0].size)`.
class ViewList {
 public:
  /// As of a ViewMap.
  ViewList(const Columns& layout, std::byte* const* columns, std::size_t row, int players,
           std::size_t first, std::size_t count, std::size_t)
      : layout_(&layout),
        columns_(columns),
        row_(row),
        players_(players),
        first_(first),
        count_(count) {}

  /// The array at a place of the SpecList. Throws std::out_of_range where there is none.
  Bytes operator[](std::size_t i) const {
    if (i >= count_) {
      throw std::out_of_range("array " + std::to_string(i) + " of " + std::to_string(count_));
    }
    const std::size_t column = first_ + i, size = layout_->row_sizes[column];
    const auto rows = static_cast<std::size_t>(layout_->max_players);
    const bool per_player = layout_->arrays[column].per_player();
    return {columns_[column] + row_ * size,
            per_player ? size / rows * static_cast<std::size_t>(players_) : size};
  }
  /// How many there are.
  std::size_t size() const { return count_; }

 private:
  const Columns* layout_;
  std::byte* const* columns_;
  std::size_t row_;
  int players_;
  std::size_t first_, count_;
};

/// The part of an environment that does not depend on its types.
class EnvBase {
 public:
  EnvBase(const EnvBase&) = delete;
  EnvBase& operator=(const EnvBase&) = delete;
  virtual ~EnvBase() = default;

  /// Begins an episode: calls Allocate once, and writes the first observation.
  virtual void Reset() = 0;
  /// Whether the episode is over; asked after each Reset and Step. The time limit is the pool's.
  virtual bool IsDone() = 0;

 protected:
  /// What Env passes on from the pool's options.
  EnvBase(int env_id, std::int64_t seed, int max_num_players)
      : env_id_(env_id), max_num_players_(max_num_players), seed_(seed) {}

  int env_id_;           ///< which environment of the pool this is, from 0
  int max_num_players_;  ///< most players that Allocate may ask for
  std::int64_t seed_;    ///< of `gen_`

 private:
  template <typename>
  friend class EnvArray;
  template <typename, typename>
  friend class Env;
  template <typename>
  friend class FromPixels;
  Row* row_ = nullptr;  // where the result of this turn goes
};

namespace detail {
template <typename T>
concept Complete = requires { sizeof(T); };
/// What stands for a generator whose header is not included, so that few other errors follow.
template <typename Generator>
using GeneratorOr = std::conditional_t<Complete<Generator>, Generator, std::mt19937>;
}  // namespace detail

/// One environment. `D` is a description or an `EnvSpec` of one; `Generator` is the type of `gen_`.
/// Reset and Step each call Allocate once and fill what it returns.
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

  /// Takes a step: calls Allocate once, and writes observation and reward. `action` is what Python
  /// sent to this environment, and holds until Step returns.
  virtual void Step(const Action& action) = 0;

 protected:
  /// The arrays to write the result into, for `player_num` players (0 .. max_num_players).
  [[gnu::always_inline]] State Allocate(int player_num = 1) {
    Row& row = *row_;
    if (row.players != Row::kOffered || player_num != 1) row.CheckPlayers(player_num);
    row.players = player_num;
    return detail::PointedViews<State>::At(spec_.state, row.columns, row.index, player_num);
  }

  /// In Reset: what the call gave as `options`, and the defaults of what it did not give. They are
  /// of that episode alone; at other times, and where autoreset calls Reset, they are the defaults.
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

/// An environment that draws itself. Deriving from it is optional: the two functions are what
/// counts.
class RenderableEnv {
 public:
  virtual ~RenderableEnv() = default;
  /// The size (width, height) of the frame that is drawn when (width, height) is asked for; 0
  /// means no wish.
  virtual std::pair<int, int> RenderSize(int width, int height) const = 0;
  /// Draws into `rgb`, height x width x 3 bytes, row-major. `camera_id` is -1 for the default one.
  virtual void Render(int width, int height, int camera_id, unsigned char* rgb) = 0;
};

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
}

}  // namespace envpool
