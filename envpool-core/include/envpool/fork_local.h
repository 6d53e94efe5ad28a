// SPDX-License-Identifier: Apache-2.0
// ForkLocal<T>: one T for the process, and a new one in a process that is forked from it.
//
//   Supervisor& supervisor = envpool::ForkLocal<Supervisor>::Get();
//
// T has things that environments share: threads, locks, other programs. A forked process cannot use
// its parent's: the threads are not there, these threads may hold the locks, and the programs are
// the parent's. The forked process makes a new T and does not touch the old one. No T is destroyed,
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
