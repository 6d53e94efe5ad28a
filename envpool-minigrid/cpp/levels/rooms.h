// SPDX-License-Identifier: Apache-2.0
// MiniGrid's levels of several rooms: locked doors, keys, and a thing to pick up behind them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "../rooms.h"

namespace minigrid {

/// Ends when the target is picked up.
inline void PickUpTarget(World& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kPickup && w.carrying != kNothing && w.carrying == w.target) w.Succeed(turn);
}
inline void SayPickUp(World& w) {
  const Look look = w.look(w.target);
  w.mission.Say("pick up the ", look.color, " ", kKindNames[look.kind]);
}

inline const Level kUnlock{
    .name = "unlock",
    .options = "room_size num_rows num_cols",
    .layout =
        [](const Options& o) {
          return RoomLayout(o, 8 * o["room_size"_] * o["room_size"_], 1, 2, 4);
        },
    .generate =
        [](World& w) {
          Rooms rooms(w);
          w.target = rooms.AddDoor(0, 0, kRightSide, {}, true);
          rooms.AddObject(0, 0, kKey, w.look(w.target).color);
          rooms.PlaceAgent(0, 0);
          w.mission.Say("open the door");
        },
    .step =
        [](World& w, Turn& turn) {
          Act(w, turn);
          if (turn.action == kToggle && w.IsOpen(w.target)) w.Succeed(turn);
        },
};

inline const Level kUnlockPickup{
    .name = "unlock_pickup",
    .options = "room_size num_rows num_cols",
    .layout =
        [](const Options& o) {
          return RoomLayout(o, 8 * o["room_size"_] * o["room_size"_], 1, 2, 4);
        },
    .generate =
        [](World& w) {
          Rooms rooms(w);
          w.target = rooms.AddObject(1, 0, kBox);
          const Id door = rooms.AddDoor(0, 0, kRightSide, {}, true);
          rooms.AddObject(0, 0, kKey, w.look(door).color);
          rooms.PlaceAgent(0, 0);
          SayPickUp(w);
        },
    .step = PickUpTarget,
};

/// A box behind a locked door that a ball blocks; the box is the target.
inline void BlockedUnlock(Rooms& rooms) {
  World& w = rooms.w;
  w.target = rooms.AddObject(1, 0, kBox);
  const Id door = rooms.AddDoor(0, 0, kRightSide, {}, true);
  w.Put(w.place_of(door) - Point(1, 0), w.New(kBall, w.DrawColor()));
  rooms.AddObject(0, 0, kKey, w.look(door).color);
  rooms.PlaceAgent(0, 0);
}

inline const Level kBlockedUnlockPickup{
    .name = "blocked_unlock_pickup",
    .options = "room_size num_rows num_cols",
    .layout =
        [](const Options& o) {
          return RoomLayout(o, 16 * o["room_size"_] * o["room_size"_], 1, 2, 4);
        },
    .generate =
        [](World& w) {
          Rooms rooms(w);
          BlockedUnlock(rooms);
          SayPickUp(w);
        },
    .step = PickUpTarget,
};

/// Option obj_type.
inline Kind TargetKind(const Options& o) {
  return static_cast<Kind>(kKey + Chosen("obj_type", o["obj_type"_], {"key", "ball", "box"}));
}
inline Layout CorridorLayout(const Options& o) {
  TargetKind(o);
  return RoomLayout(o, 30 * o["room_size"_] * o["room_size"_], 1, 3);
}
/// A corridor of rooms, with a thing in a locked room on its right and the key on its left.
inline void KeyCorridor(Rooms& rooms) {
  World& w = rooms.w;
  for (int row = 1; row < rooms.rows(); ++row) rooms.RemoveWall(1, row, kUpSide);
  const int row = rooms.DrawRow();
  const Id door = rooms.AddDoor(2, row, kLeftSide, {}, true);
  w.target = rooms.AddObject(2, row, TargetKind(w.options));
  rooms.AddObject(0, rooms.DrawRow(), kKey, w.look(door).color);
  rooms.PlaceAgent(1, rooms.rows() / 2);
  rooms.ConnectAll();
}

inline const Level kKeyCorridor{
    .name = "key_corridor",
    .options = "obj_type room_size num_rows num_cols",
    .layout = CorridorLayout,
    .generate =
        [](World& w) {
          Rooms rooms(w);
          KeyCorridor(rooms);
          SayPickUp(w);
        },
    .step = PickUpTarget,
};

/// A maze whose doors are locked, whose keys may lie in boxes, and whose doors balls may block.
class ObstructedMaze {
 public:
  explicit ObstructedMaze(World& world) : w(world), rooms(world) {
    const std::vector<Color> drawn =
        w.Subset(std::vector<Color>(kColorsByName.begin(), kColorsByName.end()), kNumColors);
    for (std::size_t i = 0; i < drawn.size(); ++i) colors[i] = drawn[i];
    w.mission.Say("pick up the blue ball");
  }

