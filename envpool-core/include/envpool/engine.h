// SPDX-License-Identifier: Apache-2.0
// Engine: from `Send` to a finished Batch. It knows environments only by number.
//
//   Send(ids)     shard 0  [ 2 | 0 | 3 | ... ]   environments 0 .. 3      caller, or worker
//   ---------->            ^ head      ^ tail
//                 shard 1  [ 7 | 5 | ...     ]   environments 4 .. 7      worker
//                                                                           | step a chunk
//   Wait(batch) <-----------------------------------------------------------+ and fill its rows
//
// Every thread has a shard of the environments as its own, so that their memory stays in its cache,
// and helps others when its shard is empty. An environment is in flight at most once, so no queue
// overflows, and nothing on the way needs a lock: a chunk is claimed with one compare-and-swap and
// reported with one addition. Synchronous pools give row i to the i-th environment sent;
// asynchronous pools give rows in the order in which environments finish. One thread at a time may
// call the public functions; the pool's Python side sees to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "envpool/batch.h"
#include "envpool/futex.h"

namespace envpool {

/// How many environments, rows and threads there are.
struct EngineOptions {
  int num_envs = 1;
  int batch_size = 1;        ///< rows of an asynchronous batch; == num_envs: synchronous
  int num_threads = 1;       ///< most threads that step environments at a time
  int affinity_offset = -1;  ///< processor of the first worker; -1: not bound
};

class Engine {
 public:
  using Clock = std::chrono::steady_clock;

  /// Advances `count` environments (0 .. num_envs-1), each into the next row of `rows`.
  /// Called by many threads, never twice at a time for one environment. Does not throw.
  class Runner {
   public:
    virtual ~Runner() = default;
    virtual void Run(const int* env_ids, int count, RowSource& rows) noexcept = 0;
  };

  Engine(const EngineOptions& options, Runner& runner);
  /// The threads must have been stopped.
  ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Queues environments, to step or to be reset; `env_ids` null means all in order (synchronous
  /// pools, nothing in flight). The batches for the rows must be open.
  void Send(const int* env_ids, int count, bool resets = false);
  /// Adds an empty batch for the rows that come next. Synchronous: only when nothing is in flight.
  void Open(Batch* batch);
  /// Whether `count` more rows need another Open first.
  bool NeedsBatch(int count) const;
  /// Whether the caller steps environments in Wait, because they are cheap.
  bool CallerSteps() const;
  /// Steps environments or sleeps until `target` rows of `batch` are written; false after at most
  /// about 0.1 s, so that the caller can look after signals, or at `deadline`.
  bool Wait(Batch& batch, int target, Clock::time_point deadline = Clock::time_point::max());
  /// Asynchronous, all rows written: the next row opens a new batch.
  void SkipToNextBatch();

  /// Ends the threads; false when one is still in an environment at `deadline`.
  bool Stop(Clock::time_point deadline);
  /// Lets go of threads that do not end. The engine must never be freed then.
  void Abandon();

  /// Rows that `batch` will have when all that was sent is done; it may already have them.
  int Expected(const Batch& batch) const {
    return static_cast<int>(
        std::min<std::int64_t>(batch.capacity, rows_sent() + rows_skipped_ - batch.first));
  }
  bool synchronous() const { return options_.batch_size == options_.num_envs; }
  const EngineOptions& options() const { return options_; }
  int threads_started() const { return static_cast<int>(threads_.size()); }
  /// Running mean of the time one environment takes for what was sent last, in nanoseconds;
  /// negative before the first. Steps and resets are kept apart: one may take a million times the
  /// other.
  float step_cost() const { return cost().load(std::memory_order_relaxed); }

 private:
  class Rows;
  struct Chunk;
  struct Shard;
  static constexpr int kMaxChunk = 256;

  std::int64_t rows_sent() const { return rows_sent_; }
  void Publish(Shard& shard, std::int64_t tail);
  /// Runs a chunk of the first shard that has one, beginning with `home`; false when none has.
  bool ClaimAndRun(std::size_t& home);
  bool Claim(Shard& shard, Chunk& chunk);
  int ChunkSize(std::int64_t waiting) const;
  bool WorkIsWaiting() const;
  /// How many more workers may be awake, so that with the caller, if it steps too, there are
  /// `num_threads` at most; negative: so many are too many.
  int ToSpare() const;
  /// Sees to it that `count` threads look for work, of which `ready` do already; starts new ones up
  /// to a number of `most`.
  void WakeWorkers(int count, int ready, int most);
  /// Whether a thread that has an environment is gone for long.
  bool StepsAreSlow() const;
  void StartWorkers(int count);
  void WorkerLoop(int index);
  static void AddTime(std::atomic<float>& cost, Clock::duration time, int count);
  const std::atomic<float>& cost() const { return resets_ ? reset_cost_ : cost_; }
  std::atomic<float>& cost() { return resets_ ? reset_cost_ : cost_; }
  void Written(Batch& batch, int count);

  const EngineOptions options_;
  Runner& runner_;
  std::vector<std::thread> threads_;
  bool threads_refused_ = false;  // the system has no more: the caller then does all the work

  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::uint16_t> shard_of_;  // by environment
  std::vector<int> all_ids_;             // 0, 1, ...
  std::size_t caller_home_ = 0;          // the shard that the caller looks into first
  std::int64_t rows_sent_ = 0;
  std::atomic<Batch*> sync_batch_{nullptr};

  // Rows of asynchronous batches, numbered over the pool's life; batch b is open_[b & open_mask_].
  std::vector<std::atomic<Batch*>> open_;
  std::int64_t open_mask_ = 0;
  std::int64_t rows_opened_ = 0;
  std::int64_t rows_skipped_ = 0;  // by batches that stayed short
  alignas(64) std::atomic<std::int64_t> next_row_{0};

  alignas(64) std::atomic<std::uint64_t> sends_{0};  // what spinning workers look at
  std::atomic<int> work_signal_{0};                  // what idle workers sleep on
  std::atomic<int> sleepers_{0};
  std::atomic<int> spinners_{0};  // idle workers that do not sleep yet; counted if steps are slow
  std::atomic<int> caller_processor_{-1};
  std::atomic<bool> stop_{false};
  std::atomic<int> live_{0};
  alignas(64) std::atomic<Batch*> waited_for_{nullptr};
  std::atomic<int> wait_target_{0};
  std::atomic<float> cost_{-1}, reset_cost_{-1};
  std::atomic<bool> resets_{false};  // what was sent last
};

}  // namespace envpool

#include "envpool/engine_inl.h"
