// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/parallel_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace envpool {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Loop {
 public:
  Loop(const ParallelLoop& loop, const std::function<void(int)>& call_one)
      : loop_(loop), call_one_(call_one) {}

  LoopFailures Run(const std::function<void()>& check_signals) {
    const auto start = Clock::now();
    auto last_look = start;
    if (loop_.starts_all_at_once) StartThreads();
    Work([&] {
      const auto now = Clock::now();
      if (now - last_look >= 50ms) {
        last_look = now;
        try {
          check_signals();
        } catch (...) {
          interrupt_ = std::current_exception();
          stopping_ = true;
        }
      }
      // A hundred thousand quick calls are over before a thread has started, eight slow ones are
      // not.
      if (threads_.empty() && now - start >= 2ms && !stopping_) StartThreads();
    });
    for (std::thread& thread : threads_) thread.join();
    if (interrupt_ != nullptr) std::rethrow_exception(interrupt_);
    return Failures();
  }

 private:
  struct Failed {
    Failure failure;
    std::exception_ptr refusal;
  };

  void Work(const std::function<void()>& after_each) {
    int number = 0;
    while (!stopping_ && (number = next_.fetch_add(1)) < loop_.count) {
      bool failed = true;
      std::string text = "an exception that is not a std::exception";
      std::exception_ptr refusal;
      try {
        call_one_(number);
        failed = false;
      } catch (const Error& error) {
        text = error.what();
        if (error.kind == ErrorKind::kConfig) refusal = std::current_exception();
      } catch (const std::exception& error) {
        text = error.what();
      } catch (...) {
      }
      if (failed) {
        const std::lock_guard lock(mutex_);
        failed_.push_back({{number, -1, std::move(text)}, refusal});
        if (loop_.stops_at_failure) stopping_ = true;
      }
      after_each();
    }
  }

  void StartThreads() {
    const int most = std::min(loop_.max_threads - 1, loop_.count - next_.load());
    for (int i = 0; i < most; ++i) {
      try {
        threads_.emplace_back([this] { Work([] {}); });
      } catch (const std::system_error&) {
        return;  // the system has no more threads: those that run do the rest
      }
    }
  }

  LoopFailures Failures() {
    std::sort(failed_.begin(), failed_.end(),
              [](const Failed& a, const Failed& b) { return a.failure.env_id < b.failure.env_id; });
    LoopFailures result;
    for (Failed& failed : failed_) {
      result.failures.push_back(std::move(failed.failure));
      if (result.refusal == nullptr) result.refusal = failed.refusal;
    }
    return result;
  }

  const ParallelLoop& loop_;
  const std::function<void(int)>& call_one_;
  std::atomic<int> next_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // guards failed_
  std::vector<Failed> failed_;
  std::vector<std::thread> threads_;
  std::exception_ptr interrupt_;
};

}  // namespace

LoopFailures LoopInParallel(const ParallelLoop& loop, const std::function<void(int)>& call_one,
                            const std::function<void()>& check_signals) {
  return Loop(loop, call_one).Run(check_signals);
}

}  // namespace envpool
