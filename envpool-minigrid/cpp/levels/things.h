// SPDX-License-Identifier: Apache-2.0
// Levels of one room with things to fetch, to go to, to put somewhere, or to keep away from.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "../world.h"
#include "plain.h"

namespace minigrid {

inline bool IsPair(const World& w, Id id, Kind kind, Color color) {
  return w.look(id).kind == kind && w.look(id).color == color;
}

/// Places `count` things of drawn kinds and colors, no two alike.
template <typename Refuse>
void PlaceDifferent(World& w, int count, Refuse&& refused) {
  while (w.num_ids - kFirstThing < count) {
    const Kind kind = w.OneOf({kKey, kBall, kBox});
    const Color color = w.DrawColor();
    bool known = false;
    for (int id = kFirstThing; id < w.num_ids; ++id) {
      known = known || IsPair(w, static_cast<Id>(id), kind, color);
    }
    if (!known) w.Place(w.New(kind, color), w.Everywhere(), kForever, refused);
  }
}
inline Id DrawThing(World& w) { return static_cast<Id>(w.Draw(kFirstThing, w.num_ids)); }

/// A square of option `size` with option `num_objs` things in it.
inline Layout SquareOfThings(const Options& o, int least, int most) {
  Checked("num_objs", o["num_objs"_], least, most);
  return Square(o, 5, 5, true);
}

inline const Level kFetch{
    .name = "fetch",
    .options = "size num_objs",
    .layout = [](const Options& o) { return SquareOfThings(o, 1, 100); },
    .generate =
        [](World& w) {
          constexpr std::array<std::string_view, 5> kPhrases = {"get a ", "go get a ", "fetch a ",
                                                                "go fetch a ", "you must fetch a "};
          w.WallBox({0, 0}, w.width(), w.height());
          for (int i = 0; i < w.options["num_objs"_]; ++i) {
            const Kind kind = w.OneOf({kKey, kBall});
            w.Place(w.New(kind, w.DrawColor()));
          }
          w.PlaceAgent();
          w.target = DrawThing(w);
          const Look look = w.look(w.target);
          const int phrase = w.Draw(0, 5);
          w.mission.Say(kPhrases[static_cast<std::size_t>(phrase)], look.color, " ", look.kind);
          w.mission.set_id((phrase * kNumColors + look.color) * 2 + (look.kind - kKey));
        },
    .step =
        [](World& w, Turn& turn) {
          Act(w, turn);
          if (w.carrying == kNothing) return;
          const Look wanted = w.look(w.target);
          IsPair(w, w.carrying, wanted.kind, wanted.color) ? w.Succeed(turn) : World::Lose(turn);
        },
};

/// Ends when the agent says that it is there, by action done; a toggle ends unpaid.
inline void GoToPlace(World& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kToggle) turn.terminated = true;
  if (turn.action == kDone) {
    if (Distance(w.agent, w.place) == 1) w.Succeed(turn);
    turn.terminated = true;
  }
}

inline const Level kGoToDoor{
    .name = "goto_door",
    .options = "size",
    .layout = [](const Options& o) { return Square(o, 5, 4, true); },
    .generate =
        [](World& w) {
          const int width = w.Draw(5, w.width() + 1), height = w.Draw(5, w.height() + 1);
          w.WallBox({0, 0}, width, height);
          std::array<Point, 4> places{};
          places[0] = {w.Draw(2, width - 2), 0};
          places[1] = {w.Draw(2, width - 2), height - 1};
          places[2] = {0, w.Draw(2, height - 2)};
          places[3] = {width - 1, w.Draw(2, height - 2)};
          std::array<Color, 4> colors{};
          for (std::size_t count = 0; count < 4;) {
            const Color color = w.DrawColor();
            const auto end = colors.begin() + static_cast<int>(count);
            if (std::find(colors.begin(), end, color) == end) colors[count++] = color;
          }
          for (std::size_t i = 0; i < 4; ++i) w.Put(places[i], w.New(kDoor, colors[i], kClosed));
          w.PlaceAgent({{0, 0}, width, height});
          w.target = DrawThing(w);
          w.place = w.place_of(w.target);
          w.mission.Say("go to the ", w.look(w.target).color, " door");
        },
    .step = GoToPlace,
};

