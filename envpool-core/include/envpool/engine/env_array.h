// SPDX-License-Identifier: Apache-2.0
// EnvArray<E>: environments of one type side by side, and all that advancing one of them means: to
// build it, a step or a reset, the time limit, the start of the next episode, errors.
//
//   EnvArray<CartPole> envs(std::move(spec), options);
//   envs.BuildAll(actions, check_signals);
//   AdvanceResult result = envs.Advance(ids, n, row, players);   // into row, row + 1, ...
//
// All environments lie in one block of memory and are called without a virtual call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/engine/action_table.h"
#include "envpool/engine/columns.h"
#include "envpool/engine/pool_options.h"
#include "envpool/engine/saved_state.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/external_steps.h"
#include "envpool/hooks.h"
#include "envpool/state_io.h"
#include "envpool/step_kind.h"

namespace envpool {

/// How it went to advance environments, each by a step or a reset.
struct AdvanceResult {
  int count = 0;  ///< how many were advanced; the last of them failed, if `failed`
  bool player_counts_differ = false;  ///< some had another number of players than 1
  bool failed = false;                ///< it threw an exception, with this text
  std::string text;
};

/// All of an EnvArray that does not depend on the type of its environments.
class EnvArrayBase {
 public:
  virtual ~EnvArrayBase() = default;
  EnvArrayBase(const EnvArrayBase&) = delete;
  EnvArrayBase& operator=(const EnvArrayBase&) = delete;

  /// Builds all environments, by several threads if it takes long. If one fails, destroys all;
  /// throws the exception of the environment if it is an Error(kConfig), else an Error(kWorker).
  /// `check_signals` is called about every 50 ms in between, and may throw.
  void BuildAll(ActionTable& actions, const std::function<void()>& check_signals);
  void DestroyAll();

  /// Advances `count` environments, one after the other. The first result goes to `row`, the next
  /// one to the row after it. Stops after one that fails. Where the i-th has another
  /// number of players than 1, that goes into players[i]. Called by many threads, never twice at a
  /// time for one environment.
  virtual AdvanceResult Advance(const int* env_ids, int count, Row row,
                                std::int32_t* players) noexcept = 0;

  /// The next Advance of an environment is a Reset; kReseed: of a new object.
  void AskReset(int env_id, Op op) {
    std::uint8_t& todo = state_of(env_id).todo;
    todo |= op == Op::kReseed ? kMustReset | kMustBuild : kMustReset;
    if (!offered_.empty()) TakeResetOptions(env_id, todo);
    // In mode kDisabled this reset may do what another mode does by itself: go on (Continue).
    if (options_.autoreset != Autoreset::kDisabled) todo &= static_cast<std::uint8_t>(~kMayGoOn);
  }
  /// Whether an episode is running.
  bool in_episode(int env_id) const { return !(state_of(env_id).todo & kMustReset); }
  /// Throws Error(kRender) where an environment has no episode to draw: it was never reset.
  void CheckDrawable(int env_id) const;
  /// The seed of the object that Op::kReseed makes.
  void SetSeed(int env_id, std::int64_t seed) { seeds_[static_cast<std::size_t>(env_id)] = seed; }

  /// The options of a reset with their defaults, to be changed and offered; null: it has none.
  virtual std::shared_ptr<void> MakeResetOptions() const { return nullptr; }
  /// Exceptions of the description, about such options, are thrown on.
  virtual void CheckResetOptions(const void* /*options*/) const {}
  /// The next reset that is asked of an environment has these, null: the defaults.
  void OfferResetOptions(int env_id, std::shared_ptr<const void> options);

  virtual StepKind step_kind() const = 0;
  /// Kind kExternal: where steps and resets are submitted, which Advance then completes; else null.
  virtual ExternalSteps* external_steps() const = 0;
  /// Posts the next step or reset of an environment; false when there is nothing to wait for, since
  /// Advance is going to fail.
  virtual bool Submit(int env_id) noexcept = 0;
  virtual const Columns& state() const = 0;
  virtual const Columns& action() const = 0;
  /// The size (width, height) of a frame. Throws Error(kRender) when the environment cannot draw.
  virtual std::pair<int, int> RenderSize(int env_id, int width, int height) = 0;
  virtual void Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) = 0;
  virtual void RenderDepth(int env_id, int width, int height, int camera_id, float* depth);
  virtual std::string RenderText(int env_id);
  /// `last_players`: see InFlight.
  virtual std::string SaveState(int env_id, std::int32_t last_players) = 0;
  /// Returns the players in the last result before the state was saved. Throws Error(kSavedState)
  /// if the bytes are no such state; the environment may then have read some of them.
  virtual std::int32_t LoadState(int env_id, const std::string& state) = 0;
  /// The environment's answer to a request. Throws Error(kConfig) where it has no Call.
  virtual std::string Call(int env_id, const std::string& request) = 0;

