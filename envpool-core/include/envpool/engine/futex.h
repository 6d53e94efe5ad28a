// SPDX-License-Identifier: Apache-2.0
// Sleeping until a number changes.
//
//   while (word.load() == seen) FutexWait(word, seen, 100ms);     // one thread
//   word.fetch_add(1); FutexWake(word, 1);                         // another
//
// On Linux this is the futex system call. Elsewhere the sleeper wakes up by itself every
// millisecond, which is correct but not as thrifty.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#else
#include <thread>
#endif

namespace envpool {

/// Sleeps while `word` is `seen`, at most `timeout`; may return early.
inline void FutexWait(std::atomic<int>& word, int seen, std::chrono::nanoseconds timeout) {
#ifdef __linux__
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
  timespec time{};
  time.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  time.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
#else
  if (word.load() == seen) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(timeout, std::chrono::milliseconds(1)));
  }
#endif
}

/// Wakes up to `count` threads that sleep on `word`.
inline void FutexWake([[maybe_unused]] std::atomic<int>& word, [[maybe_unused]] int count) {
#ifdef __linux__
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
#endif
}

/// Tells the CPU that this thread spins.
inline void SpinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace envpool
