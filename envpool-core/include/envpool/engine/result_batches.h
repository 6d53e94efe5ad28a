// SPDX-License-Identifier: Apache-2.0
// ResultBatches: the arrays that `recv` returns, from the first row that is written to the last
// reference that is dropped.
//
//           Open             Expect            Fill             Hand
//   kSpare -------> kEmpty ---------> kOpen --------> kFull ---------> kHeld
//     ^               |                 |                |               ^ |
//     |               |                 +----------------|--- Hand ------+ |
//     |               +------------------- Nothing ------|---------------+ |
//     +----------------------------- Retire -------------+                 |
//     +----------------------------- Release ------------------------------+
//
// kSpare: an object without memory. kEmpty: its columns have memory. kOpen: environments that were
// sent have rows in it. kFull: every row is written, and those that nobody shall see are taken out:
// of environments that failed, or whose results a reset drops. kHeld: Python makes its result of
// it. One thread at a time changes states, the caller of the pool; workers write into rows of open
// batches, count them in `written`, and wake who waits for them.
//
// In a synchronous pool row i belongs to the i-th environment sent. In an asynchronous one rows are
// numbered over the pool's life and taken as environments finish.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "envpool/engine/columns.h"
#include "envpool/engine/futex.h"
#include "envpool/engine/pool_options.h"
#include "envpool/error.h"

namespace envpool {

using Clock = std::chrono::steady_clock;

enum class BatchState : std::uint8_t { kSpare, kEmpty, kOpen, kFull, kHeld };

struct Batch {
  const Columns* layout = nullptr;
  int capacity = 0;  ///< rows
  BatchState state = BatchState::kSpare;
  std::vector<std::byte*> columns;        ///< in the order of the layout
  std::vector<std::byte*> final_columns;  ///< last observation and info of an episode that ended
                                          ///< in a row; empty unless autoreset is "same_step"
  std::vector<std::int32_t> players;      ///< players in each row
  std::atomic<bool> uneven{false};        ///< whether some row has another number of players than 1
  std::int64_t first = 0;                 ///< number of row 0, counted over the pool's life
  int rows = 0;                           ///< rows that are left, once it is full
  bool flags_only = false;                ///< nobody looks at done, discount and step_type
  std::size_t id = 0;                     ///< which of the pool's batch objects this is
  std::vector<Failure> failures;          ///< guarded by failures_mutex until all rows are written
  std::mutex failures_mutex;
  alignas(64) std::atomic<int> written{0};

  Batch(const Columns& columns_of, int rows_in_all, std::size_t number)
      : layout(&columns_of),
        capacity(rows_in_all),
        columns(columns_of.arrays.size()),
        players(static_cast<std::size_t>(rows_in_all), 1),
        id(number) {}

  template <typename T>
  T* column(std::size_t index) const {
    return reinterpret_cast<T*>(columns[index]);
  }
  Row row(int index) const {
    return {.columns = columns.data(),
            .final_columns = final_columns.empty() ? nullptr : final_columns.data(),
            .index = static_cast<std::size_t>(index),
            .max_players = layout->max_players};
  }

  /// Readies `count` rows for the environments: what they leave out reads as 0, discount as 1.
  void Clear(int row, int count);
  /// Completes `count` rows that environments have written: whose they are, and the flags that
  /// follow from how their steps came out.
  void Finish(int row, int count, const int* env_ids);
  /// Takes over the one row of `other`, with its dynamic arrays, as row `row`.
  void Take(Batch& other, int row);
  void SetPlayers(int row, int count) {
    players[static_cast<std::size_t>(row)] = count;
    uneven.store(true, std::memory_order_relaxed);
  }
  void Fail(Failure failure) {
    SetPlayers(failure.row, 0);
    const std::lock_guard lock(failures_mutex);
    failures.push_back(std::move(failure));
  }
  /// Frees the dynamic arrays that nobody took out of `count` rows.
  void FreeDynamic(int row, int count);

 private:
  static constexpr int kTerminal = kTerminated | kTerminalState;
  void FinishRest(std::size_t at, std::size_t n);
};

/// Gives a batch the memory that its columns live in, before environments write into it.
class BatchMemory {
 public:
  virtual ~BatchMemory() = default;
  virtual void Attach(Batch& batch) = 0;
};

/// What Recv hands over: the first `rows` rows of a batch, in which are `players` players.
struct Received {
  Batch* batch = nullptr;
  int rows = 0;
  int players = 0;
};

class ResultBatches {
 public:
  ResultBatches(const Columns& columns, const PoolOptions& options, BatchMemory& memory);
  /// Nobody may write any more.
  ~ResultBatches();
  ResultBatches(const ResultBatches&) = delete;
  ResultBatches& operator=(const ResultBatches&) = delete;

