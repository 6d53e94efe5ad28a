// SPDX-License-Identifier: Apache-2.0
// PoolLock: one thread at a time uses a pool, in the order in which they came.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace envpool::python {

/// A fair mutex: threads that wait are served in the order in which they came. While some wait, the
/// thread that used the pool may use it again for kMostUse; then the lock goes to the first of the
/// queue. If the lock went there after each call, a cheap step would cost as much as the waking of
/// a thread.
class PoolLock {
 public:
  struct WithoutGil {};

  class Holder {
   public:
    /// With the GIL, of which it lets go while it waits. Raises KeyboardInterrupt and the like.
    Holder(PoolLock& lock, const std::string& task_id);
    /// Without the GIL. `on_wait` is called about every 50 ms of waiting, and may throw.
    template <typename OnWait>
    Holder(PoolLock& lock, const std::string& task_id, WithoutGil /*unused*/, const OnWait& on_wait)
        : lock_(lock) {
      lock_.RefuseNested(task_id);
      Waiter waiter;
      if (!lock_.TryLock() && !lock_.TakeOrQueue(waiter)) lock_.Wait(waiter, on_wait);
      lock_.SetOwner();
    }
    ~Holder() { lock_.Unlock(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    PoolLock& lock_;
  };

  /// Threads that wait call their `on_wait` at once.
  void WakeAll();

 private:
  using Clock = std::chrono::steady_clock;
  // How the lock is marked. A lock that is wanted and not held is kept for the thread that used the
  // pool last.
  static constexpr int kHeld = 1, kWanted = 2;
  // The states of the futex on which a waiting thread sleeps.
  enum Signal : int { kNone, kServed, kIsFirst, kCallOnWait };
  struct Waiter {
    std::atomic<int> signal{kNone};
  };

  /// Throws Error(kState) in the thread that holds the lock.
  void RefuseNested(const std::string& task_id) const;
  /// Takes the lock if no thread has it or waits for it.
  bool TryLock() {
    int free = 0;
    return state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire);
  }
  /// False where the thread has to wait.
  bool TakeOrQueue(Waiter& waiter);
  template <typename OnWait>
  void Wait(Waiter& waiter, const OnWait& on_wait) {
    try {
      while (!Await(waiter)) on_wait();
    } catch (...) {
      Leave(waiter);
      throw;
    }
  }
  /// Waits until it is time for on_wait; true when the lock is this thread's.
  bool Await(Waiter& waiter);
  /// How long the waiter may sleep before it has to look again; zero when it has got the lock.
  Clock::duration TimeToSleep(const Waiter& waiter, Clock::time_point now, Clock::time_point end);
  /// A waiter gives up, or gives back the lock that it has got just now.
  void Leave(Waiter& waiter);
  void SetOwner() { owner_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
  void Unlock() {
    owner_.store(std::thread::id{}, std::memory_order_relaxed);
    int held = kHeld;
    if (!state_.compare_exchange_strong(held, 0, std::memory_order_release)) UnlockWanted();
  }
  void UnlockWanted();
  /// Gives the lock to the first of the queue. The mutex is held, here and below.
  void ServeFirst(Clock::time_point now);
  void RemoveFirst(Clock::time_point now);
  static void Send(Waiter& waiter, Signal signal);

  std::atomic<int> state_{0};
  std::atomic<std::thread::id> owner_{};
  std::mutex mutex_;  // of all below, which matters only while the lock is wanted
  std::deque<Waiter*> queue_;
  std::thread::id user_;          // for whom a lock is kept that is not held,
  Clock::time_point use_ends_{};  // and until when
};

}  // namespace envpool::python
