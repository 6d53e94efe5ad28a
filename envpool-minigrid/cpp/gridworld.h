// SPDX-License-Identifier: Apache-2.0
// The world of one environment, and struct Level: functions that act on a world.
//
//   void Generate(Gridworld& world) {
//     world.WallBox({0, 0}, world.width(), world.height());
//     world.Set({world.width() - 2, world.height() - 2}, kGoalId);
//     world.PlaceAgent();
//     world.mission.Say("get to the green goal square");
//   }
//   const Level kMeadow{
//       .name = "meadow", .options = "size", .layout = Square(5, 4), .generate = Generate};
//
// Numbers are drawn from one generator in minigrid's order, so that the same seed makes the same
// level. A placement that fails too often marks the level as failed. Later placements then do
// nothing, so that a level need not check. The generator returns to its state at the failure, and
// the level is drawn again from there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "babyai/instruction.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "grid.h"
#include "mission.h"
#include "options.h"

namespace envpool::minigrid {

/// A level's size and limits, from the options.
struct Layout {
  int width, height;
  int max_steps;  ///< 0: the level sets it when it is made
  bool through_walls = false;
};

/// One action, and its effects.
struct Turn {
  int action;
  double reward = 0;
  bool terminated = false;
};

class Gridworld;
void Act(Gridworld& world, Turn& turn);
using LayoutOf = std::function<Layout(const Options&)>;

/// A kind of level.
struct Level {
  std::string name;          ///< the value of `env_name`
  std::string options = {};  ///< names of its own options, separated by spaces
  LayoutOf layout;           ///< throws OptionError
  void (*check)(const Options&, const Layout&) = nullptr;  ///< throws OptionError for other options
  std::function<void(Gridworld&)> generate;                ///< makes a level in an empty grid
  void (*step)(Gridworld&, Turn&) = Act;                   ///< the rules
  void (*begin)(Gridworld&) = nullptr;  ///< called after the first observation was made
  int longest_mission = 96;             ///< in bytes
};

/// A rectangle of cells.
struct Area {
  Point top;
  int width, height;

  bool Has(Point at) const {
    return at.x >= top.x && at.y >= top.y && at.x < top.x + width && at.y < top.y + height;
  }
};

/// No limit of tries.
inline constexpr int kForever = std::numeric_limits<int>::max();

/// The state of a world beside its grid: plain numbers, saved as they are.
struct Episode {
  Point agent;                 ///< the position of the agent
  std::int32_t direction = 0;  ///< 0 right, 1 down, 2 left, 3 up
  std::int32_t steps = 0, max_steps = 0;
  // A level's own places for its rules.
  Point place, other_place;
  Id target = kNothing, other = kNothing;
  Id carrying = kNothing;  ///< the thing in hand
  std::uint8_t over = 0;   ///< 1 if the last step terminated
  std::int32_t num_ids = kFirstThing;
};
static_assert(std::has_unique_object_representations_v<Episode>);

class Gridworld : public Episode {
 public:
  Gridworld(const Level& level, const Layout& layout, const Options& options,
            envpool::NumpyRandom& random)
      : level(level),
        options(options),
        random(random),
        grid(layout.width, layout.height, options["agent_view_size"_]),
        layout_(layout) {
    looks_[kWallId] = Look::Of(kWall, kGrey);
    looks_[kGoalId] = Look::Of(kGoal, kGreen);
    looks_[kLavaId] = Look::Of(kLava, kRed);
  }

  const Level& level;
  const Options& options;
  envpool::NumpyRandom& random;
  Grid grid;
  Mission mission;
  Instruction instruction;  ///< for BabyAI's levels

  int width() const { return grid.width(); }
  int height() const { return grid.height(); }
  bool through_walls() const { return layout_.through_walls; }

  /// Makes a new level. `max_steps` limits the episode; 0: the level's own limit.
  void Reset(int max_steps);

  // Drawing numbers.

