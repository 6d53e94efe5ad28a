// SPDX-License-Identifier: Apache-2.0
// The grid and its contents: cells of one byte each, and the square that the agent sees.
//
//   Grid grid(8, 8, 7);           // 8 x 8 cells, for an agent that sees 7 x 7
//   grid[{6, 6}] = kGoalId;
// const View view = Look(...);  // the cells that the agent sees, the nearest in the last row
//
// A cell holds the id of its content. Ids below kFirstThing are contents without a state; other ids
// are rows of a table of things. The grid is surrounded by as many walls as an agent can see beyond
// its border, so that no test for the border is needed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace envpool::minigrid {

/// A kind of content, with the image's numbers.
enum Kind : std::uint8_t {
  kUnseen,
  kEmpty,
  kWall,
  kFloor,
  kDoor,
  kKey,
  kBall,
  kBox,
  kGoal,
  kLava,
  kAgent
};
inline constexpr int kNumKinds = 11;

enum Color : std::uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
inline constexpr int kNumColors = 6;
/// The colors in the order of draws: by name.
inline const std::vector<Color> kColorsByName = {kBlue, kGreen, kGrey, kPurple, kRed, kYellow};
/// All colors but one, in the same order.
inline std::vector<Color> ColorsWithout(Color color) {
  std::vector<Color> others = kColorsByName;
  std::erase(others, color);
  return others;
}

enum DoorState : std::uint8_t { kOpen, kClosed, kLocked };

enum Action { kLeft, kRight, kForward, kPickup, kDrop, kToggle, kDone };
inline constexpr int kNumActions = 7;

/// A cell, or a step from one cell to another. y grows downwards.
struct Point {
  std::int16_t x = -1, y = -1;

