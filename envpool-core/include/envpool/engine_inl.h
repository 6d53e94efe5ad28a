// SPDX-License-Identifier: Apache-2.0
// How the engine works; its interface is engine.h.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <system_error>

#include "envpool/engine.h"
#include "envpool/engine_parts_inl.h"
#include "envpool/processor.h"

namespace envpool {

namespace detail {
using namespace std::chrono_literals;

// An idle thread spins this long before it sleeps: longer than the pause between two calls from
// a Python loop, far shorter than a time slice.
inline constexpr auto kSpin = 50us;
// Work is not worth sharing when each part would be shorter than this: a thread that spins takes
// a tenth of it to notice, one that sleeps costs its waker about this much.
inline constexpr float kShareNs = 1'500;
// The caller steps environments itself when one takes less than this. Synchronous: it would only
// sleep, but must come back to look after signals. Asynchronous: it must not sit in one
// environment while others complete the batch.
inline constexpr float kSyncCallerNs = 1e6, kAsyncCallerNs = 20e3;
// A chunk lasts about this long at most, so that threads finish together.
inline constexpr float kChunkNs = 20e3;
// Rows in a cache line of a one-byte array. Chunks of cheap environments are whole lines.
inline constexpr int kLineRows = 64;
// The longest sleep of a waiting caller.
inline constexpr auto kNap = 100ms;
}  // namespace detail

inline Engine::Engine(const EngineOptions& options, Runner& runner)
    : options_(options), runner_(runner) {
  const int n = options.num_envs;
  const int shards = std::min(options.num_threads, n);
  // Where shards are large, their rows begin on cache lines of one-byte arrays.
  const int unit = n / shards >= detail::kLineRows ? detail::kLineRows : 1;
  const auto bound = [&](int i) {
    return i == shards ? n : static_cast<int>(std::int64_t{n} * i / shards / unit * unit);
  };
  shard_of_.resize(static_cast<std::size_t>(n));
  all_ids_.resize(static_cast<std::size_t>(n));
  std::iota(all_ids_.begin(), all_ids_.end(), 0);
  for (int i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>(bound(i), bound(i + 1)));
    std::fill(shard_of_.begin() + bound(i), shard_of_.begin() + bound(i + 1),
              static_cast<std::uint16_t>(i));
  }
  // In flight rows can lie in this many batches: a part of the first, a part of the last.
  const auto batches = static_cast<std::size_t>(n / options.batch_size) + 2;
  open_ = std::vector<std::atomic<Batch*>>(std::bit_ceil(batches));
  open_mask_ = static_cast<std::int64_t>(open_.size()) - 1;
  threads_.reserve(static_cast<std::size_t>(options.num_threads));
}

inline bool Engine::NeedsBatch(int count) const {
  return rows_sent() + rows_skipped_ + count > rows_opened_;
}

inline void Engine::Open(Batch* batch) {
  batch->written.store(0, std::memory_order_relaxed);
  if (synchronous()) {
    batch->first = rows_sent();
    rows_opened_ = batch->first + batch->capacity;
    sync_batch_.store(batch, std::memory_order_relaxed);
  } else {
    batch->first = rows_opened_;
    const std::int64_t number = rows_opened_ / options_.batch_size;
    open_[static_cast<std::size_t>(number & open_mask_)].store(batch, std::memory_order_release);
    rows_opened_ += options_.batch_size;
  }
}

inline void Engine::SkipToNextBatch() {
  rows_skipped_ = rows_opened_ - rows_sent();
  next_row_.store(rows_opened_, std::memory_order_release);
}

