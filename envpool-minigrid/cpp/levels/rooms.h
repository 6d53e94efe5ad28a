// SPDX-License-Identifier: Apache-2.0
// MiniGrid's levels of several rooms: locked doors, keys, and a thing to pick up behind them.
#pragma once

#include <array>
#include <vector>

#include "../rooms.h"

namespace envpool::minigrid {

/// Ends the episode when the target is picked up.
inline void StepPickUp(Gridworld& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kPickup && w.carrying != kNothing && w.carrying == w.target) w.Succeed(turn);
}
inline void SayPickUp(Gridworld& w) {
  const Look look = w.look(w.target);
  w.mission.Say("pick up the ", look.color, " ", kKindNames[look.kind]);
}

/// Adds a locked door to the right of the first room, whose key is in the agent's room.
inline Id AddLockedDoor(Gridworld& w, Rooms& rooms, bool blocked = false) {
  const Id door = rooms.AddDoor(0, 0, kRightSide, {}, true);
  if (blocked) w.Put(w.place_of(door) - Point(1, 0), w.New(kBall, w.DrawColor()));
  rooms.AddObject(0, 0, kKey, w.look(door).color);
  return door;
}

inline void Unlock(Gridworld& w) {
  Rooms rooms(w);
  w.target = AddLockedDoor(w, rooms);
  rooms.PlaceAgent(0, 0);
  w.mission.Say("open the door");
}
inline void StepUnlock(Gridworld& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kToggle && w.IsOpen(w.target)) w.Succeed(turn);
}

/// The target is a box behind a locked door.
template <bool kBlocked>
void UnlockPickup(Gridworld& w) {
  Rooms rooms(w);
  w.target = rooms.AddObject(1, 0, kBox);
  AddLockedDoor(w, rooms, kBlocked);
  rooms.PlaceAgent(0, 0);
  SayPickUp(w);
}

/// Option obj_type.
inline Kind TargetKind(const Options& o) {
  return static_cast<Kind>(kKey + Chosen("obj_type", o["obj_type"_], {"key", "ball", "box"}));
}
inline void CheckTarget(const Options& o, const Layout&) { TargetKind(o); }
/// Makes a corridor of rooms, with a thing in a locked room on its right and the key on its left.
inline void FurnishCorridor(Gridworld& w, Rooms& rooms) {
  for (int row = 1; row < rooms.rows(); ++row) rooms.RemoveWall(1, row, kUpSide);
  const int row = rooms.DrawRow();
  const Id door = rooms.AddDoor(2, row, kLeftSide, {}, true);
  w.target = rooms.AddObject(2, row, TargetKind(w.options));
  rooms.AddObject(0, rooms.DrawRow(), kKey, w.look(door).color);
  rooms.PlaceAgent(1, rooms.rows() / 2);
  rooms.ConnectAll();
}
inline void KeyCorridor(Gridworld& w) {
  Rooms rooms(w);
  FurnishCorridor(w, rooms);
  SayPickUp(w);
}

/// A maze with locked doors. Keys may lie in boxes, and balls may block doors.
class ObstructedMaze {
 public:
  explicit ObstructedMaze(Gridworld& world)
      : w(world), rooms(world), colors(w.Subset(kColorsByName, kNumColors)) {
    w.mission.Say("pick up the blue ball");
  }

  /// Makes a room with a locked door, and the room behind it.
  void BuildOneDoor() {
    AddLockedDoor({0, 0}, kRightSide, colors[0]);
    AddKey({0, 0}, colors[0]);
    AddTarget({1, 0});
    rooms.PlaceAgent(0, 0);
  }
  /// Makes the rooms beside the middle room, with locked doors to the corners. Version 0 places
  /// each key after its door, so that a later ball may replace a box; version 1 places all keys
  /// last.
  void Build(int version) {
    constexpr std::array<Point, 4> kSides = {Point(2, 1), {1, 2}, {0, 1}, {1, 0}};
    constexpr std::array<Point, 4> kCorners = {Point(2, 0), {2, 2}, {0, 2}, {0, 0}};
    const int quarters = w.options["num_quarters"_];
    for (int i = 0; i < quarters; ++i) {
      rooms.AddDoor(1, 1, i, colors[i], false);
      // The colors before and after the side's color: there are six colors and four sides.
      const Color before = colors[(i + 5) % kNumColors], after = colors[i + 1];
      AddLockedDoor(kSides[i], (i + 3) % 4, before);
      if (version == 0) AddKey(kSides[i], before);
      AddLockedDoor(kSides[i], (i + 1) % 4, after);
      if (version == 1) AddKey(kSides[i], before);
      AddKey(kSides[i], after);
    }
    AddTarget(kCorners[w.Draw(0, quarters)]);
    const std::vector<int>& room = w.options["agent_room"_];
    rooms.PlaceAgent(room[0], room[1]);
  }