  // What the caller of the pool does with them.

  /// Makes room for the results of `count` environments; the row of the first, if synchronous.
  int Expect(int count);
  /// Whether some batch is full and waits for Recv.
  bool any_full() const { return !queue_.empty() && queue_.front()->state == BatchState::kFull; }
  bool empty() const { return queue_.empty(); }
  Batch& oldest() const { return *queue_.front(); }
  Batch& newest() const { return *queue_.back(); }
  /// Those that are open or full, the oldest first.
  const std::vector<Batch*>& queue() const { return queue_; }
  /// Rows that `batch` will have when all that was sent is done; it may already have them.
  int Expected(const Batch& batch) const {
    return static_cast<int>(
        std::min<std::int64_t>(batch.capacity, rows_sent_ + rows_skipped_ - batch.first));
  }
  /// Sleeps until `target` rows of `batch` are written, or until `end`.
  void Sleep(Batch& batch, int target, Clock::time_point end);
  /// A batch whose rows are all written becomes full: rows of environments that failed or that
  /// `drop` names are taken out. Calls `gone` for each of them.
  void Fill(Batch& batch, const std::function<bool(int env_id)>& drop,
            const std::function<void(int env_id, bool failed)>& gone);
  /// Hands a full batch over to Python; only Release takes it back.
  Received Hand(Batch& batch);
  /// A batch without rows, for a call that names no environment.
  Received Nothing();
  /// The columns of a batch that was handed over are not needed any more.
  void Release(Batch& batch);
  /// Drops a full batch that has no rows.
  void Retire(Batch& batch);
  /// Asynchronous, all rows written: the next row opens a new batch.
  void SkipToNextBatch();

  // What workers do with them.

  /// Synchronous: the batch that is being written.
  Batch* sync_batch() const { return sync_batch_.load(std::memory_order_relaxed); }
  /// Asynchronous: takes the next row.
  struct Place {
    Batch* batch;
    int row;
  };
  Place Take();
  /// The number of the first of `count` rows that this takes; `Find` says where each is.
  std::int64_t TakeMany(int count) { return next_row_.fetch_add(count, std::memory_order_acq_rel); }
  Place Find(std::int64_t number) const;
  /// `count` rows more are written. Nobody else touches a batch that is complete: after this call
  /// it may be gone.
  void Written(Batch& batch, int count);
  /// Memory for one row, where an environment writes before it is known which row it gets.
  std::unique_ptr<Batch> MakeScratch();

 private:
  Batch* Open();
  void RemoveRows(Batch& batch, const std::vector<bool>& remove);
  int ClosePlayerGaps(Batch& batch);
  void Leave(const Batch& batch) { queue_.erase(std::find(queue_.begin(), queue_.end(), &batch)); }

  const Columns& layout_;
  const bool synchronous_;
  const int batch_size_;
  const bool same_step_;
  BatchMemory& memory_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Batch*> spare_;
  std::vector<Batch*> queue_;  // a few pointers: to move them costs less than a list

