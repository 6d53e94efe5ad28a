// SPDX-License-Identifier: Apache-2.0
// Columns: the arrays of a state or action spec.  Row: one environment's part of them.
//
//            column 0        column 4      column 9
//            info:env_id     reward        obs
//   row 0    [ 3 ]           [ 1.0 ]       [ 0.1 0.2 0.0 ]
//   row 1    [ 0 ]           [ 0.0 ]       [ 0.4 0.1 0.3 ]
//
// A column is contiguous, with `row_sizes[i]` bytes for each environment; one that has a row per
// player has room for `max_players` of them.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The shape of a View of one environment's part of an array, worked out once.
struct ViewShape {
  int first;  ///< size of the first dimension; kPlayers: as many as there are players
  int rank;
  std::size_t stride;  ///< product of the sizes after the first
  const int* dims;     ///< the sizes after the first
};

/// The arrays of a state or action spec, and the bytes that one environment takes in each.
struct Columns {
  std::vector<ArraySpec> arrays;
  std::vector<std::size_t> row_sizes;
  std::vector<ViewShape> views;  ///< point into `arrays`, which must not change any more
  int max_players = 1;
  bool has_dynamic = false;            ///< whether some array is one of `Container`s
  bool written_whole = false;          ///< environments leave out nothing of a row
  std::vector<std::size_t> map_sizes;  ///< how many arrays each `SpecMap` has
  // More is a mistake, and its product with the number of environments might not be a number any
  // more.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 38;

  Columns() = default;
  Columns(Columns&&) = default;
  Columns& operator=(Columns&&) = default;
  /// Throws std::invalid_argument when an array is too large.
  Columns(std::vector<ArraySpec> specs, int max_players);
};

/// How a step came out: bits from which Batch::Finish makes the columns of flags.
enum Outcome : std::uint8_t {
  kTruncated = 1,
  kTerminated = 2,
  kFirst = 4,
  kTerminalState = 8,  ///< terminated for those who learn from it; the episode goes on
};

/// The row into which an environment writes one result.
struct Row {
  std::byte* const* columns = nullptr;
  std::byte* const* final_columns = nullptr;  ///< columns of final results; null: none
  std::uint8_t* outcomes = nullptr;           ///< by row
  std::size_t index = 0;
  int max_players = 1;
  int players = kOffered;  ///< as many as `Allocate` asked for
  const void* reset_options =
      nullptr;  ///< those of the Reset that is running, where some are given

  static constexpr int kOffered = -1;  ///< in place of players: `Allocate` was not called yet

  /// Throws unless `Allocate(player_num)` is right. Out of line, or Step would be too big to be
  /// inlined: one player, asked for once, needs no look.
  void CheckPlayers(int player_num) const;
};

namespace detail {
/// The view of one environment's part of an array, which begins at `data`.
template <typename T>
[[gnu::always_inline]] inline View<T> MakeView(const ViewShape& shape, std::byte* data, int players,
                                               int max_players) {
  const int first = shape.first == kPlayers ? players : shape.first;
  return View<T>(reinterpret_cast<T*>(data), static_cast<std::size_t>(first), shape.stride,
                 shape.dims, shape.rank, shape.first == kPlayers && max_players == 1);
}
}  // namespace detail

}  // namespace envpool
