// SPDX-License-Identifier: Apache-2.0
// ForkLocal<T>: one T for the process, and a new one in a process that is forked from it.
//
//   Supervisor& supervisor = ForkLocal<Supervisor>::Get();
//
// What a forked process finds of threads, locks and engines is its parent's: it begins anew, and
// leaves that alone. Nothing is ever destroyed, since threads may run until the process ends.
#pragma once

#include <pthread.h>

#include <atomic>

namespace vizdoom {

template <typename T>
class ForkLocal {
 public:
  static T& Get() {
    static const bool made = [] {
      Current().store(new T);
      pthread_atfork(nullptr, nullptr, [] { Current().store(new T); });
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

}  // namespace vizdoom
