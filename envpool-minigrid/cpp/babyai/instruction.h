// SPDX-License-Identifier: Apache-2.0
// What BabyAI tells the agent to do: a little tree, as data. `verifier.h` says what it means.
//
//   mission     = part | part, then part | part after you part
//   part        = clause | clause and clause
//   clause      = go to D | open D | pick up D | put D next to D
//   description = color, kind and place of things, each of which may be left open
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <type_traits>

#include "../grid.h"

namespace envpool::minigrid {

/// Things, by their ids.
using Things = std::bitset<kMaxIds>;

/// Where something is, as the agent sees it at the start, in its own room.
enum class Side : std::uint8_t { kAnywhere, kLeft, kRight, kFront, kBehind };

/// Which things are meant. kEmpty and kNoColor leave it open.
inline constexpr std::uint8_t kNoColor = 255;
struct Description {
  Things things{};  ///< those that fitted at the start
  Kind kind = kEmpty;
  std::uint8_t color = kNoColor;
  Side side = Side::kAnywhere;
  std::uint8_t many = 0;  ///< whether more than one thing fits, walls included
  std::uint32_t unused = 0;
};
inline Description Describe(Kind kind, std::uint8_t color = kNoColor, Side side = Side::kAnywhere) {
  return {.kind = kind, .color = color, .side = side};
}

enum class Verb : std::uint8_t { kGoTo, kOpen, kPickUp, kPutNext };
struct Clause {
  Description what, where{};  ///< `where` is of kPutNext
  Verb verb = Verb::kGoTo;
  std::uint8_t strict = 0;  ///< whether another thing of the kind is a failure
  Id in_hand = kNothing;    ///< what was carried when the clause was asked last
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
  std::uint8_t first_done = 0;  ///< of a sequence: whether what comes first is done
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
