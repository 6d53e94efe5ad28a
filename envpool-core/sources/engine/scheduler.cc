// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/scheduler.h"

#include <algorithm>
#include <system_error>

#include "envpool/engine/cpus.h"

namespace envpool {

namespace {
// The longest time for which a caller waits without a look at signals.
constexpr std::chrono::milliseconds kSignalInterval{100};
// A second thread gains time from about so many rows of trivial environments on.
constexpr int kRowsPerHelper = 128;
}  // namespace

Scheduler::Scheduler(const PoolOptions& options, EnvArrayBase& envs, ResultBatches& results)
    : options_(options),
      kind_(envs.step_kind()),
      caller_steps_(kind_ == StepKind::kTrivial ||
                    (kind_ == StepKind::kDefault && options.synchronous())),
      // A thread that spins must not take the CPU of one that steps.
      caller_spins_(kind_ != StepKind::kBlocking &&
                    options.num_threads + (caller_steps_ ? 0 : 1) <= UsableCpus()),
      results_(results),
      runner_(options, envs, results),
      queue_(options, kind_ != StepKind::kTrivial),
      idle_(options.num_threads,
            kind_ != StepKind::kBlocking && options.num_threads <= UsableCpus()),
      workers_(static_cast<std::size_t>(options.num_threads)),
      first_asked_(options.num_threads) {
  if (envs.external_steps() != nullptr)
    external_ = std::make_unique<ExternalStepping>(options, envs, runner_);
  for (int i = 0; i < options.num_threads; ++i) workers_[static_cast<std::size_t>(i)].index = i;
}

void Scheduler::Send(const int* env_ids, int count, int first_row, bool caller_waits) {
  if (external_ != nullptr) return external_->Send(env_ids, count, first_row);
  queue_.Push(env_ids, count, first_row);
  if (threads_started_ > 0) idle_.AnnounceWork();
  if (kind_ == StepKind::kTrivial) {
    WakeWorkers((count - 1) / kRowsPerHelper, 1);
  } else if (caller_steps_ && caller_waits) {
    WakeWorkers(count - 1, 1);
  } else {
    WakeWorkers(count, 0);
  }
}

bool Scheduler::Wait(Batch& batch, int target, Clock::time_point deadline) {
  if (external_ != nullptr) {
    return external_->Wait(batch, target, std::min(deadline, Clock::now() + kSignalInterval));
  }
  const auto complete = [&] { return batch.written.load(std::memory_order_acquire) >= target; };
  const bool no_threads_to_be_had = first_asked_ == 0 && threads_started_ == 0;
  const bool unlimited = deadline == Clock::time_point::max();
  if (no_threads_to_be_had || kind_ == StepKind::kTrivial || (caller_steps_ && unlimited)) {
    RunInCaller(batch, target, deadline);
  } else if (caller_steps_ && queue_.has_work()) {
    WakeWorkers(options_.num_threads, 0);  // a step may take longer than the caller has time
  }
  if (complete()) return true;
  const Clock::time_point start = Clock::now();
  if (caller_spins_ && short_waits_.likely()) SpinUntil(complete, start + kSpin);
  if (!complete()) {
    // Helpers that were not worth waking may be needed now: the caller is about to sleep.
    if (kind_ == StepKind::kTrivial && queue_.has_work()) WakeWorkers(options_.num_threads, 1);
    results_.Sleep(batch, target, std::min(deadline, Clock::now() + kSignalInterval));
  }
  const Clock::duration waited = Clock::now() - start;
  const bool done = complete();
  if (done || waited > kSpin) short_waits_.Add(waited);  // else the deadline was short
  return done;
}

/// The caller is thread 0 until the batch is complete, nothing is left, or signals are due.
void Scheduler::RunInCaller(const Batch& batch, int target, Clock::time_point deadline) {
  const bool alone = threads_started_ == 0;  // only this thread starts others
  if (!alone && !AcquireThread0()) return;   // worker 0 is it
  if (caller_scratch_ == nullptr) caller_scratch_ = runner_.MakeScratch();
  Clock::time_point end{};
  for (int claims = 1; batch.written.load(std::memory_order_acquire) < target &&
                       ClaimAndRun(caller_first_shard_, caller_scratch_.get());
       ++claims) {
    if (kind_ == StepKind::kTrivial && claims % 16 != 0) continue;
    const Clock::time_point now = Clock::now();
    if (end == Clock::time_point{}) end = std::min(deadline, now + kSignalInterval);
    if (now > end) break;
  }
  if (!alone) ReleaseThread0();
}

bool Scheduler::ClaimAndRun(std::size_t& first_shard, Batch* scratch) {
  Claim claim;
  if (!queue_.TryClaim(first_shard, claim)) return false;
  runner_.Run(claim, scratch);
  return true;
}

/// Sees to it that `count` workers of index `first` and above look for work, as far as there are.
void Scheduler::WakeWorkers(int count, int first) {
  count = std::min(count, options_.num_threads - first);
  if (count <= idle_.searching()) return;
  StartFrom(first);
  idle_.Wake(count - idle_.searching(), first);
}

/// All at once, when the first is needed: a worker that sleeps costs nothing, and only the caller
/// of the pool may start one.
void Scheduler::StartFrom(int first) {
  while (first_asked_ > first) {
    if (Start(workers_[static_cast<std::size_t>(first_asked_ - 1)])) {
      --first_asked_;
    } else {
      first_asked_ = 0;  // the system has no more
    }
  }
}

bool Scheduler::Start(Worker& worker) {
  worker.scratch = runner_.MakeScratch();
  running_.fetch_add(1);
  idle_.StartSearching();
  try {
    worker.thread = std::thread([this, &worker] { WorkerLoop(worker); });
  } catch (const std::system_error&) {
    running_.fetch_sub(1);
    idle_.StopSearching();
    return false;
  }
  ++threads_started_;
  return true;
}

void Scheduler::WorkerLoop(Worker& worker) {
  if (options_.affinity_offset >= 0) BindToCpu(options_.affinity_offset + worker.index);
  std::size_t first_shard = static_cast<std::size_t>(worker.index) % queue_.num_shards();
  for (;;) {
    const std::uint64_t seen = idle_.work_count();  // before the flag: Stop sets that first
    if (stop_.load(std::memory_order_acquire)) break;
    if (RunAvailable(worker, first_shard)) continue;
    // There is nothing to look for while the caller is thread 0.
    const bool waits_for_caller =
        IsThread0(worker) && thread0_runs_.load(std::memory_order_relaxed);
    if (!waits_for_caller && idle_.SpinUntilAnnounced(seen)) continue;
    SleepUntilWork(worker, seen);
  }
  running_.fetch_sub(1, std::memory_order_release);
}

/// Does all the work that there is; false when there was none.
bool Scheduler::RunAvailable(Worker& worker, std::size_t& first_shard) {
  if (IsThread0(worker) && !AcquireThread0()) return false;
  Claim claim;
  const bool found = queue_.TryClaim(first_shard, claim);
  if (found) {
    // The sender may have counted on this thread for more environments than the one that it has
    // now.
    const bool last = idle_.StopSearching();
    if (last && kind_ != StepKind::kTrivial && idle_.any_asleep() && queue_.has_work()) {
      idle_.Wake(1, caller_steps_ ? 1 : 0);
    }
    runner_.Run(claim, worker.scratch.get());
    while (!stop_.load(std::memory_order_relaxed) &&
           ClaimAndRun(first_shard, worker.scratch.get())) {
    }
    idle_.StartSearching();
  }
  if (IsThread0(worker)) ReleaseThread0();
  return found;
}

void Scheduler::SleepUntilWork(const Worker& worker, std::uint64_t seen) {
  idle_.PrepareSleep(worker.index);
  // A thread that sends work after this check sees that this thread is asleep.
  const bool may_run = !IsThread0(worker) || !thread0_runs_.load(std::memory_order_seq_cst);
  if (idle_.work_count() != seen || (may_run && queue_.has_work())) {
    return idle_.CancelSleep(worker.index);
  }
  idle_.Sleep(worker.index);
}

bool Scheduler::Stop(Clock::time_point deadline) {
  stop_.store(true, std::memory_order_seq_cst);
  idle_.AnnounceWork();
  idle_.Wake(options_.num_threads, 0);
  while (running_.load(std::memory_order_acquire) > 0) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
  return true;
}

void Scheduler::Abandon() {
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.detach();
  }
}

}  // namespace envpool
