// SPDX-License-Identifier: Apache-2.0
// A grid of square rooms that share their walls, as in most levels of BabyAI.
//
// Rooms rooms(world);                               // walls, and possible places of doors
// const Id door = rooms.AddDoor(0, 0, kRightSide);  // for the room in column 0, row 0
//   rooms.AddObject(0, 0, kKey, world.look(door).color);
//   rooms.PlaceAgent(0, 0);
//
// Arguments that are not given are drawn, in minigrid's order.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gridworld.h"

namespace envpool::minigrid {

enum Side4 : int { kRightSide, kDownSide, kLeftSide, kUpSide };

inline constexpr std::string_view kRoomOptions = "room_size num_rows num_cols ";

/// The layout of a grid of rooms, with the least number of rows and columns and the least size. The
/// step limit is `steps` for each cell of a room; 0: the level sets it.
inline LayoutOf RoomGrid(int steps, int least_rows = 1, int least_cols = 1, int least_size = 4) {
  return [=](const Options& o) {
    const int size = Checked("room_size", o["room_size"_], least_size, 32);
    const int rows = Checked("num_rows", o["num_rows"_], least_rows, 8);
    const int cols = Checked("num_cols", o["num_cols"_], least_cols, 8);
    return Layout{(size - 1) * cols + 1, (size - 1) * rows + 1, steps * size * size};
  };
}

struct Room {
  Area area{};                       ///< walls included
  std::array<Point, 4> door_places;  ///< kNowhere: the border of the grid
  std::array<Id, 4> doors{};         ///< kNothing: a wall; kNoDoor: no wall
  bool locked = false;               ///< true if the last door was locked
};
/// The id in place of a door if the wall has been removed.
inline constexpr Id kNoDoor = kWallId;

class Rooms {
 public:
  explicit Rooms(Gridworld& world);