 protected:
  /// Work that an environment has to do before it can step.
  enum Todo : std::uint8_t {
    kMustReset = 1,    ///< no episode is running, or a reset was asked for
    kMustBuild = 2,    ///< a new object is wanted, with the seed as it is now
    kMissing = 4,      ///< there is no object
    kMayGoOn = 8,      ///< the last episode was terminated, and nobody has asked for a reset since
    kHasOptions = 16,  ///< the reset that was asked for has options
    kNoEpisode = 32,   ///< never reset, so that there is nothing to draw
  };
  /// Written by the thread that advances the environment, else by the caller of the pool.
  struct EnvState {
    int elapsed_step = 0;
    std::uint8_t todo = kMustReset | kMissing | kNoEpisode;
  };

  explicit EnvArrayBase(const PoolOptions& options) : options_(options) {}

  template <typename T>
  static T& At(const Row& row, CommonColumn column) {
    return reinterpret_cast<T*>(row.columns[column])[row.index];
  }
  void TakeResetOptions(int env_id, std::uint8_t& todo);
  static void KeepPlayers(const Row& row, std::int32_t& players);
  [[noreturn, gnu::cold]] static void RefuseMissing(const Row& row);
  /// Shows a state that is terminal although the episode goes on.
  void MarkTerminalState(const Row& row) const;
  /// Copies a row to where the ends of episodes are kept; `clears` it for a new episode.
  void KeepFinal(const Row& row, bool clears) const;
  [[noreturn]] void RefuseRender() const;
  /// Throws an exception of Render as an Error(kRender).
  [[noreturn]] void RefuseRender(const std::exception& thrown) const;
  /// Throws Error(kRender) unless it is the only camera.
  void CheckOnlyCamera(int camera_id) const;
  [[noreturn]] void RefuseSave() const;
  [[noreturn]] void RefuseCall() const;

  virtual void Reserve() = 0;
  virtual EnvState& state_of(int env_id) const = 0;
  virtual void Free() = 0;
  virtual void Build(int env_id) = 0;
  virtual void Destroy(int env_id) = 0;

  const PoolOptions options_;
  ActionTable* actions_ = nullptr;
  // Not in the configuration, which threads read while they build environments.
  std::vector<std::int64_t> seeds_;
  // Options of resets, by environment: of the next reset, which only the caller of the pool sees,
  // and of the reset that was asked for. Both are empty until options are offered.
  std::vector<std::shared_ptr<const void>> offered_, given_;
};

namespace detail {
template <typename E>
inline constexpr bool kHasResetOptions = E::Spec::ResetOptions::size > 0;
// Environments in the style of the EnvPool documentation count their steps and report the time
// limit as IsDone, so at the limit a done flag of theirs says nothing about a terminal state.
template <typename D>
inline constexpr bool kCountsOwnSteps = false;
template <typename D>
inline constexpr bool kCountsOwnSteps<EnvSpec<D>> = true;
template <typename D, typename Generator>
std::bool_constant<kCountsOwnSteps<D>> CountsOwnSteps(const Env<D, Generator>*);
// The Env that an environment derives from, past whatever it names in between.
template <typename D, typename Generator>
Env<D, Generator>& BaseOf(Env<D, Generator>& env) {
  return env;
}
}  // namespace detail

template <typename E>
class EnvArray final : public EnvArrayBase {
 public:
  using Spec = typename E::Spec;

  EnvArray(std::unique_ptr<Spec> spec, const PoolOptions& options)
      : EnvArrayBase(options), spec_(std::move(spec)) {
    for (int i = 0; i < options_.num_envs; ++i) seeds_.push_back(spec_->SeedOf(i));
    spec_->seeds = seeds_.data();
  }
  ~EnvArray() override { DestroyAll(); }

