// SPDX-License-Identifier: Apache-2.0
// ResultBatches: the arrays that `recv` returns, from the first row that is written to the last
// reference that is dropped.
//
//           Open             Expect          Complete         Acquire
//   kSpare -------> kEmpty ---------> kOpen --------> kFull ---------> kHeld
//     ^               |                 |                |               ^ |
//     |               |                 +----------------|-- Acquire ----+ |
//     |               +------------------- Nothing ------|---------------+ |
//     +----------------------------- DropEmpty -------------+                 |
//     +----------------------------- Release ------------------------------+
//
// kSpare: an object without memory. kEmpty: its columns have memory. kOpen: environments that were
// sent have rows in it. kFull: every row is written, and rows are taken out whose environment
// failed or was reset since. kHeld: Python makes its result of it. Only the caller of the pool
// changes states; workers write into rows of open batches, count them in `written`, and wake the
// caller that waits for them.
//
// In a synchronous pool row i belongs to the i-th environment sent. In an asynchronous one rows are
// numbered over the pool's life and taken as environments finish.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/columns.h"
#include "envpool/engine/pool_options.h"

namespace envpool {

class ResultBatches {
 public:
  ResultBatches(const Columns& columns, const PoolOptions& options, BatchMemory& memory);
  /// No thread writes any more.
  ~ResultBatches();
  ResultBatches(const ResultBatches&) = delete;
  ResultBatches& operator=(const ResultBatches&) = delete;

  // Functions for the caller of the pool.

  /// Makes room for the results of `count` environments; the row of the first, if synchronous.
  int Expect(int count);
  /// Whether some batch is full and waits for Recv.
  bool any_full() const { return !queue_.empty() && queue_.front()->state == BatchState::kFull; }
  bool empty() const { return queue_.empty(); }
  Batch& oldest() const { return *queue_.front(); }
  Batch& newest() const { return *queue_.back(); }
  /// The batches that are open or full, the oldest first.
  const std::vector<Batch*>& queue() const { return queue_; }
  /// Rows that `batch` will have when all that was sent is done; it may already have them.
  int Expected(const Batch& batch) const {
    return static_cast<int>(
        std::min<std::int64_t>(batch.capacity, rows_sent_ + rows_skipped_ - batch.first));
  }
  /// Sleeps until `target` rows of `batch` are written, or until `end`.
  void Sleep(Batch& batch, int target, Clock::time_point end);
  /// A batch whose rows are all written becomes full: rows of environments that failed or that
  /// `drop` names are removed. Calls `removed` for each of them.
  void Complete(Batch& batch, const std::function<bool(int env_id)>& drop,
                const std::function<void(int env_id, bool failed)>& removed);
  /// Python acquires a batch whose rows are all written, until Release.
  Received Acquire(Batch& batch);
  /// A batch without rows, for a call that names no environment.
  Received Nothing();
  /// The columns of a batch that was acquired are not needed any more.
  void Release(Batch& batch);
  /// Drops a full batch that has no rows.
  void DropEmpty(Batch& batch);
  /// Asynchronous, all batches full: takes out the rows of those environments for which `row_of`
  /// has a row of the result, from 0 to `count` - 1, and acquires them as one batch. The other rows
  /// move together into batches that the next sends go on to fill.
  Received ExtractRows(const std::function<int(int env_id)>& row_of, int count);
  /// Asynchronous, all rows written: the next row opens a new batch.
  void SkipToNextBatch();

  // Functions for workers.

  /// Synchronous: the batch that is being written.
  Batch* sync_batch() const { return sync_batch_.load(std::memory_order_relaxed); }
  /// Asynchronous: takes the next `count` rows; the number of the first. `Find` says where each is.
  std::int64_t TakeRows(int count) { return next_row_.fetch_add(count, std::memory_order_acq_rel); }
  struct RowPlace {
    Batch* batch;
    int row;
  };
  RowPlace Find(std::int64_t number) const;
  /// `count` rows more are written. A batch that is complete may be released at once: after this
  /// call it may be gone.
  void Written(Batch& batch, int count);
  /// Memory for one row, where an environment writes before it is known which row it gets.
  std::unique_ptr<Batch> MakeScratch();

 private:
  Batch* Open();
  Batch* Prepare(Batch* batch);
  void OpenNext();
  void RemoveRows(Batch& batch, const std::vector<bool>& remove);
  int ClosePlayerGaps(Batch& batch);
  void Leave(const Batch& batch) { queue_.erase(std::find(queue_.begin(), queue_.end(), &batch)); }

  const Columns& layout_;
  const bool synchronous_;
  const int batch_size_;
  const int num_envs_;
  const bool same_step_;
  BatchMemory& memory_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Batch*> spare_;
  Batch* all_envs_batch_ =
      nullptr;                 // the one that has room for all environments, where it is needed
  std::vector<Batch*> queue_;  // a few pointers: to move them costs less than a list

  std::int64_t rows_sent_ = 0;
  std::int64_t rows_opened_ = 0;
  std::int64_t rows_skipped_ = 0;  // by batches that stayed short
  std::atomic<Batch*> sync_batch_{nullptr};
  // Batch b of an asynchronous pool is open_[b & open_mask_].
  std::vector<std::atomic<Batch*>> open_;
  std::int64_t open_mask_ = 0;
  // The memory of scratch rows.
  std::vector<std::unique_ptr<std::byte[]>> scratch_memory_;
  alignas(64) std::atomic<std::int64_t> next_row_{0};
  alignas(64) std::atomic<const Batch*> waited_for_{nullptr};
  std::atomic<int> wait_target_{0};
};

}  // namespace envpool
