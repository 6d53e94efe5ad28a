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
// RowSource: where a worker's environments write, one after the other; `Env::Allocate` takes a row.
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
#include "envpool/view.h"

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

/// What a View of one environment's part of an array is made of, worked out once.
struct ViewShape {
  int first;  ///< size of the first dimension; kPlayers: as many as there are players
  int rank;
  std::size_t stride;  ///< product of the sizes after the first
  const int* dims;     ///< the sizes after the first
};

/// The arrays of a state or action spec, and the bytes that one environment takes in each.
struct Layout {
  std::vector<ArraySpec> arrays;
  std::vector<std::size_t> row_sizes;
  std::vector<ViewShape> views;  ///< point into `arrays`, which must not change any more
  int max_players = 1;
  // More is a mistake, and its product with the number of environments might not be a number any
  // more.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 38;

  Layout() = default;
  Layout(Layout&&) = default;
  Layout& operator=(Layout&&) = default;
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
      const bool scalar = array.shape.empty();
      const int* dims = array.shape.data() + (scalar ? 0 : 1);
      const int rank = static_cast<int>(array.shape.size());
      views.push_back({.first = scalar ? 1 : array.shape[0],
                       .rank = rank,
                       .stride = detail::Product(dims, rank - 1),
                       .dims = dims});
    }
  }
};

/// What a worker leaves in the `done` column until Batch::Finish makes flags of it.
enum Outcome : std::uint8_t {
  kFirst = 1,
  kTerminated = 2,
  kTruncated = 4,
  kTerminalState = 8,  ///< terminated for those who learn from it; the episode goes on
};

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
  std::atomic<bool> uneven{false};        ///< whether some row has another number of players than 1
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
    if (!flags_only) {
      const auto max_players = static_cast<std::size_t>(layout->max_players);
      std::fill_n(column<float>(kDiscountColumn) + at * max_players, n * max_players, 1.0f);
    }
    for (std::size_t i = 0; i < final_columns.size(); ++i) {
      if (final_columns[i] == nullptr) continue;
      std::memset(final_columns[i] + at * layout->row_sizes[i], 0, n * layout->row_sizes[i]);
    }
  }

  /// Completes `count` rows that environments have written: whose they are, and the flags that
  /// follow from how their steps came out.
  void Finish(int row, int count, const int* env_ids) {
    const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
    std::copy_n(env_ids, n, column<int>(kEnvIdColumn) + at);
    const auto max_players = static_cast<std::size_t>(layout->max_players);
    int* players_env_id = column<int>(kPlayersEnvIdColumn) + at * max_players;
    if (max_players == 1) {
      std::copy_n(env_ids, n, players_env_id);
    } else {
      for (std::size_t i = 0; i < n * max_players; ++i)
        players_env_id[i] = env_ids[i / max_players];
    }
    // Bytes may be anything's; told that they are not, the compiler does 16 rows at a time.
    auto* __restrict outcome = column<std::uint8_t>(kDoneColumn) + at;
    auto* __restrict terminated = column<std::uint8_t>(kTerminatedColumn) + at;
    auto* __restrict trunc = column<std::uint8_t>(kTruncColumn) + at;
    for (std::size_t i = 0; i < n; ++i) terminated[i] = (outcome[i] & kTerminal) != 0;
    for (std::size_t i = 0; i < n; ++i) trunc[i] = (outcome[i] & kTruncated) != 0;
    if (!flags_only) FinishRest(at, n);
  }

  /// Readies the batch for use, or for the next use.
  void Recycle() {
    settled = false;
    if (!uneven.exchange(false, std::memory_order_relaxed)) return;
    std::fill(players.begin(), players.end(), 1);
  }

  void Fail(Failure failure) {
    const std::lock_guard lock(failures_mutex);
    failures.push_back(std::move(failure));
  }

 private:
  static constexpr int kTerminal = kTerminated | kTerminalState;

  /// What only dm_env shows: discount, step_type and done.
  void FinishRest(std::size_t at, std::size_t n) {
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

/// Gives rows to a worker: all known in advance (synchronous) or taken as environments finish. A
/// row is taken when `Allocate` is called, so that of two environments the one that finishes first
/// gets the earlier row.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// An environment is about to run, and has to take one row.
  void Offer() { offered_ = true; }
  /// Same-step autoreset: the row that was taken last is to be written a second time.
  void OfferAgain() {
    --next_;
    batch_->players[static_cast<std::size_t>(next_)] = 1;
    offered_ = true;
  }
  void Take(int player_num) {
    if (!offered_) RefuseSecond();
    offered_ = false;
    if (next_ == end_) Refill();
    ++next_;
    if (player_num != 1) SetPlayers(player_num);
  }
  bool taken() const { return !offered_; }
  /// The row that was taken last.
  Batch& batch() const { return *batch_; }
  std::size_t row() const { return static_cast<std::size_t>(next_ - 1); }

 protected:
  /// Sets batch_, next_ and end_, which is beyond next_.
  virtual void Refill() = 0;

  Batch* batch_ = nullptr;
  int next_ = 0;
  int end_ = 0;

 private:
  // What is rare stays out of line, or Step would be too big to be inlined.
  [[noreturn, gnu::cold, gnu::noinline]] static void RefuseSecond() {
    throw std::logic_error("Allocate() was called twice in one Reset() or Step()");
  }
  [[gnu::noinline]] void SetPlayers(int player_num) const {
    if (player_num < 0 || player_num > batch_->layout->max_players) {
      throw std::invalid_argument("Allocate(" + std::to_string(player_num) +
                                  "): max_num_players is " +
                                  std::to_string(batch_->layout->max_players));
    }
    batch_->players[row()] = player_num;
    batch_->uneven.store(true, std::memory_order_relaxed);
  }

  bool offered_ = false;
};

}  // namespace envpool
