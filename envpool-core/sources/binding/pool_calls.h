// SPDX-License-Identifier: Apache-2.0
// PoolCalls: a pool as several threads may call it, from Python or without Python.
//
// One thread at a time uses the pool, in the process that made it. A thread may wait for results of
// environments that another thread has yet to send; that thread's send wakes it.
//
//   const PoolCalls::Use use(calls);
//   calls.Step(ids, n, true, [&] { calls.pool().actions().Write(...); });
//   Received r = calls.pool().Recv(false, check_signals);
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "envpool/engine/futex.h"
#include "envpool/engine/pool.h"
#include "pool_lock.h"

namespace envpool::python {

/// The process in which an object was made.
class OwnProcess {
 public:
  OwnProcess();
  /// Costs no system call.
  bool is_this() const { return forks_ == ForkCount().load(std::memory_order_relaxed); }
  /// Throws Error(kState) in a child that was forked: threads do not survive a fork.
  void Check(const std::string& task_id) const {
    if (!is_this()) Refuse(task_id);
  }

 private:
  // Counts the forks that led to this process.
  static std::atomic<int>& ForkCount();
  [[noreturn]] static void Refuse(const std::string& task_id);

  int forks_;
};

class PoolCalls {
 public:
  explicit PoolCalls(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}

  /// One call of the pool; everything below but WakeWaiting needs one.
  class Use {
   public:
    /// With the GIL, which the thread lets go of while it waits for others.
    explicit Use(PoolCalls& calls) : holder_(calls.CheckedLock(), calls.task_id()) {}
    /// Without the GIL. `on_wait` is called about every 50 ms of waiting, and may throw.
    template <typename OnWait>
    Use(PoolCalls& calls, const OnWait& on_wait)
        : holder_(calls.CheckedLock(), calls.task_id(), PoolLock::WithoutGil{}, on_wait) {}

   private:
    PoolLock::Holder holder_;
  };

  Pool& pool() { return *pool_; }
  const Pool& pool() const { return *pool_; }
  const std::string& task_id() const { return pool_->options().task_id; }
  const OwnProcess& process() const { return process_; }

  /// These are Pool's, and wake threads that wait for another one to send.
  template <typename Write>
  void Step(const int* env_ids, int count, bool then_recv, const Write& write) {
    pool_->Step(env_ids, count, then_recv, write);
    WakeReceivers();
  }
  void SendReset(const int* env_ids, int count, const std::int64_t* seeds, bool then_recv) {
    pool_->SendReset(env_ids, count, seeds, then_recv);
    WakeReceivers();
  }
  /// Closes the pool; `check_signals` is called about every 100 ms and may throw. Throws
  /// Error(kState) after 30 s with an environment that does not return.
  void Close(const std::function<void()>& check_signals);
  /// Closes a pool that has no user any more, or leaves it behind if an environment does not return
  /// within 2 s. False: threads may still need the pool and its parts.
  bool Drop();
  /// Threads that wait for their turn call their `on_wait` at once.
  void WakeWaiting() { lock_.WakeAll(); }

  /// Throws Error(kConfig) unless these are seconds from 0.
  void CheckTimeout(double seconds) const;
  /// The end of so many seconds from now on.
  static Clock::time_point DeadlineAfter(double seconds);

  /// A thread in recv(timeout=...), which may have to wait until another thread has sent enough.
  /// While it lives, every send wakes the thread. It is made, under the lock, before the thread
  /// counts the environments in flight, so that every later send sees it.
  class Receiver {
   public:
    explicit Receiver(PoolCalls& calls) : calls_(calls) { ++calls_.num_receivers_; }
    ~Receiver() { --calls_.num_receivers_; }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    /// To be called before the thread looks.
    int Seen() const { return calls_.changes_.load(); }
    /// Returns after a send of another thread, at `deadline`, or after 100 ms.
    void Wait(int seen, Clock::time_point deadline) const;

   private:
    PoolCalls& calls_;
  };

 private:
  // The process is checked first: the thread that holds the lock may be one that a child lacks.
  PoolLock& CheckedLock() {
    process_.Check(task_id());
    return lock_;
  }
  void WakeReceivers() {
    if (num_receivers_.load(std::memory_order_relaxed) == 0) return;
    changes_.fetch_add(1);
    FutexWake(changes_, std::numeric_limits<int>::max());
  }

  std::unique_ptr<Pool> pool_;
  OwnProcess process_;
  PoolLock lock_;
  // num_receivers_: the Receivers that there are. changes_: the futex on which they sleep, and
  // which a sender bumps.
  std::atomic<int> num_receivers_{0}, changes_{0};
};

}  // namespace envpool::python
