// SPDX-License-Identifier: Apache-2.0
// The translation of a cartridge's bytes, made once: for every byte the instruction that starts
// there, as the number of its handler and its operand.
//
//   MicroOp op = Decode(0x85, 0x0D, 0, 0);  // STA PF0: {kTia_0x85, 0x0D}
//
// An opcode has a general handler, which classifies its address at run time, and for the commonest
// cases handlers with a known kind of address. A common sequence of instructions has one handler:
// sequences.h.
#ifndef ENVPOOL_ATARI_CONSOLE_MICRO_OP_H_
#define ENVPOOL_ATARI_CONSOLE_MICRO_OP_H_

#include <cstdint>

#include "console/instructions.h"

namespace envpool::atari {

// A handler's knowledge of its operand's address.
enum class Access : std::uint8_t {
  kAny,    // any address
  kRam,    // in RAM
  kTia,    // a TIA register that affects neither the CPU nor the frame
  kWsync,  // the TIA register that halts the CPU until the line ends
  kTimer,  // the timer of the RIOT
};

// clang-format off: lists as short as they can be
#define ATARI_ROW(X, h)                                                                          \
  X(0x##h##0) X(0x##h##1) X(0x##h##2) X(0x##h##3) X(0x##h##4) X(0x##h##5) X(0x##h##6) X(0x##h##7) \
  X(0x##h##8) X(0x##h##9) X(0x##h##A) X(0x##h##B) X(0x##h##C) X(0x##h##D) X(0x##h##E) X(0x##h##F)
// Every opcode, in order: the number of a general handler is its opcode.
#define ATARI_ANY(X)                                                                  \
  ATARI_ROW(X, 0) ATARI_ROW(X, 1) ATARI_ROW(X, 2) ATARI_ROW(X, 3) ATARI_ROW(X, 4)     \
  ATARI_ROW(X, 5) ATARI_ROW(X, 6) ATARI_ROW(X, 7) ATARI_ROW(X, 8) ATARI_ROW(X, 9)     \
  ATARI_ROW(X, A) ATARI_ROW(X, B) ATARI_ROW(X, C) ATARI_ROW(X, D) ATARI_ROW(X, E)     \
  ATARI_ROW(X, F)
// Zero page: ORA AND EOR ADC LDA CMP SBC, BIT CPX CPY LDX LDY, STA STX STY, INC DEC and shifts.
#define ATARI_RAM(X)                                                                  \
  X(0x05) X(0x25) X(0x45) X(0x65) X(0xA5) X(0xC5) X(0xE5) X(0x24) X(0xE4) X(0xC4)     \
  X(0xA6) X(0xA4) X(0x85) X(0x86) X(0x84) X(0xE6) X(0xC6) X(0x06) X(0x26) X(0x46)     \
  X(0x66)
// clang-format on
// STA STX STY, zero page and absolute.
#define ATARI_TIA(X) X(0x85) X(0x86) X(0x84) X(0x8D) X(0x8E) X(0x8C)
// LDA LDX LDY BIT, absolute.
#define ATARI_TIMER(X) X(0xAD) X(0xAE) X(0xAC) X(0x2C)
// As many sequences as a byte has values.
#define ATARI_SEQUENCES(X) ATARI_ANY(X)

enum Handler : std::uint16_t {
#define X(opcode) kAny_##opcode,
  ATARI_ANY(X)
#undef X
#define X(opcode) kRam_##opcode,
      ATARI_RAM(X)
#undef X
#define X(opcode) kTia_##opcode,
          ATARI_TIA(X)
#undef X
#define X(opcode) kWsync_##opcode,
              ATARI_TIA(X)
#undef X
#define X(opcode) kTimer_##opcode,
                  ATARI_TIMER(X)
#undef X
#define X(number) kSequence_##number,
                      ATARI_SEQUENCES(X)
#undef X
                          kFetch,  // not an instruction: fetches byte by byte, by way of the bus
  kHandlers
};
inline constexpr std::uint16_t kFirstSequence = kSequence_0x00;

struct MicroOp {
  std::uint16_t handler;
  // Immediate value, zero page or absolute address; for a branch, 4 * (distance to its target) +
  // (cycles if it is taken).
  std::uint16_t operand;
};

// The distance from a branch to its target.
constexpr int DistanceOf(const MicroOp& branch) {
  return static_cast<std::int16_t>(branch.operand) >> 2;
}

// The handler of an opcode whose operand has this kind of address.
constexpr Handler HandlerOf(std::uint8_t opcode, Access access) {
  if (access == Access::kRam) {
    switch (opcode) {
#define X(opcode) \
  case opcode:    \
    return kRam_##opcode;
      ATARI_RAM(X)
#undef X
    }
  } else if (access == Access::kTia) {
    switch (opcode) {
#define X(opcode) \
  case opcode:    \
    return kTia_##opcode;
      ATARI_TIA(X)
#undef X
    }
  } else if (access == Access::kWsync) {
    switch (opcode) {
#define X(opcode) \
  case opcode:    \
    return kWsync_##opcode;
      ATARI_TIA(X)
#undef X
    }
  } else if (access == Access::kTimer) {
    switch (opcode) {
#define X(opcode) \
  case opcode:    \
    return kTimer_##opcode;
      ATARI_TIMER(X)
#undef X
    }
  }
  return static_cast<Handler>(opcode);
}

// The kind of an address, as far as it is known before the program runs.
constexpr Access Classify(std::uint16_t address) {
  if (address & 0x1000) return Access::kAny;
  if (!(address & 0x80)) {
    const int reg = address & 0x3F;
    return reg > 2 ? Access::kTia : reg == 2 ? Access::kWsync : Access::kAny;
  }
  if (!(address & 0x200)) return address < 0x100 ? Access::kRam : Access::kAny;
  return (address & 7) == 4 ? Access::kTimer : Access::kAny;
}

// Translates one instruction.
//
//   low, high  the bytes after the opcode, as far as they belong to the instruction
//   pc         address of the opcode; only its low byte matters
constexpr MicroOp Decode(std::uint8_t opcode, std::uint8_t low, std::uint8_t high,
                         std::uint8_t pc) {
  const Instruction instruction = kInstructions[opcode];
  switch (instruction.mode) {
    case Mode::kZeroPage:
      return {HandlerOf(opcode, Classify(low)), low};
    case Mode::kAbsolute: {
      const auto address = static_cast<std::uint16_t>(low | high << 8);
      return {HandlerOf(opcode, Classify(address)), address};
    }
    case Mode::kAbsoluteX:
    case Mode::kAbsoluteY:
    case Mode::kIndirect:
      return {opcode, static_cast<std::uint16_t>(low | high << 8)};
    case Mode::kRelative: {
      const int next = static_cast<std::uint8_t>(pc + 2);
      const int distance = low < 0x80 ? low : low - 0x100;
      const bool crosses = (next + distance) >> 8 != 0;
      return {opcode, static_cast<std::uint16_t>((2 + distance) * 4 + (crosses ? 2 : 1))};
    }
    default:
      return {opcode, low};
  }
}

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_MICRO_OP_H_
