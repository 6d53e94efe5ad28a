// SPDX-License-Identifier: Apache-2.0
// A grid of square rooms that share their walls, as most levels of BabyAI have it.
//
//   Rooms rooms(world);                               // walls, and where doors may be
//   const Id door = rooms.AddDoor(0, 0, kRightSide);  // of the room in column 0, row 0
//   rooms.AddObject(0, 0, kKey, world.look(door).color);
//   rooms.PlaceAgent(0, 0);
//
// What is not given is drawn, in minigrid's order.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "world.h"

namespace minigrid {

enum Side4 : int { kRightSide, kDownSide, kLeftSide, kUpSide };

/// The size of a grid of rooms, by options room_size, num_rows and num_cols, of which there are at
/// least so many.
inline Layout RoomLayout(const Options& o, int max_steps, int least_rows = 1, int least_cols = 1,
                         int least_size = 3) {
  const int size = Checked("room_size", o["room_size"_], least_size, 32);
  const int rows = Checked("num_rows", o["num_rows"_], least_rows, 8);
  const int cols = Checked("num_cols", o["num_cols"_], least_cols, 8);
  return {(size - 1) * cols + 1, (size - 1) * rows + 1, max_steps};
}

struct Room {
  Area area;                         ///< walls included
  std::array<Point, 4> door_places;  ///< kNowhere: the border of the grid
  std::array<Id, 4> doors{};         ///< kNothing: a wall; kNoDoor: nothing at all
  bool locked = false;               ///< what was said of its last door
};
/// In place of a door: the wall has been removed.
inline constexpr Id kNoDoor = kWallId;

class Rooms {
 public:
  World& w;

  explicit Rooms(World& world);