  std::int64_t rows_sent_ = 0;
  std::int64_t rows_opened_ = 0;
  std::int64_t rows_skipped_ = 0;  // by batches that stayed short
  std::atomic<Batch*> sync_batch_{nullptr};
  // Batch b of an asynchronous pool is open_[b & open_mask_].
  std::vector<std::atomic<Batch*>> open_;
  std::int64_t open_mask_ = 0;
  // Where scratch rows and their columns live.
  std::vector<std::unique_ptr<std::byte[]>> scratch_memory_;
  alignas(64) std::atomic<std::int64_t> next_row_{0};
  alignas(64) std::atomic<const Batch*> waited_for_{nullptr};
  std::atomic<int> wait_target_{0};
};

inline void Batch::Clear(int row, int count) {
  const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
  for (std::size_t i = kRewardColumn; i < columns.size(); ++i) {
    if (i > kDiscountColumn && i < kNumCommonColumns) continue;  // the engine writes these
    const std::size_t size = layout->row_sizes[i];
    std::memset(columns[i] + at * size, 0, n * size);
  }
  if (!flags_only) {
    const auto max_players = static_cast<std::size_t>(layout->max_players);
    std::fill_n(column<float>(kDiscountColumn) + at * max_players, n * max_players, 1.0f);
  }
  for (std::size_t i = 0; i < final_columns.size(); ++i) {
    if (final_columns[i] == nullptr) continue;
    std::memset(final_columns[i] + at * layout->row_sizes[i], 0, n * layout->row_sizes[i]);
  }
}

inline void Batch::Finish(int row, int count, const int* env_ids) {
  const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
  std::copy_n(env_ids, n, column<int>(kEnvIdColumn) + at);
  const auto max_players = static_cast<std::size_t>(layout->max_players);
  int* players_env_id = column<int>(kPlayersEnvIdColumn) + at * max_players;
  if (max_players == 1) {
    std::copy_n(env_ids, n, players_env_id);
  } else {
    for (std::size_t i = 0; i < n * max_players; ++i) players_env_id[i] = env_ids[i / max_players];
  }
  // Bytes may be anything's; told that they are not, the compiler does 16 rows at a time.
  auto* __restrict outcome = column<std::uint8_t>(kDoneColumn) + at;
  auto* __restrict terminated = column<std::uint8_t>(kTerminatedColumn) + at;
  auto* __restrict trunc = column<std::uint8_t>(kTruncColumn) + at;
  for (std::size_t i = 0; i < n; ++i) terminated[i] = (outcome[i] & kTerminal) != 0;
  for (std::size_t i = 0; i < n; ++i) trunc[i] = (outcome[i] & kTruncated) != 0;
  if (!flags_only) FinishRest(at, n);
}

/// What only dm_env shows: discount, step_type and done.
inline void Batch::FinishRest(std::size_t at, std::size_t n) {
  constexpr int kLast = kTerminated | kTruncated;
  auto* __restrict outcome = column<std::uint8_t>(kDoneColumn) + at;
  const auto max_players = static_cast<std::size_t>(layout->max_players);
  // At a terminal state nothing is to come, unless the environment said how much counts.
  float* discount = column<float>(kDiscountColumn) + at * max_players;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(outcome[i] & kTerminal)) continue;
    std::replace(discount + i * max_players, discount + (i + 1) * max_players, 1.0f, 0.0f);
  }
  auto* __restrict step_type = column<int>(kStepTypeColumn) + at;
  for (std::size_t i = 0; i < n; ++i) {
    step_type[i] = (outcome[i] & kLast) ? 2 : outcome[i] & kFirst ? 0 : 1;
  }
  for (std::size_t i = 0; i < n; ++i) outcome[i] = (outcome[i] & kLast) != 0;
}

inline void Batch::Take(Batch& other, int row) {
  const auto take = [&](std::byte* to, std::byte* from, std::size_t i) {
    if (from == nullptr || to == nullptr) return;
    const std::size_t size = layout->row_sizes[i];
    std::memcpy(to + static_cast<std::size_t>(row) * size, from, size);
    if (layout->arrays[i].dynamic()) std::memset(from, 0, size);  // it has one owner
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    take(columns[i], other.columns[i], i);
    if (!final_columns.empty()) take(final_columns[i], other.final_columns[i], i);
  }
}

inline void Batch::FreeDynamic(int row, int count) {
  if (!layout->has_dynamic) return;
  for (std::size_t i = kNumCommonColumns; i < columns.size(); ++i) {
    const ArraySpec& array = layout->arrays[i];
    if (!array.dynamic()) continue;
    for (const auto& all : {std::cref(columns), std::cref(final_columns)}) {
      if (all.get().empty()) continue;
      const std::size_t size = layout->row_sizes[i] * static_cast<std::size_t>(count);
      std::byte* data = all.get()[i] + static_cast<std::size_t>(row) * layout->row_sizes[i];
      for (std::size_t at = 0; at < size; at += array.element_size) {
        const DynamicArray taken = array.take(data + at);
        if (taken.owner != nullptr) taken.free(taken.owner);
      }
    }
  }
}

inline ResultBatches::ResultBatches(const Columns& columns, const PoolOptions& options,
                                    BatchMemory& memory)
    : layout_(columns),
      synchronous_(options.synchronous()),
      batch_size_(options.batch_size),
      same_step_(options.autoreset == Autoreset::kSameStep),
      memory_(memory) {
  // Rows in flight can lie in this many batches: a part of the first, a part of the last.
  const auto most = static_cast<std::size_t>(options.num_envs / batch_size_) + 2;
  open_ = std::vector<std::atomic<Batch*>>(std::bit_ceil(most));
  open_mask_ = static_cast<std::int64_t>(open_.size()) - 1;
  queue_.reserve(most);
  spare_.reserve(most);
}