  int size() const { return size_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  Room& At(int col, int row) { return rooms_[row * cols_ + col]; }
  Room& At(Point place) { return At(place.x, place.y); }
  /// Column and row of a cell's room; for a cell in a wall, of the room to the right or below.
  Point Of(Point at) const {
    return {std::min(at.x / (size_ - 1), cols_ - 1), std::min(at.y / (size_ - 1), rows_ - 1)};
  }
  Room& OfAgent() { return At(Of(w.agent)); }

  int DrawCol() { return w.Draw(0, cols_); }
  int DrawRow() { return w.Draw(0, rows_); }
  /// A room's column and row.
  Point DrawRoom() {
    const int col = DrawCol();
    return {col, DrawRow()};
  }

  /// Puts a thing into a cell of a room that is not beside the agent.
  Id PlaceInRoom(int col, int row, Id id);
  Id AddObject(int col, int row, std::optional<Kind> kind = {}, std::optional<Color> color = {});
  Id AddDoor(int col, int row, std::optional<int> side = {}, std::optional<Color> color = {},
             std::optional<bool> locked = {});
  void RemoveWall(int col, int row, int side);
  /// Places the agent so that it looks at an empty cell or a wall. The level fails if the room has
  /// no suitable place.
  void PlaceAgent(std::optional<int> col = {}, std::optional<int> row = {});
  /// Places the agent outside of a room.
  void PlaceAgentOutside(const Room* room) {
    do {
      PlaceAgent();
    } while (!w.failed() && &OfAgent() == room);
  }
  /// Adds doors until the agent can reach every room.
  void ConnectAll(const std::vector<Color>& colors = kColorsByName);
  /// Adds things of drawn colors and kinds; `unique`: only things that do not exist yet.
  std::vector<Id> AddDistractors(int count, bool unique, std::optional<int> col = {},
                                 std::optional<int> row = {});

 private:
  bool HasPose(const Area& area) const;
  bool FrontIsFree(Point agent, int direction) const {
    const Id id = w.At(agent + Ahead(direction));
    return id == kNothing || id == kWallId;
  }
  Room& Neighbor(int col, int row, int side) { return At(Point(col, row) + Ahead(side)); }
  /// Adds a room, and the rooms that its doors lead to, to a set of bits.
  void Reach(Point room, std::uint64_t& reached);

  Gridworld& w;
  int size_, rows_, cols_;
  std::array<Room, 64> rooms_;
  std::array<std::bitset<kNumColors>, kNumKinds> placed_{};  // kinds and colors in rooms
};

inline Rooms::Rooms(Gridworld& world)
    : w(world),
      size_(w.options["room_size"_]),
      rows_(w.options["num_rows"_]),
      cols_(w.options["num_cols"_]) {
  const int inner = size_ - 1;
  for (int row = 0; row < rows_; ++row) {
    for (int col = 0; col < cols_; ++col) {
      Room& room = At(col, row);
      room.area = {{col * inner, row * inner}, size_, size_};
      w.WallBox(room.area.top, size_, size_);
      const Point first = room.area.top + Point(1, 1), last = room.area.top + Point(inner, inner);
      if (col + 1 < cols_) {
        room.door_places[kRightSide] = {last.x, w.Draw(first.y, last.y)};
        At(col + 1, row).door_places[kLeftSide] = room.door_places[kRightSide];
      }
      if (row + 1 < rows_) {
        room.door_places[kDownSide] = {w.Draw(first.x, last.x), last.y};
        At(col, row + 1).door_places[kUpSide] = room.door_places[kDownSide];
      }
    }
  }
  // Until the agent is placed, things keep away from here.
  w.agent = {cols_ / 2 * inner + size_ / 2, rows_ / 2 * inner + size_ / 2};
  w.direction = 0;
}

inline Id Rooms::PlaceInRoom(int col, int row, Id id) {
  w.Place(id, At(col, row).area, 1000, [this](Point at) { return Distance(at, w.agent) < 2; });
  placed_[w.look(id).kind].set(w.look(id).color);
  return id;
}

inline Id Rooms::AddObject(int col, int row, std::optional<Kind> kind, std::optional<Color> color) {
  if (!kind) kind = w.DrawKind();
  if (!color) color = w.DrawColor();
  return PlaceInRoom(col, row, w.New(*kind, *color));
}

inline Id Rooms::AddDoor(int col, int row, std::optional<int> side, std::optional<Color> color,
                         std::optional<bool> locked) {
  Room& room = At(col, row);
  while (!side) {
    const int drawn = w.Draw(0, 4);
    if (room.door_places[drawn] != kNowhere && room.doors[drawn] == kNothing) side = drawn;
  }
  if (!color) color = w.DrawColor();
  if (!locked) locked = w.DrawBool();
  const Id door = w.New(kDoor, *color, *locked ? kLocked : kClosed);
  room.locked = *locked;
  w.Put(room.door_places[*side], door);
  room.doors[*side] = Neighbor(col, row, *side).doors[(*side + 2) % 4] = door;
  return door;
}

inline void Rooms::RemoveWall(int col, int row, int side) {
  Room& room = At(col, row);
  const int last = size_ - 1;
  for (int i = 1; i < last; ++i) {
    const std::array<Point, 4> cells = {Point(last, i), {i, last}, {0, i}, {i, 0}};
    w.Set(room.area.top + cells[side], kNothing);
  }
  room.doors[side] = Neighbor(col, row, side).doors[(side + 2) % 4] = kNoDoor;
}

inline void Rooms::PlaceAgent(std::optional<int> col, std::optional<int> row) {
  if (!col) col = DrawCol();
  if (!row) row = DrawRow();
  const Area area = At(*col, *row).area;
  for (int tried = 1;; ++tried) {
    w.PlaceAgent(area, 1000);
    if (w.failed() || FrontIsFree(w.agent, w.direction)) return;
    // In so full a room minigrid never returns.
    if (tried == 1000 && !HasPose(area)) return w.Fail();
  }
}

inline bool Rooms::HasPose(const Area& area) const {
  for (int y = area.top.y; y < area.top.y + area.height; ++y) {
    for (int x = area.top.x; x < area.top.x + area.width; ++x) {
      if (w.At({x, y}) != kNothing) continue;
      for (int direction = 0; direction < 4; ++direction) {
        if (FrontIsFree({x, y}, direction)) return true;
      }
    }
  }
  return false;
}

inline void Rooms::Reach(Point room, std::uint64_t& reached) {
  const std::uint64_t bit = std::uint64_t{1} << (room.y * cols_ + room.x);
  if ((reached & bit) != 0) return;
  reached |= bit;
  for (int side = 0; side < 4; ++side) {
    if (At(room).doors[side] != kNothing) Reach(room + Ahead(side), reached);
  }
}

inline void Rooms::ConnectAll(const std::vector<Color>& colors) {
  const std::uint64_t every = ~std::uint64_t{0} >> (64 - rows_ * cols_);
  std::uint64_t reached = 0;
  Reach(Of(w.agent), reached);
  for (int tried = 0; !w.failed() && reached != every; ++tried) {
    if (tried > 5000) return w.Fail();
    const Point at = DrawRoom();
    const int side = w.Draw(0, 4);
    const Room& room = At(at);
    if (room.door_places[side] == kNowhere || room.doors[side] != kNothing) continue;
    if (room.locked || Neighbor(at.x, at.y, side).locked) continue;
    AddDoor(at.x, at.y, side, w.OneOf(colors), false);
    reached = 0;
    Reach(Of(w.agent), reached);
  }
}

inline std::vector<Id> Rooms::AddDistractors(int count, bool unique, std::optional<int> col,
                                             std::optional<int> row) {
  std::vector<Id> added;
  while (static_cast<int>(added.size()) < count) {
    const Color color = w.DrawColor();
    const Kind kind = w.DrawKind();
    if (unique && placed_[kind].test(color)) continue;
    const int at_col = col ? *col : DrawCol();
    const int at_row = row ? *row : DrawRow();
    added.push_back(AddObject(at_col, at_row, kind, color));
  }
  return added;
}

}  // namespace envpool::minigrid
