// SPDX-License-Identifier: Apache-2.0
// GilSharing: a loop over step() leaves the GIL to other threads once in a while.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace envpool::python {

/// Python offers a released GIL to the threads that wait for it. A loop that releases the GIL for a
/// few microseconds at each step takes it again before a waiting thread is awake. So the GIL is
/// left for longer once in a while, unless environments took that long anyway.
class GilSharing {
 public:
  /// Returns whether it is time for another thread. The caller has the GIL and is about to release
  /// it.
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
  /// Waits, without the GIL, for another thread to take it. Called after IsTime returned true.
  void Leave() const {
    if (std::chrono::steady_clock::now() - last_ < kLeave) std::this_thread::sleep_for(kLeave);
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{5};  // as Python's own switch interval
  static constexpr std::chrono::microseconds kLeave{50};    // a thread wakes up in this time

  std::chrono::steady_clock::time_point last_{};
};

}  // namespace envpool::python
