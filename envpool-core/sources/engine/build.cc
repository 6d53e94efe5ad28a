// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/build.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "envpool/engine/cpus.h"
#include "envpool/engine/parallel_loop.h"
#include "envpool/error.h"

namespace envpool {

void BuildInParallel(const PoolOptions& options, const std::function<void(int env_id)>& build_one,
                     const std::function<void()>& check_signals) {
  // An environment that starts a program waits for CPU time, and so for the programs of other
  // environments: if 64 start at once each takes as long as all, and no signal is checked
  // meanwhile.
  const ParallelLoop loop{.count = options.num_envs,
                          .max_threads = std::min(options.num_threads, 2 * UsableCpus()),
                          .stops_at_failure = true};
  auto [failures, refusal] = LoopInParallel(loop, build_one, check_signals);
  if (failures.empty()) return;
  // Ctrl-C also reaches the programs that environments start, and then their end is no error.
  check_signals();
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
