// SPDX-License-Identifier: Apache-2.0
// Levels of walls, lava and doors, most of them with a goal.
//
// Random numbers are drawn in minigrid's order; the rest may come in any order.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../gridworld.h"

namespace envpool::minigrid {

inline constexpr std::string_view kGetToTheGoal = "get to the green goal square";

/// Makes the border, and the goal in the lower right corner.
inline void StartField(Gridworld& w) {
  w.WallBorder();
  w.Set({w.width() - 2, w.height() - 2}, kGoalId);
}

/// Options agent_start_pos and agent_start_dir: (-1, -1) draws the place, -1 the direction.
inline void CheckStart(const Options& options, const Layout& layout) {
  const std::vector<int>& at = options["agent_start_pos"_];
  const int right = layout.width - 2, bottom = layout.height - 2;
  const bool drawn = at == std::vector<int>{-1, -1};
  if (!drawn && (at.size() != 2 || at[0] < 1 || at[1] < 1 || at[0] > right || at[1] > bottom ||
                 (at[0] == right && at[1] == bottom))) {
    std::string got = "[";
    for (int number : at) got += (got.size() > 1 ? ", " : "") + std::to_string(number);
    throw envpool::OptionError("agent_start_pos", got + "]",
                               "[x, y] of a free cell of a grid of " +
                                   std::to_string(layout.width) + " x " +
                                   std::to_string(layout.height) + " cells, or [-1, -1]",
                               "pass [-1, -1] for a place that is drawn for each episode");
  }
  Checked("agent_start_dir", options["agent_start_dir"_], drawn ? -1 : 0, 3);
}
inline void StartAgent(Gridworld& w) {
  const std::vector<int>& at = w.options["agent_start_pos"_];
  if (at[0] < 0) return w.PlaceAgent();
  w.agent = {at[0], at[1]};
  w.direction = w.options["agent_start_dir"_];
}

inline void Empty(Gridworld& w) {
  StartField(w);
  StartAgent(w);
  w.mission.Say(kGetToTheGoal);
}

inline Layout DistShiftLayout(const Options& o) {
  const int width = Checked("width", o["width"_], 7, 128);
  const int height = Checked("height", o["height"_], 4, 128);
  Checked("strip2_row", o["strip2_row"_], 1, height - 2);
  return {width, height, 4 * width * height, true};
}
inline void DistShift(Gridworld& w) {
  w.WallBorder();
  w.Set({w.width() - 2, 1}, kGoalId);
  w.WallRow({3, 1}, w.width() - 6, kLavaId);
  w.WallRow({3, w.options["strip2_row"_]}, w.width() - 6, kLavaId);
  StartAgent(w);
  w.mission.Say(kGetToTheGoal);
}

/// Option obstacle_type: the material of a river, or of a wall with a gap.
inline Id ObstacleOf(const Options& o) {
  return Chosen("obstacle_type", o["obstacle_type"_], {"lava", "wall"}) == 0 ? kLavaId : kWallId;
}
inline void SayObstacles(Gridworld& w) {
  w.mission.Say(ObstacleOf(w.options) == kLavaId ? "avoid the lava and " : "find the opening and ",
                kGetToTheGoal);
}

inline void LavaGap(Gridworld& w) {
  StartField(w);
  w.agent = {1, 1};
  const int x = w.Draw(2, w.width() - 2), y = w.Draw(1, w.height() - 1);
  w.WallColumn({x, 1}, w.height() - 2, ObstacleOf(w.options));
  w.Set({x, y}, kNothing);
  SayObstacles(w);
}

inline void DoorKey(Gridworld& w) {
  StartField(w);
  const int split = w.Draw(2, w.width() - 2);
  w.WallColumn({split, 0}, w.height());
  const Area left{{0, 0}, split, w.height()};
  w.PlaceAgent(left);
  w.Put({split, w.Draw(1, w.height() - 2)}, w.New(kDoor, kYellow, kLocked));
  w.Place(w.New(kKey, kYellow), left);
  w.mission.Say("use the key to open the door and then get to the goal");
}

/// Makes rivers across a square, each with one crossing, so that a way leads to the goal.
inline void Crossing(Gridworld& w) {
  const Id obstacle = ObstacleOf(w.options);
  const int size = w.width();
  StartField(w);
  w.agent = {1, 1};
  struct River {
    bool upright;
    int at;
  };
  std::vector<River> rivers;
  for (bool upright : {true, false}) {
    for (int i = 2; i < size - 2; i += 2) rivers.push_back({upright, i});
  }
  w.random.Shuffle(rivers);
  rivers.resize(std::min<std::size_t>(rivers.size(), w.options["num_crossings"_]));
  std::vector<int> down = {0}, across = {0};  // x of vertical rivers, y of horizontal rivers
  for (const River& river : rivers) (river.upright ? down : across).push_back(river.at);
  std::vector<char> over_upright(rivers.size());  // the order in which the way crosses them
  std::fill_n(over_upright.begin(), down.size() - 1, 1);
  for (std::vector<int>* list : {&down, &across}) {
    std::sort(list->begin(), list->end());
    list->push_back(size - 1);
  }
  for (std::size_t i = 1; i + 1 < across.size(); ++i) w.WallRow({1, across[i]}, size - 2, obstacle);
  for (std::size_t i = 1; i + 1 < down.size(); ++i) w.WallColumn({down[i], 1}, size - 2, obstacle);
  w.random.Shuffle(over_upright);
  int i = 0, j = 0;
  for (const char upright : over_upright) {
    if (upright != 0) {
      w.Set({down[i + 1], w.Draw(across[j] + 1, across[j + 1])}, kNothing);
      ++i;
    } else {
      w.Set({w.Draw(down[i] + 1, down[i + 1]), across[j + 1]}, kNothing);
      ++j;
    }
  }
  SayObstacles(w);
}

inline void FourRooms(Gridworld& w) {
  const int room = w.width() / 2;
  w.WallBorder();
  for (int top : {0, room}) {
    for (int left : {0, room}) {
      if (left == 0) {
        w.WallColumn({room, top}, room);
        w.Set({room, w.Draw(top + 1, top + room)}, kNothing);
      }
      if (top == 0) {
        w.WallRow({left, room}, room);
        w.Set({w.Draw(left + 1, left + room), room}, kNothing);
      }
    }
  }
  w.PlaceAgent();
  w.Place(kGoalId);
  w.mission.Say("reach the goal");
}

inline Layout LockedRoomLayout(const Options& o) {
  const int size = Checked("size", o["size"_], 13, 128);
  return {size, size, 10 * size};
}
inline void LockedRoom(Gridworld& w) {
  const int left = w.width() / 2 - 2, right = w.width() / 2 + 2, third = w.height() / 3;
  w.WallBorder();
  w.WallColumn({left, 0}, w.height());
  w.WallColumn({right, 0}, w.height());
  std::vector<Point> tops;
  for (int y : {0, third, 2 * third}) {
    w.WallRow({0, y}, left);
    w.WallRow({right, y}, w.width() - right);
    tops.insert(tops.end(), {{0, y}, {right, y}});
  }
  const auto inside = [&](int room) {
    const int x = w.Draw(tops[room].x + 1, tops[room].x + left);
    return Point(x, w.Draw(tops[room].y + 1, tops[room].y + third));
  };
  const int locked = w.Draw(0, 6);
  w.Set(inside(locked), kGoalId);
  const std::vector<Color> colors = w.Subset(kColorsByName, 6);
  for (int room = 0; room < 6; ++room) {
    w.Put({room % 2 == 0 ? left : right, tops[room].y + 3},
          w.New(kDoor, colors[room], room == locked ? kLocked : kClosed));
  }
  int key_room = locked;
  while (key_room == locked) key_room = w.Draw(0, 6);
  w.Put(inside(key_room), w.New(kKey, colors[locked]));
  w.PlaceAgent({{left, 0}, right - left, w.height()});
  w.mission.Say("get the ", colors[locked], " key from the ", colors[key_room],
                " room, unlock the ", kColorNames[colors[locked]], " door and go to the goal");
}

inline void Memory(Gridworld& w) {
  const int middle = w.height() / 2, above = middle - 1, below = middle + 1;
  w.WallBorder();
  const int end = w.options["random_length"_] ? w.Draw(4, w.width() - 2) : w.width() - 3;
  for (int y : {middle - 2, middle + 2}) w.WallRow({1, y}, 4);
  for (int y : {above, below}) w.WallRow({4, y}, std::max(end - 4, 1));
  w.WallColumn({end, 0}, w.height());
  w.Set({end, middle}, kNothing);
  w.WallColumn({end + 2, 0}, w.height());
  w.agent = {w.Draw(1, end + 1), middle};
  const Kind shown = w.OneOf({kKey, kBall});
  w.Put({1, above}, w.New(shown, kGreen));
  const Kind upper = w.OneOf({kBall, kKey});
  w.Put({end + 1, middle - 2}, w.New(upper, kGreen));
  w.Put({end + 1, middle + 2}, w.New(upper == kBall ? kKey : kBall, kGreen));
  w.place = {end + 1, shown == upper ? above : below};
  w.other_place = {end + 1, shown == upper ? below : above};
  w.mission.Say("go to the matching object at the end of the hallway");
}
inline void StepMemory(Gridworld& w, Turn& turn) {
  if (turn.action == kPickup) turn.action = kToggle;
  Act(w, turn);
  if (w.agent == w.place) w.Succeed(turn);
  if (w.agent == w.other_place) Gridworld::Lose(turn);
}

inline Layout RedBlueDoorLayout(const Options& o) {
  const int size = Checked("size", o["size"_], 4, 64);
  return {2 * size, size, 20 * size * size};
}
inline void RedBlueDoor(Gridworld& w) {
  const int size = w.height(), left = size / 2, right = left + size - 1;
  w.WallBorder();
  w.WallBox({left, 0}, size, size);
  w.PlaceAgent({{left, 0}, size, size});
  w.target = w.Put({left, w.Draw(1, size - 1)}, w.New(kDoor, kRed, kClosed));
  w.other = w.Put({right, w.Draw(1, size - 1)}, w.New(kDoor, kBlue, kClosed));
  w.mission.Say("open the red door then the blue door");
}
inline void StepRedBlueDoor(Gridworld& w, Turn& turn) {
  const bool red_before = w.IsOpen(w.target), blue_before = w.IsOpen(w.other);
  Act(w, turn);
  if (w.IsOpen(w.other)) {
    red_before ? w.Succeed(turn) : Gridworld::Lose(turn);
  } else if (w.IsOpen(w.target) && blue_before) {
    Gridworld::Lose(turn);
  }
}

/// A chain of rooms. A door in a wall of one room leads to the next.
struct RoomChain {
  struct Link {
    Area area;
    Point entry;
  };
  static constexpr int kMost = 24;

