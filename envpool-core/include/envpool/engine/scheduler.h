// SPDX-License-Identifier: Apache-2.0
// Scheduler: steps every environment that is sent, by one thread or many.
//
//   Send(ids) ----> ShardedQueue ---- TryClaim ----> EnvRunner ----> rows of a batch
//                                       ^  ^                            |
//               IdleWorkers: workers ---+  +--- the caller, in Wait <---+
//
// The kind of the environments (step_kind.h) and the mode of the pool decide which threads step;
// nothing is measured:
//
//   kTrivial               the caller in Wait, with helpers 1 .. num_threads - 1 if there are many
//                          rows; a claim is a few cache lines of rows, with one thread all
//   kDefault, synchronous  threads 0 .. num_threads - 1; the caller is thread 0 while it waits
//                          without a time limit, worker 0 at other times
//   kDefault, asynchronous and kBlocking: workers 0 .. num_threads - 1, never the caller
//   kExternal              other programs (external_stepping.h)
//
// kDefault and kBlocking claim one environment at a time, so that a slow one delays only itself.
// One thread at a time may call the public functions; the Python side sees to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "envpool/engine/env_array.h"
#include "envpool/engine/env_runner.h"
#include "envpool/engine/external_stepping.h"
#include "envpool/engine/idle_workers.h"
#include "envpool/engine/pool_options.h"
#include "envpool/engine/result_batches.h"
#include "envpool/engine/sharded_queue.h"
#include "envpool/engine/spin.h"

namespace envpool {

class Scheduler {
 public:
  /// All outlive the scheduler.
  Scheduler(const PoolOptions& options, EnvArrayBase& envs, ResultBatches& results);
  /// The threads must have been stopped.
  ~Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Queues environments; null: all of them in order, none being in flight. In a synchronous pool
  /// the first has row `first_row` of the batch. `caller_waits`: Wait without a limit comes next.
  void Send(const int* env_ids, int count, int first_row, bool caller_waits);
  /// Steps environments or sleeps until `target` rows of `batch` are written; false after at most
  /// about kSignalInterval and one step, so that the caller can look after signals, or at
  /// `deadline`.
  bool Wait(Batch& batch, int target, Clock::time_point deadline = Clock::time_point::max());

  /// Ends the threads; false when one is still in an environment at `deadline`.
  bool Stop(Clock::time_point deadline);
  /// Lets go of threads that do not end. Nothing that they use may ever be freed then.
  void Abandon();
  int threads_started() const { return threads_started_; }

 private:
  struct Worker {
    int index = 0;
    std::thread thread{};
    std::unique_ptr<Batch> scratch{};
  };

  // The caller.
  void RunInCaller(const Batch& batch, int target, Clock::time_point deadline);
  void WakeWorkers(int count, int first);
  void StartFrom(int first);
  bool Start(Worker& worker);
  // Workers.
  void WorkerLoop(Worker& worker);
  bool RunAvailable(Worker& worker, std::size_t& first_shard);
  void SleepUntilWork(const Worker& worker, std::uint64_t seen);
  bool IsThread0(const Worker& worker) const { return caller_steps_ && worker.index == 0; }
  // Both.
  bool ClaimAndRun(std::size_t& first_shard, Batch* scratch);
  bool AcquireThread0() { return !thread0_runs_.exchange(true, std::memory_order_acquire); }
  void ReleaseThread0() { thread0_runs_.store(false, std::memory_order_seq_cst); }

  const PoolOptions& options_;
  const StepKind kind_;
  const bool caller_steps_;
  const bool caller_spins_;
  ResultBatches& results_;
  EnvRunner runner_;
  ShardedQueue queue_;
  IdleWorkers idle_;
  std::unique_ptr<ExternalStepping> external_;  // of that kind only

  std::vector<Worker> workers_;
  int first_asked_;  // threads are started, as far as the system has any, from this index on
  int threads_started_ = 0;  // and how many it had
  std::size_t caller_first_shard_ = 0;
  std::unique_ptr<Batch> caller_scratch_;
  ShortWaits short_waits_;  // of the caller
  std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};
  // The caller and worker 0 share one of the num_threads: whichever of the two steps sets this
  // flag.
  alignas(64) std::atomic<bool> thread0_runs_{false};
};

}  // namespace envpool
