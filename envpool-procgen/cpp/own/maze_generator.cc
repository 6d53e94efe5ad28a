// SPDX-License-Identifier: Apache-2.0
#include "own/maze_generator.h"

#include <algorithm>
#include <numeric>

#include "own/entity.h"

namespace envpool::procgen {

MazeGenerator::MazeGenerator(Random& random, int side) : random_(random), side_(side) {}

void MazeGenerator::MakePlain() {
  struct Between {
    int x0, y0, x1, y1;
  };
  cells_.Resize(side_ + 2, side_ + 2, kBorder);
  cells_.Fill(1, 1, side_, side_, kWall);
  free_.clear();
  std::vector<Between> walls;
  for (int x = 1; x < side_ - 1; x += 2) {
    for (int y = 0; y < side_; y += 2) walls.push_back({x - 1, y, x + 1, y});
  }
  for (int x = 0; x < side_; x += 2) {
    for (int y = 1; y < side_ - 1; y += 2) walls.push_back({x, y - 1, x, y + 1});
  }
  std::vector<int> set(static_cast<std::size_t>(side_ * side_));
  std::iota(set.begin(), set.end(), 0);
  const auto set_of = [&](int x, int y) {
    auto cell = static_cast<std::size_t>(y * side_ + x);
    while (set[cell] != static_cast<int>(cell)) {
      set[cell] = set[static_cast<std::size_t>(set[cell])];
      cell = static_cast<std::size_t>(set[cell]);
    }
    return cell;
  };
  while (!walls.empty()) {
    const auto at = walls.begin() + random_.Below(static_cast<int>(walls.size()));
    const Between wall = *at;
    walls.erase(at);
    const std::size_t one = set_of(wall.x0, wall.y0), other = set_of(wall.x1, wall.y1);
    if (one == other) continue;
    Free(wall.x0, wall.y0);
    Free((wall.x0 + wall.x1) / 2, (wall.y0 + wall.y1) / 2);
    Free(wall.x1, wall.y1);
    set[other] = static_cast<int>(one);
  }
}

void MazeGenerator::Free(int x, int y) {
  if (At(x, y) == kSpace) return;
  cells_.Set(x + 1, y + 1, kSpace);
  free_.push_back(y * side_ + x);
}

std::vector<int> MazeGenerator::Neighbors(int cell, int value) const {
  const int width = cells_.width();
  std::vector<int> found;
  for (const int next : {cell - 1, cell - width, cell + width, cell + 1}) {
    if (cells_.Get(next, kBorder) == value) found.push_back(next);
  }
  return found;
}

void MazeGenerator::MakeOpen() {
  MakePlain();
  for (int cell = 0; cell < cells_.size(); ++cell) {
    if (cells_.Get(cell, kBorder) != kSpace || Neighbors(cell, kSpace).size() != 1) continue;
    const std::vector<int> walls = Neighbors(cell, kWall);
    if (!walls.empty()) cells_.Set(random_.OneOf(walls), kSpace);
  }
}

void MazeGenerator::Place(int first, int count) {
  for (int i = 0; i < count; ++i) {
    int* cell = nullptr;
    do {
      cell = &free_[static_cast<std::size_t>(random_.Below(static_cast<int>(free_.size())))];
    } while (*cell <= 0);
    cells_.Set(*cell % side_ + 1, *cell / side_ + 1, first + i);
    *cell = -1;
  }
}

void MazeGenerator::MakeWithDoors(int doors) {
  MakePlain();
  std::vector<int> forks;
  for (const int cell : cells_.Find(kSpace)) {
    if (Neighbors(cell, kSpace).size() > 2) forks.push_back(cell);
  }
  const std::vector<int> chosen = random_.Some(forks, doors);
  for (const int cell : chosen) cells_.Set(cell, kDoorMark);
  const std::vector<int> free = cells_.Find(kSpace);
  int start = 0;
  do {
    start = random_.OneOf(free);
  } while (!Neighbors(start, kDoorMark).empty());
  cells_.Set(start, kAgentMark);

  const auto count = static_cast<std::size_t>(cells_.size());
  std::vector<bool> known(count);
  known[static_cast<std::size_t>(start)] = true;
  const auto last = static_cast<int>(chosen.size());
  for (int door = 0; door <= last; ++door) {
    std::vector<bool> reached(count);
    int found = kBorder;
    const auto keep = [&] {
      for (std::size_t i = 0; i < count; ++i) known[i] = known[i] || reached[i];
    };
    if (door < last) {
      found = Search(known, reached, kDoorMark);
      cells_.Set(found, kDoorMark + door + 1);
      keep();
    }
    Search(known, reached, kBorder);
    std::vector<int> places;
    for (std::size_t i = 0; i < count; ++i) {
      if (reached[i]) places.push_back(static_cast<int>(i));
    }
    cells_.Set(random_.OneOf(places), door < last ? kKeyMark + door + 1 : int{kExitMark});
    keep();
    if (found != kBorder) known[static_cast<std::size_t>(found)] = true;
  }
}

// Searches from the known cells over all free cells, breadth first, until a cell has a wanted
// neighbor, which it returns; kBorder if there is none.
int MazeGenerator::Search(std::vector<bool>& known, std::vector<bool>& found, int wanted) const {
  std::vector<int> level;
  for (int i = 0; i < cells_.size(); ++i) {
    if (known[static_cast<std::size_t>(i)]) level.push_back(i);
  }
  while (!level.empty()) {
    std::vector<int> next;
    for (const int cell : level) {
      for (const int neighbor : Neighbors(cell, kSpace)) {
        const auto at = static_cast<std::size_t>(neighbor);
        if (known[at] || found[at]) continue;
        found[at] = true;
        next.push_back(neighbor);
      }
      if (wanted == kBorder) continue;
      const std::vector<int> there = Neighbors(cell, wanted);
      if (!there.empty()) return there.front();
    }
    std::sort(next.begin(), next.end());
    level = std::move(next);
  }
  return kBorder;
}

}  // namespace envpool::procgen
