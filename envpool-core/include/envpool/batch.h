// SPDX-License-Identifier: Apache-2.0
// Batch: the arrays that one `recv` returns, while the environments fill them.
//
//            column 0        column 4      column 9
//            info:env_id     reward        obs
//   row 0    [ 3 ]           [ 1.0 ]       [ 0.1 0.2 0.0 ]
//   row 1    [ 0 ]           [ 0.0 ]       [ 0.4 0.1 0.3 ]
//
// A column is one array of the state spec, with `capacity` rows of `row_size` bytes.
// A per-player column has room for `max_players` items in each row; the gaps are closed when the
// batch is received.
// Row: where one environment writes now. The pool hands it to the environment, `Env::Allocate`
// takes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/spec.h"

namespace envpool {

/// The arrays that every environment has, in the order in which they open its state spec.
enum CommonColumn : std::size_t {
  kEnvIdColumn,
  kPlayersEnvIdColumn,
  kElapsedStepColumn,
  kDoneColumn,
  kRewardColumn,
  kDiscountColumn,
  kStepTypeColumn,
  kTruncColumn,
  kTerminatedColumn,
  kNumCommonColumns
};

/// The arrays of a state or action spec, and the bytes that one environment takes in each.
struct Layout {
  std::vector<ArraySpec> arrays;
  std::vector<std::size_t> row_sizes;
  int max_players = 1;
  // More is a mistake, and its product with the number of environments might not be a number any
  // more.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 38;

  Layout() = default;
  Layout(std::vector<ArraySpec> specs, int max_players)
      : arrays(std::move(specs)), max_players(max_players) {
    for (const ArraySpec& array : arrays) {
      const std::size_t items =
          array.per_player() ? static_cast<std::size_t>(std::max(max_players, 1)) : 1;
      if (array.item_size() > kMostBytes / items) {
        throw std::invalid_argument("array '" + array.name +
                                    "': more than 2^38 bytes for one environment");
      }
      row_sizes.push_back(array.item_size() * items);
    }
  }
};

/// What a worker leaves in the `done` column; the receiver makes the flags of it.
enum Outcome : std::uint8_t { kFirst = 1, kTerminated = 2, kTruncated = 4 };

/// What went wrong in one environment.
struct Failure {
  int env_id;
  int row;
  std::string text;
};

struct Batch {
  const Layout* layout = nullptr;
  int capacity = 0;                       ///< rows
  std::vector<std::byte*> columns;        ///< in the order of the layout
  std::vector<std::byte*> final_columns;  ///< last observation and info of an episode that ended
                                          ///< in a row; empty unless autoreset is "same_step"
  std::vector<std::int32_t> players;      ///< players in each row
  std::int64_t first = 0;                 ///< number of row 0, counted over the pool's life
  int rows = 0;                           ///< rows that are left, once `settled`
  bool settled = false;                   ///< complete, and rows of failed environments taken out
  bool flags_only = false;                ///< nobody looks at done, discount and step_type
  std::size_t id = 0;                     ///< which of the pool's batch objects this is
  Batch* next = nullptr;                  ///< in a BatchQueue
  std::vector<Failure> failures;          ///< guarded by failures_mutex until all rows are written
  std::mutex failures_mutex;
  alignas(64) std::atomic<int> written{0};

  template <typename T>
  T* column(std::size_t index) const {
    return reinterpret_cast<T*>(columns[index]);
  }

  /// Readies `count` rows for the environments: what they leave out reads as 0, discount as 1.
  void Clear(int row, int count) {
    const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
    for (std::size_t i = kRewardColumn; i < columns.size(); ++i) {
      if (i > kDiscountColumn && i < kNumCommonColumns) continue;  // the engine writes these
      const std::size_t size = layout->row_sizes[i];
      std::memset(columns[i] + at * size, 0, n * size);
    }
    const auto max_players = static_cast<std::size_t>(layout->max_players);
    std::fill_n(column<float>(kDiscountColumn) + at * max_players, n * max_players, 1.0f);
    for (std::size_t i = 0; i < final_columns.size(); ++i) {
      if (final_columns[i] == nullptr) continue;
      std::memset(final_columns[i] + at * layout->row_sizes[i], 0, n * layout->row_sizes[i]);
    }
    std::fill_n(players.begin() + row, count, 1);
  }

  void Fail(Failure failure) {
    const std::lock_guard lock(failures_mutex);
    failures.push_back(std::move(failure));
  }
};

/// Batches in the order in which they came. Linked, so that it never asks for memory.
class BatchQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  Batch* front() const { return first_; }
  Batch* back() const { return last_; }
  void Push(Batch* batch) {
    batch->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = batch;
    last_ = batch;
  }
  void Remove(const Batch* batch) {
    Batch* before = nullptr;
    for (Batch* at = first_; at != batch; at = at->next) before = at;
    (before == nullptr ? first_ : before->next) = batch->next;
    if (last_ == batch) last_ = before;
  }

 private:
  Batch* first_ = nullptr;
  Batch* last_ = nullptr;
};

/// Gives rows to a worker: all known in advance (synchronous) or taken as environments finish.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// The next row; `batch` is set when it is in another batch than the row before.
  int Next(Batch*& batch) {
    if (left_ == 0) Refill();
    --left_;
    batch = batch_;
    return next_++;
  }

 protected:
  /// Sets batch_, next_ and left_.
  virtual void Refill() = 0;

  Batch* batch_ = nullptr;
  int next_ = 0;
  int left_ = 0;
};

/// The row that one environment is about to write. It is taken when `Allocate` is called, so that
/// of two environments the one that finishes first gets the earlier row.
struct Row {
  RowSource* source = nullptr;
  Batch* batch = nullptr;
  int index = -1;      ///< -1: not taken yet
  bool again = false;  ///< same-step autoreset writes the row a second time

  void Take(int player_num) {
    if (index >= 0 && !again) {
      throw std::logic_error("Allocate() was called twice in one Reset() or Step()");
    }
    if (index < 0) index = source->Next(batch);
    again = false;
    if (player_num != 1) TakePlayers(player_num);
  }

 private:
  void TakePlayers(int player_num) const {
    if (player_num < 0 || player_num > batch->layout->max_players) {
      throw std::invalid_argument("Allocate(" + std::to_string(player_num) +
                                  "): max_num_players is " +
                                  std::to_string(batch->layout->max_players));
    }
    batch->players[static_cast<std::size_t>(index)] = player_num;
  }
};

}  // namespace envpool
