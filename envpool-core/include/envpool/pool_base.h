// SPDX-License-Identifier: Apache-2.0
// PoolBase: all of a pool that does not depend on the type of its environments.
//
//   pool.Send(ids, n, Op::kStep);                  // after writing to pool.action_row(...)
//   Received r = pool.Recv(false, on_nap);         // r.batch has r.rows rows
//   ...                                            // read the columns
//   pool.Release(r.batch);
//
// It keeps the books: which environment is in flight, which one failed, which batch is next.
// Python-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/batch.h"
#include "envpool/engine.h"
#include "envpool/error.h"

namespace envpool {

/// What an environment is asked to do.
enum class Op : std::uint8_t {
  kStep,    ///< Step, or the start of an episode if there is none and autoreset is on
  kReset,   ///< Reset
  kReseed,  ///< a new environment with a new seed, then Reset
};

/// When an environment whose episode ended starts the next one.
enum class Autoreset : std::uint8_t { kNextStep, kSameStep, kDisabled };

/// Gives a batch the memory that its columns live in, before environments write into it.
class BatchMemory {
 public:
  virtual ~BatchMemory() = default;
  virtual void Attach(Batch& batch) = 0;
};

/// What a pool is made with, beside its environments' own options.
struct PoolOptions {
  std::string task_id;
  EngineOptions engine;
  int max_episode_steps = 1;
  Autoreset autoreset = Autoreset::kNextStep;
};

/// What Recv hands over: the first `rows` rows of a batch, in which are `players` players.
struct Received {
  Batch* batch = nullptr;
  int rows = 0;
  int players = 0;
};

class PoolBase : protected Engine::Runner {
 public:
  /// The pool must have been closed.
  ~PoolBase() override = default;
  PoolBase(const PoolBase&) = delete;
  PoolBase& operator=(const PoolBase&) = delete;

  /// Throws Error when an id is out of range, named twice, in flight, or may not be sent now (null:
  /// all environments).
  /// With `drops`, what is in flight does not matter, because Drop comes before Send.
  void CheckSend(const int* env_ids, int count, Op op, bool drops = false) const;
  /// Throws Error(kState) when `more` environments are sent and Recv still lacks results.
  void CheckRecv(int more) const;
  /// Queues environments, which CheckSend has let pass and whose actions are in place.
  void Send(const int* env_ids, int count, Op op);
  /// The oldest batch, or what was sent last. `on_nap` is called about every 100 ms of waiting and
  /// may throw. Throws Error(kState) when too few results are on the way, Error(kTimeout) at
  /// `deadline`, Error(kWorker) when environments failed: the others' results are then what the
  /// next Recv returns.
  Received Recv(bool newest, const std::function<void()>& on_nap,
                Engine::Clock::time_point deadline = Engine::Clock::time_point::max());
  /// A batch without rows, for a call that names no environment.
  Received Nothing() { return {NewBatch(), 0, 0}; }
  /// The columns of a received batch are not needed any more.
  void Release(Batch* batch);
  /// Waits for what is in flight and drops the results of `env_ids` (null: everything).
  void Drop(const int* env_ids, int count, const std::function<void()>& on_nap);

  /// Ends threads and frees the environments; false when one is stuck in an environment at
  /// `deadline`.
  bool Close(Engine::Clock::time_point deadline);
  /// Builds the environments again after Close; throws Error(kState) when Close has not ended.
  void Reopen();
  bool closed() const { return engine_ == nullptr; }
  /// Leaves threads and memory behind, for a pool whose environment never returns.
  void Abandon();

  virtual bool renders() const = 0;
  virtual bool saves() const = 0;
  virtual std::pair<int, int> RenderSize(int env_id, int width, int height) = 0;
  virtual void Render(int env_id, int width, int height, int camera_id, unsigned char* rgb) = 0;
  virtual std::string SaveState(int env_id) = 0;
  /// Throws Error(kSavedState) when the bytes are not such a state; the environment may then have
  /// read some of them.
  virtual void LoadState(int env_id, const std::string& state) = 0;
  virtual void SetSeed(int env_id, std::int64_t seed) = 0;

