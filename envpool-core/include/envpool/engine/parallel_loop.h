// SPDX-License-Identifier: Apache-2.0
// LoopInParallel: calls a function for 0 .. count - 1, by several threads where that takes long.
//
//   LoopFailures failed = LoopInParallel({.count = n, .max_threads = 4}, call_one, check_signals);
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include "envpool/error.h"

namespace envpool {

struct ParallelLoop {
  int count = 0;
  int max_threads = 1;              ///< the calling one is one of them
  bool stops_at_failure = false;    ///< after one that throws, no call begins any more
  bool starts_all_at_once = false;  ///< false: other threads start when calls have taken 2 ms
};

struct LoopFailures {
  std::vector<Failure> failures;  ///< in the order of their numbers, which are their env_id
  std::exception_ptr refusal;     ///< the first Error(kConfig) among them, or null
};

/// Calls `call_one` for each number. An exception of a call, whatever its text, is in the result.
/// `check_signals` is called by this thread about every 50 ms, between two calls; the exception
/// that it throws ends the loop and is thrown on.
LoopFailures LoopInParallel(const ParallelLoop& loop, const std::function<void(int)>& call_one,
                            const std::function<void()>& check_signals);

}  // namespace envpool
