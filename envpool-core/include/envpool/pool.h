// SPDX-License-Identifier: Apache-2.0
// Pool<E>: environments of one type, and what a worker does with one of them.
//
//   Pool<CartPole> pool(CartPole::Spec(config), options, memory);
//
// All environments lie in one block of memory and are called without a virtual call.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "envpool/env.h"
#include "envpool/pool_base.h"
#include "envpool/state_io.h"

namespace envpool {

namespace detail {
template <typename E>
concept Renderable = requires(E& env, unsigned char* rgb) {
  { env.RenderSize(0, 0) } -> std::convertible_to<std::pair<int, int>>;
  env.Render(0, 0, 0, rgb);
};
template <typename E>
concept Savable = requires(E& env, StateWriter& out, StateReader& in) {
  env.SaveState(out);
  env.LoadState(in);
};
template <typename E>
concept Continuing = requires(E& env) {
  { env.Continue() } -> std::same_as<bool>;
};
template <typename E>
concept MarkingTerminalStates = requires(E& env) {
  { env.IsTerminalState() } -> std::same_as<bool>;
};
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
class Pool final : public PoolBase {
 public:
  using Spec = typename E::Spec;

  /// Builds all environments; throws Error(kWorker) when a constructor throws, its own
  /// Error(kConfig) if that is it.
  Pool(std::unique_ptr<Spec> spec, PoolOptions options, BatchMemory& memory)
      : PoolBase(std::move(options), spec->state, spec->action, memory),
        spec_(std::move(spec)),
        envs_(std::allocator<E>().allocate(static_cast<std::size_t>(num_envs()))) {
    FillSeeds();
    try {
      BuildAll();
    } catch (...) {
      std::allocator<E>().deallocate(envs_, static_cast<std::size_t>(num_envs()));
      throw;
    }
  }
  /// The pool must have been closed.
  ~Pool() override { std::allocator<E>().deallocate(envs_, static_cast<std::size_t>(num_envs())); }

  bool renders() const override { return detail::Renderable<E>; }
  bool saves() const override { return detail::Savable<E>; }
  std::pair<int, int> RenderSize(int env_id, int width, int height) override;
  void Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) override;
  std::string SaveState(int env_id) override;
  void LoadState(int env_id, const std::string& state) override;
  void SetSeed(int env_id, std::int64_t seed) override;

 private:
  // What of an environment's todo is part of a saved state.
  static constexpr std::uint8_t kSavedTodo = kMustReset | kMayGoOn;
  // What stands before the environment's own bytes in a saved state.
  struct SavedHeader {
    char magic[8] = {'e', 'n', 'v', 'p', 'o', 'o', 'l', '3'};
    std::uint64_t task = 0;
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
  };

  void Build(int env_id) override {
    std::construct_at(envs_ + env_id, std::as_const(*spec_), env_id);
  }
  void Destroy(int env_id) override { std::destroy_at(envs_ + env_id); }
  void Run(const int* env_ids, int count, RowSource& rows) noexcept override;
  void Advance(int env_id, RowSource& rows);
  void FillSeeds();
  /// Starts an episode; returns how many of its steps count as taken already.
  int StartEpisode(E& env, EnvState& state);
  /// Same-step autoreset: makes a row that shows how an episode ended show how the next one begins.
  void StartNext(E& env, EnvState& state, RowSource& rows);
  void MarkTerminalState(const RowSource& rows);
  /// Copies a row to where the ends of episodes are kept; `clears` it for a new episode.
  void KeepFinal(const RowSource& rows, bool clears) const;
  void Fail(int env_id, RowSource& rows, const char* text) noexcept;
  [[noreturn, gnu::cold, gnu::noinline]] static void RefuseMissing(const std::string& function) {
    throw std::logic_error(function + "() returned without calling Allocate()");
  }
  [[noreturn]] void RefuseState(const std::string& got) const {
    throw Error(ErrorKind::kSavedState, "load_state of " + options().task_id, got,
                "what save_state of the same task and version returned",
                "save the state again with this version");
  }