  World& w;
  Rooms rooms;
  std::array<Color, kNumColors> colors{};  ///< of the doors

  void AddLockedDoor(int col, int row, int side, Color color) {
    const Id door = rooms.AddDoor(col, row, side, color, true);
    if (w.options["blocked"_]) w.Put(w.place_of(door) - Ahead(side), w.New(kBall, kGreen));
  }
  void AddKey(int col, int row, Color color) {
    Id id = w.New(kKey, color);
    if (w.options["key_in_box"_]) {
      const Id box = w.New(kBox, kGrey);
      w.PutInside(box, id);
      id = box;
    }
    rooms.PlaceInRoom(col, row, id);
  }
  void AddTarget(Point room) { w.target = rooms.AddObject(room.x, room.y, kBall, kBlue); }

  /// The rooms beside the middle one, with locked doors to the corners. Version 0 places each key
  /// after its door, so that a later ball may take the place of a box; version 1 all keys last.
  void Build(int version) {
    constexpr std::array<Point, 4> kSides = {Point(2, 1), {1, 2}, {0, 1}, {1, 0}};
    constexpr std::array<Point, 4> kCorners = {Point(2, 0), {2, 2}, {0, 2}, {0, 0}};
    const int quarters = w.options["num_quarters"_];
    for (int i = 0; i < quarters; ++i) {
      const Point side = kSides[static_cast<std::size_t>(i)];
      rooms.AddDoor(1, 1, i, colors[static_cast<std::size_t>(i)], false);
      for (int k : {i + 3, i + 1}) {
        const Color color = ColorOf(i, k);
        AddLockedDoor(side.x, side.y, k % 4, color);
        if (version == 0) AddKey(side.x, side.y, color);
      }
      for (int k : {i + 3, i + 1}) {
        if (version == 1) AddKey(side.x, side.y, ColorOf(i, k));
      }
    }
    AddTarget(kCorners[static_cast<std::size_t>(w.Draw(0, quarters))]);
    const std::vector<int>& room = w.options["agent_room"_];
    rooms.PlaceAgent(room[0], room[1]);
  }

 private:
  // The color one before or after that of the side: there are six colors and four sides.
  Color ColorOf(int i, int k) const {
    return colors[static_cast<std::size_t>(k == i + 1 ? i + 1 : (i + 5) % kNumColors)];
  }
};

inline Layout MazeLayout(const Options& o) {
  const int size = o["room_size"_];
  Checked("num_quarters", o["num_quarters"_], 1, 4);
  const int visited = Checked("num_rooms_visited", o["num_rooms_visited"_], 1, 1000);
  const std::vector<int>& room = o["agent_room"_];
  if (room.size() != 2 || room[0] < 0 || room[1] < 0 || room[0] > 2 || room[1] > 2) {
    throw envpool::OptionError("agent_room", std::to_string(room.size()) + " numbers",
                               "[column, row] of one of 3 x 3 rooms, from 0",
                               "pass two numbers, as [1, 1]");
  }
  return RoomLayout(o, 4 * visited * size * size, 3, 3, 5);
}
inline constexpr std::string_view kMazeOptions =
    "room_size num_rows num_cols key_in_box blocked agent_room num_quarters num_rooms_visited";

inline const Level kObstructedMaze1D{
    .name = "obstructed_maze_1dlhb",
    .options = "room_size num_rows num_cols key_in_box blocked num_rooms_visited",
    .layout =
        [](const Options& o) {
          const int size = o["room_size"_];
          const int visited = Checked("num_rooms_visited", o["num_rooms_visited"_], 1, 1000);
          return RoomLayout(o, 4 * visited * size * size, 1, 2, 5);
        },
    .generate =
        [](World& w) {
          ObstructedMaze maze(w);
          maze.AddLockedDoor(0, 0, kRightSide, maze.colors[0]);
          maze.AddKey(0, 0, maze.colors[0]);
          maze.AddTarget({1, 0});
          maze.rooms.PlaceAgent(0, 0);
        },
    .step = PickUpTarget,
};
inline const Level kObstructedMazeFull{
    .name = "obstructed_maze_full",
    .options = kMazeOptions,
    .layout = MazeLayout,
    .generate = [](World& w) { ObstructedMaze(w).Build(0); },
    .step = PickUpTarget,
};
inline const Level kObstructedMazeFullV1{
    .name = "obstructed_maze_full_v1",
    .options = kMazeOptions,
    .layout = MazeLayout,
    .generate = [](World& w) { ObstructedMaze(w).Build(1); },
    .step = PickUpTarget,
};

}  // namespace minigrid
