// SPDX-License-Identifier: Apache-2.0
// ExternalStepping: steps environments of the kind kExternal, whose steps other programs do
// (external_steps.h). The caller of the pool submits all environments of a call, and writes the
// rows of those that have answered. There are no workers.
#pragma once

#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/env_runner.h"
#include "envpool/engine/pool_options.h"
#include "envpool/external_steps.h"

namespace envpool {

class ExternalStepping {
 public:
  /// `envs` and `runner` outlive it.
  ExternalStepping(const PoolOptions& options, EnvArrayBase& envs, EnvRunner& runner)
      : envs_(envs),
        external_steps_(*envs.external_steps()),
        runner_(runner),
        row_of_(static_cast<std::size_t>(options.num_envs)) {}

  /// Submits environments; null: 0 .. count - 1. `first_row` as of ShardedQueue::Push.
  void Send(const int* env_ids, int count, int first_row);
  /// Writes rows or sleeps until `target` rows of `batch` are written; false at `end`.
  bool Wait(Batch& batch, int target, Clock::time_point end);

 private:
  static constexpr int kMostAtOnce = 256;  // ids in one TakeFinished
  void WriteRow(int env_id) { runner_.RunOne(env_id, row_of_[static_cast<std::size_t>(env_id)]); }

  EnvArrayBase& envs_;
  ExternalSteps& external_steps_;
  EnvRunner& runner_;
  std::vector<int> row_of_;         // by environment; synchronous
  std::vector<int> not_submitted_;  // could not be submitted: their step fails at once
};

}  // namespace envpool