  int size() const { return size_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  Room& At(int col, int row) { return rooms_[static_cast<std::size_t>(row * cols_ + col)]; }
  /// The room of a cell; of a cell in a wall, the one to the right of it or below.
  Room& Of(Point at) {
    return At(std::min(at.x / (size_ - 1), cols_ - 1), std::min(at.y / (size_ - 1), rows_ - 1));
  }
  Room& OfAgent() { return Of(w.agent); }
  std::span<Room> all() { return {rooms_.data(), static_cast<std::size_t>(rows_ * cols_)}; }

  int DrawCol() { return w.Draw(0, cols_); }
  int DrawRow() { return w.Draw(0, rows_); }

  /// Puts a thing into a cell of a room, not beside the agent.
  Id PlaceInRoom(int col, int row, Id id);
  Id AddObject(int col, int row, std::optional<Kind> kind = {}, std::optional<Color> color = {});
  Id AddDoor(int col, int row, std::optional<int> side = {}, std::optional<Color> color = {},
             std::optional<bool> locked = {});
  void RemoveWall(int col, int row, int side);
  /// Places the agent so that it looks at an empty cell or a wall. A room without such a place
  /// makes the level fail.
  void PlaceAgent(std::optional<int> col = {}, std::optional<int> row = {});
  /// The same, outside of a room.
  void PlaceAgentOutside(const Room* room) {
    do {
      PlaceAgent();
    } while (!w.failed() && &OfAgent() == room);
  }
  /// Adds doors until a way leads from the agent to every room.
  void ConnectAll(std::span<const Color> colors = kColorsByName);
  /// Adds things of drawn colors and kinds; `unique`: of which there are none yet.
  std::vector<Id> AddDistractors(int count, bool unique, std::optional<int> col = {},
                                 std::optional<int> row = {});

 private:
  bool HasPose(const Area& area) const;
  bool FrontIsFree(Point agent, int direction) const {
    const Id id = w.At(agent + Ahead(direction));
    return id == kNothing || id == kWallId;
  }
  std::uint64_t Reached();
  Room* Neighbor(int col, int row, int side) {
    const Point to = Point(col, row) + Ahead(side);
    const bool inside = to.x >= 0 && to.y >= 0 && to.x < cols_ && to.y < rows_;
    return inside ? &At(to.x, to.y) : nullptr;
  }

  int size_, rows_, cols_;
  std::array<Room, 64> rooms_;
  std::array<std::bitset<kNumColors>, kNumKinds> placed_{};  // kinds and colors that are in rooms
};

inline Rooms::Rooms(World& world)
    : w(world),
      size_(w.options["room_size"_]),
      rows_(w.options["num_rows"_]),
      cols_(w.options["num_cols"_]) {
  const int inner = size_ - 1;
  for (int row = 0; row < rows_; ++row) {
    for (int col = 0; col < cols_; ++col) {
      Room& room = At(col, row);
      room.area = {{col * inner, row * inner}, size_, size_};
      room.door_places.fill(kNowhere);
      w.WallBox(room.area.top, size_, size_);
    }
  }
  for (int row = 0; row < rows_; ++row) {
    for (int col = 0; col < cols_; ++col) {
      Room& room = At(col, row);
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
  // Until it is placed, things keep away from here.
  w.agent = {cols_ / 2 * inner + size_ / 2, rows_ / 2 * inner + size_ / 2};
  w.direction = 0;
}

inline Id Rooms::PlaceInRoom(int col, int row, Id id) {
  w.Place(id, At(col, row).area, 1000, [this](Point at) { return Distance(at, w.agent) < 2; });
  placed_[w.look(id).kind].set(w.look(id).color);
  return id;
}

inline Id Rooms::AddObject(int col, int row, std::optional<Kind> kind, std::optional<Color> color) {
  if (!kind) kind = w.OneOf({kKey, kBall, kBox});
  if (!color) color = w.DrawColor();
  return PlaceInRoom(col, row, w.New(*kind, *color));
}

inline Id Rooms::AddDoor(int col, int row, std::optional<int> side, std::optional<Color> color,
                         std::optional<bool> locked) {
  Room& room = At(col, row);
  while (!side) {
    const int drawn = w.Draw(0, 4);
    const auto i = static_cast<std::size_t>(drawn);
    if (room.door_places[i] != kNowhere && room.doors[i] == kNothing) side = drawn;
  }
  if (!color) color = w.DrawColor();
  if (!locked) locked = w.DrawBool();
  const auto i = static_cast<std::size_t>(*side);
  const Id door = w.New(kDoor, *color, *locked ? kLocked : kClosed);
  room.locked = *locked;
  w.Put(room.door_places[i], door);
  room.doors[i] = Neighbor(col, row, *side)->doors[(i + 2) % 4] = door;
  return door;
}

inline void Rooms::RemoveWall(int col, int row, int side) {
  Room& room = At(col, row);
  const Point top = room.area.top;
  const int last = size_ - 1;
  for (int i = 1; i < last; ++i) {
    const std::array<Point, 4> cells = {Point(last, i), {i, last}, {0, i}, {i, 0}};
    w.Set(top + cells[static_cast<std::size_t>(side)], kNothing);
  }
  const auto i = static_cast<std::size_t>(side);
  room.doors[i] = Neighbor(col, row, side)->doors[(i + 2) % 4] = kNoDoor;
}

inline void Rooms::PlaceAgent(std::optional<int> col, std::optional<int> row) {
  if (!col) col = DrawCol();
  if (!row) row = DrawRow();
  const Area area = At(*col, *row).area;
  for (int tried = 1;; ++tried) {
    w.PlaceAgent(area, 1000);
    if (w.failed() || FrontIsFree(w.agent, w.direction)) return;
    // minigrid would go on for ever in a room that is so full.
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

// The rooms, as bits, to which doors lead from the agent's.
inline std::uint64_t Rooms::Reached() {
  std::array<int, 64> stack;
  std::size_t count = 0;
  const auto first = static_cast<int>(&OfAgent() - rooms_.data());
  stack[count++] = first;
  std::uint64_t reached = std::uint64_t{1} << first;
  while (count > 0) {
    const int at = stack[--count];
    for (int side = 0; side < 4; ++side) {
      if (rooms_[static_cast<std::size_t>(at)].doors[static_cast<std::size_t>(side)] == kNothing) {
        continue;
      }
      const Point step = Ahead(side);
      const int next = at + step.y * cols_ + step.x;
      if ((reached >> next & 1) != 0) continue;
      reached |= std::uint64_t{1} << next;
      stack[count++] = next;
    }
  }
  return reached;
}

inline void Rooms::ConnectAll(std::span<const Color> colors) {
  const std::uint64_t every = ~std::uint64_t{0} >> (64 - rows_ * cols_);
  std::uint64_t reached = Reached();
  for (int tried = 0; !w.failed(); ++tried) {
    if (tried > 5000) return w.Fail();
    if (reached == every) return;
    const int col = DrawCol(), row = DrawRow(), side = w.Draw(0, 4);
    const Room& room = At(col, row);
    const auto i = static_cast<std::size_t>(side);
    if (room.door_places[i] == kNowhere || room.doors[i] != kNothing) continue;
    if (room.locked || Neighbor(col, row, side)->locked) continue;
    AddDoor(col, row, side, w.OneOf(colors), false);
    reached = Reached();
  }
}

inline std::vector<Id> Rooms::AddDistractors(int count, bool unique, std::optional<int> col,
                                             std::optional<int> row) {
  std::vector<Id> added;
  added.reserve(static_cast<std::size_t>(count) + 4);
  while (static_cast<int>(added.size()) < count && !w.failed()) {
    const Color color = w.DrawColor();
    const Kind kind = w.OneOf({kKey, kBall, kBox});
    if (unique && placed_[kind].test(color)) continue;
    const int at_col = col ? *col : DrawCol();
    const int at_row = row ? *row : DrawRow();
    added.push_back(AddObject(at_col, at_row, kind, color));
  }
  return added;
}

}  // namespace minigrid
