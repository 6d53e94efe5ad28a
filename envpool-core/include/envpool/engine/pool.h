// SPDX-License-Identifier: Apache-2.0
// Pool: the components of the engine, composed. An action meets them in this order:
//
//   ActionTable -> InFlight -> Scheduler -> EnvArray<E> -> ResultBatches
//
// Why a call may be refused is in InFlight and in Pool's own checks.
//
//   AsyncEnvPool<CartPole> pool(std::move(spec), options, memory);
//   pool.Step(ids, n, true, [&] { pool.actions().Write(...); });
//   Received r = pool.Recv(false, check_signals);         // r.batch has r.rows rows
//   ...                                            // read the columns
//   pool.Release(*r.batch);
//
// Python-free. One thread at a time may call it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/engine/action_table.h"
#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"

namespace envpool {

class Pool {
 public:
  /// Builds all environments; throws Error(kWorker) when a constructor throws, its own
  /// Error(kConfig) if that is it. `memory` outlives the pool. `check_signals` is called about
  /// every 50 ms while environments are built, and may throw.
  Pool(
      std::unique_ptr<EnvArrayBase> envs, PoolOptions options, BatchMemory& memory,
      const std::function<void()>& check_signals = [] {});
  /// Waits for environments that are in Reset or Step.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Sends actions to environments, null: to all of them. `write` puts the actions into the table,
  /// once it is known that they may be sent. Throws Error when an id is out of range, named twice,
  /// in flight, or may not be sent now; nothing is sent then. `then_recv`: Recv without a limit
  /// follows, and too few results for it are refused, too.
  template <typename Write>
  void Step(const int* env_ids, int count, bool then_recv, const Write& write) {
    CheckStep(env_ids, count, then_recv);
    write();
    if (count > 0) Send(env_ids, count, Op::kStep, then_recv);
  }
  /// Starts episodes in environments, null: in all of them. `seeds` has a seed for each of them, -1
  /// where its generator goes on; null: all generators go on. Results that a synchronous pool still
  /// owes them are dropped, as are all results of a pool whose environments are all reset. Throws
  /// as Step does; opens a closed pool again. With `then_recv`, Recv(newest) of a synchronous pool
  /// has the results of this call and no others; of an asynchronous one, RecvOf has those of
  /// `env_ids`.
  void Reset(const int* env_ids, int count, const std::int64_t* seeds, bool then_recv,
             const std::function<void()>& check_signals) {
    PrepareReset(env_ids, count, then_recv, check_signals);
    SendReset(env_ids, count, seeds, then_recv);
  }
  /// The first part of Reset, which may refuse or wait. It takes no memory for results.
  void PrepareReset(const int* env_ids, int count, bool then_recv,
                    const std::function<void()>& check_signals);
  /// The rest of Reset. As Step, it takes memory for results, and waits for nothing.
  void SendReset(const int* env_ids, int count, const std::int64_t* seeds, bool then_recv);
  /// The checks that Step makes before it writes.
  void CheckStep(const int* env_ids, int count, bool then_recv) const;
  /// Throws Error(kState) when `more` environments are sent and Recv still lacks results.
  void CheckRecv(int more) const;
  /// Whether CheckRecv(0) would let pass; throws Error(kState) when the pool is closed.
  bool CanRecv() const;
  /// Rows that a Recv after a Step of `count` environments returns at most.
  int RowsAfterStep(int count) const;
  /// Rows that Recv returns at most, fewer if environments fail; CheckRecv(0) has let pass.
  int NextRows(bool newest) const;
  /// Returns the oldest batch, or with `newest` the results that were sent last. `check_signals` is
  /// called about every 100 ms of waiting and may throw. Throws Error(kState) when too few
  /// environments are in flight, Error(kTimeout) at `deadline`, Error(kWorker) when environments
  /// failed: the next Recv then returns the others' results.
  Received Recv(bool newest, const std::function<void()>& check_signals,
                Clock::time_point deadline = Clock::time_point::max());
  /// Waits for all environments in flight. It takes no memory for results.
  void AwaitAll(const std::function<void()>& check_signals);
  /// Asynchronous, after AwaitAll: the results of these environments, which were reset last and for
  /// Recv to follow, in this order; the rest stays for Recv. Throws as Recv does, when one of these
  /// failed.
  Received RecvOf(const int* env_ids, int count);
  /// Throws Error(kTimeout): too few environments were sent in time to fill a batch.
  [[noreturn]] void ThrowTooFew() const;
  /// A batch without rows, for a call that names no environment.
  Received Nothing();
  /// The columns of a received batch are not needed any more.
  void Release(Batch& batch);

