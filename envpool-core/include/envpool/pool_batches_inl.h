// SPDX-License-Identifier: Apache-2.0
// How the pool sends environments and receives batches; its interface is pool_base.h.
#pragma once

#include <algorithm>
#include <cstring>

#include "envpool/pool_base.h"

namespace envpool {

inline Batch* PoolBase::NewBatch() {
  if (free_.empty()) {
    batches_.push_back(std::make_unique<Batch>());
    Batch* batch = batches_.back().get();
    batch->layout = state_;
    batch->capacity = options_.engine.batch_size;
    batch->id = batches_.size() - 1;
    batch->columns.resize(state_->arrays.size());
    batch->players.assign(static_cast<std::size_t>(batch->capacity), 1);
    free_.push_back(batch);
  }
  Batch* batch = free_.back();
  free_.pop_back();
  memory_.Attach(*batch);
  batch->Recycle();
  for (std::size_t i = kNumCommonColumns; i < batch->columns.size(); ++i) {
    if (!state_->arrays[i].dynamic()) continue;  // null pointers, for FreeDynamic
    const std::size_t size = state_->row_sizes[i] * static_cast<std::size_t>(batch->capacity);
    std::memset(batch->columns[i], 0, size);
    if (!batch->final_columns.empty()) std::memset(batch->final_columns[i], 0, size);
  }
  return batch;
}

inline void PoolBase::Send(const int* env_ids, int count, Op op) {
  if (env_ids == nullptr && (!synchronous() || num_in_flight_ > 0)) {
    // The engine's shortcut for "all of them" needs rows that begin with environment 0.
    std::vector<int> all(static_cast<std::size_t>(num_envs()));
    for (int i = 0; i < num_envs(); ++i) all[static_cast<std::size_t>(i)] = i;
    return Send(all.data(), count, op);
  }
  const bool one_batch_open = !open_.empty() && !open_.back()->settled;
  while (synchronous() ? !one_batch_open && (open_.empty() || open_.back()->settled)
                       : engine_->NeedsBatch(count)) {
    Batch* batch = NewBatch();
    engine_->Open(batch);
    open_.Push(batch);
  }
  for (int i = 0; i < count && (op != Op::kStep || env_ids != nullptr); ++i) {
    const auto id = static_cast<std::size_t>(env_ids == nullptr ? i : env_ids[i]);
    if (op != Op::kStep) {
      std::uint8_t& todo = env_states_[id].todo;
      todo |= op == Op::kReseed ? kMustReset | kMustBuild : kMustReset;
      // Where nothing else starts the next episode, this may be what another mode does by itself.
      if (options_.autoreset != Autoreset::kDisabled) todo &= static_cast<std::uint8_t>(~kMayGoOn);
      if (flags_[id] & kBroken) --num_broken_;
    }
    flags_[id] = kInFlight;
  }
  if (op == Op::kStep && env_ids == nullptr) {
    std::memset(flags_.data(), kInFlight, flags_.size());
  }
  num_in_flight_ += count;
  engine_->Send(env_ids, count, op != Op::kStep);
}

inline void PoolBase::AwaitRows(Batch& batch, const std::function<void()>& on_nap,
                                Engine::Clock::time_point deadline) {
  const int target = engine_->Expected(batch);
  while (!engine_->Wait(batch, target, deadline)) {
    on_nap();
    if (Engine::Clock::now() < deadline) continue;
    throw Error(ErrorKind::kTimeout, "recv(timeout=...) of " + options_.task_id,
                std::to_string(batch.written.load()) + " of " + std::to_string(target) +
                    " results before the time was over",
                "any timeout, or None to wait for as long as it takes",
                "call recv() again: nothing was lost");
  }
}

inline Received PoolBase::Recv(bool newest, const std::function<void()>& on_nap,
                               Engine::Clock::time_point deadline) {
  CheckRecv(0);
  Batch& batch = newest ? *open_.back() : *open_.front();
  if (!batch.settled) {
    AwaitRows(batch, on_nap, deadline);
    if (!batch.failures.empty()) {
      Settle(batch, [](int) { return false; });
    } else {
      batch.rows = engine_->Expected(batch);
    }
  }
  if (!batch.failures.empty()) ThrowFailures(batch);
  Received received{&batch, batch.rows, ClosePlayerGaps(batch, batch.rows)};
  if (received.rows == num_envs()) {
    std::memset(flags_.data(), 0, flags_.size());
  } else {
    const int* env_id = batch.column<int>(kEnvIdColumn);
    for (int i = 0; i < received.rows; ++i) flags_[static_cast<std::size_t>(env_id[i])] = 0;
  }
  num_in_flight_ -= received.rows;
  open_.Remove(&batch);
  return received;
}

inline void PoolBase::Drop(const int* env_ids, int count, const std::function<void()>& on_nap) {
  if (open_.empty()) return;
  std::vector<bool> named(static_cast<std::size_t>(num_envs()), env_ids == nullptr);
  bool any = env_ids == nullptr;
  for (int i = 0; i < count && env_ids != nullptr; ++i) {
    if (env_ids[i] < 0 || env_ids[i] >= num_envs()) continue;  // CheckSend says so
    named[static_cast<std::size_t>(env_ids[i])] = true;
    any = any || in_flight(env_ids[i]);
  }
  // A failure that was not reported yet is of no interest after a reset.
  for (Batch* batch = open_.front(); batch != nullptr && batch->settled; batch = batch->next) {
    any = any || std::any_of(batch->failures.begin(), batch->failures.end(), [&](const auto& it) {
            return named[static_cast<std::size_t>(it.env_id)];
          });
  }
  if (!any) return;
  for (Batch* batch = open_.front(); batch != nullptr; batch = batch->next) {
    if (!batch->settled) AwaitRows(*batch, on_nap, Engine::Clock::time_point::max());
  }
  for (Batch *batch = open_.front(), *next = nullptr; batch != nullptr; batch = next) {
    next = batch->next;
    Settle(*batch, [&](int env_id) { return named[static_cast<std::size_t>(env_id)]; });
    if (batch->rows == 0 && batch->failures.empty()) Retire(*batch);
  }
  if (!synchronous()) engine_->SkipToNextBatch();
}

inline void PoolBase::Settle(Batch& batch, const std::function<bool(int)>& drop) {
  if (!batch.settled) batch.rows = engine_->Expected(batch);
  std::vector<bool> remove(static_cast<std::size_t>(batch.rows));
  const int* env_id = batch.column<int>(kEnvIdColumn);
  for (int row = 0; row < batch.rows; ++row) {
    if (!drop(env_id[row])) continue;
    remove[static_cast<std::size_t>(row)] = true;
    flags_[static_cast<std::size_t>(env_id[row])] = 0;
  }
  if (!batch.settled) {
    for (const Failure& failure : batch.failures) {
      remove[static_cast<std::size_t>(failure.row)] = true;
      flags_[static_cast<std::size_t>(failure.env_id)] = kBroken;
      ++num_broken_;
    }
  }
  std::erase_if(batch.failures, [&](const Failure& failure) { return drop(failure.env_id); });
  num_in_flight_ -= static_cast<int>(std::count(remove.begin(), remove.end(), true));
  RemoveRows(batch, remove);
  batch.settled = true;
}

inline void PoolBase::ThrowFailures(Batch& batch) {
  const std::vector<Failure> failures = std::move(batch.failures);
  batch.failures.clear();
  const Failure& first = failures.front();
  const std::string others =
      failures.size() == 1 ? "" : " (and " + std::to_string(failures.size() - 1) + " more)";
  Error error(ErrorKind::kWorker, detail::TextFirst(first.text, "recv of " + options_.task_id),
              "this exception in env " + std::to_string(first.env_id) + others,
              "none in Reset and Step",
              "reset that environment to go on with it; the results of the other " +
                  std::to_string(batch.rows) + " environments are kept for the next recv()");
  error.task_id = options_.task_id;
  error.failures = failures;
  if (batch.rows == 0) Retire(batch);
  throw error;
}

inline void PoolBase::Retire(Batch& batch) {
  open_.Remove(&batch);
  batch.failures.clear();
  free_.push_back(&batch);
}

inline void PoolBase::Release(Batch* batch) {
  FreeDynamic(*batch, 0, batch->rows);
  free_.push_back(batch);
}

inline void PoolBase::FreeDynamic(Batch& batch, int row, int count) {
  for (std::size_t i = kNumCommonColumns; i < batch.columns.size(); ++i) {
    const ArraySpec& array = state_->arrays[i];
    if (!array.dynamic()) continue;
    for (const auto& columns : {std::cref(batch.columns), std::cref(batch.final_columns)}) {
      if (columns.get().empty()) continue;
      const std::size_t size = state_->row_sizes[i] * static_cast<std::size_t>(count);
      std::byte* data = columns.get()[i] + static_cast<std::size_t>(row) * state_->row_sizes[i];
      for (std::size_t at = 0; at < size; at += array.element_size) {
        const DynamicArray taken = array.take(data + at);
        if (taken.owner != nullptr) taken.free(taken.owner);
      }
    }
  }
}

inline void PoolBase::RemoveRows(Batch& batch, const std::vector<bool>& remove) {
  int to = 0;
  for (int from = 0; from < batch.rows; ++from) {
    if (remove[static_cast<std::size_t>(from)]) {
      FreeDynamic(batch, from, 1);
      continue;
    }
    const auto move = [&](std::byte* column, std::size_t size) {
      if (column == nullptr || from == to) return;
      std::memcpy(column + static_cast<std::size_t>(to) * size,
                  column + static_cast<std::size_t>(from) * size, size);
    };
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      move(batch.columns[i], state_->row_sizes[i]);
      if (!batch.final_columns.empty()) move(batch.final_columns[i], state_->row_sizes[i]);
    }
    batch.players[static_cast<std::size_t>(to++)] = batch.players[static_cast<std::size_t>(from)];
  }
  // The rows that moved up took their dynamic arrays along.
  for (std::size_t i = kNumCommonColumns; i < batch.columns.size(); ++i) {
    if (!state_->arrays[i].dynamic()) continue;
    const std::size_t begin = static_cast<std::size_t>(to) * state_->row_sizes[i];
    const std::size_t size = static_cast<std::size_t>(batch.rows - to) * state_->row_sizes[i];
    std::memset(batch.columns[i] + begin, 0, size);
    if (!batch.final_columns.empty()) std::memset(batch.final_columns[i] + begin, 0, size);
  }
  batch.rows = to;
}

inline int PoolBase::ClosePlayerGaps(Batch& batch, int rows) {
  if (state_->max_players == 1 && !batch.uneven.load(std::memory_order_relaxed)) return rows;
  int total = 0;
  for (int row = 0; row < rows; ++row) total += batch.players[static_cast<std::size_t>(row)];
  if (total == rows * state_->max_players) return total;
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const ArraySpec& array = state_->arrays[i];
    if (!array.per_player()) continue;
    std::size_t to = 0;
    for (int row = 0; row < rows; ++row) {
      const std::size_t size =
          array.item_size() *
          static_cast<std::size_t>(batch.players[static_cast<std::size_t>(row)]);
      const std::size_t from = static_cast<std::size_t>(row) * state_->row_sizes[i];
      if (to != from) std::memmove(batch.columns[i] + to, batch.columns[i] + from, size);
      to += size;
    }
    if (!array.dynamic()) continue;
    // The arrays that moved up were left behind as well.
    const std::size_t all = static_cast<std::size_t>(rows) * state_->row_sizes[i];
    std::memset(batch.columns[i] + to, 0, all - to);
  }
  return total;
}

}  // namespace envpool
