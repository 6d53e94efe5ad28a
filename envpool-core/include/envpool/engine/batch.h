// SPDX-License-Identifier: Apache-2.0
// Batch: the arrays of one result, while environments write into them and until Python has them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "envpool/engine/columns.h"
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
  std::vector<std::uint8_t> outcomes;     ///< the Outcome bits of each row
  std::atomic<bool> player_counts_differ{
      false};              ///< whether some row has another number of players than 1
  std::int64_t first = 0;  ///< number of row 0, counted over the pool's life
  int rows = 0;            ///< rows that are left, once it is full
  /// Whether Finish writes discount, step_type and done, which only dm_env and programs in C show.
  bool writes_dm_columns = true;
  std::size_t id = 0;             ///< the index of this object among the pool's batches
  std::vector<Failure> failures;  ///< guarded by failures_mutex until all rows are written
  std::mutex failures_mutex;
  alignas(64) std::atomic<int> written{0};

  Batch(const Columns& columns_of, int rows_in_all, std::size_t number)
      : layout(&columns_of),
        capacity(rows_in_all),
        columns(columns_of.arrays.size()),
        players(static_cast<std::size_t>(rows_in_all), 1),
        outcomes(static_cast<std::size_t>(rows_in_all)),
        id(number) {}

  template <typename T>
  T* column(std::size_t index) const {
    return reinterpret_cast<T*>(columns[index]);
  }
  Row row(int index) {
    return {.columns = columns.data(),
            .final_columns = final_columns.empty() ? nullptr : final_columns.data(),
            .outcomes = outcomes.data(),
            .index = static_cast<std::size_t>(index),
            .max_players = layout->max_players};
  }

  /// Prepares `count` rows for environments that do not write whole rows: elements that they do not
  /// write read as 0, discount as 1.
  void Clear(int row, int count);
  /// Completes `count` rows that environments have written: whose they are, and the flags that
  /// follow from how their steps came out.
  void Finish(int row, int count, const int* env_ids);
  /// Writes the columns discount, step_type and done of `count` rows that are finished.
  void WriteDmColumns(int row, int count);
  /// Takes over row `from` of `other`, with its players and dynamic arrays, as row `to`.
  void Take(Batch& other, int from, int to);
  void SetPlayers(int row, int count) {
    players[static_cast<std::size_t>(row)] = count;
    player_counts_differ.store(true, std::memory_order_relaxed);
  }
  void Fail(Failure failure) {
    SetPlayers(failure.row, 0);
    const std::lock_guard lock(failures_mutex);
    failures.push_back(std::move(failure));
  }
  /// Frees the dynamic arrays that are still in `count` rows.
  void FreeDynamic(int row, int count);
};

/// Gives a batch the memory that its columns live in, before environments write into it.
class BatchMemory {
 public:
  virtual ~BatchMemory() = default;
  virtual void Attach(Batch& batch) = 0;
};

/// The result of Recv: the first `rows` rows of a batch, in which are `players` players.
struct Received {
  Batch* batch = nullptr;
  int rows = 0;
  int players = 0;
};

}  // namespace envpool