inline void Engine::Send(const int* env_ids, int count, bool resets) {
  if (resets_.load(std::memory_order_relaxed) != resets) resets_.store(resets);
  if (env_ids == nullptr) {
    for (const auto& shard : shards_) {
      shard->all_from.store(shard->sending, std::memory_order_relaxed);
      Publish(*shard, shard->sending + (shard->end - shard->begin));
    }
  } else {
    const std::int64_t first = synchronous() ? rows_sent_ - sync_batch_.load()->first : 0;
    for (const auto& shard : shards_) shard->all_from.store(-1, std::memory_order_relaxed);
    for (int i = 0; i < count; ++i) {
      Shard& shard = *shards_[shard_of_[static_cast<std::size_t>(env_ids[i])]];
      const auto row = static_cast<std::uint64_t>(first + i);
      shard.slots[static_cast<std::size_t>(shard.sending++ & shard.mask)].store(
          row << 32 | static_cast<std::uint32_t>(env_ids[i]), std::memory_order_relaxed);
    }
    for (const auto& shard : shards_) Publish(*shard, shard->sending);
  }
  rows_sent_ += count;
  // Sequentially consistent, as is the worker's check before it sleeps: one of the two sees the
  // other, so no work is left behind.
  sends_.store(sends_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);

  const float cost = step_cost();
  int most = options_.num_threads;
  int helpers = count;
  if (cost >= 0 && CallerSteps()) {
    if (synchronous()) --most;  // the caller is one of them
    helpers = static_cast<int>(
        std::min(cost * static_cast<float>(count) / detail::kShareNs, static_cast<float>(count)));
  }
  // Who is awake may be busy for long: then only those count that look around for work.
  const int ready = StepsAreSlow() ? spinners_.load(std::memory_order_seq_cst)
                                   : threads_started() - sleepers_.load(std::memory_order_seq_cst);
  WakeWorkers(std::min(helpers, most), ready, most);
}

inline void Engine::Publish(Shard& shard, std::int64_t tail) {
  shard.sending = tail;
  shard.tail.store(tail, std::memory_order_release);
}

inline bool Engine::CallerSteps() const {
  const float cost = step_cost();
  if (threads_refused_ && threads_.empty()) return true;
  return cost >= 0 && cost < (synchronous() ? detail::kSyncCallerNs : detail::kAsyncCallerNs);
}

inline bool Engine::StepsAreSlow() const {
  const float cost = step_cost();
  return cost < 0 || cost >= detail::kAsyncCallerNs;
}

inline int Engine::ToSpare() const {
  const float cost = step_cost();
  const bool caller_steps = synchronous() && cost >= 0 && cost < detail::kSyncCallerNs;
  const int awake = live_.load(std::memory_order_relaxed) - sleepers_.load();
  return options_.num_threads - (caller_steps ? 1 : 0) - awake;
}

inline void Engine::WakeWorkers(int count, int ready, int most) {
  const int missing = count - ready;
  const int asleep = sleepers_.load(std::memory_order_seq_cst);
  if (missing > asleep) {
    StartWorkers(std::min(most, threads_started() + missing - asleep));
  }
  if (asleep > 0 && missing > 0) {
    caller_processor_.store(detail::CurrentProcessor(), std::memory_order_relaxed);
    work_signal_.fetch_add(1, std::memory_order_seq_cst);
    FutexWake(work_signal_, missing);
  }
}

inline void Engine::StartWorkers(int count) {
  while (!threads_refused_ && threads_started() < count) {
    live_.fetch_add(1);
    try {
      threads_.emplace_back([this, index = threads_started()] { WorkerLoop(index); });
    } catch (const std::system_error&) {
      live_.fetch_sub(1);
      threads_refused_ = true;
    }
  }
}

