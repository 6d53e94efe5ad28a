// SPDX-License-Identifier: Apache-2.0
// Scheduler: gives every environment that is sent its turn, by one thread or many.
//
//   Send(ids)     shard 0  [ 2 | 0 | 3 | ... ]   environments 0 .. 3      thread 0
//   ---------->            ^ head      ^ tail
//                 shard 1  [ 7 | 5 | ...     ]   environments 4 .. 7      thread 1
//                                                                           | claims some,
//   Wait(batch) <-----------------------------------------------------------+ Advance, Written
//
// Every thread has a shard of the environments as its own, so that their memory stays in its cache,
// and helps others when its shard is empty. An environment is in flight at most once, so no queue
// overflows, and nothing on the way needs a lock: environments are claimed with one
// compare-and-swap and reported with one addition.
//
// Who steps is fixed by the kind of the environments (step_kind.h) and by the mode of the pool, and
// by no measurement:
//
//   kTrivial               the caller in Wait, with helpers 1 .. num_threads - 1 if there are many
//                          rows; a claim is a few cache lines of rows, with one thread all
//   kDefault, synchronous  threads 0 .. num_threads - 1; the caller is thread 0 while it waits
//                          without a time limit, a worker takes its seat at other times
//   kDefault, asynchronous and kBlocking: workers 0 .. num_threads - 1, never the caller
//   kPosted: other programs, which the caller hands all to in Send and looks after in Wait
//
// A claim of the last two kinds is one environment, so a thread that is held up keeps no other.
// One thread at a time may call the public functions; the Python side sees to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "envpool/engine/cpus.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/futex.h"
#include "envpool/engine/pool_options.h"
#include "envpool/engine/result_batches.h"

namespace envpool {

namespace detail {
// An idle thread spins this long before it sleeps: longer than the pause between two calls from a
// Python loop, far shorter than a time slice.
inline constexpr std::chrono::microseconds kSpin{50};
/// Whether the caller's next wait is likely to end while it spins: not after two in a row that were
/// longer. Where it is wrong, a wait takes as much longer as it takes to wake, or wastes one spin.
class ShortWaits {
 public:
  bool likely() const { return long_ones_ < kMostLongOnes; }
  void Add(Clock::duration wait) {
    long_ones_ = wait <= kSpin ? 0 : std::min(long_ones_ + 1, kMostLongOnes);
  }

 private:
  static constexpr int kMostLongOnes = 2;  // in a row
  int long_ones_ = 0;
};
// The longest sleep of a waiting caller.
inline constexpr std::chrono::milliseconds kNap{100};
// Rows in a cache line of a one-byte array. Claims of trivial environments are whole lines.
inline constexpr int kLineRows = 64;
// A second thread gains time from about so many rows of trivial environments on.
inline constexpr int kRowsPerHelper = 128;
}  // namespace detail

class Scheduler {
 public:
  /// All outlive the scheduler.
  Scheduler(const PoolOptions& options, EnvArrayBase& envs, ResultBatches& results);
  /// The threads must have been stopped.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Queues environments; null: all of them in order, none being in flight. In a synchronous pool
  /// the first has row `first_row` of the batch. `caller_waits`: Wait without a limit comes next.
  void Send(const int* env_ids, int count, int first_row, bool caller_waits);
  /// Steps environments or sleeps until `target` rows of `batch` are written; false after at most
  /// about 0.1 s and one step, so that the caller can look after signals, or at `deadline`.
  bool Wait(Batch& batch, int target, Clock::time_point deadline = Clock::time_point::max());

  /// Ends the threads; false when one is still in an environment at `deadline`.
  bool Stop(Clock::time_point deadline);
  /// Lets go of threads that do not end. Nothing that they use may ever be freed then.
  void Abandon();
  int threads_started() const { return started_; }

 private:
  static constexpr int kMaxClaim = 256, kMaxClaimInOrder = 4096;
  struct Shard;
  struct Claim;
  struct Worker;

  // How work is shared out.
  void Publish(Shard& shard, std::int64_t tail);
  bool ClaimSome(std::size_t& home, Claim& claim);
  bool ClaimFrom(Shard& shard, Claim& claim);
  int ClaimSize(std::int64_t waiting, bool in_order) const;
  bool WorkIsWaiting() const;
  // What is done with what was claimed.
  bool ClaimAndRun(std::size_t& home, Batch* scratch);
  void Run(const Claim& claim, Batch* scratch);
  void RunRows(Batch& batch, int row, const int* env_ids, int count);
  void RunApart(int env_id, Batch& scratch);
  // Environments of the kind kPosted: how they go out, and what is done with answers.
  void Post(const int* env_ids, int count, int first_row);
  bool Collect(Batch& batch, int target, Clock::time_point deadline);
  // Threads.
  void CallerWorks(const Batch& batch, int target, Clock::time_point deadline);
  void Need(int workers, bool with_first);
  void Wake(int count, int from);
  void Start(int index);
  void WorkerLoop(Worker& worker);
  bool WorkerTurn(Worker& worker, std::size_t& home);
  void Doze(Worker& worker, std::uint64_t seen);
  /// Whether a worker shares the seat of thread 0 with the caller.
  bool HasSeat(const Worker& worker) const;

  const PoolOptions& options_;
  const StepKind kind_;
  const bool caller_steps_;  // the caller is thread 0
  const bool rows_known_;    // synchronous: a row is the position in the call
  const bool one_at_a_time_;
  const bool workers_spin_;
  const bool caller_spins_;
  EnvArrayBase& envs_;
  ResultBatches& results_;
  Exchange* const exchange_;   // kPosted only, as are the next two
  std::vector<int> row_of_;    // by environment; synchronous
  std::vector<int> unposted_;  // they fail at once

  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::uint16_t> shard_of_;  // by environment
  std::vector<int> all_ids_;             // 0, 1, ...
  std::size_t caller_home_ = 0;          // the shard that the caller looks into first

  std::vector<std::unique_ptr<Worker>> workers_;  // by index; not all have a thread
  int started_ = 0;
  bool others_started_ = false;  // workers from 1 on
  std::unique_ptr<Batch> caller_scratch_;
  detail::ShortWaits short_waits_;  // of the caller
  bool threads_refused_ = false;    // the system has no more
  std::atomic<int> live_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<std::uint64_t> sends_{0};  // what idle workers look at
  alignas(64) std::atomic<int> searching_{0};        // workers that are awake and have no work
  std::atomic<int> asleep_{0};
  std::atomic<int> waker_cpu_{-1};
  alignas(64) std::atomic<bool> seat_taken_{false};  // of thread 0, where the caller steps
};

}  // namespace envpool
