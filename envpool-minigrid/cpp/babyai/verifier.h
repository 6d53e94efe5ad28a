// SPDX-License-Identifier: Apache-2.0
// What an instruction means: which things fit, whether it may be asked for, its sentence, and
// whether what the agent did fulfils it.
//
// Things are known by their ids. Their places are those of the start, and looked up again after
// each action drop only, as in minigrid: a thing that was picked up, or a box that was opened, is
// believed to be where it was until then.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "../rooms.h"
#include "instruction.h"

namespace minigrid {

// ---- instructions, put together

inline Description Describe(Kind kind, std::optional<Color> color = {},
                            Side side = Side::kAnywhere) {
  Description d;
  d.kind = kind;
  if (color) d.color = *color;
  d.side = side;
  return d;
}
/// The thing's kind and color.
inline Description Describe(const World& w, Id id) {
  return Describe(w.look(id).kind, w.look(id).color);
}
inline Clause OneThing(Verb verb, const Description& what, bool strict = false) {
  Clause clause;
  clause.what = what;
  clause.verb = verb;
  clause.strict = strict;
  return clause;
}
inline Clause GoTo(const Description& what) { return OneThing(Verb::kGoTo, what); }
inline Clause Open(const Description& what, bool strict = false) {
  return OneThing(Verb::kOpen, what, strict);
}
inline Clause PickUp(const Description& what, bool strict = false) {
  return OneThing(Verb::kPickUp, what, strict);
}
inline Clause PutNext(const Description& what, const Description& where) {
  Clause clause = OneThing(Verb::kPutNext, what);
  clause.where = where;
  return clause;
}
inline Part Both(const Clause& a, const Clause& b) {
  Part part;
  part.clauses = {a, b};
  part.count = 2;
  return part;
}
inline Part Just(const Clause& clause) {
  Part part;
  part.clauses[0] = clause;
  return part;
}
inline Instruction Ask(const Part& a) {
  Instruction instruction;
  instruction.parts[0] = a;
  return instruction;
}
inline Instruction Ask(const Clause& clause) { return Ask(Just(clause)); }
inline Instruction Ask(const Part& a, Order order, const Part& b) {
  Instruction instruction = Ask(a);
  instruction.parts[1] = b;
  instruction.order = order;
  return instruction;
}
inline Instruction Ask(const Clause& a, Order order, const Clause& b) {
  return Ask(Just(a), order, Just(b));
}

/// Calls visit(clause) for each clause.
template <typename I>
void ForEachClause(I& instruction, auto&& visit) {
  const std::size_t parts = instruction.order == Order::kAlone ? 1 : 2;
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t c = 0; c < instruction.parts[p].count; ++c) {
      visit(instruction.parts[p].clauses[c]);
    }
  }
}

// ---- which things fit

/// Finds what fits a description now, and calls visit(place) for each, walls included.
inline void FindThings(Rooms& rooms, Description& d, auto&& visit) {
  const World& w = rooms.w;
  const Area room = rooms.OfAgent().area;
  const Point ahead = Ahead(w.direction), beside = Beside(w.direction);
  const auto fits = [&](Id id, Point at) {
    const Look look = w.look(id);
    if (d.kind != kEmpty && look.kind != d.kind) return false;
    if (d.color != kNoColor && look.color != d.color) return false;
    if (d.side == Side::kAnywhere) return true;
    if (!room.Has(at)) return false;
    const Point away = at - w.agent;
    const int before = away.x * ahead.x + away.y * ahead.y;
    const int right = away.x * beside.x + away.y * beside.y;
    switch (d.side) {
      case Side::kLeft:
        return right < 0;
      case Side::kRight:
        return right > 0;
      case Side::kFront:
        return before > 0;
      default:
        return before < 0;
    }
  };
  int count = 0;
  d.things.reset();
  for (int i = kFirstThing; i < w.num_ids; ++i) {
    const Id id = static_cast<Id>(i);
    const Point at = w.place_of(id);
    if (at == kNowhere || w.At(at) != id || !fits(id, at)) continue;
    d.things.set(id);
    ++count;
    visit(at);
  }
  // Every wall is "a grey object".
  if (d.kind == kEmpty && (d.color == kNoColor || d.color == kGrey)) count += 2;
  d.many = count > 1;
}
inline void FindThings(Rooms& rooms, Description& d) {
  FindThings(rooms, d, [](Point) {});
}

/// Where things lie now is what the verifiers believe from now on.
inline void LookAgain(World& w) {
  for (int i = kFirstThing; i < w.num_ids; ++i) {
    const Id id = static_cast<Id>(i);
    const Point at = w.place_of(id);
    w.seen_at[id] = at != kNowhere && w.At(at) == id ? at : kNowhere;
  }
}

inline bool AnyOf(const World& w, const Things& things, auto&& test) {
  for (int i = kFirstThing; i < w.num_ids; ++i) {
    if (things.test(static_cast<std::size_t>(i)) && test(static_cast<Id>(i))) return true;
  }
  return false;
}
/// Whether something of `fixed` is believed to be beside a place.
inline bool IsBeside(const World& w, Point at, const Things& fixed) {
  return AnyOf(w, fixed, [&](Id id) {
    return w.seen_at[id] != kNowhere && Distance(at, w.seen_at[id]) == 1;
  });
}

