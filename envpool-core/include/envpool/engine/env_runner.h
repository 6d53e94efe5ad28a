// SPDX-License-Identifier: Apache-2.0
// EnvRunner: advances environments that a thread has claimed, and puts their results into rows.
//
//   std::unique_ptr<Batch> scratch = runner.MakeScratch();   // one for each thread
//   runner.Run(claim, scratch.get());
//
// Which row is a result's: in a synchronous pool its position in the call. In an asynchronous one
// the next row that is free when the environment has finished, so that one which takes long keeps
// no row that another could have; until then the result is in the scratch row of its thread.
// Trivial environments take the rows of a whole claim at once, since all are written within
// microseconds.
#pragma once

#include <memory>

#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"
#include "envpool/engine/result_batches.h"
#include "envpool/engine/sharded_queue.h"

namespace envpool {

class EnvRunner {
 public:
  /// `envs` and `results` outlive it.
  EnvRunner(const PoolOptions& options, EnvArrayBase& envs, ResultBatches& results)
      : synchronous_(options.synchronous()),
        needs_scratch_(!synchronous_ && envs.step_kind() != StepKind::kTrivial),
        envs_(envs),
        results_(results) {}

  /// The scratch that a thread gives to Run; null where results need none.
  std::unique_ptr<Batch> MakeScratch() { return needs_scratch_ ? results_.MakeScratch() : nullptr; }
  /// Called by many threads at a time, each with a scratch of its own.
  void Run(const Claim& claim, Batch* scratch);
  /// One environment, by the caller of the pool; in a synchronous pool into `row` of the batch.
  void RunOne(int env_id, int row);

 private:
  void RunRows(Batch& batch, int row, const int* env_ids, int count);
  void RunNextRows(const int* env_ids, int count);
  void RunInScratch(int env_id, Batch& scratch);

  const bool synchronous_;
  const bool needs_scratch_;
  EnvArrayBase& envs_;
  ResultBatches& results_;
};

}  // namespace envpool