inline const Level kGoToObject{
    .name = "goto_object",
    .options = "size num_objs",
    .layout = [](const Options& o) { return SquareOfThings(o, 1, 18); },
    .generate =
        [](World& w) {
          w.WallBox({0, 0}, w.width(), w.height());
          PlaceDifferent(w, w.options["num_objs"_], [](Point) { return false; });
          w.PlaceAgent();
          w.target = DrawThing(w);
          w.place = w.place_of(w.target);
          w.mission.Say("go to the ", w.look(w.target).color, " ", w.look(w.target).kind);
        },
    .step = GoToPlace,
};

inline bool IsNear(Point a, Point b) {
  return std::abs(a.x - b.x) <= 1 && std::abs(a.y - b.y) <= 1;
}

inline const Level kPutNear{
    .name = "put_near",
    .options = "size num_objs",
    .layout =
        [](const Options& o) {
          Layout layout = SquareOfThings(o, 2, 18);
          layout.max_steps = 5 * layout.width;
          return layout;
        },
    .generate =
        [](World& w) {
          w.WallBox({0, 0}, w.width(), w.height());
          PlaceDifferent(w, w.options["num_objs"_], [&w](Point at) {
            for (int id = kFirstThing; id < w.num_ids; ++id) {
              const Point other = w.place_of(static_cast<Id>(id));
              if (other != kNowhere && IsNear(at, other)) return true;
            }
            return false;
          });
          w.PlaceAgent();
          w.target = w.other = DrawThing(w);
          while (w.other == w.target) w.other = DrawThing(w);
          w.place = w.place_of(w.other);
          const Look moved = w.look(w.target), fixed = w.look(w.other);
          w.mission.Say("put the ", moved.color, " ", moved.kind, " near the ", fixed.color, " ",
                        fixed.kind);
        },
    .step =
        [](World& w, Turn& turn) {
          const Id before = w.carrying;
          Act(w, turn);
          if (turn.action == kPickup && w.carrying != kNothing && w.carrying != w.target) {
            turn.terminated = true;
          }
          if (turn.action == kDrop && before != kNothing) {
            if (w.At(w.Front()) == before && IsNear(w.Front(), w.place)) w.Succeed(turn);
            turn.terminated = true;
          }
        },
};

inline const Level kDynamicObstacles{
    .name = "dynamic_obstacles",
    .options = "size agent_start_pos agent_start_dir n_obstacles",
    .layout =
        [](const Options& o) {
          Checked("n_obstacles", o["n_obstacles"_], 0, 64);
          const Layout layout = Square(o, 4, 4, true);
          CheckStart(o, layout.width, layout.height);
          return layout;
        },
    .generate =
        [](World& w) {
          StartField(w);
          StartAgent(w);
          const int asked = w.options["n_obstacles"_], size = w.width();
          const int count = 2 * asked <= size + 2 ? asked : size / 2;
          for (int i = 0; i < count; ++i) w.Place(w.New(kBall, kBlue), w.Everywhere(), 100);
          w.mission.Say(kGetToTheGoal);
        },
    .step =
        [](World& w, Turn& turn) {
          if (turn.action > kForward) turn.action = kLeft;
          const Id front = w.At(w.Front());
          const bool blocked = front != kNothing && front != kGoalId;
          for (int i = kFirstThing; i < w.num_ids; ++i) {
            const Id ball = static_cast<Id>(i);
            const Point from = w.place_of(ball);
            if (w.TryPlace(ball, {from - Point(1, 1), 3, 3}, 100)) w.Set(from, kNothing);
          }
          Act(w, turn);
          if (turn.action == kForward && blocked) {
            turn.reward = -1;
            turn.terminated = true;
          }
        },
};

}  // namespace minigrid
