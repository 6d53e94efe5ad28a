// SPDX-License-Identifier: Apache-2.0
// The meaning of an instruction: the things that fit, its validity, its sentence, and the check of
// the agent's actions.
//
// Things are known by their ids. Their known places are those at the start, and are updated after
// each action drop only, as in minigrid: until then, the verifiers keep the old place of a thing
// that was picked up and of a box that was opened.
#pragma once

#include <array>
#include <bitset>
#include <string_view>

#include "../rooms.h"
#include "instruction.h"

namespace envpool::minigrid {

/// The thing's kind and color.
inline Description Describe(const Gridworld& w, Id id) {
  return Describe(w.look(id).kind, w.look(id).color);
}

// ---- the things that fit

/// True if a thing is in its place, and not in hand or in a box.
inline bool LiesThere(const Gridworld& w, Id id) {
  return w.place_of(id) != kNowhere && w.At(w.place_of(id)) == id;
}

/// Finds the things that fit a description now.
inline void FindThings(const Gridworld& w, Rooms& rooms, Description& d) {
  constexpr std::array<int, 5> kQuarters = {0, 3, 1, 0, 2};  // quarter turns to each side
  const Area room = rooms.OfAgent().area;
  const Point toward = Ahead((w.direction + kQuarters[static_cast<int>(d.side)]) & 3);
  d.things.reset();
  for (const Id id : w.things()) {
    const Look look = w.look(id);
    if (!LiesThere(w, id)) continue;
    if (d.kind != kEmpty && look.kind != d.kind) continue;
    if (d.color != kNoColor && look.color != d.color) continue;
    const Point at = w.place_of(id), away = at - w.agent;
    if (d.side != Side::kAnywhere &&
        (!room.Has(at) || away.x * toward.x + away.y * toward.y <= 0)) {
      continue;
    }
    d.things.set(id);
  }
  // A wall counts as a "grey object".
  const bool walls = d.kind == kEmpty && (d.color == kNoColor || d.color == kGrey);
  d.many = walls || d.things.count() > 1;
}

/// Updates the verifiers' known places of all things.
inline void LookAgain(Gridworld& w) {
  for (const Id id : w.things()) w.seen_at[id] = LiesThere(w, id) ? w.place_of(id) : kNowhere;
}

bool AnyOf(const Gridworld& w, const Things& things, auto&& test) {
  for (const Id id : w.things()) {
    if (things.test(id) && test(id)) return true;
  }
  return false;
}
/// True if the known place of a thing of `fixed` is beside a place.
inline bool IsBeside(const Gridworld& w, Point at, const Things& fixed) {
  return AnyOf(w, fixed, [&](Id id) {
    return w.seen_at[id] != kNowhere && Distance(at, w.seen_at[id]) == 1;
  });
}

/// True if the instruction is valid; fills its sets of things. `unblocking`: the agent may need
/// keys to get out of the way, so keys of locked doors make it invalid.
inline bool IsValid(Gridworld& w, Rooms& rooms, Instruction& instruction, bool unblocking) {
  LookAgain(w);
  std::bitset<kNumColors> locked;
  for (const Id id : w.things()) {
    const Look look = w.look(id);
    if (unblocking && look.kind == kDoor && look.state == kLocked) locked.set(look.color);
  }
  const auto is_needed = [&](const Description& d) {
    return d.kind == kKey && d.color != kNoColor && locked.test(d.color);
  };
  bool valid = true;
  ForEachClause(instruction, [&](Clause& clause) {
    FindThings(w, rooms, clause.what);
    valid = valid && !is_needed(clause.what);
    if (clause.verb != Verb::kPutNext) return;
    FindThings(w, rooms, clause.where);
    const Things &moved = clause.what.things, &fixed = clause.where.things;
    valid = valid && !is_needed(clause.where) && (moved & fixed).none() &&
            !AnyOf(w, moved, [&](Id id) { return IsBeside(w, w.place_of(id), fixed); });
  });
  return valid;
}

// ---- its sentence

inline void Say(Mission& m, const Description& d) {
  m.Add(d.many ? "a " : "the ");
  if (d.color != kNoColor) m.Add(kColorNames[d.color], " ");
  m.Add(d.kind == kEmpty ? std::string_view("object") : kKindNames[d.kind]);
  constexpr std::array<std::string_view, 5> kSides = {"", " on your left", " on your right",
                                                      " in front of you", " behind you"};
  m.Add(kSides[static_cast<int>(d.side)]);
}
inline void Say(Mission& m, const Clause& clause) {
  constexpr std::array<std::string_view, 4> kVerbs = {"go to ", "open ", "pick up ", "put "};
  m.Add(kVerbs[static_cast<int>(clause.verb)]);
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

// ---- the check of the agent's actions

enum class Verdict { kContinue, kSuccess, kFailure };

inline Verdict Verify(Gridworld& w, Clause& clause, int action) {
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

/// Each of two clauses is checked until it has succeeded.
inline Verdict Verify(Gridworld& w, Part& part, int action) {
  if (part.count == 1) return Verify(w, part.clauses[0], action);
  for (int c = 0; c < 2; ++c) {
    if (part.done[c] == 0) {
      part.done[c] = Verify(w, part.clauses[c], action) == Verdict::kSuccess;
    }
  }
  return part.done[0] != 0 && part.done[1] != 0 ? Verdict::kSuccess : Verdict::kContinue;
}

/// The second part is checked from the step on in which the first succeeds.
inline Verdict Verify(Gridworld& w, Instruction& instruction, int action) {
  if (instruction.order == Order::kAlone) return Verify(w, instruction.parts[0], action);
  const int first = instruction.order == Order::kBefore ? 0 : 1;
  if (instruction.first_done == 0) {
    const Verdict verdict = Verify(w, instruction.parts[first], action);
    if (verdict != Verdict::kSuccess) return verdict;
    instruction.first_done = 1;
  }
  return Verify(w, instruction.parts[1 - first], action);
}

}  // namespace envpool::minigrid
