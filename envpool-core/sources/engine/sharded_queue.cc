// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/sharded_queue.h"

#include <bit>
#include <numeric>

namespace envpool {

/// A queue of environments begin .. end-1. Positions only grow; position p lives in slot p & mask.
struct ShardedQueue::Shard {
  int begin, end;
  std::int64_t mask;
  // Environment in the low half, synchronous row in the high half.
  std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  std::int64_t pushed = 0;  // tail while Push fills the slots
  alignas(64) std::atomic<std::int64_t> head{0};
  alignas(64) std::atomic<std::int64_t> tail{0};
  // Position of environment `begin` when all of them were pushed in order, which needs no slots.
  std::atomic<std::int64_t> all_from{-1};

  Shard(int first, int beyond) : begin(first), end(beyond) {
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(std::max(end - begin, 1)));
    mask = static_cast<std::int64_t>(size) - 1;
    slots = std::make_unique<std::atomic<std::uint64_t>[]>(size);
  }
};

ShardedQueue::ShardedQueue(const PoolOptions& options, bool one_at_a_time)
    : synchronous_(options.synchronous()), one_at_a_time_(one_at_a_time) {
  const int n = options.num_envs;
  const int shards = std::min(options.num_threads, n);
  // The rows of a large shard begin on a cache line of one-byte arrays.
  const int unit = n / shards >= kLineRows ? kLineRows : 1;
  const auto bound = [&](int i) {
    return i == shards ? n : static_cast<int>(std::int64_t{n} * i / shards / unit * unit);
  };
  shard_of_.resize(static_cast<std::size_t>(n));
  all_ids_.resize(static_cast<std::size_t>(n));
  std::iota(all_ids_.begin(), all_ids_.end(), 0);
  for (int i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>(bound(i), bound(i + 1)));
    std::fill(shard_of_.begin() + bound(i), shard_of_.begin() + bound(i + 1),
              static_cast<std::uint16_t>(i));
  }
}

ShardedQueue::~ShardedQueue() = default;

void ShardedQueue::Push(const int* env_ids, int count, int first_row) {
  if (env_ids == nullptr && synchronous_) {  // nothing more comes until all of them are received
    for (const auto& shard : shards_) {
      shard->all_from.store(shard->pushed, std::memory_order_relaxed);
      Publish(*shard, shard->pushed + (shard->end - shard->begin));
    }
    return;
  }
  if (env_ids == nullptr) env_ids = all_ids_.data();
  for (const auto& shard : shards_) shard->all_from.store(-1, std::memory_order_relaxed);
  for (int i = 0; i < count; ++i) {
    Shard& shard = *shards_[shard_of_[static_cast<std::size_t>(env_ids[i])]];
    const auto row = static_cast<std::uint64_t>(first_row + i);
    shard.slots[static_cast<std::size_t>(shard.pushed++ & shard.mask)].store(
        row << 32 | static_cast<std::uint32_t>(env_ids[i]), std::memory_order_relaxed);
  }
  for (const auto& shard : shards_) Publish(*shard, shard->pushed);
}

void ShardedQueue::Publish(Shard& shard, std::int64_t tail) {
  shard.pushed = tail;
  shard.tail.store(tail, std::memory_order_release);
}

bool ShardedQueue::has_work() const {
  return std::any_of(shards_.begin(), shards_.end(), [](const auto& shard) {
    return shard->head.load(std::memory_order_seq_cst) <
           shard->tail.load(std::memory_order_seq_cst);
  });
}

bool ShardedQueue::TryClaim(std::size_t& first_shard, Claim& claim) {
  const std::size_t shards = shards_.size();
  std::size_t at = first_shard, tried = 0;
  while (!TryClaimFrom(*shards_[at], claim)) {
    if (++tried == shards) return false;
    if (++at == shards) at = 0;
  }
  // An asynchronous batch may be complete long before a shard is empty. If the same shard came
  // first again, the environments of the others might never be claimed.
  if (!synchronous_) first_shard = at + 1 == shards ? 0 : at + 1;
  return true;
}

bool ShardedQueue::TryClaimFrom(Shard& shard, Claim& claim) {
  std::int64_t head = shard.head.load(std::memory_order_acquire);
  for (;;) {
    const std::int64_t tail = shard.tail.load(std::memory_order_acquire);
    if (head >= tail) return false;
    // Reads first and claims then: if the claim succeeds no other thread has taken these positions,
    // so the pushing thread cannot have used their slots again.
    const std::int64_t all_from = shard.all_from.load(std::memory_order_relaxed);
    claim.count = ClaimSize(tail - head, all_from >= 0);
    if (all_from >= 0) {
      claim.first_row = shard.begin + static_cast<int>(head - all_from);
      claim.ids = all_ids_.data() + claim.first_row;
      claim.side_by_side = true;
    } else {
      for (int i = 0; i < claim.count; ++i) {
        const std::uint64_t slot =
            shard.slots[static_cast<std::size_t>((head + i) & shard.mask)].load(
                std::memory_order_relaxed);
        claim.own_ids[i] = static_cast<int>(slot & 0xffffffffu);
        claim.rows[i] = static_cast<int>(slot >> 32);
      }
      claim.ids = claim.own_ids;
      claim.first_row = claim.rows[0];
      // The rows of a shard grow, so the first and the last one tell.
      claim.side_by_side = claim.rows[claim.count - 1] - claim.rows[0] == claim.count - 1;
    }
    if (shard.head.compare_exchange_weak(head, head + claim.count, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      return true;
    }
  }
}

int ShardedQueue::ClaimSize(std::int64_t waiting, bool in_order) const {
  if (one_at_a_time_) return 1;
  // No other thread to share with, and no list of ids and rows to make.
  if (in_order && shards_.size() == 1) {
    return static_cast<int>(std::min<std::int64_t>(waiting, kMostInOrder));
  }
  // Half of the rows, so that threads finish together; in an asynchronous pool at most a cache
  // line, since the caller may wait for these rows.
  const std::int64_t most = synchronous_ ? Claim::kMost : kLineRows;
  std::int64_t size = std::clamp<std::int64_t>(waiting / 2, kLineRows, most);
  size -= size % kLineRows;
  return static_cast<int>(std::min(size, waiting));
}

}  // namespace envpool
