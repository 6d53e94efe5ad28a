// SPDX-License-Identifier: Apache-2.0
// Sleeping until a number changes.
//
//   while (word.load() == seen) FutexWait(word, seen, 100ms);     // one thread
//   word.fetch_add(1); FutexWake(word, 1);                         // another
//
// Linux has the futex, Windows WaitOnAddress, macOS the functions that its C++ library uses.
// Elsewhere the sleeper wakes up by itself every millisecond, which is correct but not as thrifty.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#elif !defined(_WIN32) && !defined(__APPLE__)
#include <thread>
#endif

// Declared here, because <windows.h> defines macros as ERROR and min, and macOS has no header.
#if defined(_WIN32)
extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void*, void*, std::size_t,
                                                  unsigned long);
__declspec(dllimport) void __stdcall WakeByAddressSingle(void*);
__declspec(dllimport) void __stdcall WakeByAddressAll(void*);
}
#elif defined(__APPLE__)
extern "C" {
int __ulock_wait(std::uint32_t operation, void* address, std::uint64_t seen, std::uint32_t micros);
int __ulock_wake(std::uint32_t operation, void* address, std::uint64_t unused);
}
#endif

namespace envpool {

static_assert(sizeof(std::atomic<int>) == sizeof(int));

/// Sleeps while `word` is `seen`, at most `timeout`; may return early.
inline void FutexWait(std::atomic<int>& word, int seen, std::chrono::nanoseconds timeout) {
#if defined(__linux__)
  timespec time{};
  time.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  time.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
#elif defined(_WIN32)
  // Rounded up: a wait of no milliseconds would be none.
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  WaitOnAddress(&word, &seen, sizeof(seen),
                static_cast<unsigned long>(std::clamp<long long>(millis, 0, 0x7FFF'FFFF)));
#elif defined(__APPLE__)
  constexpr std::uint32_t kCompareAndWait = 1, kNoErrno = 0x0100'0000;
  const auto micros = std::chrono::ceil<std::chrono::microseconds>(timeout).count();
  if (micros <= 0) return;  // 0 would be for ever
  __ulock_wait(kCompareAndWait | kNoErrno, &word, static_cast<std::uint32_t>(seen),
               static_cast<std::uint32_t>(std::min<long long>(micros, 0x7FFF'FFFF)));
#else
  if (word.load() == seen) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(timeout, std::chrono::milliseconds(1)));
  }
#endif
}

/// Wakes up to `count` threads that sleep on `word`; more may wake, except on Linux.
inline void FutexWake([[maybe_unused]] std::atomic<int>& word, [[maybe_unused]] int count) {
#if defined(__linux__)
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
#elif defined(_WIN32)
  if (count == 1) {
    WakeByAddressSingle(&word);
  } else if (count > 1) {
    WakeByAddressAll(&word);
  }
#elif defined(__APPLE__)
  constexpr std::uint32_t kCompareAndWait = 1, kWakeAll = 0x0100, kNoErrno = 0x0100'0000;
  const std::uint32_t all = count > 1 ? kWakeAll : 0;
  if (count > 0) __ulock_wake(kCompareAndWait | kNoErrno | all, &word, 0);
#endif
}

}  // namespace envpool