  /// A number in [low, high). Draws nothing if only one number is possible.
  int Draw(int low, int high) { return static_cast<int>(random.Integers(low, high)); }
  /// Draws 0 or 1; true for 0.
  bool DrawBool() { return Draw(0, 2) == 0; }
  /// Draws an element of an array or vector.
  template <typename List>
  auto OneOf(const List& list) {
    return list[Draw(0, static_cast<int>(list.size()))];
  }
  template <typename T>
  T OneOf(std::initializer_list<T> list) {
    return list.begin()[Draw(0, static_cast<int>(list.size()))];
  }
  Color DrawColor() { return OneOf(kColorsByName); }
  /// Draws a kind that can be carried.
  Kind DrawKind() { return OneOf({kKey, kBall, kBox}); }
  /// Draws `count` different elements, in the order of the draws.
  template <typename T>
  std::vector<T> Subset(std::vector<T> list, int count) {
    std::vector<T> drawn;
    for (int i = 0; i < count; ++i) {
      const int at = Draw(0, static_cast<int>(list.size()));
      drawn.push_back(list[at]);
      list.erase(list.begin() + at);
    }
    return drawn;
  }

  // Building.

  void Set(Point at, Id id) { grid[at] = id; }
  void WallRow(Point from, int length, Id id = kWallId) {
    for (int i = 0; i < length; ++i) Set(from + Point(i, 0), id);
  }
  void WallColumn(Point from, int length, Id id = kWallId) {
    for (int i = 0; i < length; ++i) Set(from + Point(0, i), id);
  }
  void WallBorder() { WallBox({0, 0}, width(), height()); }
  void WallBox(Point top, int width, int height) {
    WallRow(top, width);
    WallRow(top + Point(0, height - 1), width);
    WallColumn(top, height);
    WallColumn(top + Point(width - 1, 0), height);
  }
  /// Makes a thing without a place. Throws std::length_error if there are too many.
  Id New(Kind kind, Color color, int state = kOpen) {
    if (num_ids == kMaxIds) {
      throw std::length_error("a level of '" + level.name + "' has more than " +
                              std::to_string(kMaxIds - kFirstThing) +
                              " things; make it smaller, or with fewer objects");
    }
    const Id id = static_cast<Id>(num_ids++);
    looks_[id] = Look::Of(kind, color, state);
    places_[id] = seen_at[id] = kNowhere;
    inside_[id] = kNothing;
    return id;
  }
  /// Puts a thing into a cell, and overwrites its content.
  Id Put(Point at, Id id) {
    Set(at, id);
    places_[id] = at;
    return id;
  }
  /// Puts a thing into a drawn cell that is empty, is not the agent's, and for which `refused` is
  /// false. After more than `tries` other cells the level has failed. Without a limit, a level
  /// without a suitable cell throws std::runtime_error.
  template <typename Refuse>
  Point Place(Id id, Area area, int tries, Refuse&& refused);
  Point Place(Id id, Area area, int tries = kForever) {
    return Place(id, area, tries, [](Point) { return false; });
  }
  Point Place(Id id) { return Place(id, Everywhere()); }
  /// Does the same during an episode. Returns false if no suitable cell was found.
  bool TryPlace(Id id, Area area, int tries) {
    return Find(id, area, tries, [](Point) { return false; }) != kNowhere;
  }
  /// Puts the agent into a drawn empty cell, in a drawn direction.
  void PlaceAgent(Area area, int tries = kForever) {
    agent = kNowhere;
    agent = Place(kNothing, area, tries);
    direction = failed() ? 0 : Draw(0, 4);
  }
  void PlaceAgent() { PlaceAgent(Everywhere()); }
  Area Everywhere() const { return {{0, 0}, width(), height()}; }

  /// Marks this level as failed.
  void Fail() {
    if (failed_) return;
    failed_ = true;
    at_failure_ = random;
  }
  bool failed() const { return failed_; }

  // Things.

