// SPDX-License-Identifier: Apache-2.0
// PoolLock: one thread at a time uses a pool, in the order in which they came.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace envpool::python {

/// A lock that is handed over fairly: who asks takes a ticket, and tickets are served in order. A
/// thread that loops over step() cannot keep another from its turn.
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
      const int ticket = lock_.Draw(task_id);
      while (!lock_.Await(ticket)) lock_.OrLeave(ticket, on_wait);
      lock_.Enter();
    }
    ~Holder() { lock_.Leave(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    PoolLock& lock_;
  };

  /// Threads that wait look after their `on_wait` at once.
  void WakeAll();

 private:
  /// Takes a ticket; throws Error(kState) in the thread that holds the lock.
  int Draw(const std::string& task_id);
  bool IsServed(int ticket) const { return serving_.load(std::memory_order_acquire) == ticket; }
  /// Waits a while; true when it is this ticket's turn.
  bool Await(int ticket);
  template <typename OnWait>
  void OrLeave(int ticket, const OnWait& on_wait) {
    try {
      on_wait();
    } catch (...) {
      Abandon(ticket);
      throw;
    }
  }
  void Enter() { owner_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
  void Leave();
  /// Gives a ticket back that was not served, or is just being.
  void Abandon(int ticket);
  /// The next ticket that nobody has given back is served.
  void ServeAfter(int ticket);

  std::atomic<int> next_{0};     // ticket
  std::atomic<int> serving_{0};  // what waiting threads sleep on
  std::atomic<std::thread::id> owner_{};
  std::mutex mutex_;  // of the next, and of who serves
  std::set<int> abandoned_;
};

}  // namespace envpool::python
