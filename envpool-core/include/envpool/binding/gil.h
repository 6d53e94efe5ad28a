// SPDX-License-Identifier: Apache-2.0
// Who may run: Python's GIL is let go of while environments work, one thread at a time uses a pool,
// and a forked child uses none.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "envpool/error.h"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace envpool::python {

namespace py = pybind11;

/// Counts the forks that led to this process; costs no system call to read.
inline std::atomic<int>& ForkCount() {
  static std::atomic<int> count{0};
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ForkCount().fetch_add(1); });
  static_cast<void>(registered);
#endif
  return count;
}

/// Raises KeyboardInterrupt and the like. The GIL must be held.
inline void CheckSignals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Lets other Python threads run while it lives. A daemon thread that is in here when Python ends
/// must not come back: before 3.14 Python ends it by unwinding its stack, which destructors and
/// pybind11 in between do not survive. So it stays where it is until the process is gone.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { Retake(); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  /// Raises KeyboardInterrupt and the like, for which it takes the GIL for a moment.
  void CheckSignals() {
    Retake();
    python::CheckSignals();
    state_ = PyEval_SaveThread();
  }

 private:
  void Retake() noexcept {
    PyThreadState* state = std::exchange(state_, nullptr);
    if (state == nullptr) return;
    try {
      PyEval_RestoreThread(state);
    } catch (...) {  // the unwinding of a thread that is to end
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

  PyThreadState* state_;
};

/// Sees to it that other Python threads have their turn. Python offers the GIL to those that wait
/// for it whenever it is let go of; but a loop that lets go for a few microseconds at each step has
/// it back before any of them is awake, each time. So once in a while the GIL is left for longer.
class TurnTaker {
 public:
  /// To be called with the GIL, before it is let go of: whether it is time for somebody else.
  bool IsTime() {
    if (IsAlone()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    return true;
  }
  /// Whether no other thread runs Python.
  static bool IsAlone() {
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    return PyThreadState_Next(PyInterpreterState_ThreadHead(interpreter)) == nullptr;
  }
  /// To be called without the GIL.
  static void Leave() { std::this_thread::sleep_for(kLeave); }

 private:
  static constexpr std::chrono::milliseconds kInterval{5};  // as Python's own switch interval
  static constexpr std::chrono::microseconds kLeave{50};    // a thread wakes up in this time

  std::chrono::steady_clock::time_point last_{};
};

/// A lock that a thread holds while it uses a pool. Others wait, and can be interrupted while they
/// do.
class PoolLock {
 public:
  struct WithoutGil {};
  class Holder {
   public:
    Holder(PoolLock& lock, const std::string& task_id) : lock_(lock) {
      lock_.Acquire(task_id, [&lock] {
        {
          const GilRelease release;
          lock.Pause();
        }
        CheckSignals();
      });
    }
    /// For a thread that does not hold the GIL: nothing interrupts it.
    Holder(PoolLock& lock, const std::string& task_id, WithoutGil /*unused*/) : lock_(lock) {
      lock_.Acquire(task_id, [&lock] { lock.Pause(); });
    }
    ~Holder() {
      lock_.owner_.store(std::thread::id{}, std::memory_order_relaxed);
      lock_.busy_.store(false, std::memory_order_release);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    PoolLock& lock_;
  };

  /// Gives those that wait a chance; to be called without the lock and without the GIL.
  void LetOthersIn() const {
    if (num_waiting_.load(std::memory_order_relaxed) > 0) std::this_thread::sleep_for(2 * kLook);
  }

 private:
  static constexpr std::chrono::microseconds kLook{200};  // between two looks at the lock

  template <typename Wait>
  void Acquire(const std::string& task_id, const Wait& wait) {
    while (busy_.exchange(true, std::memory_order_acquire)) {
      if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
        throw Error(ErrorKind::kState, "use of " + task_id,
                    "a call from within another call of the same pool (a signal handler?)",
                    "one call at a time", "leave the handler first");
      }
      wait();
    }
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }

  void Pause() {
    num_waiting_.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(kLook);
    num_waiting_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<bool> busy_{false};
  std::atomic<int> num_waiting_{0};
  std::atomic<std::thread::id> owner_{};
};

}  // namespace envpool::python
