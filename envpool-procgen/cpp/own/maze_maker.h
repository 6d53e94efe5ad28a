// SPDX-License-Identifier: Apache-2.0
// MazeMaker: mazes by Kruskal's algorithm, walls being taken away in a random order.
#pragma once

#include <vector>

#include "own/random.h"

namespace envpool::procgen {

class MazeMaker {
 public:
  explicit MazeMaker(int size);

  /// A maze of size x size cells, with kWall and kSpace; the number of cells is odd.
  void Make(Random& random);
  /// The same, in which dead ends lead on.
  void OpenDeadEnds(Random& random);
  /// The same with closed doors: kDoor + 1 and so on, their keys kKey + 1 and so on, the cell of
  /// the agent and that of the exit.
  void MakeWithDoors(Random& random, int doors);
  /// Puts something on a free cell.
  void Place(Random& random, int kind);

  int at(int x, int y) const { return cells_[Index(x + 1, y + 1)]; }

 private:
  std::size_t Index(int x, int y) const { return static_cast<std::size_t>(y * side_ + x); }
  int Kind(int index) const;
  std::vector<int> Neighbours(int index, int kind) const;
  std::vector<int> CellsOf(int kind) const;
  int Flood(const std::vector<bool>& before, std::vector<bool>& reached, int kind) const;
  void Free(int x, int y);

  const int size_, side_;  // without and with a wall around
  std::vector<int> cells_;
  std::vector<int> free_;  // cells in the order in which they became free; -1: in use
  std::vector<bool> is_free_;
};

}  // namespace envpool::procgen
