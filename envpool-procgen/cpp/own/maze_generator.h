// SPDX-License-Identifier: Apache-2.0
// MazeGenerator: the mazes of several games.
#pragma once

#include <vector>

#include "own/grid.h"
#include "own/random.h"

namespace envpool::procgen {

class MazeGenerator {
 public:
  /// `side`: an odd number of cells.
  MazeGenerator(Random& random, int side);

  /// A maze with exactly one way between any two free cells.
  void MakePlain();
  /// A maze without dead ends.
  void MakeOpen();
  /// A maze with an agent, up to `doors` doors, each door's key before it, and an exit; as marks.
  void MakeWithDoors(int doors);
  /// Puts things with numbers first, first + 1 ... into free cells other than (0, 0).
  void Place(int first, int count);

  /// The content of a cell of the maze.
  int At(int x, int y) const { return cells_.Get(x + 1, y + 1, kBorder); }

 private:
  static constexpr int kBorder = -1;
  // The neighbors of a cell with this value, in Procgen's order.
  std::vector<int> Neighbors(int cell, int value) const;
  void Free(int x, int y);
  int Search(std::vector<bool>& known, std::vector<bool>& found, int wanted) const;

  Random& random_;
  const int side_;
  Grid cells_;             // with a border of kBorder
  std::vector<int> free_;  // y * side + x, in the order in which they became free
};

}  // namespace envpool::procgen