  /// All things of this level.
  auto things() const { return std::views::iota(kFirstThing, static_cast<Id>(num_ids)); }
  Id At(Point at) const { return grid[at]; }
  Look look(Id id) const { return looks_[id]; }
  const Looks& looks() const { return looks_; }
  void Repaint(Id id, Color color) { looks_[id].color = color; }
  void SetState(Id door, DoorState state) {
    looks_[door] = Look::Of(kDoor, look(door).color, state);
  }
  bool IsOpen(Id door) const { return look(door).state == kOpen; }
  /// The place of a thing, or its last place; kNowhere in the agent's hand.
  Point place_of(Id id) const { return places_[id]; }
  void SetPlace(Id id, Point at) { places_[id] = at; }
  void PutInside(Id box, Id thing) { inside_[box] = thing; }
  Id inside(Id box) const { return inside_[box]; }
  /// The places of things that BabyAI's verifiers know.
  std::array<Point, kMaxIds> seen_at{};

  // Rules.

  Point Front() const { return agent + Ahead(direction); }
  /// Ends the episode with a reward, which is higher after fewer steps.
  void Succeed(Turn& turn) const {
    turn.reward = Reward();
    turn.terminated = true;
  }
  static void Lose(Turn& turn) {
    turn.reward = 0;
    turn.terminated = true;
  }
  double Reward() const { return 1 - 0.9 * (static_cast<double>(steps) / max_steps); }

  void Save(envpool::StateWriter& out) const;
  void Load(envpool::StateReader& in);

 private:
  template <typename Refuse>
  Point Find(Id id, Area area, int tries, Refuse&& refused);
  template <typename Refuse>
  void RequirePlace(Area area, Refuse&& refused) const;