/// Whether the instruction may be asked for; fills its sets of things.
inline bool IsValid(Rooms& rooms, Instruction& instruction, bool unblocking) {
  World& w = rooms.w;
  LookAgain(w);
  std::bitset<kNumColors> locked;
  if (unblocking) {
    for (int i = kFirstThing; i < w.num_ids; ++i) {
      const Look look = w.look(static_cast<Id>(i));
      if (look.kind == kDoor && look.state == kLocked) locked.set(look.color);
    }
  }
  // A key that opens a door may be needed for something else.
  const auto is_needed = [&](const Description& d) {
    return d.kind == kKey && d.color != kNoColor && locked.test(d.color);
  };
  bool valid = true;
  ForEachClause(instruction, [&](Clause& clause) {
    FindThings(rooms, clause.what);
    if (clause.verb == Verb::kPutNext) {
      FindThings(rooms, clause.where);
      if ((clause.what.things & clause.where.things).any()) valid = false;
      if (AnyOf(w, clause.what.things,
                [&](Id id) { return IsBeside(w, w.place_of(id), clause.where.things); })) {
        valid = false;
      }
      if (is_needed(clause.where)) valid = false;
    }
    if (is_needed(clause.what)) valid = false;
  });
  return valid;
}

// ---- its sentence

inline void Say(Mission& m, const Description& d) {
  m.Add(d.many ? "a " : "the ");
  if (d.color != kNoColor) {
    m.Add(kColorNames[d.color]);
    m.Add(" ");
  }
  m.Add(d.kind == kEmpty ? std::string_view("object") : kKindNames[d.kind]);
  constexpr std::array<std::string_view, 5> kSides = {"", " on your left", " on your right",
                                                      " in front of you", " behind you"};
  m.Add(kSides[static_cast<std::size_t>(d.side)]);
}
inline void Say(Mission& m, const Clause& clause) {
  constexpr std::array<std::string_view, 4> kVerbs = {"go to ", "open ", "pick up ", "put "};
  m.Add(kVerbs[static_cast<std::size_t>(clause.verb)]);
  Say(m, clause.what);
  if (clause.verb == Verb::kPutNext) {
    m.Add(" next to ");
    Say(m, clause.where);
  }
}
inline void Say(Mission& m, const Part& part) {
  Say(m, part.clauses[0]);
  if (part.count == 2) {
    m.Add(" and ");
    Say(m, part.clauses[1]);
  }
}
inline void Say(Mission& m, const Instruction& instruction) {
  m.Say();
  Say(m, instruction.parts[0]);
  if (instruction.order != Order::kAlone) {
    m.Add(instruction.order == Order::kBefore ? ", then " : " after you ");
    Say(m, instruction.parts[1]);
  }
  m.set_id(-1);
}

// ---- what the agent did

enum class Verdict { kContinue, kSuccess, kFailure };

inline Verdict Verify(World& w, Clause& clause, int action) {
  const Id in_hand = clause.in_hand;
  clause.in_hand = w.carrying;
  switch (clause.verb) {
    case Verb::kGoTo: {
      const Point front = w.Front();
      const bool there =
          AnyOf(w, clause.what.things, [&](Id id) { return w.seen_at[id] == front; });
      return there ? Verdict::kSuccess : Verdict::kContinue;
    }
    case Verb::kOpen: {
      if (action != kToggle) return Verdict::kContinue;
      const Id front = w.At(w.Front());
      if (clause.what.things.test(front) && w.IsOpen(front)) return Verdict::kSuccess;
      const bool wrong = clause.strict != 0 && w.look(front).kind == kDoor;
      return wrong ? Verdict::kFailure : Verdict::kContinue;
    }
    case Verb::kPickUp:
      if (action != kPickup) return Verdict::kContinue;
      if (in_hand == kNothing && clause.what.things.test(w.carrying)) return Verdict::kSuccess;
      return clause.strict != 0 && w.carrying != kNothing ? Verdict::kFailure : Verdict::kContinue;
    case Verb::kPutNext:
      if (action != kDrop || !clause.what.things.test(in_hand)) return Verdict::kContinue;
      return IsBeside(w, w.place_of(in_hand), clause.where.things) ? Verdict::kSuccess
                                                                   : Verdict::kContinue;
  }
  return Verdict::kContinue;
}

/// Of two clauses each is asked until it has succeeded.
inline Verdict Verify(World& w, Part& part, int action) {
  if (part.count == 1) return Verify(w, part.clauses[0], action);
  for (std::size_t c = 0; c < 2; ++c) {
    if (part.done[c] == 0) {
      part.done[c] = Verify(w, part.clauses[c], action) == Verdict::kSuccess;
    }
  }
  return part.done[0] != 0 && part.done[1] != 0 ? Verdict::kSuccess : Verdict::kContinue;
}

/// What comes second is looked at from the step on in which the first succeeds.
inline Verdict Verify(World& w, Instruction& instruction, int action) {
  if (instruction.order == Order::kAlone) return Verify(w, instruction.parts[0], action);
  const std::size_t first = instruction.order == Order::kBefore ? 0 : 1;
  if (instruction.first_done == 0) {
    const Verdict verdict = Verify(w, instruction.parts[first], action);
    if (verdict != Verdict::kSuccess) return verdict;
    instruction.first_done = 1;
  }
  return Verify(w, instruction.parts[1 - first], action);
}

}  // namespace minigrid
