// SPDX-License-Identifier: Apache-2.0
#include "envpool/view.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace envpool::detail {

void RefuseIndex(std::size_t i, std::size_t first, const int* dims, int rank, bool only_player) {
  std::string text = "index " + std::to_string(static_cast<std::ptrdiff_t>(i));
  if (rank == 0) throw std::out_of_range(text + " of a lone number: only 0 is allowed");
  text += " of an array of shape (" + std::to_string(first);
  for (int d = 0; d + 1 < rank; ++d) text += ", " + std::to_string(dims[d]);
  text += rank == 1 ? ",)" : ")";
  if (first == 0) throw std::out_of_range(text + ": there is nothing in it");
  if (only_player && rank == 2) first = std::max<std::size_t>(1, static_cast<std::size_t>(*dims));
  text += ": allowed are 0 .. " + std::to_string(first - 1);
  if (only_player && rank > 2) text += ", as the first index is the player's";
  throw std::out_of_range(text);
}
void RefuseShape(std::size_t dim, int rank) {
  throw std::out_of_range("Shape(" + std::to_string(static_cast<std::ptrdiff_t>(dim)) +
                          ") of an array that has " + std::to_string(rank) + " dimensions");
}
void RefuseCount(std::size_t count, std::size_t size) {
  throw std::invalid_argument("Assign got " + std::to_string(count) + " values for an array of " +
                              std::to_string(size));
}

}  // namespace envpool::detail
