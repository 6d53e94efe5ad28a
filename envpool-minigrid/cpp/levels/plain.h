// SPDX-License-Identifier: Apache-2.0
// Levels of walls, lava and doors, most of them on the way to a goal.
//
// The order of the draws is minigrid's; what is not drawn may come in any order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../world.h"

namespace minigrid {

inline constexpr std::string_view kGetToTheGoal = "get to the green goal square";

/// Border, and the goal in the lower right corner.
inline void StartField(World& w) {
  w.WallBox({0, 0}, w.width(), w.height());
  w.Set({w.width() - 2, w.height() - 2}, kGoalId);
}

/// Options agent_start_pos and agent_start_dir: (-1, -1) is a place, and a direction, to be drawn.
inline void CheckStart(const Options& options, int width, int height) {
  const std::vector<int>& at = options["agent_start_pos"_];
  const bool drawn = at == std::vector<int>{-1, -1};
  if (!drawn && (at.size() != 2 || at[0] < 1 || at[1] < 1 || at[0] > width - 2 ||
                 at[1] > height - 2 || (at[0] == width - 2 && at[1] == height - 2))) {
    std::string got = "[";
    for (int number : at) got += (got.size() > 1 ? ", " : "") + std::to_string(number);
    throw envpool::OptionError("agent_start_pos", got + "]",
                               "[x, y] of a free cell of a grid of " + std::to_string(width) +
                                   " x " + std::to_string(height) + " cells, or [-1, -1]",
                               "pass [-1, -1] for a place that is drawn for each episode");
  }
  Checked("agent_start_dir", options["agent_start_dir"_], drawn ? -1 : 0, 3);
}
inline void StartAgent(World& w) {
  const std::vector<int>& at = w.options["agent_start_pos"_];
  if (at[0] < 0) {
    w.PlaceAgent();
  } else {
    w.agent = {at[0], at[1]};
    w.direction = w.options["agent_start_dir"_];
  }
}

inline const Level kEmptyLevel{
    .name = "empty",
    .options = "size agent_start_pos agent_start_dir",
    .layout =
        [](const Options& o) {
          const Layout layout = Square(o, 4, 4, true);
          CheckStart(o, layout.width, layout.height);
          return layout;
        },
    .generate =
        [](World& w) {
          StartField(w);
          StartAgent(w);
          w.mission.Say(kGetToTheGoal);
        },
};

inline const Level kDistShift{
    .name = "distshift",
    .options = "width height agent_start_pos agent_start_dir strip2_row",
    .layout =
        [](const Options& o) {
          const int width = Checked("width", o["width"_], 7, 128);
          const int height = Checked("height", o["height"_], 4, 128);
          Checked("strip2_row", o["strip2_row"_], 1, height - 2);
          CheckStart(o, width, height);
          return Layout{width, height, 4 * width * height, true};
        },
    .generate =
        [](World& w) {
          w.WallBox({0, 0}, w.width(), w.height());
          w.Set({w.width() - 2, 1}, kGoalId);
          w.WallRow({3, 1}, w.width() - 6, kLavaId);
          w.WallRow({3, w.options["strip2_row"_]}, w.width() - 6, kLavaId);
          StartAgent(w);
          w.mission.Say(kGetToTheGoal);
        },
};

/// Option obstacle_type: what a river or a wall with a gap is made of.
inline bool IsLava(const Options& options) {
  return Chosen("obstacle_type", options["obstacle_type"_], {"lava", "wall"}) == 0;
}
inline void SayObstacles(World& w, bool lava) {
  w.mission.Say(lava ? "avoid the lava and get to the green goal square"
                     : "find the opening and get to the green goal square");
}

inline const Level kLavaGap{
    .name = "lava_gap",
    .options = "size obstacle_type",
    .layout =
        [](const Options& o) {
          IsLava(o);
          return Square(o, 5, 4);
        },
    .generate =
        [](World& w) {
          const bool lava = IsLava(w.options);
          StartField(w);
          w.agent = {1, 1};
          const int x = w.Draw(2, w.width() - 2);
          const Point gap(x, w.Draw(1, w.height() - 1));
          w.WallColumn({x, 1}, w.height() - 2, lava ? kLavaId : kWallId);
          w.Set(gap, kNothing);
          SayObstacles(w, lava);
        },
};

inline const Level kDoorKey{
    .name = "doorkey",
    .options = "size",
    .layout = [](const Options& o) { return Square(o, 5, 10); },
    .generate =
        [](World& w) {
          StartField(w);
          const int split = w.Draw(2, w.width() - 2);
          w.WallColumn({split, 0}, w.height());
          const Area left{{0, 0}, split, w.height()};
          w.PlaceAgent(left);
          w.Put({split, w.Draw(1, w.height() - 2)}, w.New(kDoor, kYellow, kLocked));
          w.Place(w.New(kKey, kYellow), left);
          w.mission.Say("use the key to open the door and then get to the goal");
        },
};

/// Rivers across a square, each with one crossing, so that a way leads to the goal.
inline void GenerateCrossing(World& w) {
  const bool lava = IsLava(w.options);
  const Id obstacle = lava ? kLavaId : kWallId;
  const int size = w.width();
  StartField(w);
  w.agent = {1, 1};
  struct River {
    bool upright;
    int at;
  };
  std::array<River, 128> rivers{};
  std::size_t count = 0;
  for (bool upright : {true, false}) {
    for (int i = 2; i < size - 2; i += 2) rivers[count++] = {upright, i};
  }
  w.random.Shuffle(std::span(rivers.data(), count));
  count = std::min(count, static_cast<std::size_t>(w.options["num_crossings"_]));
  // The places of the rivers of each direction in order, between the two walls.
  std::array<std::array<int, 130>, 2> limits{};
  std::array<std::size_t, 2> ends = {1, 1};
  for (std::size_t i = 0; i < count; ++i)
    limits[rivers[i].upright][ends[rivers[i].upright]++] = rivers[i].at;
  for (std::size_t d : {0, 1}) {
    std::sort(limits[d].begin() + 1, limits[d].begin() + static_cast<int>(ends[d]));
    limits[d][ends[d]] = size - 1;
  }
  const auto& down = limits[1];    // x of the upright rivers
  const auto& across = limits[0];  // y of the others
  for (std::size_t i = 1; i < ends[0]; ++i) w.WallRow({1, across[i]}, size - 2, obstacle);
  for (std::size_t i = 1; i < ends[1]; ++i) w.WallColumn({down[i], 1}, size - 2, obstacle);
  // The way: over an upright river, or over another, in a drawn order.
  std::array<bool, 128> over_upright{};
  std::fill_n(over_upright.begin(), ends[1] - 1, true);
  w.random.Shuffle(std::span(over_upright.data(), count));
  std::size_t i = 0, j = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (over_upright[k]) {
      w.Set({down[i + 1], w.Draw(across[j] + 1, across[j + 1])}, kNothing);
      ++i;
    } else {
      w.Set({w.Draw(down[i] + 1, down[i + 1]), across[j + 1]}, kNothing);
      ++j;
    }
  }
  SayObstacles(w, lava);
}

