// SPDX-License-Identifier: Apache-2.0
// Handlers that execute a common sequence of instructions at once.
//
//   std::uint16_t handler = HandlerAt(op);  // kSequence_0x2A where {LDA (), Y; STA TIA} starts
//   kSequences[handler - kFirstSequence].parts[1].opcode
//
// The jump from one handler to the next costs about as much as a handler, because the CPU must
// predict its target; sequences save four of ten jumps. A cartridge keeps an instruction for every
// byte, so a jump into the middle of a sequence executes the rest of it.
#ifndef ENVPOOL_ATARI_CONSOLE_SEQUENCES_H_
#define ENVPOOL_ATARI_CONSOLE_SEQUENCES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "console/instructions.h"
#include "console/micro_op.h"

namespace envpool::atari {

/// An instruction of a sequence.
struct Part {
  std::uint8_t opcode = 0;
  Access access = Access::kAny;

  constexpr std::uint16_t handler() const { return HandlerOf(opcode, access); }
  constexpr int length() const { return Length(kInstructions[opcode].mode); }
};

struct Sequence {
  static constexpr std::size_t kMost = 5;

  constexpr Sequence() = default;
  constexpr Sequence(std::initializer_list<Part> list) {
    for (const Part& part : list) parts[size++] = part;
  }

  std::array<Part, kMost> parts{};
  std::size_t size = 0;
};

inline constexpr std::size_t kSequenceCount = kFetch - kFirstSequence;

namespace detail {

using enum Access;

// Ordered by the handler of the first instruction; longer sequences come first.
inline constexpr std::array<Sequence, kSequenceCount> kTable = {{
#include "console/sequence_table.inc"
}};

// Entry h: the first sequence that begins with handler h or a later one.
constexpr std::array<std::uint16_t, kFirstSequence + 1> MakeBegins() {
  std::array<std::uint16_t, kFirstSequence + 1> begins{};
  std::uint16_t number = 0;
  for (std::size_t handler = 0; handler <= kFirstSequence; ++handler) {
    while (number < kSequenceCount && kTable[number].parts[0].handler() < handler) ++number;
    begins[handler] = number;
  }
  return begins;
}
inline constexpr std::array<std::uint16_t, kFirstSequence + 1> kBegins = MakeBegins();

constexpr bool IsSorted() {
  for (std::size_t i = 1; i < kSequenceCount; ++i) {
    const Sequence &a = kTable[i - 1], &b = kTable[i];
    const int step = b.parts[0].handler() - a.parts[0].handler();
    if (step < 0 || (step == 0 && a.size < b.size)) return false;
  }
  return true;
}
static_assert(IsSorted() && kTable[0].size > 1 && kTable[kSequenceCount - 1].size > 1);

constexpr std::array<std::uint16_t, kSequenceCount> MakeFirsts() {
  std::array<std::uint16_t, kSequenceCount> firsts{};
  for (std::size_t i = 0; i < kSequenceCount; ++i) firsts[i] = kTable[i].parts[0].handler();
  return firsts;
}
inline constexpr std::array<std::uint16_t, kSequenceCount> kFirsts = MakeFirsts();

}  // namespace detail

inline constexpr const std::array<Sequence, kSequenceCount>& kSequences = detail::kTable;

/// The handler of the longest sequence that begins with this instruction, else the instruction's
/// own. The instructions behind it must still have their own handlers.
constexpr std::uint16_t HandlerAt(const MicroOp* op) {
  if (op->handler >= kFirstSequence) return op->handler;
  for (std::size_t i = detail::kBegins[op->handler]; i < detail::kBegins[op->handler + 1u]; ++i) {
    const MicroOp* next = op;
    std::size_t equal = 0;
    for (; equal < kSequences[i].size; ++equal) {
      const Part part = kSequences[i].parts[equal];
      if (next->handler != part.handler()) break;
      next += part.length();
    }
    if (equal == kSequences[i].size) return static_cast<std::uint16_t>(kFirstSequence + i);
  }
  return op->handler;
}

/// The handler of the first instruction that a handler executes.
constexpr std::uint16_t FirstOf(std::uint16_t handler) {
  return handler >= kFirstSequence && handler < kFetch ? detail::kFirsts[handler - kFirstSequence]
                                                       : handler;
}

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_SEQUENCES_H_
