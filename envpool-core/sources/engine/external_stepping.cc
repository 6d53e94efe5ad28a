// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/external_stepping.h"

#include <algorithm>

namespace envpool {

void ExternalStepping::Send(const int* env_ids, int count, int first_row) {
  for (int i = 0; i < count; ++i) {
    const int env_id = env_ids == nullptr ? i : env_ids[i];
    row_of_[static_cast<std::size_t>(env_id)] = first_row + i;
    if (!envs_.Submit(env_id)) not_submitted_.push_back(env_id);
  }
  external_steps_.Flush();
}

bool ExternalStepping::Wait(Batch& batch, int target, Clock::time_point end) {
  for (;;) {
    int missing = target - batch.written.load(std::memory_order_relaxed);
    for (; missing > 0 && !not_submitted_.empty(); --missing) {
      WriteRow(not_submitted_.back());
      not_submitted_.pop_back();
    }
    if (missing <= 0) return true;
    // No more than this batch lacks: a later one may fail, and that belongs to the next batch.
    int finished[kMostAtOnce];
    const int count = external_steps_.TakeFinished(finished, std::min(missing, kMostAtOnce));
    for (int i = 0; i < count; ++i) WriteRow(finished[i]);
    if (count > 0) continue;
    if (Clock::now() >= end) return false;
    external_steps_.Await(missing, end);
  }
}

}  // namespace envpool
