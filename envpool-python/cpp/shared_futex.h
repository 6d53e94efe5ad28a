// SPDX-License-Identifier: Apache-2.0
// Sleeping until a number in memory that several processes share changes.
//
//   const int seen = wakeups.load();
//   ...                                            // is there really nothing to do?
//   SharedFutexWait(wakeups, seen, 100ms);            // one process
//   wakeups.fetch_add(1); SharedFutexWake(wakeups);      // another
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

namespace envpool::python_family {

/// Sleeps while `word` is `seen`, at most `timeout`; may return early.
inline void SharedFutexWait(std::atomic<int>& word, int seen, std::chrono::nanoseconds timeout) {
  static_assert(sizeof(std::atomic<int>) == sizeof(int) && std::atomic<int>::is_always_lock_free);
  if (timeout.count() <= 0) return;
  timespec time{};
  time.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  time.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAIT, seen, &time, nullptr, 0);
}

/// Wakes the process that sleeps on `word`.
inline void SharedFutexWake(std::atomic<int>& word) {
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace envpool::python_family
