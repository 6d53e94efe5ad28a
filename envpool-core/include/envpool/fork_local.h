// SPDX-License-Identifier: Apache-2.0
// ForkLocal<T>: one T for the process, and a new one in a process that is forked from it.
//
//   Supervisor& supervisor = envpool::ForkLocal<Supervisor>::Get();
//
// For what environments share: threads, locks, other programs. A forked process has no use for what
// it finds of these: the threads are not there, the locks may be held by them, and the programs are
// its parent's. So it begins anew, and what was there is left alone. Nothing is ever destroyed,
// since threads may run until the process ends. Windows has no fork.
#pragma once

#ifndef _WIN32
#include <pthread.h>
#endif

#include <atomic>

namespace envpool {

/// Holds one T, which is made by its default constructor.
template <typename T>
class ForkLocal {
 public:
  /// The T of this process; any thread may ask.
  static T& Get() {
    static const bool made = [] {
      Current().store(new T);
#ifndef _WIN32
      pthread_atfork(nullptr, nullptr, [] { Current().store(new T); });
#endif
      return true;
    }();
    static_cast<void>(made);
    return *Current().load();
  }

 private:
  static std::atomic<T*>& Current() {
    static std::atomic<T*> current{nullptr};
    return current;
  }
};

}  // namespace envpool
