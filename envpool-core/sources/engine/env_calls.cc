// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/env_calls.h"

#include <cstddef>
#include <exception>
#include <map>
#include <utility>

#include "envpool/engine/parallel_loop.h"
#include "envpool/error.h"

namespace envpool {

std::vector<std::string> CallEnvs(EnvArrayBase& envs, const PoolOptions& options,
                                  const std::vector<int>& env_ids,
                                  const std::vector<std::string>& requests,
                                  const std::function<void()>& check_signals) {
  constexpr std::size_t kLong = 4096;  // bytes of a request that is more than a question
  std::map<int, std::vector<std::size_t>> requests_of;  // by environment
  for (std::size_t i = 0; i < env_ids.size(); ++i) requests_of[env_ids[i]].push_back(i);
  const std::vector<std::pair<int, std::vector<std::size_t>>> asked(requests_of.begin(),
                                                                    requests_of.end());
  std::vector<std::string> answers(requests.size());
  const ParallelLoop loop{
      .count = static_cast<int>(asked.size()),
      .max_threads = options.num_threads,
      .starts_all_at_once = !requests.empty() && requests.front().size() > kLong};
  const auto call_one = [&](int number) {
    const auto& [env_id, own] = asked[static_cast<std::size_t>(number)];
    for (const std::size_t i : own) answers[i] = envs.Call(env_id, requests[i]);
  };
  auto [failures, refusal] = LoopInParallel(loop, call_one, check_signals);
  if (refusal != nullptr) std::rethrow_exception(refusal);
  if (failures.empty()) return answers;
  std::string ids;
  for (Failure& failure : failures) {
    failure.env_id = asked[static_cast<std::size_t>(failure.env_id)].first;
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
