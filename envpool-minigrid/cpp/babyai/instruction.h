// SPDX-License-Identifier: Apache-2.0
// BabyAI's instruction for the agent: a small tree of data. `verifier.h` has its meaning.
//
//   mission     = part | part, then part | part after you part
//   part        = clause | clause and clause
//   clause      = go to D | open D | pick up D | put D next to D
//   description = color, kind and place of things, each of which may be left out
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <type_traits>

#include "../grid.h"

namespace envpool::minigrid {

/// A set of things, by id.
using Things = std::bitset<kMaxIds>;

/// The side of a thing, seen from the agent's start, in its own room.
enum class Side : std::uint8_t { kAnywhere, kLeft, kRight, kFront, kBehind };

/// The description of things. kEmpty and kNoColor leave kind and color out.
inline constexpr std::uint8_t kNoColor = 255;
struct Description {
  Things things{};  ///< the things that fitted at the start
  Kind kind = kEmpty;
  std::uint8_t color = kNoColor;
  Side side = Side::kAnywhere;
  std::uint8_t many = 0;  ///< 1 if more than one thing fits, walls included
  std::uint32_t unused = 0;
};
inline Description Describe(Kind kind, std::uint8_t color = kNoColor, Side side = Side::kAnywhere) {
  return {.kind = kind, .color = color, .side = side};
}

enum class Verb : std::uint8_t { kGoTo, kOpen, kPickUp, kPutNext };
struct Clause {
  Description what, where{};  ///< `where` is for kPutNext
  Verb verb = Verb::kGoTo;
  std::uint8_t strict = 0;  ///< 1 if acting on another thing of the kind is a failure
  Id in_hand = kNothing;    ///< the thing in hand at the last check of the clause
  std::uint8_t unused[5] = {};
};
inline Clause GoTo(const Description& what) { return {.what = what, .verb = Verb::kGoTo}; }
inline Clause Open(const Description& what, bool strict = false) {
  return {.what = what, .verb = Verb::kOpen, .strict = strict};
}
inline Clause PickUp(const Description& what, bool strict = false) {
  return {.what = what, .verb = Verb::kPickUp, .strict = strict};
}
inline Clause PutNext(const Description& what, const Description& where) {
  return {.what = what, .where = where, .verb = Verb::kPutNext};
}

/// One clause, or two in any order.
struct Part {
  std::array<Clause, 2> clauses{};
  std::array<std::uint8_t, 2> done{};
  std::uint8_t count = 1;
  std::uint8_t unused[5] = {};

  Part() = default;
  Part(const Clause& only) : clauses{only} {}
  Part(const Clause& a, const Clause& b) : clauses{a, b}, count(2) {}
};

enum class Order : std::uint8_t { kAlone, kBefore, kAfter };
struct Instruction {
  std::array<Part, 2> parts{};
  Order order = Order::kAlone;
  std::uint8_t first_done = 0;  ///< for a sequence: 1 if its first part is done
  std::uint8_t unused[6] = {};

  Instruction() = default;
  Instruction(const Part& only) : parts{only} {}
  Instruction(const Clause& only) : parts{Part(only)} {}
  Instruction(const Part& a, Order b_comes, const Part& b) : parts{a, b}, order(b_comes) {}
};
static_assert(std::is_trivially_copyable_v<Instruction>);
static_assert(std::has_unique_object_representations_v<Instruction>);

/// Calls visit(clause) for each clause.
template <typename I>
void ForEachClause(I& instruction, auto&& visit) {
  const int parts = instruction.order == Order::kAlone ? 1 : 2;
  for (int p = 0; p < parts; ++p) {
    for (int c = 0; c < instruction.parts[p].count; ++c) visit(instruction.parts[p].clauses[c]);
  }
}

}  // namespace envpool::minigrid