  AdvanceResult Advance(const int* env_ids, int count, Row row,
                        std::int32_t* players) noexcept override;
  StepKind step_kind() const override { return StepKindOf<E>(); }
  ExternalSteps* external_steps() const override {
    if constexpr (detail::ExternallyStepped<E>) return &E::ExternalStepsOf(*spec_);
    return nullptr;
  }
  std::shared_ptr<void> MakeResetOptions() const override {
    if constexpr (!detail::kHasResetOptions<E>) return nullptr;
    return std::make_shared<typename Spec::ResetOptions>(spec_->reset_options);
  }
  void CheckResetOptions([[maybe_unused]] const void* options) const override {
    using D = typename Spec::Description;
    const auto& of_type = *static_cast<const typename Spec::ResetOptions*>(options);
    if constexpr (requires { D::CheckResetOptions(of_type, spec_->config); }) {
      D::CheckResetOptions(of_type, spec_->config);
    }
  }
  bool Submit(int env_id) noexcept override;
  const Columns& state() const override { return spec_->state; }
  const Columns& action() const override { return spec_->action; }
  std::pair<int, int> RenderSize(int env_id, int width, int height) override;
  void Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) override;
  void RenderDepth(int env_id, int width, int height, int camera_id, float* depth) override;
  std::string RenderText(int env_id) override;
  std::string SaveState(int env_id, std::int32_t last_players) override;
  std::int32_t LoadState(int env_id, const std::string& state) override;
  std::string Call(int env_id, const std::string& request) override {
    if constexpr (detail::Callable<E>) {
      return place_of(env_id).env.Call(request);
    } else {
      RefuseCall();
    }
  }

 private:
  // The part of an environment's todo that a saved state has.
  static constexpr std::uint8_t kSavedTodo = kMustReset | kMayGoOn | kNoEpisode;
  /// An environment and its bookkeeping, which are in use together.
  struct EnvAndState {
    EnvAndState() {}   // NOLINT: Build makes the environment, ...
    ~EnvAndState() {}  // NOLINT: ... and Destroy ends it
    EnvState state;
    union {
      E env;
    };
  };
  void Reserve() override {
    places_ = std::make_unique<EnvAndState[]>(static_cast<std::size_t>(options_.num_envs));
  }
  void Free() override { places_.reset(); }
  EnvState& state_of(int env_id) const override { return place_of(env_id).state; }
  void Build(int env_id) override {
    std::construct_at(&place_of(env_id).env, std::as_const(*spec_), env_id);
  }
  void Destroy(int env_id) override { std::destroy_at(&place_of(env_id).env); }
  /// Pointers that AdvanceOne reads for every environment. The compiler cannot exclude that an
  /// environment's writes change them, and would otherwise load them again for each environment.
  struct Tables {
    const Columns& action_layout;
    std::byte* const* actions;
    int* elapsed_step;  // by row, as is the next
    std::uint8_t* outcome;
  };
  [[gnu::always_inline]] void AdvanceOne(int env_id, Row& row, const Tables& tables);
  /// Makes a new object in the place of an environment, where one is wanted.
  void Rebuild(int env_id, EnvState& state);
  /// Starts an episode; returns how many of its steps count as taken already.
  int StartEpisode(E& env, EnvState& state);
  /// Same-step autoreset: makes a row that shows how an episode ended show how the next one begins.
  void StartNext(E& env, EnvState& state, Row& row);
  EnvAndState& place_of(int env_id) const { return places_[static_cast<std::size_t>(env_id)]; }

  std::unique_ptr<Spec> spec_;
  std::unique_ptr<EnvAndState[]> places_;  // by environment
};

template <typename E>
AdvanceResult EnvArray<E>::Advance(const int* env_ids, int count, Row row,
                                   std::int32_t* players) noexcept {
  const int* next = env_ids;
  AdvanceResult done;
  const Tables tables{actions_->layout(), actions_->columns(),
                      reinterpret_cast<int*>(row.columns[kElapsedStepColumn]), row.outcomes};
  try {
    for (const int* const end = env_ids + count; next != end; ++next, ++row.index) {
      row.players = Row::kOffered;
      AdvanceOne(*next, row, tables);
      if (row.players != 1) [[unlikely]] {
        done.player_counts_differ = true;
        KeepPlayers(row, players[next - env_ids]);
      }
    }
    done.count = count;
    return done;
  } catch (const std::exception& error) {
    done.text = error.what();
  } catch (...) {
    done.text = "an exception that is not a std::exception";
  }
  place_of(*next).state.todo |= kMustReset;
  done.count = static_cast<int>(next - env_ids) + 1;
  done.failed = true;
  return done;
}