  constexpr Point() = default;
  constexpr Point(int x, int y)
      : x(static_cast<std::int16_t>(x)), y(static_cast<std::int16_t>(y)) {}
  friend constexpr bool operator==(Point, Point) = default;
  friend constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr Point operator*(Point a, int n) { return {a.x * n, a.y * n}; }
};
/// No place: of a thing in hand, or not in the grid.
inline constexpr Point kNowhere{-1, -1};
/// Steps between two cells.
inline int Distance(Point a, Point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }
/// The step in each direction: 0 right, 1 down, 2 left, 3 up.
inline constexpr std::array<Point, 4> kSteps = {Point{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
inline constexpr Point Ahead(int direction) { return kSteps[direction]; }
/// The step to the right of an agent that looks in a direction.
inline constexpr Point Beside(int direction) { return Ahead((direction + 1) & 3); }

using Id = std::uint8_t;
inline constexpr Id kNothing = 0, kWallId = 1, kGoalId = 2, kLavaId = 3, kFirstThing = 4;
inline constexpr int kMaxIds = 128;

/// The look of a thing: its three numbers in the image, and whether it is transparent.
struct Look {
  Kind kind = kEmpty;
  Color color = kRed;
  std::uint8_t state = 0;
  std::uint8_t clear = 1;

  static constexpr Look Of(Kind kind, Color color, int state = 0) {
    const bool opaque = kind == kWall || (kind == kDoor && state != kOpen);
    return {kind, color, static_cast<std::uint8_t>(state), static_cast<std::uint8_t>(!opaque)};
  }
};
static_assert(sizeof(Look) == 4);
using Looks = std::array<Look, kMaxIds>;

class Grid {
 public:
  /// Makes an empty grid; `view` is the side of the square that an agent sees, in cells.
  Grid(int width, int height, int view)
      : width_(width),
        height_(height),
        margin_(view),
        stride_(width + 2 * view),
        cells_(static_cast<std::size_t>(stride_ * (height + 2 * view)), kWallId) {
    Clear();
  }

  int width() const { return width_; }
  int height() const { return height_; }
  /// Cells from one row to the next.
  int stride() const { return stride_; }

  /// The content of a cell, up to `view` cells beyond the border.
  Id& operator[](Point at) { return cells_[Index(at)]; }
  Id operator[](Point at) const { return cells_[Index(at)]; }
  const Id* data(Point at) const { return cells_.data() + Index(at); }
  bool Has(Point at) const { return at.x >= 0 && at.y >= 0 && at.x < width_ && at.y < height_; }

  /// Empties the grid.
  void Clear() {
    for (int y = 0; y < height_; ++y) {
      std::memset(&(*this)[{0, y}], kNothing, static_cast<std::size_t>(width_));
    }
  }

  /// All cells, including the surrounding walls; for saved states.
  std::vector<Id>& cells() { return cells_; }
  const std::vector<Id>& cells() const { return cells_; }

 private:
  std::size_t Index(Point at) const {
    return static_cast<std::size_t>((at.y + margin_) * stride_ + at.x + margin_);
  }

  int width_, height_, margin_, stride_;
  std::vector<Id> cells_;
};

/// The side of the largest square that an agent can see: a row is one word of 64 bits.
inline constexpr int kMaxView = 63;

/// The agent's view: `size` x `size` cells, the agent in the middle of the last row.
struct View {
  int size;
  /// Bit i of row j is 1 if cell i, from left to right, of row j, from far to near, is seen.
  std::array<std::uint64_t, kMaxView> seen;
  /// The content of cell i of row j, at j * size + i, seen or not.
  std::array<Id, kMaxView * kMaxView> ids;

  bool Sees(int i, int j) const { return (seen[j] >> i & 1) != 0; }
};

namespace detail {

/// `from`, spread to both sides within `clear`.
[[gnu::always_inline]] inline std::uint64_t Spread(std::uint64_t from, std::uint64_t clear,
                                                   int size) {
  // Upwards by the carry of an addition, which stops at the first cell that is not clear.
  std::uint64_t lit = (((clear + from) ^ clear) | from) & clear;
  std::uint64_t room = clear;
  for (int step = 1; step < size; step *= 2) {
    lit |= room & (lit >> step);
    room &= room >> step;
  }
  return lit;
}

[[gnu::always_inline]] inline void FillView(View& view, const int size, const Grid& grid,
                                            const Looks& looks, Point agent, int direction,
                                            bool through_walls) {
  const int half = size / 2;
  const Point ahead = Ahead(direction), beside = Beside(direction);
  const std::ptrdiff_t forward = ahead.y * grid.stride() + ahead.x;
  const std::ptrdiff_t right = beside.y * grid.stride() + beside.x;
  const Id* const far_left = grid.data(agent) + forward * (size - 1) - right * half;
  const std::uint64_t whole = (std::uint64_t{1} << size) - 1;
  view.size = size;
  for (int j = 0; j < size; ++j) {
    const Id* from = far_left - forward * j;
    Id* to = view.ids.data() + j * size;
    for (int i = 0; i < size; ++i) to[i] = from[right * i];
  }
  if (through_walls) {
    for (int j = 0; j < size; ++j) view.seen[j] = whole;
    return;
  }
  // Row by row away from the agent. Light spreads sideways through transparent cells; the first
  // opaque cell is also seen. A seen transparent cell lights the three cells before it.
  std::uint64_t lit = std::uint64_t{1} << half;
  for (int j = size - 1; j >= 0; --j) {
    const Id* row = view.ids.data() + j * size;
    std::uint64_t clear = 0;
    for (int i = 0; i < size; ++i) clear |= std::uint64_t{looks[row[i]].clear} << i;
    const std::uint64_t spread = Spread(lit & clear, clear, size);
    const std::uint64_t seen = (lit | spread | spread << 1 | spread >> 1) & whole;
    view.seen[j] = seen;
    const std::uint64_t passing = seen & clear;
    lit = (passing | passing << 1 | passing >> 1) & whole;
  }
}

}  // namespace detail

/// Computes the view from `agent` in a direction.
inline void FillView(View& view, int size, const Grid& grid, const Looks& looks, Point agent,
                     int direction, bool through_walls) {
  if (size == 7) {  // nearly always; a constant size compiles to code without loops
    detail::FillView(view, 7, grid, looks, agent, direction, through_walls);
  } else {
    detail::FillView(view, size, grid, looks, agent, direction, through_walls);
  }
}

}  // namespace envpool::minigrid
