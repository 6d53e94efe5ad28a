// SPDX-License-Identifier: Apache-2.0
#include "pool_calls.h"

#include <algorithm>

#include "envpool/error.h"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace envpool::python {
namespace {

using namespace std::chrono_literals;
// How long close() and a dropped pool wait for an environment that does not return.
constexpr std::chrono::milliseconds kCloseTimeout = 30s, kDropTimeout = 2s, kCloseSlice = 100ms;
// Between two looks after signals.
constexpr std::chrono::milliseconds kPollInterval = 100ms;
// A year is for ever, and fits into the clock.
constexpr double kMostSeconds = 3e7;

}  // namespace

OwnProcess::OwnProcess() : forks_(ForkCount().load()) {}

std::atomic<int>& OwnProcess::ForkCount() {
  static std::atomic<int> count{0};
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ForkCount().fetch_add(1); });
  static_cast<void>(registered);
#endif
  return count;
}

void OwnProcess::Refuse(const std::string& task_id) {
  throw Error(ErrorKind::kState, "use of " + task_id, "a pool that was made before fork()",
              "pools in the process that made them (their threads do not survive a fork)",
              "make the pool in the child process");
}

void PoolCalls::Close(const std::function<void()>& check_signals) {
  const auto deadline = Clock::now() + kCloseTimeout;
  while (!pool_->Close(Clock::now() + kCloseSlice)) {
    check_signals();
    if (Clock::now() < deadline) continue;
    throw Error(ErrorKind::kState, "close of " + task_id(),
                "an environment that has not returned from Reset or Step for 30 s",
                "environments that return", "call close() again to go on waiting");
  }
  WakeReceivers();
}

bool PoolCalls::Drop() {
  if (!process_.is_this()) return false;
  if (pool_->Close(Clock::now() + kDropTimeout)) return true;
  pool_->Abandon();
  return false;
}

void PoolCalls::CheckTimeout(double seconds) const {
  if (seconds >= 0) return;
  throw Error(ErrorKind::kConfig, "recv(timeout=...) of " + task_id(), std::to_string(seconds),
              "seconds from 0, or None to wait for as long as it takes", "correct the timeout");
}

Clock::time_point PoolCalls::DeadlineAfter(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, kMostSeconds)));
}

void PoolCalls::Receiver::Wait(int seen, Clock::time_point deadline) const {
  const auto left = std::max<Clock::duration>(deadline - Clock::now(), Clock::duration::zero());
  FutexWait(calls_.changes_, seen, std::min<std::chrono::nanoseconds>(left, kPollInterval));
}

}  // namespace envpool::python
