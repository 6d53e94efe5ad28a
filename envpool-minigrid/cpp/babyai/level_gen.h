// SPDX-License-Identifier: Apache-2.0
// BabyAI's generator: levels with drawn rooms and instructions, limited by options.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "level.h"

namespace envpool::minigrid {

namespace detail {

/// The words' numbers, of a list with commas.
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

inline std::vector<int> VerbsOf(const Options& o) {
  return detail::Words("action_kinds", o["action_kinds"_], {"goto", "open", "pickup", "putnext"});
}
inline std::vector<int> FormsOf(const Options& o) {
  return detail::Words("instr_kinds", o["instr_kinds"_], {"action", "and", "seq"});
}

/// Draws the instruction of a generated level.
class InstructionDraw {
 public:
  InstructionDraw(Gridworld& world, Rooms& rooms, const Room* locked)
      : w(world), rooms_(rooms), locked_(locked), verbs_(VerbsOf(w.options)) {}

  Instruction Draw() {
    const int form = w.OneOf(FormsOf(w.options));
    if (form == 0) return DrawClause();
    if (form == 1) return DrawBoth();
    const Part a = DrawPart(), b = DrawPart();
    return {a, w.DrawBool() ? Order::kBefore : Order::kAfter, b};
  }

 private:
  Part DrawPart() {
    if (w.DrawBool()) return DrawClause();
    return DrawBoth();
  }
  Part DrawBoth() {
    const Clause a = DrawClause(), b = DrawClause();
    return {a, b};
  }
  Clause DrawClause() {
    static constexpr std::array kKinds = {kBox, kBall, kKey, kDoor};
    constexpr std::span<const Kind> any = kKinds, movable = any.first(3), doors = any.last(1);
    switch (static_cast<Verb>(w.OneOf(verbs_))) {
      case Verb::kGoTo:
        return GoTo(DrawThing(any));
      case Verb::kOpen:
        return Open(DrawThing(doors));
      case Verb::kPickUp:
        return PickUp(DrawThing(movable));
      case Verb::kPutNext:
        break;
    }
    const Description what = DrawThing(movable), where = DrawThing(any);
    return PutNext(what, where);
  }
  Description DrawThing(std::span<const Kind> kinds) {
    for (int tried = 0; tried <= 100 && !w.failed(); ++tried) {
      const int color = w.Draw(0, kNumColors + 1);
      Description d = Describe(w.OneOf(kinds));
      if (color > 0) d.color = kColorsByName[color - 1];
      if (w.options["locations"_] && w.DrawBool()) d.side = static_cast<Side>(w.Draw(1, 5));
      FindThings(w, rooms_, d);
      const auto is_outside = [&](Id id) {
        return locked_ == nullptr || !locked_->area.Has(w.place_of(id));
      };
      if (w.options["implicit_unlock"_] ? d.things.any() : AnyOf(w, d.things, is_outside)) return d;
    }
    w.Fail();
    return {};
  }

  Gridworld& w;
  Rooms& rooms_;
  const Room* locked_;
  std::vector<int> verbs_;
};

/// Locks a room, and puts its key into another room.
inline const Room* LockRoom(Gridworld& w, Rooms& rooms) {
  while (true) {
    const Point at = rooms.DrawRoom();
    const int side = w.Draw(0, 4);
    if (rooms.At(at).door_places[side] == kNowhere) continue;
    const Id door = rooms.AddDoor(at.x, at.y, side, {}, true);
    Point key_room = at;
    while (key_room == at) key_room = rooms.DrawRoom();
    rooms.AddObject(key_room.x, key_room.y, kKey, w.look(door).color);
    return &rooms.At(at);
  }
}

inline Instruction GeneratedLevel(Gridworld& w, Rooms& rooms) {
  const bool locks = w.random.Uniform(0, 1) < w.options["locked_room_prob"_];
  const Room* locked = locks ? LockRoom(w, rooms) : nullptr;
  rooms.ConnectAll();
  rooms.AddDistractors(w.options["num_dists"_], false);
  rooms.PlaceAgentOutside(locked);
  if (!w.options["unblocking"_]) RequireReachable(w);
  return InstructionDraw(w, rooms, locked).Draw();
}

inline void CheckLevelGen(const Options& o, const Layout&) {
  VerbsOf(o);
  FormsOf(o);
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
}

inline const Level kLevelGen{
    .name = "babyai_level_gen",
    .options =
        "room_size num_rows num_cols num_dists locked_room_prob locations unblocking "
        "implicit_unlock action_kinds instr_kinds",
    .layout = RoomGrid(0),
    .check = CheckLevelGen,
    .generate = [](Gridworld& w) { GenerateBabyAi(w, GeneratedLevel, w.options["unblocking"_]); },
    .step = StepBabyAi,
    .longest_mission = 321,
};

}  // namespace envpool::minigrid