inline ResultBatches::~ResultBatches() {
  for (Batch* batch : queue_) batch->FreeDynamic(0, batch->capacity);
}

inline Batch* ResultBatches::Open() {
  if (spare_.empty()) {
    batches_.push_back(std::make_unique<Batch>(layout_, batch_size_, batches_.size()));
    spare_.push_back(batches_.back().get());
  }
  Batch* batch = spare_.back();
  memory_.Attach(*batch);
  spare_.pop_back();
  batch->state = BatchState::kEmpty;
  batch->written.store(0, std::memory_order_relaxed);
  if (batch->uneven.exchange(false, std::memory_order_relaxed)) {
    std::fill(batch->players.begin(), batch->players.end(), 1);
  }
  for (std::size_t i = kNumCommonColumns; layout_.has_dynamic && i < batch->columns.size(); ++i) {
    if (!layout_.arrays[i].dynamic()) continue;  // null pointers, for FreeDynamic
    const std::size_t size = layout_.row_sizes[i] * static_cast<std::size_t>(batch->capacity);
    std::memset(batch->columns[i], 0, size);
    if (!batch->final_columns.empty()) std::memset(batch->final_columns[i], 0, size);
  }
  return batch;
}

inline int ResultBatches::Expect(int count) {
  const auto open_next = [&] {
    Batch* batch = Open();
    batch->first = synchronous_ ? rows_sent_ : rows_opened_;
    rows_opened_ = batch->first + batch->capacity;
    batch->state = BatchState::kOpen;
    queue_.push_back(batch);
    return batch;
  };
  int first_row = 0;
  if (synchronous_) {
    // What is sent before `recv` goes into one batch.
    const bool goes_on = !queue_.empty() && queue_.back()->state == BatchState::kOpen;
    Batch* batch = goes_on ? queue_.back() : open_next();
    first_row = static_cast<int>(rows_sent_ - batch->first);
    sync_batch_.store(batch, std::memory_order_relaxed);
  } else {
    while (rows_sent_ + rows_skipped_ + count > rows_opened_) {
      Batch* batch = open_next();
      const std::int64_t number = batch->first / batch_size_;
      open_[static_cast<std::size_t>(number & open_mask_)].store(batch, std::memory_order_release);
    }
  }
  rows_sent_ += count;
  return first_row;
}

inline ResultBatches::Place ResultBatches::Find(std::int64_t number) const {
  const std::int64_t batch = number / batch_size_;
  return {open_[static_cast<std::size_t>(batch & open_mask_)].load(std::memory_order_acquire),
          static_cast<int>(number - batch * batch_size_)};
}

inline ResultBatches::Place ResultBatches::Take() { return Find(TakeMany(1)); }

inline void ResultBatches::Written(Batch& batch, int count) {
  const int written = batch.written.fetch_add(count, std::memory_order_seq_cst) + count;
  if (waited_for_.load(std::memory_order_seq_cst) == &batch &&
      written >= wait_target_.load(std::memory_order_relaxed)) {
    FutexWake(batch.written, 1);
  }
}

inline void ResultBatches::Sleep(Batch& batch, int target, Clock::time_point end) {
  wait_target_.store(target, std::memory_order_relaxed);
  waited_for_.store(&batch, std::memory_order_seq_cst);
  for (;;) {
    const int written = batch.written.load(std::memory_order_seq_cst);
    const Clock::time_point now = Clock::now();
    if (written >= target || now >= end) break;
    FutexWait(batch.written, written, end - now);
  }
  waited_for_.store(nullptr, std::memory_order_relaxed);
}

inline std::unique_ptr<Batch> ResultBatches::MakeScratch() {
  auto scratch = std::make_unique<Batch>(layout_, 1, 0);
  if (same_step_) scratch->final_columns.resize(layout_.arrays.size());
  const auto add = [&](std::size_t size) {
    scratch_memory_.push_back(std::make_unique<std::byte[]>(size + 1));
    return scratch_memory_.back().get();
  };
  for (std::size_t i = 0; i < layout_.arrays.size(); ++i) {
    scratch->columns[i] = add(layout_.row_sizes[i]);
    const bool kept = i >= kNumCommonColumns || i == kElapsedStepColumn;
    if (same_step_ && kept) scratch->final_columns[i] = add(layout_.row_sizes[i]);
  }
  return scratch;
}

