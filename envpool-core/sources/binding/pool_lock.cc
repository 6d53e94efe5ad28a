// SPDX-License-Identifier: Apache-2.0
#include "pool_lock.h"

#include <chrono>
#include <limits>

#include "envpool/binding/gil.h"
#include "envpool/engine/futex.h"
#include "envpool/error.h"
#include "python.h"

namespace envpool::python {

using namespace std::chrono_literals;
// A thread that waits looks so long without sleeping: to wake it takes longer than a cheap step.
constexpr std::chrono::microseconds kLockSpin = 20us;
// Between two looks after signals and closing.
constexpr std::chrono::milliseconds kLockSlice = 50ms;

PoolLock::Holder::Holder(PoolLock& lock, const std::string& task_id) : lock_(lock) {
  const int ticket = lock_.Draw(task_id);
  if (!lock_.IsServed(ticket)) {
    GilRelease release;
    while (!lock_.Await(ticket)) {
      lock_.OrLeave(ticket, [&] { release.WithGil(CheckSignals); });
    }
  }
  lock_.Enter();
}

int PoolLock::Draw(const std::string& task_id) {
  if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    throw Error(ErrorKind::kState, "use of " + task_id,
                "a call from within another call of the same pool (a signal handler?)",
                "one call at a time", "leave the handler first");
  }
  return next_.fetch_add(1, std::memory_order_seq_cst);
}

bool PoolLock::Await(int ticket) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i % 32 != 0 || std::chrono::steady_clock::now() - start < kLockSpin; ++i) {
    if (IsServed(ticket)) return true;
    SpinPause();
  }
  const auto end = start + kLockSlice;
  for (;;) {
    const int serving = serving_.load(std::memory_order_seq_cst);
    if (serving == ticket) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) return false;
    FutexWait(serving_, serving, end - now);
  }
}

void PoolLock::WakeAll() { FutexWake(serving_, std::numeric_limits<int>::max()); }

void PoolLock::Leave() {
  owner_.store(std::thread::id{}, std::memory_order_relaxed);
  const int mine = serving_.load(std::memory_order_relaxed), following = mine + 1;
  // Who draws the next ticket after this look finds itself served.
  if (next_.load(std::memory_order_seq_cst) == following) {
    serving_.store(following, std::memory_order_seq_cst);
    if (next_.load(std::memory_order_seq_cst) == following) return;
    const std::lock_guard lock(mutex_);
    if (abandoned_.erase(following) > 0) ServeAfter(following);
    return WakeAll();
  }
  const std::lock_guard lock(mutex_);
  ServeAfter(mine);
}

void PoolLock::ServeAfter(int ticket) {
  int following = ticket + 1;
  while (abandoned_.erase(following) > 0) ++following;
  serving_.store(following, std::memory_order_seq_cst);
  WakeAll();
}

void PoolLock::Abandon(int ticket) {
  const std::lock_guard lock(mutex_);
  if (IsServed(ticket)) {
    ServeAfter(ticket);
  } else {
    abandoned_.insert(ticket);
  }
}

}  // namespace envpool::python
