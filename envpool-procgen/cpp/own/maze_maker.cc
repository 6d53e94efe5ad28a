// SPDX-License-Identifier: Apache-2.0
#include "own/maze_maker.h"

#include <algorithm>
#include <numeric>

#include "own/thing.h"

namespace envpool::procgen {

MazeMaker::MazeMaker(int size)
    : size_(size), side_(size + 2), cells_(Index(0, side_)), free_(), is_free_() {}

void MazeMaker::Free(int x, int y) {
  cells_[Index(x + 1, y + 1)] = kSpace;
  const int cell = size_ * y + x;
  if (is_free_[static_cast<std::size_t>(cell)]) return;
  is_free_[static_cast<std::size_t>(cell)] = true;
  free_.push_back(cell);
}

void MazeMaker::Make(Random& random) {
  struct Wall {
    int x, y;    // of the wall
    int dx, dy;  // to the rooms on both sides
  };
  std::fill(cells_.begin(), cells_.end(), kWall);
  cells_[Index(1, 1)] = 0;
  free_.clear();
  const auto count = static_cast<std::size_t>(size_ * size_);
  is_free_.assign(count, false);
  std::vector<Wall> walls;
  for (int x = 1; x < size_ - 1; x += 2) {
    for (int y = 0; y < size_; y += 2) walls.push_back({x, y, 1, 0});
  }
  for (int x = 0; x < size_; x += 2) {
    for (int y = 1; y < size_ - 1; y += 2) walls.push_back({x, y, 0, 1});
  }
  // Which part of the maze a room belongs to.
  std::vector<int> part(count);
  std::iota(part.begin(), part.end(), 0);
  const auto part_of = [&](int x, int y) -> int& {
    return part[static_cast<std::size_t>(size_ * y + x)];
  };
  while (!walls.empty()) {
    const auto n = static_cast<std::size_t>(random.Below(walls.size()));
    const Wall wall = walls[n];
    walls.erase(walls.begin() + static_cast<std::ptrdiff_t>(n));
    const int near = part_of(wall.x - wall.dx, wall.y - wall.dy);
    const int far = part_of(wall.x + wall.dx, wall.y + wall.dy);
    if (near == far || cells_[Index(wall.x + 1, wall.y + 1)] != kWall) continue;
    Free(wall.x - wall.dx, wall.y - wall.dy);
    Free(wall.x, wall.y);
    Free(wall.x + wall.dx, wall.y + wall.dy);
    std::replace(part.begin(), part.end(), near, far);
    part_of(wall.x, wall.y) = far;
  }
}

int MazeMaker::Kind(int index) const {
  const int x = index % side_, y = index / side_;
  if (x <= 0 || x >= side_ - 1 || y <= 0 || y >= side_ - 1) return kOutside;
  return cells_[static_cast<std::size_t>(index)];
}

std::vector<int> MazeMaker::Neighbours(int index, int kind) const {
  std::vector<int> found;
  for (const int step : {-1, -side_, side_, 1}) {
    if (Kind(index + step) == kind) found.push_back(index + step);
  }
  return found;
}

std::vector<int> MazeMaker::CellsOf(int kind) const {
  std::vector<int> found;
  for (int i = 0; i < side_ * side_; ++i) {
    if (Kind(i) == kind) found.push_back(i);
  }
  return found;
}

void MazeMaker::OpenDeadEnds(Random& random) {
  for (int i = 0; i < side_ * side_; ++i) {
    if (Kind(i) != kSpace || Neighbours(i, kSpace).size() != 1) continue;
    const std::vector<int> walls = Neighbours(i, kWall);
    if (walls.empty()) continue;
    const auto n = static_cast<std::size_t>(random.Below(walls.size()));
    cells_[static_cast<std::size_t>(walls[n])] = kSpace;
  }
}

// Goes from `before` over free cells, ring by ring, and adds them to `reached`, until it comes
// beside something of `kind`, which it returns; -1 if it does not.
int MazeMaker::Flood(const std::vector<bool>& before, std::vector<bool>& reached, int kind) const {
  std::vector<bool> ring = before;
  for (bool grows = true; grows;) {
    grows = false;
    std::vector<bool> next(ring.size());
    for (std::size_t cell = 0; cell < ring.size(); ++cell) {
      if (!ring[cell]) continue;
      const std::vector<int> goals = Neighbours(static_cast<int>(cell), kind);
      for (const int neighbour : Neighbours(static_cast<int>(cell), kSpace)) {
        const auto n = static_cast<std::size_t>(neighbour);
        if (before[n] || reached[n]) continue;
        next[n] = reached[n] = grows = true;
      }
      if (!goals.empty()) return goals[0];
    }
    ring = next;
  }
  return -1;
}

void MazeMaker::MakeWithDoors(Random& random, int doors) {
  Make(random);
  std::vector<int> forks;
  for (int i = 0; i < side_ * side_; ++i) {
    if (Kind(i) == kSpace && Neighbours(i, kSpace).size() > 2) forks.push_back(i);
  }
  std::vector<int> chosen;
  if (doors > static_cast<int>(forks.size())) {
    chosen = forks;
  } else {
    while (static_cast<int>(chosen.size()) < doors) {
      const auto n = random.Below(forks.size());
      chosen.push_back(forks[static_cast<std::size_t>(n)]);
      forks.erase(forks.begin() + n);
    }
  }
  for (const int cell : chosen) cells_[static_cast<std::size_t>(cell)] = kDoor;
  // Not beside a door: there would be no room for its key.
  const std::vector<int> spaces = CellsOf(kSpace);
  int start = 0;
  do {
    start = spaces[static_cast<std::size_t>(random.Below(spaces.size()))];
  } while (!Neighbours(start, kDoor).empty());
  cells_[static_cast<std::size_t>(start)] = kAgentCell;
  // Behind each door is the key of the next one, and behind the last one the exit.
  std::vector<bool> open(cells_.size());
  open[static_cast<std::size_t>(start)] = true;
  const int count = static_cast<int>(chosen.size());
  for (int number = 0; number <= count; ++number) {
    std::vector<bool> reached(cells_.size());
    int door = -1;
    const auto keep = [&] {
      for (std::size_t i = 0; i < open.size(); ++i) open[i] = open[i] || reached[i];
    };
    if (number < count) {
      door = Flood(open, reached, kDoor);
      cells_[static_cast<std::size_t>(door)] = kDoor + number + 1;
      keep();
    }
    constexpr int kNothing = -999;
    Flood(open, reached, kNothing);
    std::vector<int> room;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) room.push_back(static_cast<int>(i));
    }
    const auto place =
        static_cast<std::size_t>(room[static_cast<std::size_t>(random.Below(room.size()))]);
    cells_[place] = number == count ? static_cast<int>(kExit) : kKey + number + 1;
    keep();
    if (door >= 0) open[static_cast<std::size_t>(door)] = true;
  }
}

void MazeMaker::Place(Random& random, int kind) {
  int n = 0, cell = 0;
  do {
    n = random.Below(free_.size());
    cell = free_[static_cast<std::size_t>(n)];
  } while (cell == -1 || cell == 0);
  free_[static_cast<std::size_t>(n)] = -1;
  cells_[Index(cell % size_ + 1, cell / size_ + 1)] = kind;
}

}  // namespace envpool::procgen
