// SPDX-License-Identifier: Apache-2.0
// Presence: who is inside the environments of this process. An environment says so by an object
// that lives as long as the call does:
//
//   void Step(const Action& action) override {
//     const Presence::Inside inside;
//     ...
//   }
//   Presence::Get().Forget();   // test: from here on
//   Presence::Get().most();     // test: how many threads were inside at a time, at most
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

namespace testing_envs {

class Presence {
 public:
  static Presence& Get() {
    // Never destroyed: a thread may still be in an environment when the process ends.
    static auto* presence = new Presence;
    return *presence;
  }
  static std::size_t OwnThread() {
    return std::hash<std::thread::id>{}(std::this_thread::get_id());
  }

  /// Counts its thread in while it lives.
  class Inside {
   public:
    Inside() { Get().Enter(); }
    ~Inside() { Get().inside_.fetch_sub(1); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  };

  /// Begins anew; nobody should be inside, or is counted when it comes the next time only.
  void Forget() {
    const std::lock_guard lock(mutex_);
    threads_.clear();
    most_ = 0;
    with_gil_ = calls_ = 0;
    epoch_.fetch_add(1);
  }
  int most() const { return most_; }
  /// Calls of environments, and those of them that came with Python's lock.
  long calls() const { return calls_; }
  long with_gil() const { return with_gil_; }
  /// The threads that were inside.
  std::set<std::size_t> threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }
  /// Whether the calling thread holds Python's lock; set by the module, which knows Python.
  std::atomic<bool (*)()> holds_gil{nullptr};

 private:
  void Enter() {
    const int now = inside_.fetch_add(1) + 1;
    for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
    }
    calls_.fetch_add(1, std::memory_order_relaxed);
    bool (*held)() = holds_gil.load(std::memory_order_relaxed);
    if (held != nullptr && held()) with_gil_.fetch_add(1, std::memory_order_relaxed);
    thread_local unsigned noted = 0;
    if (noted == epoch_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    threads_.insert(OwnThread());
    noted = epoch_;
  }

  std::atomic<int> inside_{0}, most_{0};
  std::atomic<long> calls_{0}, with_gil_{0};
  std::atomic<unsigned> epoch_{1};
  std::mutex mutex_;
  std::set<std::size_t> threads_;
};

}  // namespace testing_envs