inline const Level kCrossing{
    .name = "crossing",
    .options = "size num_crossings obstacle_type",
    .layout =
        [](const Options& o) {
          IsLava(o);
          const Layout layout = Square(o, 5, 4);
          if (layout.width % 2 == 0) {
            throw envpool::OptionError("size", std::to_string(layout.width),
                                       "odd numbers, 5 .. 127",
                                       "pass an odd size: rivers lie in every other row");
          }
          Checked("num_crossings", o["num_crossings"_], 0, layout.width - 3);
          return layout;
        },
    .generate = GenerateCrossing,
};

inline const Level kFourRooms{
    .name = "four_rooms",
    .options = "",
    .layout = [](const Options&) { return Layout{19, 19, 100}; },
    .generate =
        [](World& w) {
          const int room = w.width() / 2;
          w.WallBox({0, 0}, w.width(), w.height());
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
        },
};

inline const Level kLockedRoom{
    .name = "locked_room",
    .options = "size",
    .layout =
        [](const Options& o) {
          const int size = Checked("size", o["size"_], 13, 128);
          return Layout{size, size, 10 * size};
        },
    .generate =
        [](World& w) {
          const int left = w.width() / 2 - 2, right = w.width() / 2 + 2, third = w.height() / 3;
          w.WallBox({0, 0}, w.width(), w.height());
          w.WallColumn({left, 0}, w.height());
          w.WallColumn({right, 0}, w.height());
          std::array<Point, 6> tops{};
          for (int n = 0; n < 3; ++n) {
            w.WallRow({0, n * third}, left);
            w.WallRow({right, n * third}, w.width() - right);
            tops[static_cast<std::size_t>(2 * n)] = {0, n * third};
            tops[static_cast<std::size_t>(2 * n + 1)] = {right, n * third};
          }
          const auto inside = [&](std::size_t room) {
            const int x = w.Draw(tops[room].x + 1, tops[room].x + left);
            return Point(x, w.Draw(tops[room].y + 1, tops[room].y + third));
          };
          const auto locked = static_cast<std::size_t>(w.Draw(0, 6));
          w.Set(inside(locked), kGoalId);
          std::vector<Color> rest(kColorsByName.begin(), kColorsByName.end());
          std::array<Color, 6> colors{};
          for (std::size_t room = 0; room < 6; ++room) {
            const int drawn = w.Draw(0, static_cast<int>(rest.size()));
            colors[room] = rest[static_cast<std::size_t>(drawn)];
            rest.erase(rest.begin() + drawn);
            w.Put({room % 2 == 0 ? left : right, tops[room].y + 3},
                  w.New(kDoor, colors[room], room == locked ? kLocked : kClosed));
          }
          std::size_t key_room = locked;
          while (key_room == locked) key_room = static_cast<std::size_t>(w.Draw(0, 6));
          w.Put(inside(key_room), w.New(kKey, colors[locked]));
          w.PlaceAgent({{left, 0}, right - left, w.height()});
          w.mission.Say("get the ", colors[locked], " key from the ", colors[key_room],
                        " room, unlock the ", kColorNames[colors[locked]],
                        " door and go to the goal");
        },
};

