// SPDX-License-Identifier: Apache-2.0
// The 6507's loop.
//
// Every handler of micro_op.h ends with a jump to that of the next instruction. With clang each is
// a function that hands its registers on to the next in a tail call: its allocation of registers is
// poor in a function as long as all of them together. Elsewhere they are pieces of one function,
// joined by a computed goto where the compiler has it, else by a switch.
#include "console/cpu.h"

#include <algorithm>

#include "console/cpu_execute.h"
#include "console/sequences.h"

#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(musttail) && __has_attribute(preserve_none)
#define ATARI_HAS_TAIL_CALLS 1
#endif
#endif
#if defined(ENVPOOL_ATARI_SWITCH)
#elif defined(ATARI_HAS_TAIL_CALLS)
#define ENVPOOL_ATARI_TAIL_CALLS 1
#elif defined(__GNUC__)
#define ENVPOOL_ATARI_GOTO 1
#endif

namespace envpool::atari {

constexpr std::uint8_t kJsr = 0x20;

const MicroOp* Program::Fetch(const MicroOp* op, std::int64_t time) {
  const std::uint32_t pc = Pc(op);
  const std::int64_t count = time & kCountMask;
  if (IsTranslated()) bus = pc >> 8;
  if (count >= detail::kCarefulCount) careful_ = true;
  if (m.frame_over || m.state.cpu.jammed || count >= Machine::kMaxInstructions) {
    m.state.cpu.pc = static_cast<std::uint16_t>(pc);
    m.state.bus = pc & 0x1000 ? 0 : static_cast<std::uint8_t>(bus);
    return nullptr;
  }
  if (!careful_ && (pc & 0x1000)) {
    const MicroOp* const translated = Go(pc);
    if (translated->handler != kFetch) return translated;
  }
  std::uint8_t bytes[3] = {};
  const std::uint32_t offset = pc & 0x7F;
  if ((pc & 0x1280) == 0x80 && offset < kRamSize - 3) {  // a program in RAM, where reads do nothing
    for (std::size_t i = 0; i < 3; ++i) bytes[i] = m.state.riot.ram[offset + i];
    single_[kMiddle] = Decode(bytes[0], bytes[1], bytes[2], static_cast<std::uint8_t>(pc));
    bus = bytes[1];  // the operand of a branch that leaves RAM
  } else {
    std::int32_t cycle = detail::CycleOf(time);
    int length = 1;
    for (int i = 0; i < length; ++i) {
      if (i == 2 && bytes[0] == kJsr)
        bus = (pc + 2) & 0xFF;  // JSR pushes before it reads this
                                // byte
      bytes[i] = m.Read((pc + static_cast<std::uint32_t>(i)) & 0xFFFF, bus, cycle);
      bus = bytes[i];
      if (i > 0) continue;
      // Measured: the opcode is read at the beginning of an instruction, the operand at its end.
      length = Length(kInstructions[bytes[0]].mode);
      cycle += kInstructions[bytes[0]].cycles;
    }
    single_[kMiddle] = Decode(bytes[0], bytes[1], bytes[2], static_cast<std::uint8_t>(pc));
    single_[kMiddle].handler = bytes[0];  // its handler uses the bus
  }
  base_op = &single_[kMiddle];
  base_pc = pc;
  return base_op;
}

namespace {

using detail::Address;
using detail::AddressOf;

ATARI_INLINE void CountJump(Registers& r, Program& p) {
  if ((r.time & kCountMask) >= detail::kCarefulCount) [[unlikely]] {
    r.op = p.BeCareful(r.op);
  }
}

ATARI_INLINE void Jump(Registers& r, Program& p, std::uint32_t pc) {
  r.op = p.Go(pc & 0xFFFF);
  CountJump(r, p);
}

// Programs wait for the timer by a load and a branch back to it (LDA INTIM, BNE): a fifth of all
// instructions. The program is moved on to the last turn of this loop.
ATARI_INLINE std::uint32_t LoadTimer(Registers& r, Program& p) {
  constexpr int kBack = -3;  // from the branch to the load
  RiotState& riot = p.m.state.riot;
  const MicroOp next = r.op[-kBack];
  const std::uint16_t first = FirstOf(next.handler);
  const bool until_zero = first == kAny_0xD0;
  const bool until_negative = first == kAny_0x10 && riot.timer <= 0x80;
  if ((until_zero || until_negative) && DistanceOf(next) == kBack) {
    const std::int64_t passed = Since(riot.timer_set, detail::CycleOf(r.time) - 1);
    const std::int64_t left = ((riot.timer - until_zero) << riot.timer_shift) - 1 - passed;
    const std::int64_t turn = 4 + 2 + (next.operand & 3);
    const std::int64_t countable = (detail::kCarefulCount - (r.time & kCountMask)) / 2;
    const std::int64_t turns = std::min(left / turn, countable);
    if (turns > 0) r.time += turns * (turn * kOneCycle + 2);
  }
  return ReadTimer(riot, detail::CycleOf(r.time));
}

template <Mode kMode, Access kAccess>
ATARI_INLINE std::uint32_t Operand(Registers& r, Program& p) {
  if constexpr (kMode == Mode::kImmediate) {
    return r.op->operand;
  } else if constexpr (kAccess == Access::kRam) {
    return p.m.state.riot.ram[r.op->operand & 0x7F];
  } else if constexpr (kAccess == Access::kTimer) {
    return LoadTimer(r, p);
  } else {
    const Address address = AddressOf<kMode, true>(r, p);
    return detail::Read(r, p, address.value, address.bus);
  }
}

// A write to a TIA register that affects only the TIA.
ATARI_INLINE void Note(Registers& r, Program& p, std::uint32_t value) {
  const std::int32_t cycle = detail::CycleOf(r.time);
  Machine& m = p.m;
  if (cycle >= m.last_cycle || m.log_size == Machine::kMaxLog) [[unlikely]] {
    const detail::WriteResult result =
        detail::WriteBus(p, r.op->operand & 0x3F, value, r.time, r.op);
    r.op = result.op;
    return;
  }
  m.log[static_cast<std::size_t>(m.log_size++)] =
      PackWrite(static_cast<std::uint32_t>(cycle), r.op->operand & 0x3Fu, value);
}

template <Mode kMode, Access kAccess, Operation kOperation>
ATARI_INLINE void Store(Registers& r, Program& p) {
  if constexpr (kAccess == Access::kRam) {
    p.m.state.riot.ram[r.op->operand & 0x7F] =
        static_cast<std::uint8_t>(detail::Stored<kOperation>(r, p, 0));
  } else if constexpr (kAccess == Access::kTia) {
    Note(r, p, detail::Stored<kOperation>(r, p, 0));
  } else if constexpr (kAccess == Access::kWsync) {
    const std::int32_t cycle = detail::CycleOf(r.time);
    if (cycle >= p.m.last_cycle) [[unlikely]] {
      const detail::WriteResult result = detail::WriteBus(p, kWsync, 0, r.time, r.op);
      r.op = result.op;
      r.time = result.time;
    } else {
      p.waited = r.time;
      const std::int32_t wait = kCyclesPerLine - 1 - (cycle + kCyclesPerLine - 1) % kCyclesPerLine;
      r.time += wait * kOneCycle;
    }
  } else {
    const Address address = AddressOf<kMode, false>(r, p);
    detail::Write(r, p, address.value, detail::Stored<kOperation>(r, p, address.value));
  }
}

template <Mode kMode, Access kAccess, Operation kOperation>
ATARI_INLINE void Modify(Registers& r, Program& p) {
  std::uint32_t value;
  if constexpr (kMode == Mode::kAccumulator) {
    value = r.a = detail::Modified<kOperation>(r, r.a);
  } else if constexpr (kAccess == Access::kRam) {
    std::uint8_t& byte = p.m.state.riot.ram[r.op->operand & 0x7F];
    value = detail::Modified<kOperation>(r, byte);
    byte = static_cast<std::uint8_t>(value);
  } else {
    const Address address = AddressOf<kMode, false>(r, p);
    value = detail::Modified<kOperation>(r, detail::Read(r, p, address.value, address.bus));
    detail::Write(r, p, address.value, value);
  }
  detail::UseModified<kOperation>(r, p, value);
}

// The instructions of the stack, and unconditional jumps.
template <Operation kOperation, Mode kMode>
ATARI_INLINE void Special(Registers& r, Program& p, std::uint32_t opcode) {
  using enum Operation;
  if constexpr (kOperation == kPha) {
    detail::Push(r, p, r.a);
    ++r.op;
  } else if constexpr (kOperation == kPhp) {
    detail::Push(r, p, detail::Status(r, p));
    ++r.op;
  } else if constexpr (kOperation == kPla || kOperation == kPlp) {
    const std::uint32_t value = detail::Pull(r, p, detail::EndOfStack(r, p, opcode));
    if constexpr (kOperation == kPla) {
      detail::SetNz(r, r.a = value);
    } else {
      detail::SetStatus(r, p, value);
    }
    ++r.op;
  } else if constexpr (kOperation == kJmp) {
    if constexpr (kMode == Mode::kAbsolute) {
      Jump(r, p, r.op->operand);
    } else {
      const std::uint32_t pointer = r.op->operand;
      const std::uint32_t next = (pointer & 0xFF00) | ((pointer + 1) & 0xFF);
      const std::uint32_t low = detail::Read(r, p, pointer, pointer >> 8);
      const std::uint32_t high = detail::Read(r, p, next, low);
      Jump(r, p, high << 8 | low);
    }
  } else if constexpr (kOperation == kJsr) {
    const std::uint32_t target = r.op->operand;
    const std::uint32_t back = p.Pc(r.op) + 2;
    detail::Read(r, p, (back - 1) & 0xFFFF, opcode);  // measured, as for RTS
    detail::Push(r, p, back >> 8 & 0xFF);
    const std::int64_t time = r.time;
    detail::Push(r, p, back & 0xFF);
    r.time = time;  // measured: WSYNC halts the CPU only if the first push writes it
    Jump(r, p, target);
  } else if constexpr (kOperation == kRts) {
    const std::uint32_t low = detail::Pull(r, p, detail::EndOfStack(r, p, opcode));
    const std::uint32_t high = detail::Pull(r, p, low);
    const std::uint32_t before = high << 8 | low;
    const std::uint32_t bus = detail::Read(r, p, before, high);  // measured
    Jump(r, p, before + 1);
    p.bus = bus;
  } else if constexpr (kOperation == kRti) {
    const std::uint32_t status = detail::Pull(r, p, detail::EndOfStack(r, p, opcode));
    detail::SetStatus(r, p, status);
    const std::uint32_t low = detail::Pull(r, p, status);
    const std::uint32_t high = detail::Pull(r, p, low);
    Jump(r, p, high << 8 | low);
  } else if constexpr (kOperation == kBrk) {
    const std::uint32_t back = p.Pc(r.op) + 2;
    detail::Read(r, p, (back - 1) & 0xFFFF, opcode);  // measured, as for RTS
    detail::Push(r, p, back >> 8 & 0xFF);
    const std::int64_t time = r.time;
    detail::Push(r, p, back & 0xFF);
    r.time = time;  // as for JSR
    detail::Push(r, p, detail::Status(r, p));
    r.time = time;
    p.no_irq = kInterruptBit;
    const std::uint32_t low = detail::Read(r, p, 0xFFFE, 0);
    const std::uint32_t high = detail::Read(r, p, 0xFFFF, low);
    Jump(r, p, high << 8 | low);
  } else {
    static_assert(kOperation == kJam);
    p.m.state.cpu.jammed = 1;
    r.op = p.Stay(p.Pc(r.op) + 1);
  }
}

template <std::uint8_t kOpcode, Access kAccess>
ATARI_INLINE void Execute(Registers& r, Program& p) {
  constexpr Instruction kInstruction = kInstructions[kOpcode];
  constexpr Operation kOperation = kInstruction.operation;
  constexpr Mode kMode = kInstruction.mode;
#ifdef ENVPOOL_ATARI_TRACE
  Trace(r.op, r.time);
#endif
  r.time += kInstruction.cycles * kOneCycle + 1;
  if constexpr (Reads(kOperation)) {
    const std::uint32_t value = Operand<kMode, kAccess>(r, p);
    r.op += Length(kMode);
    detail::Use<kOperation>(r, p, value);
  } else if constexpr (Writes(kOperation)) {
    Store<kMode, kAccess, kOperation>(r, p);
    r.op += Length(kMode);
  } else if constexpr (Modifies(kOperation)) {
    Modify<kMode, kAccess, kOperation>(r, p);
    r.op += Length(kMode);
  } else if constexpr (Branches(kOperation)) {
    if (detail::Taken<kOperation>(r, p)) {
      const MicroOp branch = *r.op;
      r.time += (branch.operand & 3) * kOneCycle;
      r.op += DistanceOf(branch);
      CountJump(r, p);
    } else {
      r.op += Length(kMode);
    }
  } else if constexpr (kOperation < Operation::kPha) {
    detail::Transfer<kOperation>(r, p);
    r.op += Length(kMode);
  } else {
    Special<kOperation, kMode>(r, p, kOpcode);
  }
}

// A sequence ends early if an instruction leads elsewhere: a branch, a switch of banks, or the end
// of the frame.
template <std::size_t kNumber, std::size_t kPart = 0>
ATARI_INLINE void ExecuteSequence(Registers& r, Program& p) {
  constexpr const Sequence& kSequence = kSequences[kNumber];
  constexpr Part kThis = kSequence.parts[kPart];
  const MicroOp* const next = r.op + Length(kInstructions[kThis.opcode].mode);
  Execute<kThis.opcode, kThis.access>(r, p);
  if constexpr (kPart + 1 < kSequence.size) {
    if (r.op == next) [[likely]] {
      ExecuteSequence<kNumber, kPart + 1>(r, p);
    }
  }
}

ATARI_INLINE Registers Load(Program& p, const CpuState& cpu, std::int32_t cycle) {
  Registers r{};
  r.a = cpu.a;
  r.x = cpu.x;
  r.y = cpu.y;
  p.sp = cpu.sp;
  p.bus = p.m.state.bus;
  detail::SetStatus(r, p, cpu.status);
  r.time = cycle * kOneCycle;
  return r;
}

ATARI_INLINE void Save(const Registers& r, const Program& p) {
  CpuState& cpu = p.m.state.cpu;
  cpu.a = static_cast<std::uint8_t>(r.a);
  cpu.x = static_cast<std::uint8_t>(r.x);
  cpu.y = static_cast<std::uint8_t>(r.y);
  cpu.sp = static_cast<std::uint8_t>(p.sp);
  cpu.status = static_cast<std::uint8_t>(detail::Status(r, p));
  p.m.state.cycle = detail::CycleOf(r.time);
  p.m.last_wait = detail::CycleOf(p.waited);
}

}  // namespace

// --- Native code ---

namespace {

template <std::uint8_t kOpcode, Access kAccess>
void ExecuteOne(CpuFrame* frame) {
  Registers r = frame->regs;
  Execute<kOpcode, kAccess>(r, static_cast<Program&>(*frame));
  frame->regs = r;
}

}  // namespace

// clang-format off
#define X_Any(opcode) ExecuteOne<opcode, Access::kAny>,
#define X_Ram(opcode) ExecuteOne<opcode, Access::kRam>,
#define X_Tia(opcode) ExecuteOne<opcode, Access::kTia>,
#define X_Wsync(opcode) ExecuteOne<opcode, Access::kWsync>,
#define X_Timer(opcode) ExecuteOne<opcode, Access::kTimer>,
// clang-format on
constexpr std::array<Executor, kFirstSequence> kExecutors = {
    ATARI_ANY(X_Any) ATARI_RAM(X_Ram) ATARI_TIA(X_Tia) ATARI_TIA(X_Wsync) ATARI_TIMER(X_Timer)};
#undef X_Any
#undef X_Ram
#undef X_Tia
#undef X_Wsync
#undef X_Timer

std::uint32_t ReadIo(CpuFrame& frame, std::uint32_t address, std::uint32_t bus, std::int64_t time) {
  return static_cast<Program&>(frame).m.Read(address, bus, detail::CycleOf(time));
}

bool Program::RunNative(const Native& native) {
  const std::uint32_t pc = Pc(regs.op);
  if (careful_ || m.frame_over || !(pc & 0x1000) || m.mapper.Code(pc) != regs.op) return false;
  if (regs.time >= limit) {
    const std::int64_t count = regs.time & kCountMask;
    if (count >= detail::kCarefulCount) {
      regs.op = BeCareful(regs.op);
      return true;
    }
    // An instruction takes at least two cycles, so the count stays below kCarefulCount until then.
    limit = regs.time + 2 * (detail::kCarefulCount - count) * kOneCycle;
  }
  pc_high = pc & ~m.mapper.BankMask();
  image = m.mapper.Image();
  native.Run(*this, regs.op);
  return true;
}

void Machine::RunNative(const Native& native) {
  Program p(*this);
  p.regs = Load(p, state.cpu, state.cycle);
  p.regs.op = p.away = p.Stay(state.cpu.pc);
  p.last_time = last_cycle * kOneCycle;
  p.limit = p.regs.time + 2 * detail::kCarefulCount * kOneCycle;
  p.ram = state.riot.ram.data();
  p.log = log;
  p.noted = &log_size;
  p.code = mapper.Regions();
  for (;;) {
    if (p.regs.op->handler == kFetch) {
      p.regs.op = p.Fetch(p.regs.op, p.regs.time);
      if (p.regs.op == nullptr) break;
    }
    if (!p.RunNative(native)) kExecutors[FirstOf(p.regs.op->handler)](&p);
  }
  Save(p.regs, p);
}

// --- The interpreter ---

#define ATARI_ALL(X) \
  ATARI_ANY(X##Any)  \
  ATARI_RAM(X##Ram)  \
  ATARI_TIA(X##Tia) ATARI_TIA(X##Wsync) ATARI_TIMER(X##Timer) ATARI_SEQUENCES(X##Sequence)

#ifdef ENVPOOL_ATARI_TAIL_CALLS

namespace {

// The registers one by one: the calling convention has a host register for each.
#define ATARI_PARAMETERS                                                              \
  Program &p, const MicroOp *op, std::int64_t time, std::uint32_t a, std::uint32_t x, \
      std::uint32_t y, std::uint32_t n, std::uint32_t z, std::uint32_t c
#define ATARI_NEXT \
  [[clang::musttail]] return kCode[r.op->handler](p, r.op, r.time, r.a, r.x, r.y, r.n, r.z, r.c)

typedef __attribute__((preserve_none)) void Code(ATARI_PARAMETERS);
extern Code* const kCode[kHandlers];

template <std::uint8_t kOpcode, Access kAccess>
__attribute__((preserve_none)) void Handle(ATARI_PARAMETERS) {
  Registers r{op, time, a, x, y, n, z, c};
  Execute<kOpcode, kAccess>(r, p);
  ATARI_NEXT;
}

template <std::size_t kNumber>
__attribute__((preserve_none)) void HandleSequence(ATARI_PARAMETERS) {
  Registers r{op, time, a, x, y, n, z, c};
  ExecuteSequence<kNumber>(r, p);
  ATARI_NEXT;
}

__attribute__((preserve_none)) void HandleFetch(ATARI_PARAMETERS) {
  Registers r{op, time, a, x, y, n, z, c};
  r.op = p.Fetch(r.op, r.time);
  if (r.op) ATARI_NEXT;
  Save(r, p);
}

// clang-format off
#define X_Any(opcode) Handle<opcode, Access::kAny>,
#define X_Ram(opcode) Handle<opcode, Access::kRam>,
#define X_Tia(opcode) Handle<opcode, Access::kTia>,
#define X_Wsync(opcode) Handle<opcode, Access::kWsync>,
#define X_Timer(opcode) Handle<opcode, Access::kTimer>,
#define X_Sequence(number) HandleSequence<number>,
// clang-format on
Code* const kCode[kHandlers] = {ATARI_ALL(X_) HandleFetch};
#undef X_Any
#undef X_Ram
#undef X_Tia
#undef X_Wsync
#undef X_Timer
#undef X_Sequence

}  // namespace

void Machine::RunInterpreter() {
  Program p(*this);
  Registers r = Load(p, state.cpu, state.cycle);
  r.op = p.Stay(state.cpu.pc);
  kCode[r.op->handler](p, r.op, r.time, r.a, r.x, r.y, r.n, r.z, r.c);
}

#undef ATARI_PARAMETERS

#else

void Machine::RunInterpreter() {
  Program p(*this);
  Registers r = Load(p, state.cpu, state.cycle);
  r.op = p.Stay(state.cpu.pc);

#ifdef ENVPOOL_ATARI_GOTO
  // clang-format off
#define X_Any(opcode) &&label_Any_##opcode,
#define X_Ram(opcode) &&label_Ram_##opcode,
#define X_Tia(opcode) &&label_Tia_##opcode,
#define X_Wsync(opcode) &&label_Wsync_##opcode,
#define X_Timer(opcode) &&label_Timer_##opcode,
#define X_Sequence(number) &&label_Sequence_##number,
  // clang-format on
  static const void* const kLabels[kHandlers] = {ATARI_ALL(X_) && label_fetch};
#undef X_Any
#undef X_Ram
#undef X_Tia
#undef X_Wsync
#undef X_Timer
#undef X_Sequence
#define ATARI_CASE(access, opcode) label_##access##_##opcode
#define ATARI_CASE_FETCH label_fetch
#define ATARI_NEXT goto* kLabels[r.op->handler]
  ATARI_NEXT;
  {
#else
#define ATARI_CASE(access, opcode) case k##access##_##opcode
#define ATARI_CASE_FETCH case kFetch
#define ATARI_NEXT continue
  for (;;) switch (r.op->handler) {
#endif

#define X(access, opcode)                     \
  ATARI_CASE(access, opcode) : {              \
    Execute<opcode, Access::k##access>(r, p); \
    ATARI_NEXT;                               \
  }
#define X_Any(opcode) X(Any, opcode)
#define X_Ram(opcode) X(Ram, opcode)
#define X_Tia(opcode) X(Tia, opcode)
#define X_Wsync(opcode) X(Wsync, opcode)
#define X_Timer(opcode) X(Timer, opcode)
#define X_Sequence(number)         \
  ATARI_CASE(Sequence, number) : { \
    ExecuteSequence<number>(r, p); \
    ATARI_NEXT;                    \
  }
    ATARI_ALL(X_)
  ATARI_CASE_FETCH:
    {
      r.op = p.Fetch(r.op, r.time);
      if (r.op) ATARI_NEXT;
      Save(r, p);
      return;
    }
#ifndef ENVPOOL_ATARI_GOTO
    default:  // no other handler exists
      return;
#endif
  }
}

#undef X
#undef X_Any
#undef X_Ram
#undef X_Tia
#undef X_Wsync
#undef X_Timer
#undef X_Sequence
#undef ATARI_CASE
#undef ATARI_CASE_FETCH

#endif

#undef ATARI_ALL
#undef ATARI_NEXT

}  // namespace envpool::atari