  std::unique_ptr<Spec> spec_;
  E* envs_;
};

/// The spelling of the EnvPool documentation.
template <typename E>
using AsyncEnvPool = Pool<E>;

template <typename E>
void Pool<E>::Run(const int* env_ids, int count, RowSource& rows) noexcept {
  for (const int *id = env_ids, *const end = env_ids + count; id != end; ++id) {
    try {
      for (; id != end; ++id) {
        rows.Offer();
        Advance(*id, rows);
      }
      return;
    } catch (const std::exception& error) {
      Fail(*id, rows, error.what());
    } catch (...) {
      Fail(*id, rows, "an exception that is not a std::exception");
    }
  }
}

template <typename E>
inline void Pool<E>::Advance(int env_id, RowSource& rows) {
  EnvState& state = env_states_[static_cast<std::size_t>(env_id)];
  E& env = envs_[env_id];
  int outcome = 0, elapsed_step = 0;
  if (state.todo == 0) [[likely]] {
    static_cast<EnvBase&>(env).rows_ = &rows;
    const auto action = detail::PointedViews<typename E::Action>::At(
        action_layout(), actions_.data(), static_cast<std::size_t>(env_id),
        action_players_[static_cast<std::size_t>(env_id)]);
    elapsed_step = state.elapsed_step + 1;
    env.E::Step(action);
    state.elapsed_step = elapsed_step;
    outcome = kTruncated * static_cast<int>(elapsed_step >= options().max_episode_steps);
  } else {
    if (state.todo & (kMustBuild | kMissing)) {
      if (!(std::exchange(state.todo, kMustReset | kMissing) & kMissing)) Destroy(env_id);
      Build(env_id);
      state.todo = kMustReset;
    }
    static_cast<EnvBase&>(env).rows_ = &rows;
    elapsed_step = StartEpisode(env, state);
    outcome = kFirst;
  }
  if (!rows.taken()) {
    RefuseMissing(outcome == kFirst ? "Reset" : "Step");
  }
  constexpr bool kOwnLimit = decltype(detail::CountsOwnSteps(static_cast<E*>(nullptr)))::value;
  const bool done = env.E::IsDone();
  outcome |= kTerminated * static_cast<int>(done & !(kOwnLimit && outcome == kTruncated));
  const Batch& batch = rows.batch();
  const std::size_t i = rows.row();
  batch.column<int>(kElapsedStepColumn)[i] = elapsed_step;
  batch.column<std::uint8_t>(kDoneColumn)[i] = static_cast<std::uint8_t>(outcome);
  // No branch: it would be mispredicted at the end of every episode.
  const bool over = outcome & (kTerminated | kTruncated);
  state.todo = static_cast<std::uint8_t>(over * kMustReset);
  if constexpr (detail::Continuing<E>) {
    state.todo |= static_cast<std::uint8_t>((outcome == kTerminated) * kMayGoOn);
  }
  if constexpr (detail::MarkingTerminalStates<E>) {
    if (!(outcome & (kFirst | kTerminated)) && env.E::IsTerminalState()) MarkTerminalState(rows);
  }
  if (options().autoreset == Autoreset::kSameStep && over && !(outcome & kFirst)) {
    StartNext(env, state, rows);
  }
}

template <typename E>
int Pool<E>::StartEpisode(E& env, EnvState& state) {
  [[maybe_unused]] const int todo = std::exchange(state.todo, kMustReset);
  if constexpr (detail::Continuing<E>) {
    if ((todo & kMayGoOn) && env.E::Continue()) return state.elapsed_step;
  }
  state.elapsed_step = 0;
  env.E::Reset();
  return 0;
}

template <typename E>
void Pool<E>::StartNext(E& env, EnvState& state, RowSource& rows) {
  const Batch& batch = rows.batch();
  const std::size_t i = rows.row();
  KeepFinal(rows, true);
  // The row keeps what the last step earned; only what describes the new episode is replaced.
  const float reward = batch.column<float>(kRewardColumn)[i];
  const float discount = batch.column<float>(kDiscountColumn)[i];
  rows.OfferAgain();
  const int elapsed_step = StartEpisode(env, state);
  if (!rows.taken()) RefuseMissing("Reset");
  batch.column<float>(kRewardColumn)[i] = reward;
  batch.column<float>(kDiscountColumn)[i] = discount;
  batch.column<int>(kElapsedStepColumn)[i] = elapsed_step;
  state.todo = 0;
}

template <typename E>
void Pool<E>::MarkTerminalState(const RowSource& rows) {
  std::uint8_t& outcome = rows.batch().template column<std::uint8_t>(kDoneColumn)[rows.row()];
  // In a row that shows ends and starts at once, this is both.
  const bool is_end = options().autoreset == Autoreset::kSameStep && outcome == 0;
  if (is_end) KeepFinal(rows, false);
  outcome |= is_end ? kTerminated : kTerminalState;
}

template <typename E>
void Pool<E>::KeepFinal(const RowSource& rows, bool clears) const {
  const Batch& batch = rows.batch();
  for (std::size_t k = 0; k < batch.final_columns.size(); ++k) {
    if (batch.final_columns[k] == nullptr) continue;
    if (!clears && state_layout().arrays[k].dynamic()) continue;  // it has one owner: the row
    const std::size_t size = state_layout().row_sizes[k];
    std::byte* from = batch.columns[k] + rows.row() * size;
    std::memcpy(batch.final_columns[k] + rows.row() * size, from, size);
    if (clears && k >= kNumCommonColumns) std::memset(from, 0, size);
  }
}

template <typename E>
void Pool<E>::Fail(int env_id, RowSource& rows, const char* text) noexcept {
  if (!rows.taken()) rows.Take(0);
  Batch& batch = rows.batch();
  const std::size_t i = rows.row();
  batch.players[i] = 0;
  batch.uneven.store(true, std::memory_order_relaxed);
  env_states_[static_cast<std::size_t>(env_id)].todo |= kMustReset;
  batch.Fail({env_id, static_cast<int>(i), text});
}

template <typename E>
std::pair<int, int> Pool<E>::RenderSize(int env_id, int width, int height) {
  CheckIdle(env_id, "render", true);
  if constexpr (detail::Renderable<E>) {
    return envs_[env_id].RenderSize(width, height);
  } else {
    throw Error(ErrorKind::kRender, "render of " + options().task_id,
                "an environment that cannot draw itself", "tasks that can render",
                "see `envpool info` for the tasks that can");
  }
}

template <typename E>
void Pool<E>::Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) {
  CheckIdle(env_id, "render", true);
  if constexpr (detail::Renderable<E>) {
    try {
      envs_[env_id].Render(width, height, camera_id, rgb);
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kRender, "render of " + options().task_id, error.what(),
                  "environments that can draw themselves", "see the text for the cause");
    }
  }
}

