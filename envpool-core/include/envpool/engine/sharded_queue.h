// SPDX-License-Identifier: Apache-2.0
// ShardedQueue: the environments that wait for a step or a reset, and which thread claims them.
//
//   Push(ids)    shard 0  [ 2 | 0 | 3 | ... ]    environments 0 .. 3
//   --------->            ^ head      ^ tail          -------------> TryClaim, by thread 0 first
//                shard 1  [ 7 | 5 | ...     ]    environments 4 .. 7
//                                                     -------------> TryClaim, by thread 1 first
//
// A thread claims from a shard of its own first, so that the memory of its environments stays in
// its cache, and from the others when that shard is empty. An environment is in flight at most
// once, so no queue overflows. One thread pushes, any number of them claim; a claim is one
// compare-and-swap, and nothing is locked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "envpool/engine/pool_options.h"
#include "envpool/step_kind.h"

namespace envpool {

/// Rows in a cache line of a one-byte array. Claims of trivial environments are whole lines.
inline constexpr int kLineRows = 64;

/// Environments that one thread has taken out of the queue.
struct Claim {
  static constexpr int kMost = 256;

  int count = 0;
  const int* ids = nullptr;
  int first_row = 0;         ///< synchronous only, as is the next
  bool side_by_side = true;  ///< the rows are first_row, first_row + 1, ...
  int own_ids[kMost];        ///< ids and rows, where no list of them exists yet
  int rows[kMost];
};

class ShardedQueue {
 public:
  /// As many shards as threads, at most one for each environment. `one_at_a_time`: a claim is one
  /// environment, so that a slow one delays no other.
  ShardedQueue(const PoolOptions& options, bool one_at_a_time);
  ~ShardedQueue();
  ShardedQueue(const ShardedQueue&) = delete;
  ShardedQueue& operator=(const ShardedQueue&) = delete;

  /// Queues environments; null: all in order; none may be queued already. In a synchronous pool the
  /// first has row `first_row` of the batch, the next one the row after it.
  void Push(const int* env_ids, int count, int first_row);
  /// Whether some environment waits.
  bool has_work() const;
  /// Takes some environments out of the first shard that has any, beginning with `first_shard`;
  /// false when all are empty. Moves `first_shard` on where the same one must not always come
  /// first.
  bool TryClaim(std::size_t& first_shard, Claim& claim);
  std::size_t num_shards() const { return shards_.size(); }

 private:
  static constexpr int kMostInOrder = 4096;  // rows of a claim that needs no lists
  struct Shard;

  void Publish(Shard& shard, std::int64_t tail);
  bool TryClaimFrom(Shard& shard, Claim& claim);
  int ClaimSize(std::int64_t waiting, bool in_order) const;

  const bool synchronous_;
  const bool one_at_a_time_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::uint16_t> shard_of_;  // by environment
  std::vector<int> all_ids_;             // 0, 1, ...
};

}  // namespace envpool
