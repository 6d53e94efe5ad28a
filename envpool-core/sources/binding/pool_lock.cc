// SPDX-License-Identifier: Apache-2.0
#include "pool_lock.h"

#include <algorithm>
#include <chrono>

#include "envpool/binding/gil.h"
#include "envpool/engine/futex.h"
#include "envpool/error.h"
#include "python.h"

namespace envpool::python {

using namespace std::chrono_literals;
// For so long a thread may use the pool again while another one waits. To pass the lock on costs
// some 50 us, most of which it takes Python to give its GIL to another thread.
constexpr std::chrono::microseconds kMostUse = 1ms;
// Between two looks after signals and closing.
constexpr std::chrono::milliseconds kSleep = 50ms;

PoolLock::Holder::Holder(PoolLock& lock, const std::string& task_id) : lock_(lock) {
  lock_.RefuseNested(task_id);
  Waiter waiter;
  if (!lock_.TryLock() && !lock_.TakeOrQueue(waiter)) {
    GilRelease release;
    lock_.Wait(waiter, [&] { release.WithGil(CheckSignals); });
  }
  lock_.SetOwner();
}

void PoolLock::RefuseNested(const std::string& task_id) const {
  if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id()) return;
  throw Error(ErrorKind::kState, "use of " + task_id,
              "a call from within another call of the same pool (a signal handler?)",
              "one call at a time", "leave the handler first");
}

bool PoolLock::TakeOrQueue(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (int state = state_.load(std::memory_order_relaxed);;) {
    const bool held = (state & kHeld) != 0, wanted = (state & kWanted) != 0;
    const bool kept = wanted && user_ == std::this_thread::get_id() && now < use_ends_;
    const bool take = !held && (!wanted || kept);
    if (!take && wanted) break;
    // Other threads change the state without the mutex only if no thread waits for the lock.
    if (state_.compare_exchange_weak(state, state | (take ? kHeld : kWanted),
                                     std::memory_order_acquire, std::memory_order_relaxed)) {
      if (take) return true;
      use_ends_ = now + kMostUse;
      break;
    }
  }
  queue_.push_back(&waiter);
  return false;
}

bool PoolLock::Await(Waiter& waiter) {
  const auto end = Clock::now() + kSleep;
  for (;;) {
    int signal = waiter.signal.load(std::memory_order_acquire);
    // Only the signal that was read is taken back: kServed may be set in between.
    while (signal == kIsFirst || signal == kCallOnWait) {
      if (!waiter.signal.compare_exchange_weak(signal, kNone, std::memory_order_acquire)) continue;
      if (signal == kCallOnWait) return false;
      signal = kNone;
    }
    if (signal == kServed) return true;
    const auto now = Clock::now();
    if (now >= end) return false;
    const auto time = TimeToSleep(waiter, now, end);
    if (time == Clock::duration::zero()) return true;
    FutexWait(waiter.signal, kNone, time);
  }
}

PoolLock::Clock::duration PoolLock::TimeToSleep(const Waiter& waiter, Clock::time_point now,
                                                Clock::time_point end) {
  const std::lock_guard lock(mutex_);
  if (queue_.empty() || queue_.front() != &waiter) return end - now;
  if (now < use_ends_) return std::min(end, use_ends_) - now;
  if ((state_.load(std::memory_order_relaxed) & kHeld) != 0) return end - now;
  state_.fetch_or(kHeld, std::memory_order_acquire);
  RemoveFirst(now);
  return Clock::duration::zero();
}

void PoolLock::Leave(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (waiter.signal.load(std::memory_order_relaxed) == kServed) {
    if (!queue_.empty()) return ServeFirst(now);
    return state_.store(0, std::memory_order_release);
  }
  if (queue_.front() == &waiter) return RemoveFirst(now);
  std::erase(queue_, &waiter);
}

void PoolLock::UnlockWanted() {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (queue_.empty()) return state_.store(0, std::memory_order_release);
  if (now >= use_ends_) return ServeFirst(now);
  user_ = std::this_thread::get_id();
  state_.store(kWanted, std::memory_order_release);
}

void PoolLock::ServeFirst(Clock::time_point now) {
  Waiter& first = *queue_.front();
  state_.fetch_or(kHeld, std::memory_order_release);
  RemoveFirst(now);
  Send(first, kServed);
}

void PoolLock::RemoveFirst(Clock::time_point now) {
  queue_.pop_front();
  if (queue_.empty()) {
    state_.fetch_and(~kWanted, std::memory_order_release);
    return;
  }
  use_ends_ = now + kMostUse;
  // This thread is the first now, and takes the lock itself if no other thread uses it until that
  // time.
  Send(*queue_.front(), kIsFirst);
}

void PoolLock::WakeAll() {
  const std::lock_guard lock(mutex_);
  for (Waiter* waiter : queue_) Send(*waiter, kCallOnWait);
}

void PoolLock::Send(Waiter& waiter, Signal signal) {
  waiter.signal.store(signal, std::memory_order_release);
  FutexWake(waiter.signal, 1);
}

}  // namespace envpool::python
