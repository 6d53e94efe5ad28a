// SPDX-License-Identifier: Apache-2.0
// IdleWorkers: the workers without work, the way they wait, and the thread that wakes them.
//
//   caller                          worker i
//                                   seen = work_count()
//   publish work                    look for work; there is none
//   AnnounceWork()                  SpinUntilAnnounced(seen), or else:
//   Wake(count, first)              PrepareSleep(i)
//                                   work_count() != seen, or work after all?  CancelSleep(i)
//                                   else                                      Sleep(i)
//
// The caller publishes work and then looks for sleeping workers; a worker announces that it sleeps
// and then looks for work. All four accesses are sequentially consistent, so the caller sees the
// worker or the worker sees the work, and no work is left behind. Each worker sleeps on its own
// futex, so the caller wakes exactly as many as it needs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/engine/spin.h"

namespace envpool {

class IdleWorkers {
 public:
  /// `spins`: a worker spins before it sleeps.
  IdleWorkers(int num_workers, bool spins)
      : spins_(spins), slots_(static_cast<std::size_t>(num_workers)) {}

  /// There is work, or a reason to look up.
  void AnnounceWork() {
    work_count_.store(work_count_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }
  /// How often work was announced.
  std::uint64_t work_count() const { return work_count_.load(std::memory_order_seq_cst); }
  /// How many workers are awake and have no work.
  int searching() const { return searching_.load(std::memory_order_seq_cst); }
  /// Wakes `count` workers that sleep, as far as there are, of index `first` and above. They count
  /// as searching from now on.
  void Wake(int count, int first);
  /// Whether some worker sleeps.
  bool any_asleep() const { return asleep_.load(std::memory_order_seq_cst) > 0; }

  void StartSearching() { searching_.fetch_add(1, std::memory_order_seq_cst); }
  /// Whether it was the last one that searched.
  bool StopSearching() { return searching_.fetch_sub(1, std::memory_order_seq_cst) == 1; }
  /// Spins, if workers of this pool do, until work is announced after `seen`; false if none was.
  bool SpinUntilAnnounced(std::uint64_t seen) const {
    const auto announced = [&] { return work_count_.load(std::memory_order_acquire) != seen; };
    return spins_ && SpinUntil(announced, Clock::now() + kSpin);
  }
  void PrepareSleep(int index);
  void CancelSleep(int index);
  /// Sleeps until Wake.
  void Sleep(int index);

 private:
  enum State : int { kAwake, kAsleep };
  struct alignas(64) WakeSlot {
    std::atomic<int> state{kAwake};
  };
  bool SetAwake(WakeSlot& slot);
  WakeSlot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }

  const bool spins_;
  std::vector<WakeSlot> slots_;                           // by worker
  alignas(64) std::atomic<std::uint64_t> work_count_{0};  // what spinning workers read
  alignas(64) std::atomic<int> searching_{0};
  std::atomic<int> asleep_{0};
};

}  // namespace envpool