inline void Engine::WorkerLoop(int index) {
  if (options_.affinity_offset >= 0) detail::BindToProcessor(options_.affinity_offset + index);
  std::size_t home = static_cast<std::size_t>(index + 1) % shards_.size();
  Clock::time_point idle_since = Clock::now();
  for (int spins = 0; !stop_.load(std::memory_order_acquire); ++spins) {
    const std::uint64_t sends = sends_.load(std::memory_order_seq_cst);
    if (ClaimAndRun(home)) {
      while (!stop_.load(std::memory_order_relaxed) && ClaimAndRun(home)) {
      }
      spins = 0;
      idle_since = Clock::now();
    }
    const bool slow = StepsAreSlow();
    if (slow) spinners_.fetch_add(1, std::memory_order_seq_cst);
    bool idle = ToSpare() < 0;
    while (!idle && sends_.load(std::memory_order_acquire) == sends &&
           !stop_.load(std::memory_order_acquire)) {
      SpinPause();
      idle = ++spins % 32 == 0 && Clock::now() - idle_since > detail::kSpin;
    }
    if (slow) spinners_.fetch_sub(1, std::memory_order_seq_cst);
    if (!idle) continue;
    const int seen = work_signal_.load(std::memory_order_seq_cst);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (sends_.load(std::memory_order_seq_cst) == sends && !stop_.load(std::memory_order_seq_cst)) {
      FutexWait(work_signal_, seen, std::chrono::hours(1));
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    // A thread likes to wake where its waker runs. There the two would take turns, each waiting for
    // the other's chunk.
    const int taken = caller_processor_.load(std::memory_order_relaxed);
    if (options_.affinity_offset < 0 && detail::CurrentProcessor() == taken) {
      detail::LeaveProcessor(taken);
    }
    idle_since = Clock::now();
  }
  live_.fetch_sub(1, std::memory_order_release);
}

inline int Engine::ChunkSize(std::int64_t waiting) const {
  const float cost = step_cost();
  if (cost < 0) return 1;
  const float most = std::clamp(detail::kChunkNs / std::max(cost, 1.0f), 1.0f, float{kMaxChunk});
  const auto largest = static_cast<std::int64_t>(most);
  // Half of what is there, so that others find something when this thread is held up.
  std::int64_t chunk =
      std::clamp(waiting / 2, std::min<std::int64_t>(largest, detail::kLineRows), largest);
  if (chunk > detail::kLineRows) chunk -= chunk % detail::kLineRows;
  return static_cast<int>(std::min(chunk, waiting));
}

inline bool Engine::WorkIsWaiting() const {
  return std::any_of(shards_.begin(), shards_.end(), [](const auto& shard) {
    return shard->head.load(std::memory_order_seq_cst) <
           shard->tail.load(std::memory_order_seq_cst);
  });
}

inline bool Engine::Claim(Shard& shard, Chunk& chunk) {
  std::int64_t head = shard.head.load(std::memory_order_acquire);
  for (;;) {
    const std::int64_t tail = shard.tail.load(std::memory_order_acquire);
    if (head >= tail) return false;
    chunk.count = ChunkSize(tail - head);
    // Read first, claim then: when the claim succeeds nobody has taken these positions, and so
    // the sender cannot have used their slots again.
    const std::int64_t all_from = shard.all_from.load(std::memory_order_relaxed);
    if (all_from >= 0) {
      chunk.first_row = shard.begin + static_cast<int>(head - all_from);
      chunk.ids = all_ids_.data() + chunk.first_row;
      chunk.side_by_side = true;
    } else {
      for (int i = 0; i < chunk.count; ++i) {
        const std::uint64_t slot =
            shard.slots[static_cast<std::size_t>((head + i) & shard.mask)].load(
                std::memory_order_relaxed);
        chunk.own_ids[i] = static_cast<int>(slot & 0xffffffffu);
        chunk.rows[i] = static_cast<int>(slot >> 32);
      }
      chunk.ids = chunk.own_ids;
      chunk.first_row = chunk.rows[0];
      // The rows of a shard grow, so the ends tell.
      chunk.side_by_side = chunk.rows[chunk.count - 1] - chunk.rows[0] == chunk.count - 1;
    }
    chunk.batch = synchronous() ? sync_batch_.load(std::memory_order_relaxed) : nullptr;
    if (shard.head.compare_exchange_weak(head, head + chunk.count, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      return true;
    }
  }
}

inline bool Engine::ClaimAndRun(std::size_t& home) {
  Chunk chunk;
  const std::size_t shards = shards_.size();
  std::size_t at = home, tried = 0;
  while (!Claim(*shards_[at], chunk)) {
    if (++tried == shards) return false;
    if (++at == shards) at = 0;
  }
  // A batch may be complete long before a shard is empty. Would the same shard come first again,
  // the environments of the others might never have their turn.
  if (!synchronous()) home = at + 1 == shards ? 0 : at + 1;
  // The sender may have counted on this thread for more than one.
  if (StepsAreSlow() && sleepers_.load(std::memory_order_seq_cst) > 0 && ToSpare() > 0 &&
      WorkIsWaiting()) {
    work_signal_.fetch_add(1, std::memory_order_seq_cst);
    FutexWake(work_signal_, 1);
  }
  Rows rows(*this, chunk);
  // Looking at the clock twice costs as much as two cheap steps: for those, one chunk in 16.
  thread_local unsigned turn = 0;
  const float cost = step_cost();
  const bool timed = cost < 0 || cost * static_cast<float>(chunk.count) > 5'000 || ++turn % 16 == 0;
  if (timed) {
    std::atomic<float>& own_cost = this->cost();
    const Clock::time_point start = Clock::now();
    runner_.Run(chunk.ids, chunk.count, rows);
    AddTime(own_cost, Clock::now() - start, chunk.count);
  } else {
    runner_.Run(chunk.ids, chunk.count, rows);
  }
  rows.Flush();
  return true;
}

inline void Engine::AddTime(std::atomic<float>& cost, Clock::duration time, int count) {
  const float sample =
      static_cast<float>(std::chrono::nanoseconds(time).count()) / static_cast<float>(count);
  const float mean = cost.load(std::memory_order_relaxed);
  // A thread that lost its processor reports a wild value: let none count more than 4 times the
  // mean. Threads may overwrite each other's update, which only costs a sample.
  cost.store(mean < 0 ? sample : mean + (std::min(sample, 4 * mean + 50) - mean) / 8,
             std::memory_order_relaxed);
}

inline void Engine::Written(Batch& batch, int count) {
  const int written = batch.written.fetch_add(count, std::memory_order_seq_cst) + count;
  // Nobody else touches a batch that is complete: from here on it may be gone.
  if (waited_for_.load(std::memory_order_seq_cst) == &batch &&
      written >= wait_target_.load(std::memory_order_relaxed)) {
    FutexWake(batch.written, 1);
  }
}

inline bool Engine::Wait(Batch& batch, int target, Clock::time_point deadline) {
  const auto complete = [&] { return batch.written.load(std::memory_order_acquire) >= target; };
  if (CallerSteps()) {
    Clock::time_point start{};
    for (int turns = 0; !complete() && ClaimAndRun(caller_home_);) {
      if (++turns % 64 != 0 && step_cost() < 1'000) continue;
      const Clock::time_point now = Clock::now();
      if (start == Clock::time_point{}) start = now;
      if (now - start > detail::kNap || now > deadline) return complete();
    }
  }
  if (complete()) return true;
  if (step_cost() >= 0 && step_cost() < detail::kAsyncCallerNs) {
    const Clock::time_point start = Clock::now();
    for (int spins = 1; !complete(); ++spins) {
      SpinPause();
      if (spins % 32 == 0 && Clock::now() - start > detail::kSpin) break;
    }
    if (complete()) return true;
  }
  wait_target_.store(target, std::memory_order_relaxed);
  waited_for_.store(&batch, std::memory_order_seq_cst);
  // Workers that were not worth waking may be needed now: the caller is about to sleep.
  if (WorkIsWaiting()) WakeWorkers(options_.num_threads, 0, options_.num_threads);
  const Clock::time_point nap_end = std::min(deadline, Clock::now() + detail::kNap);
  for (;;) {
    const int written = batch.written.load(std::memory_order_seq_cst);
    const Clock::time_point now = Clock::now();
    if (written >= target || now >= nap_end) break;
    FutexWait(batch.written, written, nap_end - now);
  }
  waited_for_.store(nullptr, std::memory_order_relaxed);
  return complete();
}

inline bool Engine::Stop(Clock::time_point deadline) {
  stop_.store(true, std::memory_order_seq_cst);
  work_signal_.fetch_add(1, std::memory_order_seq_cst);
  FutexWake(work_signal_, options_.num_threads);
  while (live_.load(std::memory_order_acquire) > 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return true;
}

inline void Engine::Abandon() {
  for (std::thread& thread : threads_) thread.detach();
  threads_.clear();
}

}  // namespace envpool
