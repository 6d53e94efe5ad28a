// SPDX-License-Identifier: Apache-2.0
// The 6507's instructions. cpu.cc has the loop that executes them.
//
// Time advances by whole instructions: an instruction is measured to see the bus at the cycle at
// which it ends. A 64-bit number counts cycles and instructions together, so that both cost one
// addition:
//
//   time   63 ........ 15 | 14 ....... 0
//          cycles         | instructions of this call
#ifndef ENVPOOL_ATARI_CONSOLE_CPU_H_
#define ENVPOOL_ATARI_CONSOLE_CPU_H_

#include <array>
#include <cstdint>

#include "console/instructions.h"
#include "console/machine.h"
#include "console/micro_op.h"
#include "console/native.h"

namespace envpool::atari {

inline constexpr int kCountBits = 15;
inline constexpr std::int64_t kOneCycle = std::int64_t{1} << kCountBits;
inline constexpr std::int64_t kCountMask = kOneCycle - 1;
static_assert(Machine::kMaxInstructions <= kCountMask);

// Bits of the status register.
inline constexpr std::uint32_t kCarryBit = 0x01, kZeroBit = 0x02, kInterruptBit = 0x04,
                               kDecimalBit = 0x08, kBreakBit = 0x10, kUnusedBit = 0x20,
                               kOverflowBit = 0x40, kNegativeBit = 0x80;

// The CPU state that the loop keeps in host registers; Program has the rarer state. Bytes are held
// in 32 bits, upper bits 0.
struct Registers {
  const MicroOp* op;  // the current instruction
  std::int64_t time;
  std::uint32_t a, x, y;
  std::uint32_t n;  // bit 7 is the flag
  std::uint32_t z;  // 0: the flag is set
  std::uint32_t c;  // 0 or 1
};

// The CPU state for native code (native.h): plain data at known offsets.
struct CpuFrame {
  Registers regs{};  // valid while no native code runs
  std::uint32_t sp = 0;
  std::uint32_t v = 0;        // not 0: the flag is set
  std::uint32_t decimal = 0;  // kDecimalBit or 0
  std::uint32_t no_irq = 0;   // kInterruptBit or 0
  // The program's place: pc = base_pc + (op - base_op).
  std::uint32_t base_pc = 0;
  const MicroOp* base_op = nullptr;
  std::int64_t waited = 0;  // cycle of the last write to WSYNC
  // The last byte on the data bus, if the next instruction is not in the cartridge. The bits of an
  // opcode that the TIA does not drive come from it.
  std::uint32_t bus = 0;

  // The members below are for native code only.
  std::uint32_t pc_high = 0;          // the program counter at the beginning of the bank
  std::int64_t last_time = 0;         // Machine::last_cycle
  std::int64_t limit = 0;             // a jump at this time or later starts counting instructions
  const MicroOp* expected = nullptr;  // the instruction behind those that a function executes
  const MicroOp* away = nullptr;      // Program::Stay
  std::uint8_t* ram = nullptr;
  std::uint32_t* log = nullptr;
  int* noted = nullptr;  // Machine::log_size
  const std::uint8_t* image = nullptr;
  const MicroOp* const* code = nullptr;  // one per kilobyte, by bits 10-13 of its address
};

// The CPU while it runs.
class Program : public CpuFrame {
 public:
  explicit Program(Machine& machine) : m(machine) {
    away_.fill({kFetch, 0});
    single_.fill({kFetch, 0});
  }

  std::uint32_t Pc(const MicroOp* op) const {
    return (base_pc + static_cast<std::uint32_t>(op - base_op)) & 0xFFFF;
  }

  // Sets the program counter and returns its instruction; only for addresses of the cartridge.
  const MicroOp* Go(std::uint32_t pc) {
    bus = pc >> 8;  // the half of an address that is read last
    if (careful_ || m.frame_over || !(pc & 0x1000)) return Stay(pc);
    base_op = m.mapper.Code(pc);
    base_pc = pc;
    return base_op;
  }

  // An instruction from which every next step, straight on or by a branch, is kFetch.
  const MicroOp* Stay(std::uint32_t pc) {
    base_op = &away_[kMiddle];
    base_pc = pc & 0xFFFF;
    return base_op;
  }

  // kFetch: fetches the instruction at `op` byte by byte. Returns nullptr if the frame is over.
  const MicroOp* Fetch(const MicroOp* op, std::int64_t time);

  // Counts instructions one by one from here on.
  const MicroOp* BeCareful(const MicroOp* op) {
    careful_ = true;
    if (IsTranslated()) bus = Pc(op) >> 8;
    return Stay(Pc(op));
  }

  // Continues in native code if the visible cartridge has this instruction. Returns false if
  // kExecutors must execute it.
  bool RunNative(const Native& native);

  Machine& m;

 private:
  // True if the last instruction was translated. If execution leaves the cartridge from it, other
  // than by a jump, native code has left the byte on the bus.
  bool IsTranslated() const { return base_op != &away_[kMiddle] && base_op != &single_[kMiddle]; }

  static constexpr int kMiddle = 160;  // longer than a branch
  bool careful_ = false;
  std::array<MicroOp, 2 * kMiddle> away_;
  std::array<MicroOp, 2 * kMiddle> single_;
};

// The functions that execute one instruction, frame.regs.op, indexed by its handler.
using Executor = void (*)(CpuFrame*);
extern const std::array<Executor, kFirstSequence> kExecutors;

// A read by way of the bus. It neither switches banks nor ends the frame.
std::uint32_t ReadIo(CpuFrame& frame, std::uint32_t address, std::uint32_t bus, std::int64_t time);

#ifdef ENVPOOL_ATARI_TRACE
// Called before every instruction, in a build in which each instruction has a handler.
// tests/console/sequences.py finds the common sequences with it.
void Trace(const MicroOp* op, std::int64_t time);
#endif

namespace detail {

inline constexpr std::int64_t kCarefulCount = Machine::kMaxInstructions - 4'400;

constexpr std::uint32_t ToBinary(std::uint32_t bcd) { return (bcd >> 4) * 10 + (bcd & 15); }
constexpr std::uint32_t ToBcd(std::uint32_t value) { return (value % 100 / 10) << 4 | value % 10; }

}  // namespace detail

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_CPU_H_
