// SPDX-License-Identifier: Apache-2.0
// FaultGuard: runs a part of a game, and returns if that part crashes.
//
//   if (!guard.Run([&] { game = step(game, &observation); })) ...  // it crashed, or called Leave
//
// The handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL are installed once per process. They act on
// faults of a thread in which a game runs; any other fault goes to the earlier handler, as that of
// Python's faulthandler.
#pragma once

#include <csetjmp>

namespace envpool::nethack {

class FaultGuard {
 public:
  /// Returns true if `call` returned. If it did not, the objects on its stack are not destroyed.
  template <typename Call>
  bool Run(const Call& call) {
    PrepareThread();
    if (sigsetjmp(back_, 0) != 0) {
      active_ = nullptr;
      return false;
    }
    active_ = this;
    try {
      call();
    } catch (...) {
      active_ = nullptr;
      throw;
    }
    active_ = nullptr;
    return true;
  }
  /// Returns to Run, from inside `call`.
  [[noreturn]] void Leave();
  /// The guard of the game that runs in this thread; null if none runs.
  static FaultGuard* active() { return active_; }

 private:
  /// Installs the handlers, and gives the thread a stack for them: the game's stack may be full.
  static void PrepareThread();

  static thread_local FaultGuard* active_ [[gnu::tls_model("initial-exec")]];
  sigjmp_buf back_;
};

}  // namespace envpool::nethack
