// SPDX-License-Identifier: Apache-2.0
// GilRelease: other Python threads run while it lives. Needs Python.h, and no pybind11.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>
#include <utility>

namespace envpool::python {

/// Lets other Python threads run while it lives. A daemon thread that is in here when Python ends
/// must not come back: before 3.14 Python ends it by unwinding its stack, which destructors and
/// pybind11 in between do not survive. So it stays where it is until the process is gone.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { Retake(); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  /// Calls `use` with the GIL, which it takes for a moment.
  template <typename Use>
  void WithGil(const Use& use) {
    Retake();
    use();
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

}  // namespace envpool::python