template <typename E>
std::string Pool<E>::SaveState(int env_id) {
  CheckIdle(env_id, "save_state", true);
  if constexpr (detail::Savable<E>) {
    E& env = envs_[env_id];
    StateWriter out;
    SavedHeader header;
    auto& base = detail::BaseOf(env);
    const EnvState& state = env_states_[static_cast<std::size_t>(env_id)];
    out.Write(header, state.elapsed_step, static_cast<std::uint8_t>(state.todo & kSavedTodo),
              last_players_[static_cast<std::size_t>(env_id)], base.seed_, base.generator());
    env.SaveState(out);
    std::string bytes = out.Take();
    header.task = Checksum(options().task_id.data(), options().task_id.size());
    header.size = bytes.size() - sizeof(header);
    header.checksum = Checksum(bytes.data() + sizeof(header), header.size);
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
  } else {
    throw Error(ErrorKind::kSavedState, "save_state of " + options().task_id,
                "an environment that cannot be saved", "tasks whose environment has SaveState",
                "see `envpool info` for the tasks that can");
  }
}

template <typename E>
void Pool<E>::LoadState(int env_id, const std::string& bytes) {
  CheckIdle(env_id, "load_state", true);
  if constexpr (detail::Savable<E>) {
    SavedHeader header;
    const SavedHeader expected;
    if (bytes.size() < sizeof(header)) RefuseState(std::to_string(bytes.size()) + " bytes");
    std::memcpy(&header, bytes.data(), sizeof(header));
    const char* body = bytes.data() + sizeof(header);
    const std::size_t size = bytes.size() - sizeof(header);
    if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0) {
      RefuseState("bytes of another kind or version");
    }
    if (header.task != Checksum(options().task_id.data(), options().task_id.size())) {
      RefuseState("a state of another task");
    }
    if (header.size != size || header.checksum != Checksum(body, size)) {
      RefuseState("damaged bytes");
    }
    StateReader in(body, size);
    E& env = envs_[env_id];
    auto& base = detail::BaseOf(env);
    EnvState& state = env_states_[static_cast<std::size_t>(env_id)];
    try {
      std::int32_t& players = last_players_[static_cast<std::size_t>(env_id)];
      in.Read(state.elapsed_step, state.todo, players, base.seed_, base.generator());
      state.todo &= kSavedTodo;
      if (players > action_layout().max_players) {
        throw std::out_of_range("a state of " + std::to_string(players) + " players");
      }
      env.LoadState(in);
      if (in.left() != 0) throw std::out_of_range("the saved state is longer than what is read");
    } catch (const std::exception& error) {
      RefuseState(error.what());
    }
  } else {
    static_cast<void>(SaveState(env_id));  // throws: an environment that cannot be saved
  }
}

template <typename E>
void Pool<E>::SetSeed(int env_id, std::int64_t seed) {
  spec_->config["env_seed"_][static_cast<std::size_t>(env_id)] = seed;
}

/// Every environment gets a seed of its own now: while one is built, the list must not move.
template <typename E>
void Pool<E>::FillSeeds() {
  std::vector<std::int64_t> seeds;
  for (int i = 0; i < num_envs(); ++i) seeds.push_back(spec_->SeedOf(i));
  spec_->config["env_seed"_] = std::move(seeds);
}

}  // namespace envpool
