// SPDX-License-Identifier: Apache-2.0
// Levels of one room with things to fetch, to go to, to put near another thing, or to avoid.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "../gridworld.h"
#include "plain.h"

namespace envpool::minigrid {

inline bool IsPair(const Gridworld& w, Id id, Kind kind, Color color) {
  return w.look(id).kind == kind && w.look(id).color == color;
}

/// Places option num_objs things of drawn kinds and colors, all different.
void PlaceDifferent(Gridworld& w, auto&& refused) {
  while (w.num_ids - kFirstThing < w.options["num_objs"_]) {
    const Kind kind = w.DrawKind();
    const Color color = w.DrawColor();
    const auto things = w.things();
    if (std::any_of(things.begin(), things.end(),
                    [&](Id id) { return IsPair(w, id, kind, color); })) {
      continue;
    }
    w.Place(w.New(kind, color), w.Everywhere(), kForever, refused);
  }
}
inline Id DrawThing(Gridworld& w) { return static_cast<Id>(w.Draw(kFirstThing, w.num_ids)); }

template <int kLeast, int kMost>
void CheckThings(const Options& o, const Layout&) {
  Checked("num_objs", o["num_objs"_], kLeast, kMost);
}

inline void Fetch(Gridworld& w) {
  constexpr std::array<std::string_view, 5> kPhrases = {"get a ", "go get a ", "fetch a ",
                                                        "go fetch a ", "you must fetch a "};
  w.WallBorder();
  for (int i = 0; i < w.options["num_objs"_]; ++i) {
    const Kind kind = w.OneOf({kKey, kBall});
    w.Place(w.New(kind, w.DrawColor()));
  }
  w.PlaceAgent();
  w.target = DrawThing(w);
  const Look look = w.look(w.target);
  const int phrase = w.Draw(0, 5);
  w.mission.Say(kPhrases[phrase], look.color, " ", look.kind);
  w.mission.set_id((phrase * kNumColors + look.color) * 2 + (look.kind - kKey));
}
inline void StepFetch(Gridworld& w, Turn& turn) {
  Act(w, turn);
  if (w.carrying == kNothing) return;
  const Look wanted = w.look(w.target);
  IsPair(w, w.carrying, wanted.kind, wanted.color) ? w.Succeed(turn) : Gridworld::Lose(turn);
}

inline void GoToDoor(Gridworld& w) {
  const int width = w.Draw(5, w.width() + 1), height = w.Draw(5, w.height() + 1);
  w.WallBox({0, 0}, width, height);
  std::array<Point, 4> places;
  for (int y : {0, height - 1}) places[y == 0 ? 0 : 1] = {w.Draw(2, width - 2), y};
  for (int x : {0, width - 1}) places[x == 0 ? 2 : 3] = {x, w.Draw(2, height - 2)};
  std::vector<Color> colors;
  while (colors.size() < 4) {
    const Color color = w.DrawColor();
    if (std::find(colors.begin(), colors.end(), color) == colors.end()) colors.push_back(color);
  }
  for (int i = 0; i < 4; ++i) w.Put(places[i], w.New(kDoor, colors[i], kClosed));
  w.PlaceAgent({{0, 0}, width, height});
  w.target = DrawThing(w);
  w.place = w.place_of(w.target);
  w.mission.Say("go to the ", w.look(w.target).color, " door");
}

inline void GoToObject(Gridworld& w) {
  w.WallBorder();
  PlaceDifferent(w, [](Point) { return false; });
  w.PlaceAgent();
  w.target = DrawThing(w);
  w.place = w.place_of(w.target);
  w.mission.Say("go to the ", w.look(w.target).color, " ", w.look(w.target).kind);
}

/// Action done ends the episode, with a reward beside the target; toggle ends it without.
inline void StepGoTo(Gridworld& w, Turn& turn) {
  Act(w, turn);
  turn.terminated = turn.action == kToggle || turn.action == kDone;
  if (turn.action == kDone && Distance(w.agent, w.place) == 1) w.Succeed(turn);
}

inline bool IsNear(Point a, Point b) {
  return std::abs(a.x - b.x) <= 1 && std::abs(a.y - b.y) <= 1;
}

inline void PutNear(Gridworld& w) {
  w.WallBorder();
  PlaceDifferent(w, [&w](Point at) {
    const auto things = w.things();
    return std::any_of(things.begin(), things.end(), [&](Id id) {
      return w.place_of(id) != kNowhere && IsNear(at, w.place_of(id));
    });
  });
  w.PlaceAgent();
  w.target = w.other = DrawThing(w);
  while (w.other == w.target) w.other = DrawThing(w);
  w.place = w.place_of(w.other);
  const Look moved = w.look(w.target), fixed = w.look(w.other);
  w.mission.Say("put the ", moved.color, " ", moved.kind, " near the ", fixed.color, " ",
                fixed.kind);
}
inline void StepPutNear(Gridworld& w, Turn& turn) {
  const Id before = w.carrying;
  Act(w, turn);
  if (turn.action == kPickup && w.carrying != kNothing && w.carrying != w.target) {
    turn.terminated = true;
  }
  if (turn.action == kDrop && before != kNothing) {
    if (w.At(w.Front()) == before && IsNear(w.Front(), w.place)) w.Succeed(turn);
    turn.terminated = true;
  }
}

inline void DynamicObstacles(Gridworld& w) {
  StartField(w);
  StartAgent(w);
  const int asked = w.options["n_obstacles"_], size = w.width();
  const int count = 2 * asked <= size + 2 ? asked : size / 2;
  for (int i = 0; i < count; ++i) w.Place(w.New(kBall, kBlue), w.Everywhere(), 100);
  w.mission.Say(kGetToTheGoal);
}
inline void StepDynamicObstacles(Gridworld& w, Turn& turn) {
  if (turn.action > kForward) turn.action = kLeft;
  const Id front = w.At(w.Front());
  const bool blocked = front != kNothing && front != kGoalId;
  for (const Id ball : w.things()) {
    const Point from = w.place_of(ball);
    if (w.TryPlace(ball, {from - Point(1, 1), 3, 3}, 100)) w.Set(from, kNothing);
  }
  Act(w, turn);
  if (turn.action == kForward && blocked) {
    turn.reward = -1;
    turn.terminated = true;
  }
}

inline const std::vector<Level> kThingLevels = {
    {.name = "fetch",
     .options = "size num_objs",
     .layout = Square(5, 5, true),
     .check = CheckThings<1, 100>,
     .generate = Fetch,
     .step = StepFetch},
    {.name = "goto_door",
     .options = "size",
     .layout = Square(5, 4, true),
     .generate = GoToDoor,
     .step = StepGoTo},
    {.name = "goto_object",
     .options = "size num_objs",
     .layout = Square(5, 5, true),
     .check = CheckThings<1, 18>,
     .generate = GoToObject,
     .step = StepGoTo},
    {.name = "put_near",
     .options = "size num_objs",
     .layout =
         [](const Options& o) {
           const int size = Checked("size", o["size"_], 5, 128);
           return Layout{size, size, 5 * size, true};
         },
     .check = CheckThings<2, 18>,
     .generate = PutNear,
     .step = StepPutNear},
    {.name = "dynamic_obstacles",
     .options = "size agent_start_pos agent_start_dir n_obstacles",
     .layout = Square(4, 4, true),
     .check =
         [](const Options& o, const Layout& layout) {
           Checked("n_obstacles", o["n_obstacles"_], 0, 64);
           CheckStart(o, layout);
         },
     .generate = DynamicObstacles,
     .step = StepDynamicObstacles},
};

}  // namespace envpool::minigrid
