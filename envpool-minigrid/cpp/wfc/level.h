// SPDX-License-Identifier: Apache-2.0
// Levels that wave function collapse makes from a picture: black pixels are walls, others are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../gridworld.h"
#include "python_set.h"
#include "solver.h"

namespace envpool::minigrid {

struct WfcPreset {
  int pattern;  ///< pixels per side of a pattern
  bool wraps;
};
inline WfcPreset PresetOf(const Options& o) {
  const int chosen = Chosen("wfc_preset", o["wfc_preset"_],
                            {"MazeSimple", "DungeonMazeScaled", "RoomsFabric", "ObstaclesBlackdots",
                             "ObstaclesAngular", "ObstaclesHogs3"});
  constexpr std::array<WfcPreset, 6> kPresets = {
      {{2, false}, {2, true}, {3, false}, {2, false}, {3, true}, {3, true}}};
  return kPresets[chosen];
}

/// The patterns of option wfc_picture: height, width, and three numbers per pixel. Each picture's
/// patterns are computed once per process.
inline const Patterns& PatternsOf(const std::vector<int>& numbers, int size) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::pair<std::vector<int>, int>, Patterns>;
  const std::lock_guard lock(mutex);
  const auto [found, added] = all.try_emplace({numbers, size});
  if (added) {
    Picture picture{numbers[0], numbers[1], {}};
    for (std::size_t i = 2; i < numbers.size(); ++i) {
      picture.rgb.push_back(static_cast<std::uint8_t>(numbers[i]));
    }
    found->second = PatternsOf(picture, size);
  }
  return found->second;
}

/// The free cells from which start and goal are drawn, in minigrid's order: the largest connected
/// part, or all.
class FreeCells {
 public:
  using Pair = PythonSet::Pair;

  explicit FreeCells(std::vector<char> free, int size) : free_(std::move(free)), size_(size) {}

  std::vector<Pair> All() const {
    std::vector<Pair> cells;
    for (int row = 0; row < size_; ++row) {
      for (int col = 0; col < size_; ++col) {
        if (IsFree(row, col)) cells.emplace_back(row, col);
      }
    }
    return cells;
  }
  /// The largest connected part; other cells become walls. Empty if no two free cells are
  /// connected.
  std::vector<Pair> Largest() {
    const std::vector<Pair> all = All();
    std::vector<char> seen(free_.size());
    std::vector<Pair> largest;
    for (const Pair& cell : all) {
      if (seen[Index(cell.first, cell.second)] != 0) continue;
      const std::vector<Pair> part = Part(cell, seen);
      if (part.size() > std::max<std::size_t>(largest.size(), 1)) largest = part;
    }
    free_.assign(free_.size(), 0);
    for (const Pair& cell : largest) free_[Index(cell.first, cell.second)] = 1;
    if (2 * largest.size() >= all.size()) return All();
    // networkx iterates over a set that was copied twice.
    for (int made = 0; made < 3; ++made) {
      PythonSet set;
      for (const Pair& cell : largest) set.Add(cell);
      largest = set.InOrder();
    }
    return largest;
  }
  bool IsFree(int row, int col) const { return free_[Index(row, col)] != 0; }

 private:
  std::size_t Index(int row, int col) const { return static_cast<std::size_t>(row * size_ + col); }
  // Breadth first.
  std::vector<Pair> Part(Pair from, std::vector<char>& seen) const {
    std::vector<Pair> part = {from};
    seen[Index(from.first, from.second)] = 1;
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (const auto& [down, right] : {Pair{-1, 0}, {0, -1}, {1, 0}, {0, 1}}) {
        const int row = part[i].first + down, col = part[i].second + right;
        if (row < 0 || col < 0 || row >= size_ || col >= size_) continue;
        if (!IsFree(row, col) || seen[Index(row, col)] != 0) continue;
        seen[Index(row, col)] = 1;
        part.emplace_back(row, col);
      }
    }
    return part;
  }

  std::vector<char> free_;
  int size_;
};

inline void GenerateWfc(Gridworld& w) {
  const WfcPreset preset = PresetOf(w.options);
  const Patterns& patterns = PatternsOf(w.options["wfc_picture"_], preset.pattern);
  const int inner = w.width() - 2;
  WaveSolver solver(patterns, inner, preset.wraps);
  if (!solver.Run(w.random)) {
    throw std::runtime_error("no level was made of the picture in 1000 attempts; take another one");
  }
  std::vector<char> free;
  for (int row = 0; row < inner; ++row) {
    for (int col = 0; col < inner; ++col) {
      free.push_back(patterns.wall[solver.PatternOf(row, col)] ? 0 : 1);
    }
  }
  FreeCells cells(std::move(free), inner);
  const std::vector<FreeCells::Pair> places =
      w.options["ensure_connected"_] ? cells.Largest() : cells.All();
  if (places.size() < 2) return w.Fail();
  std::vector<int> order(places.size());
  w.random.Permutation(order);
  const auto cell = [&](int i) {
    const auto& [row, col] = places[order[i]];
    return Point(row + 1, col + 1);  // rows of the pattern are columns of the grid
  };
  w.WallBorder();
  for (int row = 0; row < inner; ++row) {
    for (int col = 0; col < inner; ++col) {
      if (!cells.IsFree(row, col)) w.Set({row + 1, col + 1}, kWallId);
    }
  }
  w.agent = cell(0);
  w.Set(cell(1), kGoalId);
  w.direction = w.Draw(0, 4);
  w.mission.Say("traverse the maze to get to the goal");
}

inline Layout WfcLayout(const Options& o) {
  const int size = Checked("size", o["size"_], 6, 128);
  return {size, size, 20 * size};
}
inline void CheckWfc(const Options& o, const Layout&) {
  PresetOf(o);
  const std::vector<int>& picture = o["wfc_picture"_];
  const bool whole =
      picture.size() > 4 && picture[0] > 0 && picture[1] > 0 && picture[0] <= 256 &&
      picture[1] <= 256 &&
      picture.size() == static_cast<std::size_t>(2 + 3 * picture[0] * picture[1]) &&
      std::all_of(picture.begin() + 2, picture.end(), [](int n) { return n >= 0 && n <= 255; });
  if (!picture.empty() && !whole) {
    throw envpool::OptionError(
        "wfc_picture", std::to_string(picture.size()) + " numbers",
        "height, width, and red, green and blue of each pixel, at most 256 x 256",
        "pass pattern_path, the file of a picture");
  }
}

inline const Level kWfc{
    .name = "wfc",
    .options = "size wfc_preset ensure_connected wfc_picture",
    .layout = WfcLayout,
    .check = CheckWfc,
    .generate = GenerateWfc,
};

}  // namespace envpool::minigrid