  Layout layout_;
  Looks looks_{};
  std::array<Point, kMaxIds> places_{};
  std::array<Id, kMaxIds> inside_{};
  bool failed_ = false;
  envpool::NumpyRandom at_failure_;
};

inline LayoutOf Fixed(Layout layout) {
  return [layout](const Options&) { return layout; };
}
/// The layout of a square of option `size`, at least `least`, with `steps` x size x size steps.
inline LayoutOf Square(int least, int steps, bool through_walls = false) {
  return [=](const Options& options) {
    const int size = Checked("size", options["size"_], least, 128);
    return Layout{size, size, steps * size * size, through_walls};
  };
}
/// The layout of an odd square; `why` names the reason in the error.
inline LayoutOf OddSquare(int least, int steps, const char* why) {
  return [=](const Options& options) {
    const Layout layout = Square(least, steps)(options);
    if (layout.width % 2 == 1) return layout;
    throw envpool::OptionError("size", std::to_string(layout.width),
                               "odd numbers, " + std::to_string(least) + " .. 127",
                               std::string("pass an odd size: ") + why);
  };
}

/// minigrid's rules for one action.
inline void Act(Gridworld& world, Turn& turn) {
  ++world.steps;
  const Point front = world.Front();
  const Id id = world.At(front);
  const Look look = world.look(id);
  switch (turn.action) {
    case kLeft:
      world.direction = (world.direction + 3) & 3;
      break;
    case kRight:
      world.direction = (world.direction + 1) & 3;
      break;
    case kForward:
      if (look.kind == kEmpty || look.kind == kGoal || look.kind == kLava || look.kind == kFloor ||
          (look.kind == kDoor && look.state == kOpen)) {
        world.agent = front;
      }
      if (look.kind == kGoal) world.Succeed(turn);
      if (look.kind == kLava) turn.terminated = true;
      break;
    case kPickup:
      if ((look.kind == kKey || look.kind == kBall || look.kind == kBox) &&
          world.carrying == kNothing) {
        world.carrying = id;
        world.SetPlace(id, kNowhere);
        world.Set(front, kNothing);
      }
      break;
    case kDrop:
      if (id == kNothing && world.carrying != kNothing) {
        world.Put(front, world.carrying);
        world.carrying = kNothing;
      }
      break;
    case kToggle:
      if (look.kind == kBox) {
        world.Set(front, world.inside(id));
      } else if (look.kind == kDoor && look.state == kLocked) {
        const Look held = world.look(world.carrying);
        if (held.kind == kKey && held.color == look.color) world.SetState(id, kOpen);
      } else if (look.kind == kDoor) {
        world.SetState(id, look.state == kOpen ? kClosed : kOpen);
      }
      break;
    default:
      break;
  }
}

// ---------------------------------------------------------------------------------------- detail

inline void Gridworld::Reset(int max_steps) {
  // Options for which no level exists are detected in about a second.
  constexpr int kMostDrawn = 10000;
  for (int drawn = 0;; ++drawn) {
    if (drawn == kMostDrawn) {
      throw std::runtime_error("no level of '" + level.name + "' in " + std::to_string(kMostDrawn) +
                               " tries; allow it more room, or fewer objects");
    }
    static_cast<Episode&>(*this) = Episode{};
    grid.Clear();
    failed_ = false;
    level.generate(*this);
    if (!failed_) break;
    random = at_failure_;
  }
  if (max_steps > 0) {
    this->max_steps = max_steps;
  } else if (layout_.max_steps > 0) {
    this->max_steps = layout_.max_steps;
  }
}

template <typename Refuse>
Point Gridworld::Place(Id id, Area area, int tries, Refuse&& refused) {
  if (failed_) return kNowhere;
  const Point at = Find(id, area, tries, refused);
  if (at == kNowhere) Fail();
  return at;
}

template <typename Refuse>
Point Gridworld::Find(Id id, Area area, int tries, Refuse&& refused) {
  const Point top(std::max<int>(area.top.x, 0), std::max<int>(area.top.y, 0));
  const int right = std::min(top.x + area.width, width());
  const int bottom = std::min(top.y + area.height, height());
  for (int tried = 0;; ++tried) {
    if (tried > tries) return kNowhere;
    if (tries == kForever && tried % 10000 == 9999) RequirePlace(area, refused);
    const int x = Draw(top.x, right);
    const Point at(x, Draw(top.y, bottom));
    if (At(at) != kNothing || at == agent || refused(at)) continue;
    Set(at, id);
    if (id != kNothing) places_[id] = at;
    return at;
  }
}

template <typename Refuse>
void Gridworld::RequirePlace(Area area, Refuse&& refused) const {
  for (int y = 0; y < height(); ++y) {
    for (int x = 0; x < width(); ++x) {
      const Point at(x, y);
      if (area.Has(at) && At(at) == kNothing && at != agent && !refused(at)) return;
    }
  }
  throw std::runtime_error("a level of '" + level.name +
                           "' has no cell left for another thing; make it larger, or with fewer");
}

inline void Gridworld::Save(envpool::StateWriter& out) const {
  const auto count = static_cast<std::size_t>(num_ids);
  const auto first = [count](const auto& list) {
    return std::vector(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  };
  out.Write(static_cast<const Episode&>(*this), grid.cells(), first(looks_), first(places_),
            first(inside_), first(seen_at), std::string(mission.text()), mission.id(), instruction);
}

inline void Gridworld::Load(envpool::StateReader& in) {
  Episode episode;
  std::vector<Id> cells, inside;
  std::vector<Look> looks;
  std::vector<Point> places, seen;
  std::string text;
  int id = 0;
  Instruction told;
  in.Read(episode, cells, looks, places, inside, seen, text, id, told);
  const std::size_t count = looks.size();
  const auto known = [count](Id one) { return one < count; };
  if (cells.size() != grid.cells().size() || count < kFirstThing || count > kMaxIds ||
      count != static_cast<std::size_t>(episode.num_ids) || places.size() != count ||
      inside.size() != count || seen.size() != count || !grid.Has(episode.agent) ||
      !std::all_of(cells.begin(), cells.end(), known) || !known(episode.carrying) ||
      !known(episode.target) || !known(episode.other)) {
    throw std::out_of_range("the saved level is of another size");
  }
  static_cast<Episode&>(*this) = episode;
  direction &= 3;
  grid.cells() = cells;
  std::copy(looks.begin(), looks.end(), looks_.begin());
  std::copy(places.begin(), places.end(), places_.begin());
  std::copy(inside.begin(), inside.end(), inside_.begin());
  std::copy(seen.begin(), seen.end(), seen_at.begin());
  mission.Say(std::string_view(text));
  mission.set_id(id);
  instruction = told;
}

}  // namespace envpool::minigrid
