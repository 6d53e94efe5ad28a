// SPDX-License-Identifier: Apache-2.0
// BabyAI's other levels: a short function each, in minigrid's order of draws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../levels/rooms.h"
#include "../levels/things.h"
#include "level.h"

namespace envpool::minigrid::babyai {

inline int NumDists(const Gridworld& w) { return w.options["num_dists"_]; }

// ---- go to

inline Instruction GoToRedBall(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  const Id ball = rooms.AddObject(0, 0, kBall, kRed);
  rooms.AddDistractors(NumDists(w), false);
  RequireReachable(w);
  return GoTo(Describe(w, ball));
}

inline Instruction GoToRedBallGrey(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  const Id ball = rooms.AddObject(0, 0, kBall, kRed);
  for (const Id id : rooms.AddDistractors(NumDists(w), false)) w.Repaint(id, kGrey);
  RequireReachable(w);
  return GoTo(Describe(w, ball));
}

inline Instruction GoToRedBlueBall(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  for (const Id id : rooms.AddDistractors(NumDists(w), false)) {
    if (IsPair(w, id, kBall, kRed) || IsPair(w, id, kBall, kBlue)) w.Fail();
  }
  const Id ball = rooms.AddObject(0, 0, kBall, w.OneOf({kRed, kBlue}));
  RequireReachable(w);
  return GoTo(Describe(w, ball));
}

inline Instruction GoToObj(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  return GoTo(Describe(w, rooms.AddDistractors(1, true)[0]));
}

inline Instruction GoToLocal(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  const std::vector<Id> things = rooms.AddDistractors(NumDists(w), false);
  RequireReachable(w);
  return GoTo(Describe(w, w.OneOf(things)));
}

/// Connects all rooms and adds things, all of which can be reached.
inline std::vector<Id> FurnishMaze(Gridworld& w, Rooms& rooms, int count) {
  rooms.PlaceAgent();
  rooms.ConnectAll();
  std::vector<Id> things = rooms.AddDistractors(count, false);
  RequireReachable(w);
  return things;
}
/// The doors of all rooms in order, so that each door occurs twice.
inline std::vector<Id> DoorsOf(Rooms& rooms) {
  std::vector<Id> doors;
  for (int col = 0; col < rooms.cols(); ++col) {
    for (int row = 0; row < rooms.rows(); ++row) {
      for (const Id door : rooms.At(col, row).doors) {
        if (door != kNothing) doors.push_back(door);
      }
    }
  }
  return doors;
}

inline Instruction GoToMaze(Gridworld& w, Rooms& rooms) {
  const std::vector<Id> things = FurnishMaze(w, rooms, NumDists(w));
  const Clause clause = GoTo(Describe(w, w.OneOf(things)));
  if (w.options["doors_open"_]) {
    for (const Id door : DoorsOf(rooms)) w.SetState(door, kOpen);
  }
  return clause;
}

inline Instruction GoToDoor(Gridworld& w, Rooms& rooms) {
  std::vector<Id> doors;
  for (int i = 0; i < 4; ++i) doors.push_back(rooms.AddDoor(1, 1));
  rooms.PlaceAgent(1, 1);
  return GoTo(Describe(w, w.OneOf(doors)));
}

inline Instruction GoToObjDoor(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent(1, 1);
  std::vector<Id> things = rooms.AddDistractors(8, false, 1, 1);
  for (int i = 0; i < 4; ++i) things.push_back(rooms.AddDoor(1, 1));
  RequireReachable(w);
  return GoTo(Describe(w, w.OneOf(things)));
}

/// Locks a room. Its key is in any room, which may be the same room, as in minigrid.
inline std::pair<Point, Id> LockSomeRoom(Gridworld& w, Rooms& rooms) {
  const Point room = rooms.DrawRoom();
  const Id door = rooms.AddDoor(room.x, room.y, {}, {}, true);
  const Point key_room = rooms.DrawRoom();
  rooms.AddObject(key_room.x, key_room.y, kKey, w.look(door).color);
  return {room, door};
}
/// Puts `count` things into every room, and the agent outside of one room.
inline void FurnishEachRoom(Gridworld& w, Rooms& rooms, int count, Point locked) {
  for (int col = 0; col < rooms.cols(); ++col) {
    for (int row = 0; row < rooms.rows(); ++row) rooms.AddDistractors(count, false, col, row);
  }
  rooms.PlaceAgentOutside(&rooms.At(locked));
  RequireReachable(w);
}

inline Instruction GoToImpUnlock(Gridworld& w, Rooms& rooms) {
  const Point locked = LockSomeRoom(w, rooms).first;
  rooms.ConnectAll();
  FurnishEachRoom(w, rooms, 2, locked);
  return GoTo(Describe(w, rooms.AddDistractors(1, false, locked.x, locked.y)[0]));
}

// ---- open

inline Instruction OpenAny(Gridworld& w, Rooms& rooms) {
  FurnishMaze(w, rooms, 18);
  if (w.failed()) return {};  // the level may have no door
  return Open(Describe(w, w.OneOf(DoorsOf(rooms))));
}

inline Instruction OpenRedDoor(Gridworld&, Rooms& rooms) {
  rooms.AddDoor(0, 0, kRightSide, kRed, false);
  rooms.PlaceAgent(0, 0);
  return Open(Describe(kDoor, kRed));
}

inline Instruction OpenDoor(Gridworld& w, Rooms& rooms) {
  const std::vector<Color> colors = w.Subset(kColorsByName, 4);
  for (int side = 0; side < 4; ++side) rooms.AddDoor(1, 1, side, colors[side], false);
  const std::string& select = w.options["select_by"_];
  const bool by_color = select.empty() ? w.DrawBool() : select == "color";
  const Description door = by_color ? Describe(kDoor, colors[0])
                                    : Describe(kDoor, kNoColor, static_cast<Side>(w.Draw(1, 5)));
  rooms.PlaceAgent(1, 1);
  return Open(door, w.options["debug"_]);
}
inline void CheckOpenDoor(const Options& o, const Layout&) {
  Chosen("select_by", o["select_by"_], {"", "color", "loc"});
}

/// The value of an option that names a color, or is empty.
inline std::optional<Color> NamedColor(const std::string& option, const std::string& name) {
  std::vector<std::string> names(kColorNames.begin(), kColorNames.end());
  names.emplace_back("");
  const int chosen = Chosen(option, name, names);
  if (chosen == kNumColors) return {};
  return static_cast<Color>(chosen);
}
inline Instruction OpenTwoDoors(Gridworld& w, Rooms& rooms) {
  const std::vector<Color> drawn = w.Subset(kColorsByName, 2);
  const Color first = NamedColor("first_color", w.options["first_color"_]).value_or(drawn[0]);
  const Color second = NamedColor("second_color", w.options["second_color"_]).value_or(drawn[1]);
  rooms.AddDoor(1, 1, kLeftSide, first, false);
  rooms.AddDoor(1, 1, kRightSide, second, false);
  rooms.PlaceAgent(1, 1);
  return {Open(Describe(kDoor, first), w.options["strict"_]), Order::kBefore,
          Open(Describe(kDoor, second))};
}
inline void CheckTwoDoors(const Options& o, const Layout&) {
  NamedColor("first_color", o["first_color"_]);
  NamedColor("second_color", o["second_color"_]);
}

inline Instruction OpenDoorsOrder(Gridworld& w, Rooms& rooms) {
  const bool strict = w.options["debug"_];
  std::vector<Id> doors;
  for (const Color color : w.Subset(kColorsByName, w.options["num_doors"_])) {
    doors.push_back(rooms.AddDoor(1, 1, {}, color, false));
  }
  rooms.PlaceAgent(1, 1);
  const std::vector<Id> two = w.Subset(doors, 2);
  const Clause first = Open(Describe(w, two[0]), strict);
  const Clause second = Open(Describe(w, two[1]), strict);
  const int mode = w.Draw(0, 3);
  if (mode == 0) return first;
  return {first, mode == 1 ? Order::kBefore : Order::kAfter, second};
}
inline void CheckDoorsOrder(const Options& o, const Layout&) {
  Checked("num_doors", o["num_doors"_], 2, 4);
}

inline Instruction Unlock(Gridworld& w, Rooms& rooms) {
  const auto [locked, door] = LockSomeRoom(w, rooms);
  const bool alone = w.DrawBool();  // no other door of its color
  rooms.ConnectAll(alone ? ColorsWithout(w.look(door).color) : kColorsByName);
  FurnishEachRoom(w, rooms, 3, locked);
  return Open(Describe(w, door));
}

inline Instruction UnlockLocal(Gridworld& w, Rooms& rooms) {
  const Id door = rooms.AddDoor(1, 1, {}, {}, true);
  rooms.AddObject(1, 1, kKey, w.look(door).color);
  if (w.options["distractors"_]) rooms.AddDistractors(3, true, 1, 1);
  rooms.PlaceAgent(1, 1);
  return Open(Describe(kDoor));
}

inline Instruction KeyInBox(Gridworld& w, Rooms& rooms) {
  const Id door = rooms.AddDoor(1, 1, {}, {}, true);
  const Id key = w.New(kKey, w.look(door).color), box = w.New(kBox, w.DrawColor());
  w.PutInside(box, key);
  rooms.PlaceInRoom(1, 1, box);
  rooms.PlaceAgent(1, 1);
  return Open(Describe(kDoor));
}

// ---- pick up

inline Instruction PickUpAny(Gridworld& w, Rooms& rooms) {
  return PickUp(Describe(w, w.OneOf(FurnishMaze(w, rooms, 18))));
}

inline Instruction UnblockPickup(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  rooms.ConnectAll();
  const std::vector<Id> things = rooms.AddDistractors(20, false);
  if (!w.failed() && IsAllReachable(w)) w.Fail();
  return PickUp(Describe(w, w.OneOf(things)));
}

inline Instruction PickupDist(Gridworld& w, Rooms& rooms) {
  const std::vector<Id> things = rooms.AddDistractors(5, true);
  rooms.PlaceAgent(0, 0);
  Description thing = Describe(w, w.OneOf(things));
  const int by = w.Draw(0, 3);  // kind, color, both
  if (by == 0) thing.color = kNoColor;
  if (by == 1) thing.kind = kEmpty;
  return PickUp(thing, w.options["debug"_]);
}

inline Instruction PickupAbove(Gridworld& w, Rooms& rooms) {
  const Id thing = rooms.AddObject(1, 0);
  rooms.AddDoor(1, 1, kUpSide, {}, false);
  rooms.PlaceAgent(1, 1);
  rooms.ConnectAll();
  return PickUp(Describe(w, thing));
}

inline Instruction OneRoom(Gridworld&, Rooms& rooms) {
  rooms.AddObject(0, 0, kBall);
  rooms.PlaceAgent();
  return PickUp(Describe(kBall));
}

inline Instruction KeyCorridor(Gridworld& w, Rooms& rooms) {
  FurnishCorridor(w, rooms);
  return PickUp(Describe(w.look(w.target).kind));
}

inline Instruction UnlockPickup(Gridworld& w, Rooms& rooms) {
  const Id box = rooms.AddObject(1, 0, kBox);
  AddLockedDoor(w, rooms);
  if (w.options["distractors"_]) rooms.AddDistractors(4, true);
  rooms.PlaceAgent(0, 0);
  return PickUp(Describe(w, box));
}

inline Instruction BlockedUnlockPickup(Gridworld& w, Rooms& rooms) {
  rooms.AddObject(1, 0, kBox);
  AddLockedDoor(w, rooms, true);
  rooms.PlaceAgent(0, 0);
  return PickUp(Describe(kBox));
}

inline Instruction UnlockToUnlock(Gridworld& w, Rooms& rooms) {
  const std::vector<Color> colors = w.Subset(kColorsByName, 2);
  rooms.AddDoor(0, 0, kRightSide, colors[0], true);
  rooms.AddObject(2, 0, kKey, colors[0]);
  rooms.AddDoor(1, 0, kRightSide, colors[1], true);
  rooms.AddObject(1, 0, kKey, colors[1]);
  rooms.AddObject(0, 0, kBall);
  rooms.PlaceAgent(1, 0);
  return PickUp(Describe(kBall));
}

inline Instruction ActionObjDoor(Gridworld& w, Rooms& rooms) {
  std::vector<Id> things = rooms.AddDistractors(5, true, 1, 1);
  for (int i = 0; i < 4; ++i) things.push_back(rooms.AddDoor(1, 1, {}, {}, false));
  rooms.PlaceAgent(1, 1);
  const Description thing = Describe(w, w.OneOf(things));
  if (w.DrawBool()) return GoTo(thing);
  return thing.kind == kDoor ? Open(thing) : PickUp(thing);
}

inline Instruction FindObj(Gridworld& w, Rooms& rooms) {
  const int col = rooms.DrawRow();  // minigrid exchanges the numbers of rows and columns
  const Id thing = rooms.AddObject(col, rooms.DrawCol());
  rooms.PlaceAgent(1, 1);
  rooms.ConnectAll();
  return PickUp(Describe(w.look(thing).kind));
}

inline void CheckSquare(const Options& o, const Layout&) {
  Checked("num_cols", o["num_cols"_], o["num_rows"_], o["num_rows"_]);
}

// ---- put next to

inline Instruction PutNextLocal(Gridworld& w, Rooms& rooms) {
  rooms.PlaceAgent();
  const std::vector<Id> things = rooms.AddDistractors(w.options["num_objs"_], true);
  RequireReachable(w);
  const std::vector<Id> two = w.Subset(things, 2);
  return PutNext(Describe(w, two[0]), Describe(w, two[1]));
}
inline void CheckNumObjs(const Options& o, const Layout&) {
  Checked("num_objs", o["num_objs"_], 2, 18);
}

/// Two rooms without a wall between them, with things on both sides.
struct Sides {
  std::vector<Id> left, right;
};
inline Sides FurnishTwoSides(Gridworld& w, Rooms& rooms) {
  const int count = w.options["objs_per_room"_];
  rooms.PlaceAgent(0, 0);
  Sides sides;
  sides.left = rooms.AddDistractors(count, true, 0, 0);
  sides.right = rooms.AddDistractors(count, true, 1, 0);
  rooms.RemoveWall(0, 0, kRightSide);
  return sides;
}
template <int kLeast>
void CheckPerRoom(const Options& o, const Layout&) {
  Checked("objs_per_room", o["objs_per_room"_], kLeast, 9);
}

inline Instruction PutNextAcross(Gridworld& w, Rooms& rooms) {
  const Sides sides = FurnishTwoSides(w, rooms);
  Id moved = w.OneOf(sides.left), fixed = w.OneOf(sides.right);
  if (w.DrawBool()) std::swap(moved, fixed);
  w.target = moved;
  return PutNext(Describe(w, moved), Describe(w, fixed));
}
/// Option start_carrying: after the first observation. The thing also keeps its cell, as in
/// minigrid.
inline void TakeInHand(Gridworld& w) {
  if (!w.options["start_carrying"_]) return;
  w.Set(w.place_of(w.target), kNothing);
  w.carrying = w.target;
}

inline Instruction MoveTwoAcross(Gridworld& w, Rooms& rooms) {
  const Sides sides = FurnishTwoSides(w, rooms);
  const std::vector<Id> left = w.Subset(sides.left, 2), right = w.Subset(sides.right, 2);
  return {PutNext(Describe(w, left[0]), Describe(w, right[0])), Order::kBefore,
          PutNext(Describe(w, right[1]), Describe(w, left[1]))};
}

// RoomGrid's arguments: steps for each cell of a room, or 0: by the instruction; the least rows and
// columns, and the size of a room.
inline const std::vector<Level> kLevels = {
    BabyAi("babyai_goto_red_ball", "num_dists", RoomGrid(0), GoToRedBall),
    BabyAi("babyai_goto_red_ball_grey", "num_dists", RoomGrid(0), GoToRedBallGrey),
    BabyAi("babyai_goto_red_blue_ball", "num_dists", RoomGrid(0), GoToRedBlueBall),
    BabyAi("babyai_goto_obj", "", RoomGrid(0), GoToObj),
    BabyAi("babyai_goto_local", "num_dists", RoomGrid(0), GoToLocal),
    BabyAi("babyai_goto", "num_dists doors_open", RoomGrid(0), GoToMaze),
    BabyAi("babyai_goto_door", "", RoomGrid(0, 3, 3), GoToDoor),
    BabyAi("babyai_goto_obj_door", "", RoomGrid(0, 3, 3, 6), GoToObjDoor),
    BabyAi("babyai_goto_imp_unlock", "", RoomGrid(0, 2, 2), GoToImpUnlock),
    BabyAi("babyai_open", "", RoomGrid(0, 1, 2), OpenAny),
    BabyAi("babyai_open_red_door", "", RoomGrid(0, 1, 2), OpenRedDoor),
    BabyAi("babyai_open_door", "select_by debug", RoomGrid(0, 3, 3), OpenDoor, CheckOpenDoor),
    BabyAi("babyai_open_two_doors", "first_color second_color strict", RoomGrid(20, 2, 3),
           OpenTwoDoors, CheckTwoDoors),
    BabyAi("babyai_open_doors_order", "num_doors debug", RoomGrid(20, 3, 3), OpenDoorsOrder,
           CheckDoorsOrder),
    BabyAi("babyai_unlock", "", RoomGrid(0, 2, 2), Unlock),
    BabyAi("babyai_unlock_local", "distractors", RoomGrid(0, 2, 2), UnlockLocal),
    BabyAi("babyai_key_in_box", "", RoomGrid(0, 2, 2), KeyInBox),
    BabyAi("babyai_pickup", "", RoomGrid(0), PickUpAny),
    BabyAi("babyai_unblock_pickup", "", RoomGrid(0), UnblockPickup),
    BabyAi("babyai_pickup_dist", "debug", RoomGrid(0), PickupDist),
    BabyAi("babyai_pickup_above", "", RoomGrid(8, 2, 2), PickupAbove),
    BabyAi("babyai_one_room", "", RoomGrid(0), OneRoom),
    BabyAi("babyai_key_corridor", "obj_type", RoomGrid(30, 1, 3, 3), KeyCorridor, CheckTarget),
    BabyAi("babyai_unlock_pickup", "distractors", RoomGrid(0, 1, 2), UnlockPickup),
    BabyAi("babyai_blocked_unlock_pickup", "", RoomGrid(16, 1, 2), BlockedUnlockPickup),
    BabyAi("babyai_unlock_to_unlock", "", RoomGrid(30, 1, 3), UnlockToUnlock),
    BabyAi("babyai_action_obj_door", "", RoomGrid(0, 3, 3, 5), ActionObjDoor),
    BabyAi("babyai_find_obj", "", RoomGrid(20, 2, 2), FindObj, CheckSquare),
    BabyAi("babyai_put_next_local", "num_objs", RoomGrid(0), PutNextLocal, CheckNumObjs),
    BabyAi("babyai_put_next", "objs_per_room start_carrying", RoomGrid(8, 1, 2), PutNextAcross,
           CheckPerRoom<1>, TakeInHand),
    BabyAi("babyai_move_two_across", "objs_per_room", RoomGrid(16, 1, 2), MoveTwoAcross,
           CheckPerRoom<2>),
};

}  // namespace envpool::minigrid::babyai
