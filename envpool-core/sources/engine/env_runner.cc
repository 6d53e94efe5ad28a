// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/env_runner.h"

#include <algorithm>
#include <utility>

namespace envpool {

void EnvRunner::Run(const Claim& claim, Batch* scratch) {
  if (scratch != nullptr) return RunInScratch(claim.ids[0], *scratch);
  if (!synchronous_) return RunNextRows(claim.ids, claim.count);
  Batch& batch = *results_.sync_batch();
  if (claim.side_by_side) return RunRows(batch, claim.first_row, claim.ids, claim.count);
  for (int i = 0; i < claim.count; ++i) RunRows(batch, claim.rows[i], claim.ids + i, 1);
}

void EnvRunner::RunOne(int env_id, int row) {
  if (!synchronous_) return RunNextRows(&env_id, 1);
  RunRows(*results_.sync_batch(), row, &env_id, 1);
}

void EnvRunner::RunNextRows(const int* env_ids, int count) {
  std::int64_t number = results_.TakeRows(count);
  for (int done = 0; done < count;) {
    const auto [batch, row] = results_.Find(number);
    const int here = std::min(count - done, batch->capacity - row);
    RunRows(*batch, row, env_ids + done, here);
    done += here;
    number += here;
  }
}

void EnvRunner::RunRows(Batch& batch, int row, const int* env_ids, int count) {
  batch.Clear(row, count);
  for (int done = 0; done < count;) {
    const int at = row + done;
    AdvanceResult result =
        envs_.Advance(env_ids + done, count - done, batch.row(at), batch.players.data() + at);
    done += result.count;
    if (result.player_counts_differ)
      batch.player_counts_differ.store(true, std::memory_order_relaxed);
    if (result.failed) batch.Fail({env_ids[done - 1], row + done - 1, std::move(result.text)});
  }
  batch.Finish(row, count, env_ids);
  results_.Written(batch, count);
}

void EnvRunner::RunInScratch(int env_id, Batch& scratch) {
  scratch.Clear(0, 1);
  scratch.players[0] = 1;
  AdvanceResult result = envs_.Advance(&env_id, 1, scratch.row(0), scratch.players.data());
  const auto [batch, row] = results_.Find(results_.TakeRows(1));
  batch->Take(scratch, 0, row);
  if (result.failed) batch->Fail({env_id, row, std::move(result.text)});
  batch->Finish(row, 1, &env_id);
  results_.Written(*batch, 1);
}

}  // namespace envpool
