// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/scheduler.h"

#include <bit>
#include <numeric>
#include <system_error>

#include "envpool/engine/cpus.h"
#include "envpool/engine/futex.h"

namespace envpool {

/// A queue of environments begin .. end-1. Positions only grow; position p lives in slot p & mask.
struct Scheduler::Shard {
  int begin, end;
  std::int64_t mask;
  // Environment in the low half, synchronous row in the high half.
  std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  std::int64_t sending = 0;  // tail while Send fills the slots
  alignas(64) std::atomic<std::int64_t> head{0};
  alignas(64) std::atomic<std::int64_t> tail{0};
  // Position of environment `begin` when all of them were sent in order, which needs no slots.
  std::atomic<std::int64_t> all_from{-1};

  Shard(int first, int beyond) : begin(first), end(beyond) {
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(std::max(end - begin, 1)));
    mask = static_cast<std::int64_t>(size) - 1;
    slots = std::make_unique<std::atomic<std::uint64_t>[]>(size);
  }
};

/// Environments that a thread has taken out of a shard.
struct Scheduler::Claim {
  int count = 0;
  const int* ids = nullptr;
  int first_row = 0;         // synchronous only, as is the next
  bool side_by_side = true;  // the rows are first_row, first_row + 1, ...
  int own_ids[kMaxClaim];    // where ids and rows live that no list has ready
  int rows[kMaxClaim];
};

struct alignas(64) Scheduler::Worker {
  enum State : int { kAsleep, kAwake };
  explicit Worker(int number) : index(number) {}

  const int index;
  std::atomic<int> state{kAwake};
  // Of the caller; the scratch is the worker's once it runs.
  bool started = false;
  std::thread thread{};
  std::unique_ptr<Batch> scratch;  // where a result waits for its row; asynchronous only
};

bool Scheduler::HasSeat(const Worker& worker) const { return caller_steps_ && worker.index == 0; }

Scheduler::Scheduler(const PoolOptions& options, EnvArrayBase& envs, ResultBatches& results)
    : options_(options),
      kind_(envs.step_kind()),
      caller_steps_(kind_ == StepKind::kTrivial ||
                    (kind_ == StepKind::kDefault && options.synchronous())),
      rows_known_(options.synchronous()),
      one_at_a_time_(kind_ != StepKind::kTrivial),
      // A thread that spins must not take the CPU of one that steps.
      workers_spin_(kind_ != StepKind::kBlocking && options.num_threads <= UsableCpus()),
      caller_spins_(kind_ != StepKind::kBlocking &&
                    options.num_threads + (caller_steps_ ? 0 : 1) <= UsableCpus()),
      envs_(envs),
      results_(results),
      exchange_(envs.exchange()) {
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
  if (exchange_ != nullptr) row_of_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < options.num_threads; ++i) workers_.push_back(std::make_unique<Worker>(i));
}

Scheduler::~Scheduler() = default;