inline void ResultBatches::Fill(Batch& batch, const std::function<bool(int)>& drop,
                                const std::function<void(int, bool)>& gone) {
  const bool fresh = batch.state != BatchState::kFull;
  if (fresh) batch.rows = Expected(batch);
  const auto rows = static_cast<std::size_t>(batch.rows);
  std::vector<bool> remove(rows), failed(rows);
  if (fresh) {
    for (const Failure& failure : batch.failures)
      failed[static_cast<std::size_t>(failure.row)] = true;
  }
  const int* env_id = batch.column<int>(kEnvIdColumn);
  for (std::size_t row = 0; row < rows; ++row) {
    remove[row] = failed[row] || drop(env_id[row]);
    if (remove[row]) gone(env_id[row], failed[row]);
  }
  std::erase_if(batch.failures, [&](const Failure& failure) { return drop(failure.env_id); });
  RemoveRows(batch, remove);
  batch.state = BatchState::kFull;
}

inline Received ResultBatches::Hand(Batch& batch) {
  if (batch.state != BatchState::kFull) batch.rows = Expected(batch);
  batch.state = BatchState::kHeld;
  Leave(batch);
  return {&batch, batch.rows, ClosePlayerGaps(batch)};
}

inline Received ResultBatches::Nothing() {
  Batch* batch = Open();
  batch->rows = 0;
  batch->state = BatchState::kHeld;
  return {batch, 0, 0};
}

inline void ResultBatches::Release(Batch& batch) {
  batch.FreeDynamic(0, batch.rows);
  batch.state = BatchState::kSpare;
  spare_.push_back(&batch);
}

inline void ResultBatches::Retire(Batch& batch) {
  Leave(batch);
  batch.failures.clear();
  batch.state = BatchState::kSpare;
  spare_.push_back(&batch);
}

inline void ResultBatches::SkipToNextBatch() {
  rows_skipped_ = rows_opened_ - rows_sent_;
  next_row_.store(rows_opened_, std::memory_order_release);
}

inline void ResultBatches::RemoveRows(Batch& batch, const std::vector<bool>& remove) {
  int to = 0;
  for (int from = 0; from < batch.rows; ++from) {
    if (remove[static_cast<std::size_t>(from)]) {
      batch.FreeDynamic(from, 1);
      continue;
    }
    const auto move = [&](std::byte* column, std::size_t size) {
      if (column == nullptr || from == to) return;
      std::memcpy(column + static_cast<std::size_t>(to) * size,
                  column + static_cast<std::size_t>(from) * size, size);
    };
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      move(batch.columns[i], layout_.row_sizes[i]);
      if (!batch.final_columns.empty()) move(batch.final_columns[i], layout_.row_sizes[i]);
    }
    batch.players[static_cast<std::size_t>(to++)] = batch.players[static_cast<std::size_t>(from)];
  }
  // The rows that moved up took their dynamic arrays along.
  for (std::size_t i = kNumCommonColumns; i < batch.columns.size(); ++i) {
    if (!layout_.arrays[i].dynamic()) continue;
    const std::size_t begin = static_cast<std::size_t>(to) * layout_.row_sizes[i];
    const std::size_t size = static_cast<std::size_t>(batch.rows - to) * layout_.row_sizes[i];
    std::memset(batch.columns[i] + begin, 0, size);
    if (!batch.final_columns.empty()) std::memset(batch.final_columns[i] + begin, 0, size);
  }
  batch.rows = to;
}

inline int ResultBatches::ClosePlayerGaps(Batch& batch) {
  const int rows = batch.rows;
  if (layout_.max_players == 1 && !batch.uneven.load(std::memory_order_relaxed)) return rows;
  int total = 0;
  for (int row = 0; row < rows; ++row) total += batch.players[static_cast<std::size_t>(row)];
  if (total == rows * layout_.max_players) return total;
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const ArraySpec& array = layout_.arrays[i];
    if (!array.per_player()) continue;
    std::size_t to = 0;
    for (int row = 0; row < rows; ++row) {
      const std::size_t size =
          array.item_size() *
          static_cast<std::size_t>(batch.players[static_cast<std::size_t>(row)]);
      const std::size_t from = static_cast<std::size_t>(row) * layout_.row_sizes[i];
      if (to != from) std::memmove(batch.columns[i] + to, batch.columns[i] + from, size);
      to += size;
    }
    if (!array.dynamic()) continue;
    // The arrays that moved up were left behind as well.
    const std::size_t all = static_cast<std::size_t>(rows) * layout_.row_sizes[i];
    std::memset(batch.columns[i] + to, 0, all - to);
  }
  return total;
}

}  // namespace envpool
