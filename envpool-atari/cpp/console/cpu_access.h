// SPDX-License-Identifier: Apache-2.0
// The operands of the 6507's instructions: addresses, reads, writes and the stack.
//
// ROM and RAM are read and written here, in line. Other addresses go by way of the bus, in
// functions that are not inlined: they take and return single registers, so that the other
// registers are not moved.
#ifndef ENVPOOL_ATARI_CONSOLE_CPU_ACCESS_H_
#define ENVPOOL_ATARI_CONSOLE_CPU_ACCESS_H_

#include <cstdint>

#include "console/cpu.h"
#include "console/inline.h"

#define ATARI_NOINLINE [[gnu::noinline]]

namespace envpool::atari::detail {

struct ReadResult {
  const MicroOp* op;
  std::uint32_t value;
};
struct WriteResult {
  const MicroOp* op;
  std::int64_t time;
};

inline std::int32_t CycleOf(std::int64_t time) {
  return static_cast<std::int32_t>(time >> kCountBits);
}

ATARI_NOINLINE ReadResult ReadBus(Program& p, std::uint32_t address, std::uint32_t bus,
                                  std::int64_t time, const MicroOp* op) {
  const std::uint32_t value = p.m.Read(address, bus, CycleOf(time));
  if (p.m.mapper.TakeSwitched()) op = p.Stay(p.Pc(op));
  return {op, value};
}

ATARI_NOINLINE WriteResult WriteBus(Program& p, std::uint32_t address, std::uint32_t value,
                                    std::int64_t time, const MicroOp* op) {
  const std::int32_t now = CycleOf(time);
  const std::int32_t then = p.m.Write(address, static_cast<std::uint8_t>(value), now);
  if (p.m.frame_over || p.m.mapper.TakeSwitched()) op = p.Stay(p.Pc(op));
  return {op, time + (then - now) * kOneCycle};
}

inline bool IsRam(std::uint32_t address) { return (address & 0x1280) == 0x80; }

ATARI_INLINE std::uint32_t Read(Registers& r, Program& p, std::uint32_t address,
                                std::uint32_t bus) {
  if (address & 0x1000) {
    if (p.m.mapper.IsPlain(address)) [[likely]] {
      return p.bus = p.m.mapper.Plain(address);
    }
  } else if (IsRam(address)) [[likely]] {
    return p.bus = p.m.state.riot.ram[address & 0x7F];
  }
  const ReadResult result = ReadBus(p, address, bus, r.time, r.op);
  r.op = result.op;
  return p.bus = result.value;
}

ATARI_INLINE void Write(Registers& r, Program& p, std::uint32_t address, std::uint32_t value) {
  p.bus = value;
  if (IsRam(address)) [[likely]] {
    p.m.state.riot.ram[address & 0x7F] = static_cast<std::uint8_t>(value);
    return;
  }
  const WriteResult result = WriteBus(p, address, value, r.time, r.op);
  r.op = result.op;
  r.time = result.time;
}

ATARI_INLINE std::uint32_t ReadZeroPage(Registers& r, Program& p, std::uint32_t address,
                                        std::uint32_t bus) {
  if (address & 0x80) [[likely]]
    return p.bus = p.m.state.riot.ram[address & 0x7F];
  return Read(r, p, address, bus);
}

ATARI_INLINE void Push(Registers& r, Program& p, std::uint32_t value) {
  if (p.sp & 0x80) [[likely]] {
    p.bus = p.m.state.riot.ram[p.sp & 0x7F] = static_cast<std::uint8_t>(value);
  } else {
    Write(r, p, 0x100 + p.sp, value);
  }
  p.sp = (p.sp - 1) & 0xFF;
}

// Measured: an instruction that pulls first reads the byte at the stack's end, which stays on the
// bus.
ATARI_INLINE std::uint32_t EndOfStack(Registers& r, Program& p, std::uint32_t opcode) {
  return (p.sp & 0x80) ? p.m.state.riot.ram[p.sp & 0x7F] : Read(r, p, 0x100 + p.sp, opcode);
}

ATARI_INLINE std::uint32_t Pull(Registers& r, Program& p, std::uint32_t bus) {
  p.sp = (p.sp + 1) & 0xFF;
  if (p.sp & 0x80) [[likely]]
    return p.bus = p.m.state.riot.ram[p.sp & 0x7F];
  return Read(r, p, 0x100 + p.sp, bus);
}

// An address, and the byte on the bus at the time.
struct Address {
  std::uint32_t value;
  std::uint32_t bus;
};

template <bool kPenalty>
ATARI_INLINE Address Indexed(Registers& r, std::uint32_t base, std::uint32_t index) {
  const std::uint32_t address = (base + index) & 0xFFFF;
  if constexpr (kPenalty) {
    if ((base ^ address) & 0xFF00) r.time += kOneCycle;
  }
  return {address, base >> 8};
}

// kPenalty: a crossed page costs a cycle, as for instructions that only read.
template <Mode kMode, bool kPenalty>
ATARI_INLINE Address AddressOf(Registers& r, Program& p) {
  const std::uint32_t operand = r.op->operand;
  if constexpr (kMode == Mode::kZeroPage) {
    return {operand, operand};
  } else if constexpr (kMode == Mode::kZeroPageX) {
    return {(operand + r.x) & 0xFF, operand};
  } else if constexpr (kMode == Mode::kZeroPageY) {
    return {(operand + r.y) & 0xFF, operand};
  } else if constexpr (kMode == Mode::kAbsolute) {
    return {operand, operand >> 8};
  } else if constexpr (kMode == Mode::kAbsoluteX) {
    return Indexed<kPenalty>(r, operand, r.x);
  } else if constexpr (kMode == Mode::kAbsoluteY) {
    return Indexed<kPenalty>(r, operand, r.y);
  } else if constexpr (kMode == Mode::kIndirectX) {
    const std::uint32_t pointer = (operand + r.x) & 0xFF;
    const std::uint32_t low = ReadZeroPage(r, p, pointer, operand);
    const std::uint32_t high = ReadZeroPage(r, p, (pointer + 1) & 0xFF, low);
    return {high << 8 | low, high};
  } else {
    static_assert(kMode == Mode::kIndirectY);
    // The high byte of a pointer at FF comes from 0100, which is the TIA's.
    const std::uint32_t low = ReadZeroPage(r, p, operand, operand);
    const std::uint32_t high = ReadZeroPage(r, p, operand + 1, low);
    return Indexed<kPenalty>(r, high << 8 | low, r.y);
  }
}

}  // namespace envpool::atari::detail

#endif  // ENVPOOL_ATARI_CONSOLE_CPU_ACCESS_H_
