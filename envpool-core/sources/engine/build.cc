// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/build.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/engine/cpus.h"
#include "envpool/error.h"

namespace envpool {

void BuildInParallel(const PoolOptions& options, const std::function<void(int env_id)>& build_one,
                     const std::function<void()>& check_signals) {
  using namespace std::chrono_literals;
  const int n = options.num_envs;
  std::atomic<int> next{0};
  std::atomic<bool> failing{false};
  std::mutex mutex;  // of the next two
  std::vector<Failure> failures;
  std::exception_ptr refusal;  // of an option, which says all that there is to say
  const auto build = [&](const std::function<void()>& after_each) {
    int env_id = 0;
    while (!failing.load() && (env_id = next.fetch_add(1)) < n) {
      std::string text = "an exception that is not a std::exception";
      std::exception_ptr refused;
      try {
        build_one(env_id);
        after_each();
        continue;
      } catch (const Error& error) {
        text = error.what();
        if (error.kind == ErrorKind::kConfig) refused = std::current_exception();
      } catch (const std::exception& error) {
        text = error.what();
      } catch (...) {
      }
      const std::lock_guard lock(mutex);
      if (failures.empty() || env_id < failures.front().env_id) refusal = refused;
      failures.insert(
          failures.empty() || env_id < failures.front().env_id ? failures.begin() : failures.end(),
          {env_id, -1, text});
      failing = true;
    }
  };
  // Threads are started when there is something to share: a hundred thousand environments are
  // built in milliseconds, eight in a second.
  std::vector<std::thread> helpers;
  std::exception_ptr interrupt;
  const auto look = [&] {
    try {
      check_signals();
    } catch (...) {
      interrupt = std::current_exception();
      failing = true;
    }
  };
  const auto start = std::chrono::steady_clock::now();
  auto last_look = start;
  build([&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look >= 50ms) {
      last_look = now;
      look();
    }
    if (!helpers.empty() || now - start < 2ms || interrupt != nullptr) return;
    // An environment that starts a program waits for CPU time, and so for the programs that others
    // start: of 64 at once each takes as long as all, and nobody looks after signals meanwhile.
    const int most = std::min({options.num_threads - 1, n - next.load(), 2 * UsableCpus() - 1});
    for (int i = 0; i < most; ++i) {
      try {
        helpers.emplace_back([&] { build([] {}); });
      } catch (const std::system_error&) {
        break;  // no more threads to be had: those that there are do the rest
      }
    }
  });
  for (std::thread& helper : helpers) helper.join();
  // Ctrl-C reaches the programs that environments start as well, whose end is then no error.
  if (!failures.empty() && interrupt == nullptr) look();
  if (interrupt != nullptr) std::rethrow_exception(interrupt);
  if (failures.empty()) return;
  if (refusal != nullptr) std::rethrow_exception(refusal);
  Error error(ErrorKind::kWorker, detail::TextFirst(failures[0].text, "make of " + options.task_id),
              "this exception in the constructor of env " + std::to_string(failures[0].env_id),
              "constructors that return",
              "see the text of the exception for the cause; nothing was left behind");
  error.task_id = options.task_id;
  error.failures = std::move(failures);
  throw error;
}

}  // namespace envpool
