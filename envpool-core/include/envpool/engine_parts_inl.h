// SPDX-License-Identifier: Apache-2.0
// What the engine is made of: a queue for each shard, a chunk of it that a thread has claimed, and
// the rows for the chunk's results.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "envpool/engine.h"

namespace envpool {

/// A queue of environments begin .. end-1. Positions only grow; position p lives in slot p & mask.
struct Engine::Shard {
  int begin, end;
  std::int64_t mask;
  // Environment in the low half, synchronous row in the high half.
  std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  std::int64_t sending = 0;  // tail while Send fills the slots
  alignas(64) std::atomic<std::int64_t> head{0};
  alignas(64) std::atomic<std::int64_t> tail{0};
  // Position of environment `begin` when all of them were sent in order, which needs no slots.
  std::atomic<std::int64_t> all_from{-1};

  Shard(int begin, int end) : begin(begin), end(end) {
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(std::max(end - begin, 1)));
    mask = static_cast<std::int64_t>(size) - 1;
    slots = std::make_unique<std::atomic<std::uint64_t>[]>(size);
  }
};

struct Engine::Chunk {
  int count = 0;
  const int* ids = nullptr;
  Batch* batch = nullptr;  // synchronous only, as are the rows
  int first_row = 0;
  bool side_by_side = true;  // the rows are first_row, first_row + 1, ...
  int own_ids[kMaxChunk];    // where ids and rows live that no list has ready
  int rows[kMaxChunk];
};

/// Hands out rows and reports them as written once the environment after them asks for its own.
class Engine::Rows final : public RowSource {
 public:
  Rows(Engine& engine, const Chunk& chunk) : engine_(engine), chunk_(chunk), ids_(chunk.ids) {
    if (chunk.batch == nullptr) return;
    batch_ = chunk.batch;
    next_ = start_ = chunk.first_row;
    given_ = chunk.side_by_side ? chunk.count : 1;
    end_ = next_ + given_;
    batch_->Clear(next_, given_);
  }
  /// The rows handed out so far have been written.
  void Flush() {
    const int count = next_ - start_;
    if (count == 0) return;
    batch_->Finish(start_, count, ids_);
    ids_ += count;
    start_ = next_;
    engine_.Written(*batch_, count);
  }

 protected:
  [[gnu::noinline]] void Refill() override {
    Flush();
    if (chunk_.batch != nullptr) {
      next_ = start_ = chunk_.rows[given_++];
      end_ = next_ + 1;
    } else {
      RefillAsync();
    }
    batch_->Clear(next_, end_ - next_);
  }

 private:
  void RefillAsync() {
    if (owned_ == 0) {  // all rows of a chunk at once: they are finished within microseconds
      row_ = engine_.next_row_.fetch_add(chunk_.count, std::memory_order_acq_rel);
      owned_ = chunk_.count;
    }
    const std::int64_t size = engine_.options_.batch_size;
    const std::int64_t number = row_ / size;
    batch_ = engine_.open_[static_cast<std::size_t>(number & engine_.open_mask_)].load(
        std::memory_order_acquire);
    next_ = start_ = static_cast<int>(row_ - number * size);
    const int count = static_cast<int>(std::min<std::int64_t>(owned_, size - next_));
    end_ = next_ + count;
    row_ += count;
    owned_ -= count;
  }

  Engine& engine_;
  const Chunk& chunk_;
  const int* ids_;  // of the environments in rows start_, start_ + 1, ...
  int start_ = 0;
  int given_ = 0;         // synchronous: rows of the chunk that were handed out
  std::int64_t row_ = 0;  // asynchronous: number of the next row that this chunk owns,
  int owned_ = 0;         // and how many there are
};

}  // namespace envpool