template <typename E>
inline void EnvArray<E>::AdvanceOne(int env_id, Row& row, const Tables& tables) {
  EnvAndState& place = place_of(env_id);
  EnvState& state = place.state;
  E& env = place.env;
  int outcome = 0, elapsed_step = 0;
  if (state.todo == 0) [[likely]] {
    static_cast<EnvBase&>(env).row_ = &row;
    const auto action = detail::PointedViews<typename E::Action>::At(
        tables.action_layout, tables.actions, static_cast<std::size_t>(env_id),
        actions_->players(env_id));
    elapsed_step = state.elapsed_step + 1;
    env.E::Step(action);
    state.elapsed_step = elapsed_step;
    outcome = kTruncated * static_cast<int>(elapsed_step >= options_.max_episode_steps);
  } else {
    Rebuild(env_id, state);
    static_cast<EnvBase&>(env).row_ = &row;
    elapsed_step = StartEpisode(env, state);
    outcome = kFirst;
  }
  constexpr bool kOwnLimit = decltype(detail::CountsOwnSteps(static_cast<E*>(nullptr)))::value;
  const bool done = env.E::IsDone();
  outcome |= kTerminated * static_cast<int>(done & !(kOwnLimit && outcome == kTruncated));
  if constexpr (detail::Truncating<E>) {
    outcome |= kTruncated * static_cast<int>(env.E::IsTruncated());
  }
  tables.elapsed_step[row.index] = elapsed_step;
  tables.outcome[row.index] = static_cast<std::uint8_t>(outcome);
  // No branch: it would be mispredicted at the end of every episode.
  const bool over = outcome & (kTerminated | kTruncated);
  state.todo = static_cast<std::uint8_t>(over * kMustReset);
  if constexpr (detail::Continuing<E>) {
    state.todo |= static_cast<std::uint8_t>((outcome == kTerminated) * kMayGoOn);
  }
  if constexpr (detail::MarkingTerminalStates<E>) {
    if (!(outcome & (kFirst | kTerminated)) && env.E::IsTerminalState()) MarkTerminalState(row);
  }
  if (options_.autoreset == Autoreset::kSameStep && over && !(outcome & kFirst)) {
    StartNext(env, state, row);
  }
}

template <typename E>
void EnvArray<E>::Rebuild(int env_id, EnvState& state) {
  if (!(state.todo & (kMustBuild | kMissing))) return;
  const std::uint8_t todo = std::exchange(state.todo, kMustReset | kMissing | kNoEpisode);
  if constexpr (detail::Keeping<E>) {
    E& env = place_of(env_id).env;
    if (!(todo & kMissing)) {
      const auto kept = std::as_const(env).Kept();
      Destroy(env_id);
      Build(env_id);
      env.Keep(kept);
    } else {
      Build(env_id);
    }
  } else {
    if (!(todo & kMissing)) Destroy(env_id);
    Build(env_id);
  }
  state.todo = static_cast<std::uint8_t>(kMustReset | kNoEpisode | (todo & kHasOptions));
}

template <typename E>
bool EnvArray<E>::Submit(int env_id) noexcept {
  if constexpr (detail::ExternallyStepped<E>) {
    EnvAndState& place = place_of(env_id);
    try {
      Rebuild(env_id, place.state);
    } catch (...) {
      return false;  // Advance meets the same, and has a way to tell
    }
    if (place.state.todo == 0) {
      place.env.Submit(detail::PointedViews<typename E::Action>::At(
          actions_->layout(), actions_->columns(), static_cast<std::size_t>(env_id),
          actions_->players(env_id)));
    } else {
      place.env.SubmitReset();
    }
    return true;
  }
  return false;
}

