// SPDX-License-Identifier: Apache-2.0
// GilSharing: a loop over step() leaves the GIL to other threads once in a while.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace envpool::python {

/// Python offers the GIL to those that wait for it whenever it is let go of; but a loop that lets
/// go for a few microseconds at each step has it back before any of them is awake, each time. So
/// once in a while the GIL is left for longer, unless environments took that long anyway.
class GilSharing {
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
  /// To be called without the GIL, after it was let go of at such a time.
  void Leave() const {
    if (std::chrono::steady_clock::now() - last_ < kLeave) std::this_thread::sleep_for(kLeave);
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{5};  // as Python's own switch interval
  static constexpr std::chrono::microseconds kLeave{50};    // a thread wakes up in this time

  std::chrono::steady_clock::time_point last_{};
};

}  // namespace envpool::python
