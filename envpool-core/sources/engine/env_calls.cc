// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/env_calls.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "envpool/error.h"

namespace envpool {

std::vector<std::string> CallEnvs(EnvArrayBase& envs, const PoolOptions& options,
                                  const std::vector<int>& env_ids,
                                  const std::vector<std::string>& requests,
                                  const std::function<void()>& check_signals) {
  using namespace std::chrono_literals;
  std::vector<std::vector<std::size_t>> of_env;  // places of requests, by environment
  std::map<int, std::size_t> known;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const auto [place, fresh] = known.try_emplace(env_ids[i], of_env.size());
    if (fresh) of_env.emplace_back();
    of_env[place->second].push_back(i);
  }
  std::vector<std::string> answers(requests.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopping{false};
  std::mutex mutex;  // of the next two
  std::vector<Failure> failures;
  std::exception_ptr refusal;
  const auto work = [&](const std::function<void()>& after_each) {
    std::size_t env = 0;
    while (!stopping.load() && (env = next.fetch_add(1)) < of_env.size()) {
      const int env_id = env_ids[of_env[env].front()];
      std::string text;
      std::exception_ptr refused;
      try {
        for (const std::size_t i : of_env[env]) answers[i] = envs.Call(env_id, requests[i]);
      } catch (const Error& error) {
        text = error.what();
        if (error.kind == ErrorKind::kConfig) refused = std::current_exception();
      } catch (const std::exception& error) {
        text = error.what();
      } catch (...) {
        text = "an exception that is not a std::exception";
      }
      if (!text.empty()) {
        const std::lock_guard lock(mutex);
        failures.push_back({env_id, -1, text});
        if (refused != nullptr && refusal == nullptr) refusal = refused;
      }
      after_each();
    }
  };
  std::vector<std::thread> helpers;
  std::exception_ptr interrupt;
  const auto start = std::chrono::steady_clock::now();
  auto last_look = start;
  bool helped = false;
  // The first request may take long: how many there are says whether help is needed.
  const auto help = [&] {
    helped = true;
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(options.num_threads),
                                            of_env.size() - std::min(of_env.size(), next.load()));
    for (std::size_t i = 1; i < most; ++i) {
      try {
        helpers.emplace_back([&] { work([] {}); });
      } catch (const std::system_error&) {
        break;  // those that there are do the rest
      }
    }
  };
  constexpr std::size_t kLong = 4096;  // bytes of a request that is more than a question
  if (!requests.empty() && requests.front().size() > kLong) help();
  work([&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look >= 50ms) {
      last_look = now;
      try {
        check_signals();
      } catch (...) {
        interrupt = std::current_exception();
        stopping = true;
      }
    }
    if (!helped && now - start >= 2ms && interrupt == nullptr) help();
  });
  for (std::thread& helper : helpers) helper.join();
  if (interrupt != nullptr) std::rethrow_exception(interrupt);
  if (refusal != nullptr) std::rethrow_exception(refusal);
  if (failures.empty()) return answers;
  std::sort(failures.begin(), failures.end(),
            [](const Failure& a, const Failure& b) { return a.env_id < b.env_id; });
  std::string ids;
  for (const Failure& failure : failures) {
    ids += (ids.empty() ? "" : ", ") + std::to_string(failure.env_id);
  }
  Error error(ErrorKind::kWorker, detail::TextFirst(failures[0].text, "call of " + options.task_id),
              "an exception in env " + ids, "calls that return",
              "see failures for the text of each; other environments answered");
  error.task_id = options.task_id;
  error.failures = std::move(failures);
  throw error;
}

}  // namespace envpool