template <typename E>
int EnvArray<E>::StartEpisode(E& env, EnvState& state) {
  [[maybe_unused]] const int todo = std::exchange(state.todo, kMustReset);
  if constexpr (detail::Continuing<E>) {
    if ((todo & kMayGoOn) && env.E::Continue()) return state.elapsed_step;
  }
  state.elapsed_step = 0;
  if constexpr (detail::kHasResetOptions<E>) {
    EnvBase& base = env;
    Row& row = *base.row_;
    if (todo & kHasOptions) {
      row.reset_options = given_[static_cast<std::size_t>(base.env_id_)].get();
    }
    env.E::Reset();
    row.reset_options = nullptr;
  } else {
    env.E::Reset();
  }
  return 0;
}

template <typename E>
void EnvArray<E>::StartNext(E& env, EnvState& state, Row& row) {
  if (row.players == Row::kOffered) RefuseMissing(row);
  KeepFinal(row, true);
  // The row keeps the reward of the last step; only columns that describe the new episode are
  // replaced.
  const float reward = At<float>(row, kRewardColumn), discount = At<float>(row, kDiscountColumn);
  row.players = Row::kOffered;
  const int elapsed_step = StartEpisode(env, state);
  if (row.players == Row::kOffered) {
    row.outcomes[row.index] = kFirst;
    RefuseMissing(row);
  }
  At<float>(row, kRewardColumn) = reward;
  At<float>(row, kDiscountColumn) = discount;
  At<int>(row, kElapsedStepColumn) = elapsed_step;
  state.todo = 0;
}

template <typename E>
std::pair<int, int> EnvArray<E>::RenderSize(int env_id, int width, int height) {
  if constexpr (detail::Renderable<E>) {
    return place_of(env_id).env.RenderSize(width, height);
  } else {
    RefuseRender();
  }
}

template <typename E>
void EnvArray<E>::Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) {
  if constexpr (detail::Renderable<E>) {
    if constexpr (!detail::HasCameras<E>()) CheckOnlyCamera(camera_id);
    try {
      place_of(env_id).env.Render(width, height, camera_id, rgb);
    } catch (const std::exception& thrown) {
      RefuseRender(thrown);
    }
  }
}

template <typename E>
std::string EnvArray<E>::RenderText(int env_id) {
  if constexpr (detail::TextRenderable<E>) {
    try {
      return place_of(env_id).env.RenderText();
    } catch (const std::exception& thrown) {
      RefuseRender(thrown);
    }
  } else {
    RefuseRender();
  }
}

template <typename E>
void EnvArray<E>::RenderDepth(int env_id, int width, int height, int camera_id, float* depth) {
  if constexpr (detail::DepthRenderable<E>) {
    if constexpr (!detail::HasCameras<E>()) CheckOnlyCamera(camera_id);
    try {
      place_of(env_id).env.RenderDepth(width, height, camera_id, depth);
    } catch (const std::exception& thrown) {
      RefuseRender(thrown);
    }
  } else {
    RefuseRender();
  }
}

template <typename E>
std::string EnvArray<E>::SaveState(int env_id, std::int32_t last_players) {
  if constexpr (detail::Savable<E>) {
    E& env = place_of(env_id).env;
    auto& base = detail::BaseOf(env);
    const EnvState& state = state_of(env_id);
    SavedState saved(options_);
    saved.out().Write(state.elapsed_step, static_cast<std::uint8_t>(state.todo & kSavedTodo),
                      last_players, base.seed_, base.generator());
    env.SaveState(saved.out());
    return saved.Take();
  } else {
    RefuseSave();
  }
}

template <typename E>
std::int32_t EnvArray<E>::LoadState(int env_id, const std::string& bytes) {
  if constexpr (detail::Savable<E>) {
    StateReader in = SavedState::Open(options_, bytes);
    E& env = place_of(env_id).env;
    auto& base = detail::BaseOf(env);
    EnvState& state = state_of(env_id);
    try {
      std::int32_t players = 0;
      in.Read(state.elapsed_step, state.todo, players, base.seed_, base.generator());
      state.todo &= kSavedTodo;
      if (players > action().max_players) {
        throw std::out_of_range("a state of " + std::to_string(players) + " players");
      }
      env.LoadState(in);
      if (in.left() != 0) throw std::out_of_range("the saved state is longer than what is read");
      return players;
    } catch (const std::exception& error) {
      SavedState::Refuse(options_.task_id, error.what());
    }
  } else {
    RefuseSave();
  }
}

}  // namespace envpool