  /// Throws Error when the id is unknown or its environment in flight, failed or not started.
  void CheckIdle(int env_id, const char* what, bool started) const;
  bool in_flight(int env_id) const { return flags_[static_cast<std::size_t>(env_id)] & kInFlight; }
  int num_in_flight() const { return num_in_flight_; }
  int num_envs() const { return options_.engine.num_envs; }
  bool synchronous() const { return options_.engine.batch_size == num_envs(); }
  const PoolOptions& options() const { return options_; }
  const Engine* engine() const { return engine_.get(); }
  const Layout& state_layout() const { return *state_; }
  const Layout& action_layout() const { return *action_; }
  std::byte* action_row(std::size_t key, int env_id) const {
    return actions_[key] + static_cast<std::size_t>(env_id) * action_->row_sizes[key];
  }
  std::int32_t& action_players(int env_id) {
    return action_players_[static_cast<std::size_t>(env_id)];
  }
  /// Players in the last result that Recv returned of an environment, or kNoResult. The caller
  /// keeps it, unless there is one player in each.
  std::int32_t& last_players(int env_id) { return last_players_[static_cast<std::size_t>(env_id)]; }
  static constexpr std::int32_t kNoResult = -1;

 protected:
  /// What an environment has to do before it can step.
  enum Todo : std::uint8_t {
    kMustReset = 1,  ///< no episode is running, or a reset was asked for
    kMustBuild = 2,  ///< a new object is wanted, with the seed as it is now
    kMissing = 4,    ///< there is no object
    kMayGoOn = 8,    ///< the last episode was terminated, and nobody has asked for a reset since
  };
  /// What the pool knows of one environment; the worker that runs it may write, else the caller.
  struct EnvState {
    int elapsed_step = 0;
    std::uint8_t todo = kMustReset | kMissing;
  };

  PoolBase(PoolOptions options, const Layout& state, const Layout& action, BatchMemory& memory);
  /// Builds all environments; when one fails, leaves none behind and throws its Error(kConfig), or
  /// Error(kWorker) for what else it threw.
  void BuildAll();
  void DestroyAll();
  virtual void Build(int env_id) = 0;
  virtual void Destroy(int env_id) = 0;

  std::vector<EnvState> env_states_;
  std::vector<std::byte*> actions_;  ///< by action key; row i belongs to environment i
  std::vector<std::int32_t> action_players_, last_players_;

 private:
  static constexpr std::uint8_t kInFlight = 1, kBroken = 2, kNamed = 4;
  struct AlignedFree {
    void operator()(std::byte* memory) const;
  };

  void CheckOpen(const char* what) const;
  [[noreturn]] void RefuseId(int env_id, Op op) const;
  Batch* NewBatch();
  void AwaitRows(Batch& batch, const std::function<void()>& on_nap,
                 Engine::Clock::time_point deadline);
  void Settle(Batch& batch, const std::function<bool(int env_id)>& drop);
  void RemoveRows(Batch& batch, const std::vector<bool>& remove);
  /// Frees the dynamic arrays that nobody took out of `count` rows.
  void FreeDynamic(Batch& batch, int row, int count);
  [[noreturn]] void ThrowFailures(Batch& batch);
  void Retire(Batch& batch);
  int ClosePlayerGaps(Batch& batch, int rows);

  PoolOptions options_;
  const Layout* state_;
  const Layout* action_;
  BatchMemory& memory_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<std::byte, AlignedFree>> action_memory_;
  mutable std::vector<std::uint8_t> flags_;  // by environment; kNamed only within a check
  int num_in_flight_ = 0;
  int num_broken_ = 0;
  bool closing_ = false;  // a Close ran out of time: the threads that are idle have ended
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Batch*> free_;
  BatchQueue open_;  // oldest first; those that are settled come first
};

}  // namespace envpool

#include "envpool/pool_base_inl.h"