void Scheduler::Send(const int* env_ids, int count, int first_row, bool caller_waits) {
  if (exchange_ != nullptr) {
    return Post(env_ids == nullptr ? all_ids_.data() : env_ids, count, first_row);
  }
  if (env_ids == nullptr && rows_known_) {  // nothing more comes until all of them are received
    for (const auto& shard : shards_) {
      shard->all_from.store(shard->sending, std::memory_order_relaxed);
      Publish(*shard, shard->sending + (shard->end - shard->begin));
    }
  } else {
    if (env_ids == nullptr) env_ids = all_ids_.data();
    for (const auto& shard : shards_) shard->all_from.store(-1, std::memory_order_relaxed);
    for (int i = 0; i < count; ++i) {
      Shard& shard = *shards_[shard_of_[static_cast<std::size_t>(env_ids[i])]];
      const auto row = static_cast<std::uint64_t>(first_row + i);
      shard.slots[static_cast<std::size_t>(shard.sending++ & shard.mask)].store(
          row << 32 | static_cast<std::uint32_t>(env_ids[i]), std::memory_order_relaxed);
    }
    for (const auto& shard : shards_) Publish(*shard, shard->sending);
  }
  // Sequentially consistent, as is the worker's look before it sleeps: one of the two sees the
  // other, so no work is left behind.
  sends_.store(sends_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  if (kind_ == StepKind::kTrivial) {
    Need((count - 1) / detail::kRowsPerHelper, false);
  } else {
    Need(caller_steps_ && caller_waits ? count - 1 : count, !(caller_steps_ && caller_waits));
  }
}

void Scheduler::Publish(Shard& shard, std::int64_t tail) {
  shard.sending = tail;
  shard.tail.store(tail, std::memory_order_release);
}

int Scheduler::ClaimSize(std::int64_t waiting, bool in_order) const {
  if (one_at_a_time_) return 1;
  // Nobody to share with, and no list of ids and rows to make.
  if (in_order && shards_.size() == 1) {
    return static_cast<int>(std::min<std::int64_t>(waiting, kMaxClaimInOrder));
  }
  // Half of what is there, so that threads finish together; of an asynchronous pool no more than a
  // line, since others may be waiting for these rows.
  const std::int64_t most = rows_known_ ? kMaxClaim : detail::kLineRows;
  std::int64_t size = std::clamp<std::int64_t>(waiting / 2, detail::kLineRows, most);
  size -= size % detail::kLineRows;
  return static_cast<int>(std::min(size, waiting));
}

bool Scheduler::WorkIsWaiting() const {
  return std::any_of(shards_.begin(), shards_.end(), [](const auto& shard) {
    return shard->head.load(std::memory_order_seq_cst) <
           shard->tail.load(std::memory_order_seq_cst);
  });
}

bool Scheduler::ClaimFrom(Shard& shard, Claim& claim) {
  std::int64_t head = shard.head.load(std::memory_order_acquire);
  for (;;) {
    const std::int64_t tail = shard.tail.load(std::memory_order_acquire);
    if (head >= tail) return false;
    // Read first, claim then: when the claim succeeds nobody has taken these positions, and so the
    // sender cannot have used their slots again.
    const std::int64_t all_from = shard.all_from.load(std::memory_order_relaxed);
    claim.count = ClaimSize(tail - head, all_from >= 0);
    if (all_from >= 0) {
      claim.first_row = shard.begin + static_cast<int>(head - all_from);
      claim.ids = all_ids_.data() + claim.first_row;
      claim.side_by_side = true;
    } else {
      for (int i = 0; i < claim.count; ++i) {
        const std::uint64_t slot =
            shard.slots[static_cast<std::size_t>((head + i) & shard.mask)].load(
                std::memory_order_relaxed);
        claim.own_ids[i] = static_cast<int>(slot & 0xffffffffu);
        claim.rows[i] = static_cast<int>(slot >> 32);
      }
      claim.ids = claim.own_ids;
      claim.first_row = claim.rows[0];
      // The rows of a shard grow, so the ends tell.
      claim.side_by_side = claim.rows[claim.count - 1] - claim.rows[0] == claim.count - 1;
    }
    if (shard.head.compare_exchange_weak(head, head + claim.count, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      return true;
    }
  }
}

bool Scheduler::ClaimSome(std::size_t& home, Claim& claim) {
  const std::size_t shards = shards_.size();
  std::size_t at = home, tried = 0;
  while (!ClaimFrom(*shards_[at], claim)) {
    if (++tried == shards) return false;
    if (++at == shards) at = 0;
  }
  // An asynchronous batch may be complete long before a shard is empty. Would the same shard come
  // first again, the environments of the others might never have their turn.
  if (!rows_known_) home = at + 1 == shards ? 0 : at + 1;
  return true;
}

bool Scheduler::ClaimAndRun(std::size_t& home, Batch* scratch) {
  Claim claim;
  if (!ClaimSome(home, claim)) return false;
  Run(claim, scratch);
  return true;
}

void Scheduler::Run(const Claim& claim, Batch* scratch) {
  if (scratch != nullptr) return RunApart(claim.ids[0], *scratch);
  if (rows_known_) {
    Batch& batch = *results_.sync_batch();
    if (claim.side_by_side) return RunRows(batch, claim.first_row, claim.ids, claim.count);
    for (int i = 0; i < claim.count; ++i) RunRows(batch, claim.rows[i], claim.ids + i, 1);
    return;
  }
  // Rows for all of a claim at once: they are written within microseconds.
  std::int64_t number = results_.TakeMany(claim.count);
  for (int done = 0; done < claim.count;) {
    const auto [batch, row] = results_.Find(number);
    const int count = std::min(claim.count - done, batch->capacity - row);
    RunRows(*batch, row, claim.ids + done, count);
    done += count;
    number += count;
  }
}

void Scheduler::RunRows(Batch& batch, int row, const int* env_ids, int count) {
  batch.Clear(row, count);
  for (int done = 0; done < count;) {
    const int at = row + done;
    Advanced advanced =
        envs_.Advance(env_ids + done, count - done, batch.row(at), batch.players.data() + at);
    done += advanced.count;
    if (advanced.uneven) batch.uneven.store(true, std::memory_order_relaxed);
    if (advanced.failed) batch.Fail({env_ids[done - 1], row + done - 1, std::move(advanced.text)});
  }
  batch.Finish(row, count, env_ids);
  results_.Written(batch, count);
}

/// The row is taken when the environment has finished, so that one that is held up in its step
/// keeps no row that another could fill.
void Scheduler::RunApart(int env_id, Batch& scratch) {
  scratch.Clear(0, 1);
  scratch.players[0] = 1;
  Advanced advanced = envs_.Advance(&env_id, 1, scratch.row(0), scratch.players.data());
  const auto [batch, row] = results_.Take();
  batch->Take(scratch, 0, row);
  if (advanced.failed) batch->Fail({env_id, row, std::move(advanced.text)});
  batch->Finish(row, 1, &env_id);
  results_.Written(*batch, 1);
}

/// Sees to it that `workers` of them look for work; thread 0 is one of them if it is `with_first`.
void Scheduler::Need(int workers, bool with_first) {
  const int first = with_first ? 0 : 1;
  workers = std::min(workers, options_.num_threads - first);
  if (workers <= searching_.load(std::memory_order_seq_cst)) return;
  // All at once, when the first is needed: one that sleeps costs nothing, and only the caller of
  // the pool may start one.
  if (!others_started_) {
    others_started_ = true;
    for (int i = 1; i < options_.num_threads; ++i) Start(i);
  }
  if (with_first) Start(0);
  const int missing = workers - searching_.load(std::memory_order_seq_cst);
  if (missing > 0 && asleep_.load(std::memory_order_seq_cst) > 0) Wake(missing, first);
}

void Scheduler::Wake(int count, int from) {
  waker_cpu_.store(CurrentCpu(), std::memory_order_relaxed);
  for (auto i = static_cast<std::size_t>(from); i < workers_.size() && count > 0; ++i) {
    std::atomic<int>& state = workers_[i]->state;
    int asleep = Worker::kAsleep;
    if (state.load(std::memory_order_seq_cst) != asleep ||
        !state.compare_exchange_strong(asleep, Worker::kAwake)) {
      continue;
    }
    searching_.fetch_add(1, std::memory_order_seq_cst);
    asleep_.fetch_sub(1, std::memory_order_seq_cst);
    FutexWake(state, 1);
    --count;
  }
}

void Scheduler::Start(int index) {
  Worker& worker = *workers_[static_cast<std::size_t>(index)];
  if (worker.started || threads_refused_) return;
  if (!rows_known_ && one_at_a_time_) worker.scratch = results_.MakeScratch();
  live_.fetch_add(1);
  searching_.fetch_add(1);
  try {
    worker.thread = std::thread([this, &worker] { WorkerLoop(worker); });
    worker.started = true;
    ++started_;
  } catch (const std::system_error&) {
    live_.fetch_sub(1);
    searching_.fetch_sub(1);
    threads_refused_ = true;
  }
}

void Scheduler::WorkerLoop(Worker& worker) {
  if (options_.affinity_offset >= 0) BindToCpu(options_.affinity_offset + worker.index);
  std::size_t home = static_cast<std::size_t>(worker.index) % shards_.size();
  while (!stop_.load(std::memory_order_acquire)) {
    const std::uint64_t seen = sends_.load(std::memory_order_seq_cst);
    if (WorkerTurn(worker, home)) continue;
    const Clock::time_point end = Clock::now() + detail::kSpin;
    const auto changed = [&] {
      return sends_.load(std::memory_order_acquire) != seen ||
             stop_.load(std::memory_order_acquire);
    };
    // Who waits for the seat of thread 0 has nothing to look for.
    bool idle = !workers_spin_ || (HasSeat(worker) && seat_taken_.load(std::memory_order_relaxed));
    for (int turns = 1; !idle && !changed(); ++turns) {
      SpinPause();
      idle = turns % 32 == 0 && Clock::now() > end;
    }
    if (idle) Doze(worker, seen);
  }
  live_.fetch_sub(1, std::memory_order_release);
}

/// Does all the work that there is; false when there was none.
bool Scheduler::WorkerTurn(Worker& worker, std::size_t& home) {
  const bool first = HasSeat(worker);
  if (first && seat_taken_.exchange(true, std::memory_order_acquire)) return false;
  Claim claim;
  const bool found = ClaimSome(home, claim);
  if (found) {
    // Who sent may have counted on this thread for more than the one that it has now.
    if (searching_.fetch_sub(1, std::memory_order_seq_cst) == 1 && one_at_a_time_ &&
        asleep_.load(std::memory_order_seq_cst) > 0 && WorkIsWaiting()) {
      Wake(1, caller_steps_ ? 1 : 0);
    }
    Run(claim, worker.scratch.get());
    while (!stop_.load(std::memory_order_relaxed) && ClaimAndRun(home, worker.scratch.get())) {
    }
    searching_.fetch_add(1, std::memory_order_seq_cst);
  }
  if (first) seat_taken_.store(false, std::memory_order_seq_cst);
  return found;
}

void Scheduler::Doze(Worker& worker, std::uint64_t seen) {
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  asleep_.fetch_add(1, std::memory_order_seq_cst);
  worker.state.store(Worker::kAsleep, std::memory_order_seq_cst);
  // Whoever brings work after this look sees that this thread is asleep.
  const bool may_work = !HasSeat(worker) || !seat_taken_.load(std::memory_order_seq_cst);
  if (sends_.load(std::memory_order_seq_cst) != seen || stop_.load(std::memory_order_seq_cst) ||
      (may_work && WorkIsWaiting())) {
    int asleep = Worker::kAsleep;
    if (worker.state.compare_exchange_strong(asleep, Worker::kAwake)) {
      searching_.fetch_add(1, std::memory_order_seq_cst);
      asleep_.fetch_sub(1, std::memory_order_seq_cst);
    }
    return;
  }
  while (worker.state.load(std::memory_order_seq_cst) == Worker::kAsleep) {
    FutexWait(worker.state, Worker::kAsleep, std::chrono::hours(1));
  }
  // A thread likes to wake where its waker runs. There the two would take turns, each waiting for
  // the other's rows; not those that will wait for something else.
  if (kind_ == StepKind::kBlocking || options_.affinity_offset >= 0) return;
  const int taken = waker_cpu_.load(std::memory_order_relaxed);
  if (CurrentCpu() == taken) LeaveCpu(taken);
}

void Scheduler::Post(const int* env_ids, int count, int first_row) {
  for (int i = 0; i < count; ++i) {
    row_of_[static_cast<std::size_t>(env_ids[i])] = first_row + i;
    if (!envs_.Post(env_ids[i])) unposted_.push_back(env_ids[i]);
  }
  exchange_->Flush();
}

bool Scheduler::Collect(Batch& batch, int target, Clock::time_point deadline) {
  const Clock::time_point end = std::min(deadline, Clock::now() + detail::kNap);
  const auto complete = [&](int env_id) {
    if (rows_known_) return RunRows(batch, row_of_[static_cast<std::size_t>(env_id)], &env_id, 1);
    const auto [found, row] = results_.Take();
    RunRows(*found, row, &env_id, 1);
  };
  for (;;) {
    int missing = target - batch.written.load(std::memory_order_relaxed);
    for (; missing > 0 && !unposted_.empty(); --missing) {
      complete(unposted_.back());
      unposted_.pop_back();
    }
    if (missing <= 0) return true;
    // No more than this batch lacks: what comes later may fail, and that is then later's.
    int finished[kMaxClaim];
    const int count = exchange_->Take(finished, std::min(missing, kMaxClaim));
    for (int i = 0; i < count; ++i) complete(finished[i]);
    if (count > 0) continue;
    if (Clock::now() >= end) return false;
    exchange_->Await(missing, end);
  }
}

bool Scheduler::Wait(Batch& batch, int target, Clock::time_point deadline) {
  if (exchange_ != nullptr) return Collect(batch, target, deadline);
  const auto complete = [&] { return batch.written.load(std::memory_order_acquire) >= target; };
  const bool alone = threads_refused_ && started_ == 0;
  const bool unlimited = deadline == Clock::time_point::max();
  if (alone || kind_ == StepKind::kTrivial || (caller_steps_ && unlimited)) {
    CallerWorks(batch, target, deadline);
  } else if (caller_steps_ && WorkIsWaiting()) {
    Need(options_.num_threads, true);  // a step may take longer than the caller has time
  }
  if (complete()) return true;
  const Clock::time_point start = Clock::now();
  if (caller_spins_ && short_waits_.likely()) {
    for (int turns = 1; !complete() && (turns % 32 != 0 || Clock::now() < start + detail::kSpin);
         ++turns) {
      SpinPause();
    }
  }
  if (!complete()) {
    // Helpers that were not worth waking may be needed now: the caller is about to sleep.
    if (kind_ == StepKind::kTrivial && WorkIsWaiting()) Need(options_.num_threads, false);
    results_.Sleep(batch, target, std::min(deadline, Clock::now() + detail::kNap));
  }
  const Clock::duration waited = Clock::now() - start;
  const bool done = complete();
  if (done || waited > detail::kSpin) short_waits_.Add(waited);  // else the deadline was short
  return done;
}

/// The caller is thread 0 until the batch is complete, nothing is left, or it has to look around.
void Scheduler::CallerWorks(const Batch& batch, int target, Clock::time_point deadline) {
  if (seat_taken_.exchange(true, std::memory_order_acquire)) return;  // a worker is thread 0
  const bool needs_scratch = !rows_known_ && one_at_a_time_;
  if (needs_scratch && caller_scratch_ == nullptr) caller_scratch_ = results_.MakeScratch();
  Clock::time_point end{};
  for (int turns = 1; batch.written.load(std::memory_order_acquire) < target &&
                      ClaimAndRun(caller_home_, caller_scratch_.get());
       ++turns) {
    if (kind_ == StepKind::kTrivial && turns % 16 != 0) continue;
    const Clock::time_point now = Clock::now();
    if (end == Clock::time_point{}) end = std::min(deadline, now + detail::kNap);
    if (now > end) break;
  }
  seat_taken_.store(false, std::memory_order_seq_cst);
}

bool Scheduler::Stop(Clock::time_point deadline) {
  stop_.store(true, std::memory_order_seq_cst);
  Wake(options_.num_threads, 0);
  while (live_.load(std::memory_order_acquire) > 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  for (const auto& worker : workers_) {
    if (worker->started) worker->thread.join();
  }
  return true;
}

void Scheduler::Abandon() {
  for (const auto& worker : workers_) {
    if (worker->started) worker->thread.detach();
  }
}

}  // namespace envpool