inline const Level kMemory{
    .name = "memory",
    .options = "size random_length",
    .layout =
        [](const Options& o) {
          const Layout layout = Square(o, 7, 5);
          if (layout.width % 2 == 0) {
            throw envpool::OptionError("size", std::to_string(layout.width),
                                       "odd numbers, 7 .. 127",
                                       "pass an odd size: the hallway is in the middle");
          }
          return layout;
        },
    .generate =
        [](World& w) {
          const int middle = w.height() / 2, above = middle - 1, below = middle + 1;
          w.WallBox({0, 0}, w.width(), w.height());
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
        },
    .step =
        [](World& w, Turn& turn) {
          if (turn.action == kPickup) turn.action = kToggle;
          Act(w, turn);
          if (w.agent == w.place) w.Succeed(turn);
          if (w.agent == w.other_place) w.Lose(turn);
        },
};

inline const Level kRedBlueDoor{
    .name = "red_blue_door",
    .options = "size",
    .layout =
        [](const Options& o) {
          const int size = Checked("size", o["size"_], 4, 64);
          return Layout{2 * size, size, 20 * size * size};
        },
    .generate =
        [](World& w) {
          const int size = w.height(), left = size / 2, right = left + size - 1;
          w.WallBox({0, 0}, w.width(), size);
          w.WallBox({left, 0}, size, size);
          w.PlaceAgent({{left, 0}, size, size});
          w.target = w.Put({left, w.Draw(1, size - 1)}, w.New(kDoor, kRed, kClosed));
          w.other = w.Put({right, w.Draw(1, size - 1)}, w.New(kDoor, kBlue, kClosed));
          w.mission.Say("open the red door then the blue door");
        },
    .step =
        [](World& w, Turn& turn) {
          const bool red_before = w.IsOpen(w.target), blue_before = w.IsOpen(w.other);
          Act(w, turn);
          if (w.IsOpen(w.other)) {
            red_before ? w.Succeed(turn) : World::Lose(turn);
          } else if (w.IsOpen(w.target) && blue_before) {
            World::Lose(turn);
          }
        },
};

namespace detail {

/// A chain of rooms, each entered by a door in a wall of the one before.
struct RoomChain {
  struct Room {
    Area area;
    Point entry;
  };
  static constexpr int kMost = 24;

  World& w;
  int largest;
  std::array<Room, kMost> rooms{};
  int count = 0;

