// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/columns.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool {

Columns::Columns(std::vector<ArraySpec> specs, int max_players)
    : arrays(std::move(specs)), max_players(max_players) {
  for (const ArraySpec& array : arrays) {
    const std::size_t items =
        array.per_player() ? static_cast<std::size_t>(std::max(max_players, 1)) : 1;
    if (array.item_size() > kMostBytes / items) {
      throw std::invalid_argument("array '" + array.name +
                                  "': more than 2^38 bytes for one environment");
    }
    row_sizes.push_back(array.item_size() * items);
    has_dynamic = has_dynamic || array.dynamic();
    const bool scalar = array.shape.empty();
    const int* dims = array.shape.data() + (scalar ? 0 : 1);
    const int rank = static_cast<int>(array.shape.size());
    views.push_back({.first = scalar ? 1 : array.shape[0],
                     .rank = rank,
                     .stride = detail::Product(dims, rank - 1),
                     .dims = dims});
  }
}

void Row::CheckPlayers(int player_num) const {
  if (players != kOffered) {
    throw std::logic_error("Allocate() was called twice in one Reset() or Step()");
  }
  if (player_num >= 0 && player_num <= max_players) return;
  throw std::invalid_argument("Allocate(" + std::to_string(player_num) + "): max_num_players is " +
                              std::to_string(max_players));
}

}  // namespace envpool