  // The parts of Step and Reset.

  /// Throws Error when an id is out of range, named twice, in flight, or may not be sent now (null:
  /// all environments). With `drops`, environments in flight are allowed: Drop comes before Send.
  void CheckSend(const int* env_ids, int count, Op op, bool drops = false) const;
  /// Queues environments, which CheckSend has let pass and whose actions are in place. `seeds` as
  /// in Reset.
  void Send(const int* env_ids, int count, Op op, bool then_recv = false,
            const std::int64_t* seeds = nullptr);
  /// Waits for the environments in flight and drops the results of `env_ids` (null: all).
  void Drop(const int* env_ids, int count, const std::function<void()>& check_signals);

  /// Ends threads and frees environments, actions and batches; false when a thread is stuck in an
  /// environment at `deadline`.
  bool Close(Clock::time_point deadline);
  /// Builds the environments again after Close; throws Error(kState) when Close has not ended.
  /// `check_signals` as in the constructor.
  void Reopen(const std::function<void()>& check_signals);
  /// These two may be asked by any thread at any time.
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  int num_in_flight() const { return num_in_flight_.load(std::memory_order_relaxed); }
  /// Differs from an earlier one where environments were sent, loaded or freed meanwhile.
  std::int64_t num_changes() const { return num_changes_; }
  /// Leaves threads and memory behind, for a pool whose environment never returns.
  void Abandon();

  /// Throws as CheckIdle does, or Error(kSavedState).
  std::string SaveState(int env_id);
  /// The environment is one that CheckIdle has let pass.
  void LoadState(int env_id, const std::string& state);
  /// Throws Error when the id is unknown or its environment in flight, failed or not started.
  void CheckIdle(int env_id, const char* what) const;
  /// Draw environments that CheckIdle has let pass.
  EnvArrayBase& envs() { return *envs_; }

  ActionTable& actions();
  /// These are of InFlight; the second needs an open pool.
  const std::vector<int>& last_ids() const;
  std::int32_t last_players(int env_id) const;
  int num_envs() const { return options_.num_envs; }
  const PoolOptions& options() const { return options_; }
  const Columns& state_layout() const { return envs_->state(); }
  const Columns& action_layout() const { return envs_->action(); }

 private:
  struct Running;

  void Open(const std::function<void()>& check_signals);
  void CountInFlight();
  void CompleteNewest(const std::function<void()>& check_signals);
  void CheckOpen(const char* what) const;
  [[noreturn]] void ThrowTimeout(int written, int target, const char* of) const;
  void Await(Batch& batch, const std::function<void()>& check_signals, Clock::time_point deadline);
  void Complete(Batch& batch, const std::function<bool(int env_id)>& drop);
  [[noreturn]] void ThrowFailures(Batch& batch);
  [[noreturn]] void ThrowFailures(std::vector<Failure> failures, int rows_kept);

  const PoolOptions options_;
  BatchMemory& memory_;
  std::unique_ptr<EnvArrayBase> envs_;
  std::unique_ptr<Running> run_;
  bool closing_ = false;  // a Close ran out of time: the threads that are idle have ended
  std::atomic<bool> closed_{true};
  std::atomic<int> num_in_flight_{0};
  std::int64_t num_changes_ = 0;
};

/// A pool of one type of environments; the spelling of the EnvPool documentation.
template <typename E>
class AsyncEnvPool : public Pool {
 public:
  AsyncEnvPool(std::unique_ptr<typename E::Spec> spec, const PoolOptions& options,
               BatchMemory& memory)
      : Pool(std::make_unique<EnvArray<E>>(std::move(spec), options), options, memory) {}
};

}  // namespace envpool