  /// Adds a room that is entered by the door `entry` in its wall 0 right, 1 down, 2 left or 3 up,
  /// and `left` - 1 after it as far as they find room. Whether there was room for this one.
  bool Add(int left, int wall, Point entry) {
    const int width = w.Draw(4, largest + 1), height = w.Draw(4, largest + 1);
    Point top = entry;
    if (count > 0) {
      if (wall == 0 || wall == 2) {
        top = {wall == 0 ? entry.x - width + 1 : entry.x, w.Draw(entry.y - height + 2, entry.y)};
      } else {
        const int x = w.Draw(entry.x - width + 2, entry.x);
        top = {x, wall == 1 ? entry.y - height + 1 : entry.y};
      }
    }
    if (top.x < 0 || top.y < 0 || top.x + width > w.width() || top.y + height >= w.height()) {
      return false;
    }
    for (int i = 0; i < count - 1; ++i) {
      const Area& other = rooms[static_cast<std::size_t>(i)].area;
      const bool apart = top.x + width < other.top.x || other.top.x + other.width <= top.x ||
                         top.y + height < other.top.y || other.top.y + other.height <= top.y;
      if (!apart) return false;
    }
    rooms[static_cast<std::size_t>(count++)] = {{top, width, height}, entry};
    if (left == 1) return true;
    for (int tried = 0; tried < 8; ++tried) {
      const int drawn = w.Draw(0, 3), exit = drawn + (drawn >= wall ? 1 : 0);
      Point door;
      if (exit == 0 || exit == 2) {
        door = {exit == 0 ? top.x + width - 1 : top.x, top.y + w.Draw(1, height - 1)};
      } else {
        const int x = top.x + w.Draw(1, width - 1);
        door = {x, exit == 1 ? top.y + height - 1 : top.y};
      }
      if (Add(left - 1, (exit + 2) % 4, door)) break;
    }
    return true;
  }
};

}  // namespace detail

inline void GenerateMultiRoom(World& w) {
  const int wanted = w.Draw(w.options["min_num_rooms"_], w.options["max_num_rooms"_] + 1);
  detail::RoomChain longest{w, 0}, chain{w, w.options["max_room_size"_]};
  for (int tried = 0; longest.count < wanted; ++tried) {
    if (tried == 1000000) {
      throw std::runtime_error("MultiRoom: no chain of " + std::to_string(wanted) +
                               " rooms was found; ask for fewer, or smaller ones");
    }
    const int x = w.Draw(0, w.width() - 2);
    const Point entry(x, w.Draw(0, w.width() - 2));
    chain.count = 0;
    chain.Add(wanted, 2, entry);
    if (chain.count > longest.count) {
      longest.rooms = chain.rooms;
      longest.count = chain.count;
    }
  }
  int last_color = -1;
  for (int i = 0; i < longest.count; ++i) {
    const auto& room = longest.rooms[static_cast<std::size_t>(i)];
    w.WallBox(room.area.top, room.area.width, room.area.height);
    if (i == 0) continue;
    std::array<Color, kNumColors> colors{};
    std::size_t count = 0;
    for (Color color : kColorsByName) {
      if (color != last_color) colors[count++] = color;
    }
    const Color color = colors[static_cast<std::size_t>(w.Draw(0, static_cast<int>(count)))];
    w.Put(room.entry, w.New(kDoor, color, kClosed));
    last_color = color;
  }
  w.PlaceAgent(longest.rooms[0].area);
  w.Place(kGoalId, longest.rooms[static_cast<std::size_t>(longest.count - 1)].area);
  w.mission.Say("traverse the rooms to get to the goal");
}

inline const Level kMultiRoom{
    .name = "multi_room",
    .options = "min_num_rooms max_num_rooms max_room_size",
    .layout =
        [](const Options& o) {
          const int most =
              Checked("max_num_rooms", o["max_num_rooms"_], 1, detail::RoomChain::kMost);
          Checked("min_num_rooms", o["min_num_rooms"_], 1, most);
          Checked("max_room_size", o["max_room_size"_], 4, 20);
          return Layout{25, 25, 20 * most};
        },
    .generate = GenerateMultiRoom,
};

inline const Level kPlayground{
    .name = "playground",
    .options = "",
    .layout = [](const Options&) { return Layout{19, 19, 100}; },
    .generate =
        [](World& w) {
          const int room = w.width() / 3;
          w.WallBox({0, 0}, w.width(), w.height());
          for (int top = 0; top < 3 * room; top += room) {
            for (int left = 0; left < 3 * room; left += room) {
              if (left < 2 * room) {
                w.WallColumn({left + room, top}, room);
                const Point at(left + room, w.Draw(top + 1, top + room - 1));
                w.Put(at, w.New(kDoor, w.DrawColor(), kClosed));
              }
              if (top < 2 * room) {
                w.WallRow({left, top + room}, room);
                const Point at(w.Draw(left + 1, left + room - 1), top + room);
                w.Put(at, w.New(kDoor, w.DrawColor(), kClosed));
              }
            }
          }
          w.PlaceAgent();
          for (int i = 0; i < 12; ++i) {
            const Kind kind = w.OneOf({kKey, kBall, kBox});
            w.Place(w.New(kind, w.DrawColor()));
          }
          w.mission.Say();
        },
};

}  // namespace minigrid
