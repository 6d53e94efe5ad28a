// SPDX-License-Identifier: Apache-2.0
// PostedSteps: environments of the kind kPosted, which other programs step (exchange.h). The caller
// of the pool posts all that is sent, and writes the rows of those that have answered. There are no
// workers.
#pragma once

#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/env_runner.h"
#include "envpool/engine/pool_options.h"
#include "envpool/exchange.h"

namespace envpool {

class PostedSteps {
 public:
  /// `envs` and `runner` outlive it.
  PostedSteps(const PoolOptions& options, EnvArrayBase& envs, EnvRunner& runner)
      : envs_(envs),
        exchange_(*envs.exchange()),
        runner_(runner),
        row_of_(static_cast<std::size_t>(options.num_envs)) {}

  /// Posts environments; null: 0 .. count - 1. `first_row` as of ShardedQueue::Push.
  void Send(const int* env_ids, int count, int first_row);
  /// Writes rows or sleeps until `target` rows of `batch` are written; false at `end`.
  bool Wait(Batch& batch, int target, Clock::time_point end);

 private:
  static constexpr int kMostAtOnce = 256;  // ids that are asked of the exchange
  void WriteRow(int env_id) { runner_.RunOne(env_id, row_of_[static_cast<std::size_t>(env_id)]); }

  EnvArrayBase& envs_;
  Exchange& exchange_;
  EnvRunner& runner_;
  std::vector<int> row_of_;    // by environment; synchronous
  std::vector<int> unposted_;  // could not be posted: their step fails at once
};

}  // namespace envpool
