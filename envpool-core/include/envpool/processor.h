// SPDX-License-Identifier: Apache-2.0
// Which processor a thread runs on, where the system can tell and be told. Elsewhere nothing
// happens.
#pragma once

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace envpool::detail {

/// Processor that this thread runs on, or -1.
inline int CurrentProcessor() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

inline void BindToProcessor([[maybe_unused]] int index) {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(index) % std::max(1u, std::thread::hardware_concurrency()), &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);  // a refusal leaves it unbound
#endif
}

/// Moves this thread to any processor that it may use but `taken`.
inline void LeaveProcessor([[maybe_unused]] int taken) {
#ifdef __linux__
  cpu_set_t allowed, others;
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0) return;
  others = allowed;
  CPU_CLR(static_cast<unsigned>(taken), &others);
  if (CPU_COUNT(&others) == 0) return;
  pthread_setaffinity_np(pthread_self(), sizeof(others), &others);
  pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);
#endif
}

}  // namespace envpool::detail
