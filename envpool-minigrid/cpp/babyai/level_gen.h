// SPDX-License-Identifier: Apache-2.0
// BabyAI's generator: levels whose rooms and instructions are drawn, as options allow it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "level.h"

namespace minigrid {

namespace detail {

/// The numbers of the words of a list with commas.
inline std::vector<int> Words(const std::string& option, const std::string& list,
                              const std::vector<std::string>& known) {
  std::vector<int> words;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    words.push_back(Chosen(option, list.substr(from, to - from), known));
    from = to + 1;
  }
  return words;
}

}  // namespace detail

/// Draws what the instruction of a generated level is.
class InstructionDraw {
 public:
  InstructionDraw(Rooms& rooms, const Room* locked)
      : rooms_(rooms), w_(rooms.w), locked_(locked), verbs_(Verbs(w_.options)) {}

  static std::vector<int> Verbs(const Options& o) {
    return detail::Words("action_kinds", o["action_kinds"_], {"goto", "open", "pickup", "putnext"});
  }
  static std::vector<int> Forms(const Options& o) {
    return detail::Words("instr_kinds", o["instr_kinds"_], {"action", "and", "seq"});
  }

  Instruction Draw() {
    const int form = w_.OneOf(Forms(w_.options));
    if (form != 2) return Ask(form == 0 ? Just(DrawClause()) : DrawBoth());
    const Part a = w_.DrawBool() ? Just(DrawClause()) : DrawBoth();
    const Part b = w_.DrawBool() ? Just(DrawClause()) : DrawBoth();
    return Ask(a, w_.DrawBool() ? Order::kBefore : Order::kAfter, b);
  }

 private:
  Part DrawBoth() {
    const Clause a = DrawClause();
    return Both(a, DrawClause());
  }
  Clause DrawClause() {
    const Verb verb = static_cast<Verb>(w_.OneOf(verbs_));
    switch (verb) {
      case Verb::kGoTo:
        return GoTo(DrawThing({kBox, kBall, kKey, kDoor}));
      case Verb::kOpen:
        return Open(DrawThing({kDoor}));
      case Verb::kPickUp:
        return PickUp(DrawThing({kBox, kBall, kKey}));
      case Verb::kPutNext:
        break;
    }
    const Description what = DrawThing({kBox, kBall, kKey});
    return PutNext(what, DrawThing({kBox, kBall, kKey, kDoor}));
  }
  Description DrawThing(std::initializer_list<Kind> kinds) {
    for (int tried = 0; tried <= 100 && !w_.failed(); ++tried) {
      const int color = w_.Draw(0, kNumColors + 1);
      Description d = Describe(w_.OneOf(kinds));
      if (color > 0) d.color = kColorsByName[static_cast<std::size_t>(color - 1)];
      if (w_.options["locations"_] && w_.DrawBool()) d.side = static_cast<Side>(w_.Draw(1, 5));
      bool outside = false;  // whether one is not in the locked room
      FindThings(rooms_, d, [&](Point at) {
        outside = outside || locked_ == nullptr || !locked_->area.Has(at);
      });
      if (d.things.any() && (outside || w_.options["implicit_unlock"_])) return d;
    }
    w_.Fail();
    return {};
  }

  Rooms& rooms_;
  World& w_;
  const Room* locked_;
  std::vector<int> verbs_;
};

inline void GenerateRooms(Rooms& rooms) {
  World& w = rooms.w;
  const Room* locked = nullptr;
  if (w.random.Uniform(0, 1) < w.options["locked_room_prob"_]) {
    Id door = kNothing;
    while (door == kNothing) {
      const int col = rooms.DrawCol(), row = rooms.DrawRow(), side = w.Draw(0, 4);
      Room& room = rooms.At(col, row);
      if (room.door_places[static_cast<std::size_t>(side)] == kNowhere) continue;
      locked = &room;
      door = rooms.AddDoor(col, row, side, {}, true);
    }
    for (bool placed = false; !placed;) {
      const int col = rooms.DrawCol(), row = rooms.DrawRow();
      if (&rooms.At(col, row) == locked) continue;
      rooms.AddObject(col, row, kKey, w.look(door).color);
      placed = true;
    }
  }
  rooms.ConnectAll();
  rooms.AddDistractors(w.options["num_dists"_], false);
  rooms.PlaceAgentOutside(locked);
  if (!w.options["unblocking"_]) RequireReachable(w);
  if (!w.failed()) w.instruction = InstructionDraw(rooms, locked).Draw();
}

inline const Level kLevelGen{
    .name = "babyai_level_gen",
    .options =
        "room_size num_rows num_cols num_dists locked_room_prob locations unblocking "
        "implicit_unlock action_kinds instr_kinds",
    .layout =
        [](const Options& o) {
          InstructionDraw::Verbs(o);
          InstructionDraw::Forms(o);
          Checked("num_dists", o["num_dists"_], 1, 60);
          const double probability = o["locked_room_prob"_];
          if (!(probability >= 0 && probability <= 1)) {
            throw envpool::OptionError("locked_room_prob", std::to_string(probability), "0 .. 1",
                                       "pass a probability");
          }
          if (probability > 0 && o["num_rows"_] * o["num_cols"_] < 2) {
            throw envpool::OptionError("locked_room_prob", std::to_string(probability),
                                       "0 where there is one room", "pass 0, or more rooms");
          }
          return RoomLayout(o, 0, 1, 1, 4);
        },
    .generate = GenerateBabyAi<GenerateRooms, true>,
    .step = StepBabyAi,
    .longest_mission = 321,
};

}  // namespace minigrid
