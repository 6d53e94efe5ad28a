// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/batch.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace envpool {
namespace {

constexpr int kTerminal = kTerminated | kTerminalState;

}  // namespace

void Batch::Clear(int row, int count) {
  const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
  const std::size_t end = layout->written_whole ? kNumCommonColumns : columns.size();
  for (std::size_t i = kRewardColumn; i < end; ++i) {
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
}

void Batch::Finish(int row, int count, const int* env_ids) {
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
  const std::uint8_t* __restrict outcome = outcomes.data() + at;
  auto* __restrict terminated = column<std::uint8_t>(kTerminatedColumn) + at;
  auto* __restrict trunc = column<std::uint8_t>(kTruncColumn) + at;
  for (std::size_t i = 0; i < n; ++i) terminated[i] = (outcome[i] & kTerminal) != 0;
  for (std::size_t i = 0; i < n; ++i) trunc[i] = (outcome[i] & kTruncated) != 0;
  if (writes_dm_columns) WriteDmColumns(row, count);
}

void Batch::WriteDmColumns(int row, int count) {
  constexpr int kLast = kTerminated | kTruncated;
  const auto n = static_cast<std::size_t>(count), at = static_cast<std::size_t>(row);
  const auto max_players = static_cast<std::size_t>(layout->max_players);
  const std::uint8_t* __restrict outcome = outcomes.data() + at;
  auto* __restrict done = column<std::uint8_t>(kDoneColumn) + at;
  auto* __restrict step_type = column<int>(kStepTypeColumn) + at;
  for (std::size_t i = 0; i < n; ++i) done[i] = (outcome[i] & kLast) != 0;
  for (std::size_t i = 0; i < n; ++i) {
    step_type[i] = (outcome[i] & kLast) ? 2 : outcome[i] & kFirst ? 0 : 1;
  }
  // At a terminal state nothing is to come, unless the environment said how much counts.
  float* discount = column<float>(kDiscountColumn) + at * max_players;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(outcome[i] & kTerminal)) continue;
    std::replace(discount + i * max_players, discount + (i + 1) * max_players, 1.0f, 0.0f);
  }
}

void Batch::Take(Batch& other, int from, int to) {
  const auto take = [&](std::byte* own, std::byte* others, std::size_t i) {
    if (own == nullptr || others == nullptr) return;
    const std::size_t size = layout->row_sizes[i];
    others += static_cast<std::size_t>(from) * size;
    std::memcpy(own + static_cast<std::size_t>(to) * size, others, size);
    if (layout->arrays[i].dynamic()) std::memset(others, 0, size);  // it has one owner
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    take(columns[i], other.columns[i], i);
    if (!final_columns.empty()) take(final_columns[i], other.final_columns[i], i);
  }
  outcomes[static_cast<std::size_t>(to)] = other.outcomes[static_cast<std::size_t>(from)];
  const std::int32_t count = other.players[static_cast<std::size_t>(from)];
  if (count != 1) SetPlayers(to, count);
}

void Batch::FreeDynamic(int row, int count) {
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

}  // namespace envpool
