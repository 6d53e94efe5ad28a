// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/result_batches.h"

#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "envpool/engine/futex.h"

namespace envpool {

ResultBatches::ResultBatches(const Columns& columns, const PoolOptions& options,
                             BatchMemory& memory)
    : layout_(columns),
      synchronous_(options.synchronous()),
      batch_size_(options.batch_size),
      num_envs_(options.num_envs),
      same_step_(options.autoreset == Autoreset::kSameStep),
      memory_(memory) {
  // Rows in flight can lie in this many batches: a part of the first, a part of the last.
  const auto most = static_cast<std::size_t>(options.num_envs / batch_size_) + 2;
  open_ = std::vector<std::atomic<Batch*>>(std::bit_ceil(most));
  open_mask_ = static_cast<std::int64_t>(open_.size()) - 1;
  queue_.reserve(most);
  spare_.reserve(most);
}

ResultBatches::~ResultBatches() {
  for (Batch* batch : queue_) batch->FreeDynamic(0, batch->capacity);
}

Batch* ResultBatches::Open() {
  if (spare_.empty()) {
    batches_.push_back(std::make_unique<Batch>(layout_, batch_size_, batches_.size()));
    spare_.push_back(batches_.back().get());
  }
  Batch* batch = Prepare(spare_.back());
  spare_.pop_back();
  return batch;
}

Batch* ResultBatches::Prepare(Batch* batch) {
  memory_.Attach(*batch);
  batch->state = BatchState::kEmpty;
  batch->written.store(0, std::memory_order_relaxed);
  if (batch->player_counts_differ.exchange(false, std::memory_order_relaxed)) {
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

void ResultBatches::OpenNext() {
  Batch* batch = Open();
  batch->first = synchronous_ ? rows_sent_ : rows_opened_;
  rows_opened_ = batch->first + batch->capacity;
  batch->state = BatchState::kOpen;
  queue_.push_back(batch);
  if (synchronous_) return;
  const std::int64_t number = batch->first / batch_size_;
  open_[static_cast<std::size_t>(number & open_mask_)].store(batch, std::memory_order_release);
}

int ResultBatches::Expect(int count) {
  int first_row = 0;
  if (synchronous_) {
    // All environments that are sent before `recv` go into one batch.
    const bool goes_on = !queue_.empty() && queue_.back()->state == BatchState::kOpen;
    if (!goes_on) OpenNext();
    Batch* batch = queue_.back();
    first_row = static_cast<int>(rows_sent_ - batch->first);
    sync_batch_.store(batch, std::memory_order_relaxed);
  } else {
    while (rows_sent_ + rows_skipped_ + count > rows_opened_) OpenNext();
  }
  rows_sent_ += count;
  return first_row;
}

ResultBatches::RowPlace ResultBatches::Find(std::int64_t number) const {
  const std::int64_t batch = number / batch_size_;
  return {open_[static_cast<std::size_t>(batch & open_mask_)].load(std::memory_order_acquire),
          static_cast<int>(number - batch * batch_size_)};
}

void ResultBatches::Written(Batch& batch, int count) {
  const int written = batch.written.fetch_add(count, std::memory_order_seq_cst) + count;
  if (waited_for_.load(std::memory_order_seq_cst) == &batch &&
      written >= wait_target_.load(std::memory_order_relaxed)) {
    FutexWake(batch.written, 1);
  }
}

void ResultBatches::Sleep(Batch& batch, int target, Clock::time_point end) {
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

std::unique_ptr<Batch> ResultBatches::MakeScratch() {
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

void ResultBatches::Complete(Batch& batch, const std::function<bool(int)>& drop,
                             const std::function<void(int, bool)>& removed) {
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
    if (remove[row]) removed(env_id[row], failed[row]);
  }
  std::erase_if(batch.failures, [&](const Failure& failure) { return drop(failure.env_id); });
  RemoveRows(batch, remove);
  batch.state = BatchState::kFull;
}

Received ResultBatches::Acquire(Batch& batch) {
  if (batch.state != BatchState::kFull) batch.rows = Expected(batch);
  batch.state = BatchState::kHeld;
  Leave(batch);
  return {&batch, batch.rows, ClosePlayerGaps(batch)};
}

Received ResultBatches::Nothing() {
  Batch* batch = Open();
  batch->rows = 0;
  batch->state = BatchState::kHeld;
  return {batch, 0, 0};
}

void ResultBatches::Release(Batch& batch) {
  batch.FreeDynamic(0, batch.rows);
  batch.state = BatchState::kSpare;
  if (&batch != all_envs_batch_) spare_.push_back(&batch);
}

Received ResultBatches::ExtractRows(const std::function<int(int env_id)>& row_of, int count) {
  if (all_envs_batch_ == nullptr) {
    batches_.push_back(std::make_unique<Batch>(layout_, num_envs_, batches_.size()));
    all_envs_batch_ = batches_.back().get();
  }
  Prepare(all_envs_batch_);
  all_envs_batch_->rows = count;
  all_envs_batch_->state = BatchState::kHeld;
  const std::vector<Batch*> full = std::exchange(queue_, {});
  // No environment is in flight, so rows may be numbered anew.
  rows_sent_ = rows_skipped_ = rows_opened_ = 0;
  std::vector<Failure> failures;
  for (Batch* batch : full) {
    const int* env_id = batch->column<int>(kEnvIdColumn);
    for (int row = 0; row < batch->rows; ++row) {
      const int row_of_all = row_of(env_id[row]);
      if (row_of_all >= 0) {
        all_envs_batch_->Take(*batch, row, row_of_all);
        continue;
      }
      if (rows_sent_ == rows_opened_) OpenNext();
      Batch& to = *queue_.back();
      to.Take(*batch, row, static_cast<int>(rows_sent_++ - to.first));
      to.written.fetch_add(1, std::memory_order_relaxed);
    }
    std::move(batch->failures.begin(), batch->failures.end(), std::back_inserter(failures));
    batch->failures.clear();
    batch->state = BatchState::kSpare;
    spare_.push_back(batch);
  }
  next_row_.store(rows_sent_, std::memory_order_release);
  if (!failures.empty()) {  // they come first, with no rows
    Batch* batch = Open();
    batch->state = BatchState::kFull;
    batch->rows = 0;
    batch->failures = std::move(failures);
    queue_.insert(queue_.begin(), batch);
  }
  return {all_envs_batch_, count, ClosePlayerGaps(*all_envs_batch_)};
}

void ResultBatches::DropEmpty(Batch& batch) {
  Leave(batch);
  batch.failures.clear();
  batch.state = BatchState::kSpare;
  spare_.push_back(&batch);
}

void ResultBatches::SkipToNextBatch() {
  rows_skipped_ = rows_opened_ - rows_sent_;
  next_row_.store(rows_opened_, std::memory_order_release);
}

void ResultBatches::RemoveRows(Batch& batch, const std::vector<bool>& remove) {
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
    const auto left = static_cast<std::size_t>(to++), taken = static_cast<std::size_t>(from);
    batch.players[left] = batch.players[taken];
    batch.outcomes[left] = batch.outcomes[taken];
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

int ResultBatches::ClosePlayerGaps(Batch& batch) {
  const int rows = batch.rows;
  if (layout_.max_players == 1 && !batch.player_counts_differ.load(std::memory_order_relaxed))
    return rows;
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
