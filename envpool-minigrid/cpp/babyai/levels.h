// SPDX-License-Identifier: Apache-2.0
// BabyAI's other levels, each a function of a few lines, in minigrid's order of draws.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "../levels/rooms.h"
#include "level.h"

namespace minigrid::babyai {

inline constexpr std::string_view kRoomOptions = "room_size num_rows num_cols";
inline constexpr std::string_view kRoomsOfThings = "room_size num_rows num_cols num_dists";
inline int NumDists(const World& w) { return w.options["num_dists"_]; }
inline const std::vector<Color> kAllColors(kColorsByName.begin(), kColorsByName.end());

// ---- go to

inline void GoToRedBall(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  const Id ball = rooms.AddObject(0, 0, kBall, kRed);
  rooms.AddDistractors(NumDists(w), false);
  RequireReachable(w);
  w.instruction = Ask(GoTo(Describe(w, ball)));
}
inline const Level kGoToRedBall = BabyAi<GoToRedBall>("babyai_goto_red_ball", kRoomsOfThings);

inline void GoToRedBallGrey(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  const Id ball = rooms.AddObject(0, 0, kBall, kRed);
  for (const Id id : rooms.AddDistractors(NumDists(w), false)) w.Repaint(id, kGrey);
  RequireReachable(w);
  w.instruction = Ask(GoTo(Describe(w, ball)));
}
inline const Level kGoToRedBallGrey =
    BabyAi<GoToRedBallGrey>("babyai_goto_red_ball_grey", kRoomsOfThings);

inline void GoToRedBlueBall(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  for (const Id id : rooms.AddDistractors(NumDists(w), false)) {
    const Look look = w.look(id);
    if (look.kind == kBall && (look.color == kBlue || look.color == kRed)) return w.Fail();
  }
  const Id ball = rooms.AddObject(0, 0, kBall, w.OneOf({kRed, kBlue}));
  RequireReachable(w);
  w.instruction = Ask(GoTo(Describe(w, ball)));
}
inline const Level kGoToRedBlueBall =
    BabyAi<GoToRedBlueBall>("babyai_goto_red_blue_ball", kRoomsOfThings);

inline void GoToObj(Rooms& rooms) {
  rooms.PlaceAgent();
  const std::vector<Id> things = rooms.AddDistractors(1, true);
  if (!rooms.w.failed()) rooms.w.instruction = Ask(GoTo(Describe(rooms.w, things[0])));
}
inline const Level kGoToObj = BabyAi<GoToObj>("babyai_goto_obj", kRoomOptions);

inline void GoToLocal(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  const std::vector<Id> things = rooms.AddDistractors(NumDists(w), false);
  RequireReachable(w);
  if (!w.failed()) w.instruction = Ask(GoTo(Describe(w, w.OneOf(things))));
}
inline const Level kGoToLocal = BabyAi<GoToLocal>("babyai_goto_local", kRoomsOfThings);

/// Rooms that are connected, with things in them that can all be reached.
inline std::vector<Id> FurnishMaze(Rooms& rooms, int count) {
  rooms.PlaceAgent();
  rooms.ConnectAll();
  std::vector<Id> things = rooms.AddDistractors(count, false);
  RequireReachable(rooms.w);
  return things;
}

inline void GoToMaze(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Id> things = FurnishMaze(rooms, NumDists(w));
  if (w.failed()) return;
  w.instruction = Ask(GoTo(Describe(w, w.OneOf(things))));
  if (!w.options["doors_open"_]) return;
  for (const Room& room : rooms.all()) {
    for (const Id door : room.doors) {
      if (door != kNothing) w.SetState(door, kOpen);
    }
  }
}
inline const Level kGoTo =
    BabyAi<GoToMaze>("babyai_goto", "room_size num_rows num_cols num_dists doors_open");

inline void GoToDoor(Rooms& rooms) {
  World& w = rooms.w;
  std::array<Id, 4> doors{};
  for (Id& door : doors) door = rooms.AddDoor(1, 1);
  rooms.PlaceAgent(1, 1);
  w.instruction = Ask(GoTo(Describe(w, w.OneOf(doors))));
}
inline const Level kGoToDoor = BabyAi<GoToDoor, 0, 3, 3>("babyai_goto_door", kRoomOptions);

inline void GoToObjDoor(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent(1, 1);
  std::vector<Id> things = rooms.AddDistractors(8, false, 1, 1);
  for (int i = 0; i < 4; ++i) things.push_back(rooms.AddDoor(1, 1));
  RequireReachable(w);
  w.instruction = Ask(GoTo(Describe(w, w.OneOf(things))));
}
inline const Level kGoToObjDoor =
    BabyAi<GoToObjDoor, 0, 3, 3, 6>("babyai_goto_obj_door", kRoomOptions);

/// A locked door, and its key: in any room, the locked one too, which is what minigrid does.
inline Id LockSomeRoom(Rooms& rooms, const Room*& locked) {
  const int col = rooms.DrawCol(), row = rooms.DrawRow();
  const Id door = rooms.AddDoor(col, row, {}, {}, true);
  locked = &rooms.At(col, row);
  const int key_col = rooms.DrawCol();
  rooms.AddObject(key_col, rooms.DrawRow(), kKey, rooms.w.look(door).color);
  return door;
}
/// So many things in every room.
inline void FurnishEachRoom(Rooms& rooms, int count) {
  for (int col = 0; col < rooms.cols(); ++col) {
    for (int row = 0; row < rooms.rows(); ++row) rooms.AddDistractors(count, false, col, row);
  }
}

inline void GoToImpUnlock(Rooms& rooms) {
  World& w = rooms.w;
  const Room* locked = nullptr;
  LockSomeRoom(rooms, locked);
  rooms.ConnectAll();
  FurnishEachRoom(rooms, 2);
  rooms.PlaceAgentOutside(locked);
  RequireReachable(w);
  const Point at = locked->area.top;
  const int inner = rooms.size() - 1;
  const std::vector<Id> things = rooms.AddDistractors(1, false, at.x / inner, at.y / inner);
  if (!w.failed()) w.instruction = Ask(GoTo(Describe(w, things[0])));
}
inline const Level kGoToImpUnlock =
    BabyAi<GoToImpUnlock, 0, 2, 2>("babyai_goto_imp_unlock", kRoomOptions);

// ---- open

inline void OpenAny(Rooms& rooms) {
  World& w = rooms.w;
  FurnishMaze(rooms, 18);
  if (w.failed()) return;
  std::vector<Id> doors;  // each is that of two rooms
  for (int col = 0; col < rooms.cols(); ++col) {
    for (int row = 0; row < rooms.rows(); ++row) {
      for (const Id door : rooms.At(col, row).doors) {
        if (door != kNothing) doors.push_back(door);
      }
    }
  }
  w.instruction = Ask(Open(Describe(w, w.OneOf(doors))));
}
inline const Level kOpenAny = BabyAi<OpenAny, 0, 1, 2>("babyai_open", kRoomOptions);

inline void OpenRedDoor(Rooms& rooms) {
  rooms.AddDoor(0, 0, kRightSide, kRed, false);
  rooms.PlaceAgent(0, 0);
  rooms.w.instruction = Ask(Open(Describe(kDoor, kRed)));
}
inline const Level kOpenRedDoor =
    BabyAi<OpenRedDoor, 0, 1, 2>("babyai_open_red_door", kRoomOptions);

inline void OpenDoor(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Color> colors = w.Subset(kAllColors, 4);
  for (int side = 0; side < 4; ++side) {
    rooms.AddDoor(1, 1, side, colors[static_cast<std::size_t>(side)], false);
  }
  const std::string& select = w.options["select_by"_];
  const bool by_color = select.empty() ? w.DrawBool() : select == "color";
  Description door = Describe(kDoor);
  if (by_color) {
    door.color = colors[0];
  } else {
    door.side = static_cast<Side>(w.Draw(1, 5));
  }
  rooms.PlaceAgent(1, 1);
  w.instruction = Ask(Open(door, w.options["debug"_]));
}
inline const Level kOpenDoor = BabyAi<OpenDoor>(
    "babyai_open_door", "room_size num_rows num_cols select_by debug", [](const Options& o) {
      Chosen("select_by", o["select_by"_], {"", "color", "loc"});
      return RoomLayout(o, 0, 3, 3, 4);
    });

/// An option that names a color, or is empty.
inline std::optional<Color> NamedColor(const std::string& option, const std::string& name) {
  std::vector<std::string> names(kColorNames.begin(), kColorNames.end());
  names.emplace_back("");
  const int chosen = Chosen(option, name, names);
  if (chosen == kNumColors) return {};
  return static_cast<Color>(chosen);
}
inline void OpenTwoDoors(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Color> drawn = w.Subset(kAllColors, 2);
  const Color first = NamedColor("first_color", w.options["first_color"_]).value_or(drawn[0]);
  const Color second = NamedColor("second_color", w.options["second_color"_]).value_or(drawn[1]);
  rooms.AddDoor(1, 1, kLeftSide, first, false);
  rooms.AddDoor(1, 1, kRightSide, second, false);
  rooms.PlaceAgent(1, 1);
  w.instruction = Ask(Open(Describe(kDoor, first), w.options["strict"_]), Order::kBefore,
                      Open(Describe(kDoor, second)));
}
inline const Level kOpenTwoDoors = BabyAi<OpenTwoDoors>(
    "babyai_open_two_doors", "room_size num_rows num_cols first_color second_color strict",
    [](const Options& o) {
      NamedColor("first_color", o["first_color"_]);
      NamedColor("second_color", o["second_color"_]);
      return RoomLayout(o, 20 * o["room_size"_] * o["room_size"_], 2, 3, 4);
    });

inline void OpenDoorsOrder(Rooms& rooms) {
  World& w = rooms.w;
  const bool strict = w.options["debug"_];
  std::vector<Id> doors;
  for (const Color color : w.Subset(kAllColors, w.options["num_doors"_])) {
    doors.push_back(rooms.AddDoor(1, 1, {}, color, false));
  }
  rooms.PlaceAgent(1, 1);
  const std::vector<Id> two = w.Subset(doors, 2);
  const Clause first = Open(Describe(w, two[0]), strict),
               second = Open(Describe(w, two[1]), strict);
  const int mode = w.Draw(0, 3);
  w.instruction = mode == 0   ? Ask(first)
                  : mode == 1 ? Ask(first, Order::kBefore, second)
                              : Ask(first, Order::kAfter, second);
}
inline const Level kOpenDoorsOrder = BabyAi<OpenDoorsOrder>(
    "babyai_open_doors_order", "room_size num_rows num_cols num_doors debug", [](const Options& o) {
      Checked("num_doors", o["num_doors"_], 2, 4);
      return RoomLayout(o, 20 * o["room_size"_] * o["room_size"_], 3, 3, 4);
    });

inline void UnlockSome(Rooms& rooms) {
  World& w = rooms.w;
  const Room* locked = nullptr;
  const Id door = LockSomeRoom(rooms, locked);
  if (w.DrawBool()) {  // no other door of its color
    std::array<Color, kNumColors - 1> others{};
    std::size_t count = 0;
    for (const Color color : kColorsByName) {
      if (color != w.look(door).color) others[count++] = color;
    }
    rooms.ConnectAll(others);
  } else {
    rooms.ConnectAll();
  }
  FurnishEachRoom(rooms, 3);
  rooms.PlaceAgentOutside(locked);
  RequireReachable(w);
  w.instruction = Ask(Open(Describe(w, door)));
}
inline const Level kUnlock = BabyAi<UnlockSome, 0, 2, 2>("babyai_unlock", kRoomOptions);

inline void UnlockLocal(Rooms& rooms) {
  World& w = rooms.w;
  const Id door = rooms.AddDoor(1, 1, {}, {}, true);
  rooms.AddObject(1, 1, kKey, w.look(door).color);
  if (w.options["distractors"_]) rooms.AddDistractors(3, true, 1, 1);
  rooms.PlaceAgent(1, 1);
  w.instruction = Ask(Open(Describe(kDoor)));
}
inline const Level kUnlockLocal =
    BabyAi<UnlockLocal, 0, 2, 2>("babyai_unlock_local", "room_size num_rows num_cols distractors");

inline void KeyInBox(Rooms& rooms) {
  World& w = rooms.w;
  const Id door = rooms.AddDoor(1, 1, {}, {}, true);
  const Id key = w.New(kKey, w.look(door).color), box = w.New(kBox, w.DrawColor());
  w.PutInside(box, key);
  rooms.PlaceInRoom(1, 1, box);
  rooms.PlaceAgent(1, 1);
  w.instruction = Ask(Open(Describe(kDoor)));
}
inline const Level kKeyInBox = BabyAi<KeyInBox, 0, 2, 2>("babyai_key_in_box", kRoomOptions);

// ---- pick up

inline void PickUpAny(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Id> things = FurnishMaze(rooms, 18);
  if (!w.failed()) w.instruction = Ask(PickUp(Describe(w, w.OneOf(things))));
}
inline const Level kPickUpAny = BabyAi<PickUpAny>("babyai_pickup", kRoomOptions);

inline void UnblockPickup(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  rooms.ConnectAll();
  const std::vector<Id> things = rooms.AddDistractors(20, false);
  if (w.failed() || IsAllReachable(w)) return w.Fail();
  w.instruction = Ask(PickUp(Describe(w, w.OneOf(things))));
}
inline const Level kUnblockPickup = BabyAi<UnblockPickup>("babyai_unblock_pickup", kRoomOptions);

inline void PickupDist(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Id> things = rooms.AddDistractors(5, true);
  rooms.PlaceAgent(0, 0);
  if (w.failed()) return;
  Description thing = Describe(w, w.OneOf(things));
  const int by = w.Draw(0, 3);  // kind, color, both
  if (by == 0) thing.color = kNoColor;
  if (by == 1) thing.kind = kEmpty;
  w.instruction = Ask(PickUp(thing, w.options["debug"_]));
}
inline const Level kPickupDist =
    BabyAi<PickupDist>("babyai_pickup_dist", "room_size num_rows num_cols debug");

inline void PickupAbove(Rooms& rooms) {
  World& w = rooms.w;
  const Id thing = rooms.AddObject(1, 0);
  rooms.AddDoor(1, 1, kUpSide, {}, false);
  rooms.PlaceAgent(1, 1);
  rooms.ConnectAll();
  w.instruction = Ask(PickUp(Describe(w, thing)));
}
inline const Level kPickupAbove = BabyAi<PickupAbove, 8, 2, 2>("babyai_pickup_above", kRoomOptions);

inline void FindObj(Rooms& rooms) {
  World& w = rooms.w;
  // minigrid draws a row for the column, and the other way round.
  const int col = rooms.DrawRow();
  const Id thing = rooms.AddObject(col, rooms.DrawCol());
  rooms.PlaceAgent(1, 1);
  rooms.ConnectAll();
  w.instruction = Ask(PickUp(Describe(w.look(thing).kind)));
}
inline const Level kFindObj =
    BabyAi<FindObj>("babyai_find_obj", kRoomOptions, [](const Options& o) {
      Checked("num_cols", o["num_cols"_], o["num_rows"_], o["num_rows"_]);
      return RoomLayout(o, 20 * o["room_size"_] * o["room_size"_], 2, 2, 4);
    });

inline void OneRoom(Rooms& rooms) {
  rooms.AddObject(0, 0, kBall);
  rooms.PlaceAgent();
  rooms.w.instruction = Ask(PickUp(Describe(kBall)));
}
inline const Level kOneRoom = BabyAi<OneRoom>("babyai_one_room", kRoomOptions);

inline void CorridorToThing(Rooms& rooms) {
  KeyCorridor(rooms);
  rooms.w.instruction = Ask(PickUp(Describe(rooms.w.look(rooms.w.target).kind)));
}
inline const Level kKeyCorridor = BabyAi<CorridorToThing>(
    "babyai_key_corridor", "obj_type room_size num_rows num_cols", CorridorLayout);

inline void UnlockPickup(Rooms& rooms) {
  World& w = rooms.w;
  const Id box = rooms.AddObject(1, 0, kBox);
  const Id door = rooms.AddDoor(0, 0, kRightSide, {}, true);
  rooms.AddObject(0, 0, kKey, w.look(door).color);
  if (w.options["distractors"_]) rooms.AddDistractors(4, true);
  rooms.PlaceAgent(0, 0);
  w.instruction = Ask(PickUp(Describe(w, box)));
}
inline const Level kUnlockPickup = BabyAi<UnlockPickup, 0, 1, 2>(
    "babyai_unlock_pickup", "room_size num_rows num_cols distractors");

inline void BlockedUnlockPickup(Rooms& rooms) {
  BlockedUnlock(rooms);
  rooms.w.instruction = Ask(PickUp(Describe(kBox)));
}
inline const Level kBlockedUnlockPickup =
    BabyAi<BlockedUnlockPickup, 16, 1, 2>("babyai_blocked_unlock_pickup", kRoomOptions);

inline void UnlockToUnlock(Rooms& rooms) {
  World& w = rooms.w;
  const std::vector<Color> colors = w.Subset(kAllColors, 2);
  rooms.AddDoor(0, 0, kRightSide, colors[0], true);
  rooms.AddObject(2, 0, kKey, colors[0]);
  rooms.AddDoor(1, 0, kRightSide, colors[1], true);
  rooms.AddObject(1, 0, kKey, colors[1]);
  rooms.AddObject(0, 0, kBall);
  rooms.PlaceAgent(1, 0);
  w.instruction = Ask(PickUp(Describe(kBall)));
}
inline const Level kUnlockToUnlock =
    BabyAi<UnlockToUnlock, 30, 1, 3>("babyai_unlock_to_unlock", kRoomOptions);

inline void ActionObjDoor(Rooms& rooms) {
  World& w = rooms.w;
  std::vector<Id> things = rooms.AddDistractors(5, true, 1, 1);
  for (int i = 0; i < 4; ++i) things.push_back(rooms.AddDoor(1, 1, {}, {}, false));
  rooms.PlaceAgent(1, 1);
  const Description thing = Describe(w, w.OneOf(things));
  const bool go = w.DrawBool();
  w.instruction = Ask(go ? GoTo(thing) : thing.kind == kDoor ? Open(thing) : PickUp(thing));
}
inline const Level kActionObjDoor =
    BabyAi<ActionObjDoor, 0, 3, 3, 5>("babyai_action_obj_door", kRoomOptions);

// ---- put next to

inline void PutNextLocal(Rooms& rooms) {
  World& w = rooms.w;
  rooms.PlaceAgent();
  const std::vector<Id> things = rooms.AddDistractors(w.options["num_objs"_], true);
  RequireReachable(w);
  if (w.failed()) return;
  const std::vector<Id> two = w.Subset(things, 2);
  w.instruction = Ask(PutNext(Describe(w, two[0]), Describe(w, two[1])));
}
inline const Level kPutNextLocal = BabyAi<PutNextLocal>(
    "babyai_put_next_local", "room_size num_rows num_cols num_objs", [](const Options& o) {
      Checked("num_objs", o["num_objs"_], 2, 18);
      return RoomLayout(o, 0, 1, 1, 4);
    });

/// Two rooms without a wall between them, with things on both sides.
struct Sides {
  std::vector<Id> left, right;
};
inline Sides FurnishTwoSides(Rooms& rooms) {
  const int count = rooms.w.options["objs_per_room"_];
  rooms.PlaceAgent(0, 0);
  Sides sides;
  sides.left = rooms.AddDistractors(count, true, 0, 0);
  sides.right = rooms.AddDistractors(count, true, 1, 0);
  rooms.RemoveWall(0, 0, kRightSide);
  return sides;
}
template <int kSteps, int kLeast>
Layout TwoSidesLayout(const Options& o) {
  Checked("objs_per_room", o["objs_per_room"_], kLeast, 9);
  return RoomLayout(o, kSteps * o["room_size"_] * o["room_size"_], 1, 2, 4);
}

inline void PutNextAcross(Rooms& rooms) {
  World& w = rooms.w;
  const Sides sides = FurnishTwoSides(rooms);
  if (w.failed()) return;
  Id moved = w.OneOf(sides.left), fixed = w.OneOf(sides.right);
  if (w.DrawBool()) std::swap(moved, fixed);
  w.target = moved;
  w.instruction = Ask(PutNext(Describe(w, moved), Describe(w, fixed)));
}
inline const Level kPutNext = [] {
  Level level = BabyAi<PutNextAcross>("babyai_put_next",
                                      "room_size num_rows num_cols objs_per_room start_carrying",
                                      TwoSidesLayout<8, 1>);
  level.begin = [](World& w) {
    if (!w.options["start_carrying"_]) return;
    // It keeps its place, as in minigrid.
    w.Set(w.place_of(w.target), kNothing);
    w.carrying = w.target;
  };
  return level;
}();

inline void MoveTwoAcross(Rooms& rooms) {
  World& w = rooms.w;
  const Sides sides = FurnishTwoSides(rooms);
  if (w.failed()) return;
  const std::vector<Id> left = w.Subset(sides.left, 2), right = w.Subset(sides.right, 2);
  w.instruction = Ask(PutNext(Describe(w, left[0]), Describe(w, right[0])), Order::kBefore,
                      PutNext(Describe(w, right[1]), Describe(w, left[1])));
}
inline const Level kMoveTwoAcross = BabyAi<MoveTwoAcross>(
    "babyai_move_two_across", "room_size num_rows num_cols objs_per_room", TwoSidesLayout<16, 2>);

}  // namespace minigrid::babyai