  Gridworld& w;
  int largest;
  std::vector<Link> rooms{};

  /// Adds a room whose door is at `entry` in its wall 0 right, 1 down, 2 left or 3 up, and up to
  /// `left` - 1 rooms after it. Returns false if this room does not fit.
  bool Add(int left, int wall, Point entry) {
    const int width = w.Draw(4, largest + 1), height = w.Draw(4, largest + 1);
    Point top = entry;
    if (!rooms.empty()) {
      const bool aside = wall % 2 == 0;
      if (aside) top.y = static_cast<std::int16_t>(w.Draw(entry.y - height + 2, entry.y));
      if (!aside) top.x = static_cast<std::int16_t>(w.Draw(entry.x - width + 2, entry.x));
      if (wall == 0) top = top - Point(width - 1, 0);
      if (wall == 1) top = top - Point(0, height - 1);
    }
    if (top.x < 0 || top.y < 0 || top.x + width > w.width() || top.y + height >= w.height()) {
      return false;
    }
    for (std::size_t i = 0; i + 1 < rooms.size(); ++i) {
      const Area& other = rooms[i].area;
      const bool apart = top.x + width < other.top.x || other.top.x + other.width <= top.x ||
                         top.y + height < other.top.y || other.top.y + other.height <= top.y;
      if (!apart) return false;
    }
    rooms.push_back({{top, width, height}, entry});
    if (left == 1) return true;
    for (int tried = 0; tried < 8; ++tried) {
      const int drawn = w.Draw(0, 3), exit = drawn + (drawn >= wall ? 1 : 0);
      Point door = top;
      if (exit % 2 == 0) door = door + Point(0, w.Draw(1, height - 1));
      if (exit % 2 == 1) door = door + Point(w.Draw(1, width - 1), 0);
      if (exit == 0) door = door + Point(width - 1, 0);
      if (exit == 1) door = door + Point(0, height - 1);
      if (Add(left - 1, (exit + 2) % 4, door)) break;
    }
    return true;
  }
};

inline Layout MultiRoomLayout(const Options& o) {
  const int most = Checked("max_num_rooms", o["max_num_rooms"_], 1, RoomChain::kMost);
  Checked("min_num_rooms", o["min_num_rooms"_], 1, most);
  Checked("max_room_size", o["max_room_size"_], 4, 20);
  return {25, 25, 20 * most};
}
inline void MultiRoom(Gridworld& w) {
  const int wanted = w.Draw(w.options["min_num_rooms"_], w.options["max_num_rooms"_] + 1);
  RoomChain chain{w, w.options["max_room_size"_]};
  std::vector<RoomChain::Link> longest;
  for (int tried = 0; static_cast<int>(longest.size()) < wanted; ++tried) {
    if (tried == 1000000) {
      throw std::runtime_error("MultiRoom: no chain of " + std::to_string(wanted) +
                               " rooms was found; ask for fewer, or smaller ones");
    }
    const int x = w.Draw(0, w.width() - 2), y = w.Draw(0, w.width() - 2);
    chain.rooms.clear();
    chain.Add(wanted, 2, {x, y});
    if (chain.rooms.size() > longest.size()) longest = chain.rooms;
  }
  std::vector<Color> colors = kColorsByName;
  for (const RoomChain::Link& room : longest) {
    w.WallBox(room.area.top, room.area.width, room.area.height);
    if (&room == &longest.front()) continue;
    const Color color = w.OneOf(colors);
    w.Put(room.entry, w.New(kDoor, color, kClosed));
    colors = ColorsWithout(color);
  }
  w.PlaceAgent(longest.front().area);
  w.Place(kGoalId, longest.back().area);
  w.mission.Say("traverse the rooms to get to the goal");
}

inline void Playground(Gridworld& w) {
  const int room = w.width() / 3;
  w.WallBorder();
  const auto add_door = [&](int x, int y) { w.Put({x, y}, w.New(kDoor, w.DrawColor(), kClosed)); };
  for (int top : {0, room, 2 * room}) {
    for (int left : {0, room, 2 * room}) {
      if (left < 2 * room) {
        w.WallColumn({left + room, top}, room);
        add_door(left + room, w.Draw(top + 1, top + room - 1));
      }
      if (top < 2 * room) {
        w.WallRow({left, top + room}, room);
        add_door(w.Draw(left + 1, left + room - 1), top + room);
      }
    }
  }
  w.PlaceAgent();
  for (int i = 0; i < 12; ++i) {
    const Kind kind = w.DrawKind();
    w.Place(w.New(kind, w.DrawColor()));
  }
  w.mission.Say();
}

inline const std::vector<Level> kPlainLevels = {
    {.name = "empty",
     .options = "size agent_start_pos agent_start_dir",
     .layout = Square(4, 4, true),
     .check = CheckStart,
     .generate = Empty},
    {.name = "distshift",
     .options = "width height agent_start_pos agent_start_dir strip2_row",
     .layout = DistShiftLayout,
     .check = CheckStart,
     .generate = DistShift},
    {.name = "lava_gap",
     .options = "size obstacle_type",
     .layout = Square(5, 4),
     .check = [](const Options& o, const Layout&) { ObstacleOf(o); },
     .generate = LavaGap},
    {.name = "doorkey", .options = "size", .layout = Square(5, 10), .generate = DoorKey},
    {.name = "crossing",
     .options = "size num_crossings obstacle_type",
     .layout = OddSquare(5, 4, "rivers lie in every other row"),
     .check =
         [](const Options& o, const Layout& layout) {
           ObstacleOf(o);
           Checked("num_crossings", o["num_crossings"_], 0, layout.width - 3);
         },
     .generate = Crossing},
    {.name = "four_rooms", .layout = Fixed({19, 19, 100}), .generate = FourRooms},
    {.name = "locked_room", .options = "size", .layout = LockedRoomLayout, .generate = LockedRoom},
    {.name = "memory",
     .options = "size random_length",
     .layout = OddSquare(7, 5, "the hallway is in the middle"),
     .generate = Memory,
     .step = StepMemory},
    {.name = "red_blue_door",
     .options = "size",
     .layout = RedBlueDoorLayout,
     .generate = RedBlueDoor,
     .step = StepRedBlueDoor},
    {.name = "multi_room",
     .options = "min_num_rooms max_num_rooms max_room_size",
     .layout = MultiRoomLayout,
     .generate = MultiRoom},
    {.name = "playground", .layout = Fixed({19, 19, 100}), .generate = Playground},
};

}  // namespace envpool::minigrid
