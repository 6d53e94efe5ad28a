// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/idle_workers.h"

#include <chrono>

#include "envpool/engine/futex.h"

namespace envpool {

void IdleWorkers::Wake(int count, int first) {
  if (count <= 0 || !any_asleep()) return;
  for (auto i = static_cast<std::size_t>(first); i < slots_.size() && count > 0; ++i) {
    if (!SetAwake(slots_[i])) continue;
    FutexWake(slots_[i].state, 1);
    --count;
  }
}

/// Returns true if this call changed the state, and then counts the worker; false if the worker was
/// awake already.
bool IdleWorkers::SetAwake(WakeSlot& slot) {
  int asleep = kAsleep;
  if (slot.state.load(std::memory_order_seq_cst) != asleep ||
      !slot.state.compare_exchange_strong(asleep, kAwake)) {
    return false;
  }
  searching_.fetch_add(1, std::memory_order_seq_cst);
  asleep_.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

void IdleWorkers::PrepareSleep(int index) {
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  asleep_.fetch_add(1, std::memory_order_seq_cst);
  slot(index).state.store(kAsleep, std::memory_order_seq_cst);
}

void IdleWorkers::CancelSleep(int index) { SetAwake(slot(index)); }

void IdleWorkers::Sleep(int index) {
  std::atomic<int>& state = slot(index).state;
  while (state.load(std::memory_order_seq_cst) == kAsleep) {
    FutexWait(state, kAsleep, std::chrono::hours(1));
  }
}

}  // namespace envpool