 private:
  void AddLockedDoor(Point room, int side, Color color) {
    const Id door = rooms.AddDoor(room.x, room.y, side, color, true);
    if (w.options["blocked"_]) w.Put(w.place_of(door) - Ahead(side), w.New(kBall, kGreen));
  }
  void AddKey(Point room, Color color) {
    Id id = w.New(kKey, color);
    if (w.options["key_in_box"_]) {
      const Id box = w.New(kBox, kGrey);
      w.PutInside(box, id);
      id = box;
    }
    rooms.PlaceInRoom(room.x, room.y, id);
  }
  void AddTarget(Point room) { w.target = rooms.AddObject(room.x, room.y, kBall, kBlue); }

  Gridworld& w;
  Rooms rooms;
  std::vector<Color> colors;  // of the doors
};

template <int kRows, int kCols>
Layout MazeLayout(const Options& o) {
  return RoomGrid(4 * Checked("num_rooms_visited", o["num_rooms_visited"_], 1, 1000), kRows, kCols,
                  5)(o);
}
inline void CheckQuarters(const Options& o, const Layout&) {
  Checked("num_quarters", o["num_quarters"_], 1, 4);
  const std::vector<int>& room = o["agent_room"_];
  if (room.size() != 2 || room[0] < 0 || room[1] < 0 || room[0] > 2 || room[1] > 2) {
    throw envpool::OptionError("agent_room", std::to_string(room.size()) + " numbers",
                               "[column, row] of one of 3 x 3 rooms, from 0",
                               "pass two numbers, as [1, 1]");
  }
}

inline Level RoomLevel(std::string_view name, LayoutOf layout, void (*generate)(Gridworld&),
                       void (*step)(Gridworld&, Turn&) = StepPickUp) {
  return {.name = std::string(name),
          .options = std::string(kRoomOptions),
          .layout = std::move(layout),
          .generate = generate,
          .step = step};
}
inline Level MazeLevel(std::string_view name, int version) {
  return {.name = std::string(name),
          .options = std::string(kRoomOptions) +
                     "key_in_box blocked agent_room num_quarters num_rooms_visited",
          .layout = MazeLayout<3, 3>,
          .check = CheckQuarters,
          .generate = [version](Gridworld& w) { ObstructedMaze(w).Build(version); },
          .step = StepPickUp};
}

inline const std::vector<Level> kRoomLevels = {
    RoomLevel("unlock", RoomGrid(8, 1, 2), Unlock, StepUnlock),
    RoomLevel("unlock_pickup", RoomGrid(8, 1, 2), UnlockPickup<false>),
    RoomLevel("blocked_unlock_pickup", RoomGrid(16, 1, 2), UnlockPickup<true>),
    {.name = "key_corridor",
     .options = "obj_type room_size num_rows num_cols",
     .layout = RoomGrid(30, 1, 3, 3),
     .check = CheckTarget,
     .generate = KeyCorridor,
     .step = StepPickUp},
    {.name = "obstructed_maze_1dlhb",
     .options = "room_size num_rows num_cols key_in_box blocked num_rooms_visited",
     .layout = MazeLayout<1, 2>,
     .generate = [](Gridworld& w) { ObstructedMaze(w).BuildOneDoor(); },
     .step = StepPickUp},
    MazeLevel("obstructed_maze_full", 0),
    MazeLevel("obstructed_maze_full_v1", 1),
};

}  // namespace envpool::minigrid
