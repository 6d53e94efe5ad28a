// SPDX-License-Identifier: Apache-2.0
// The translator: from the instructions of a cartridge to x86-64.
#include "console/native.h"

#include "console/cartridge.h"
#include "console/cpu.h"
#include "console/sequences.h"

// Not on macOS, where nobody has run it yet.
#if defined(__x86_64__) && !defined(_WIN32) && !defined(__APPLE__) && !defined(ENVPOOL_ATARI_TRACE)
#define ATARI_NATIVE 1
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "console/x86_assembler.h"
#endif

namespace envpool::atari {

Native::Native(std::span<const std::uint8_t> code, std::vector<std::int32_t> places,
               const MicroOp* first)
    : memory_(code),
      enter_(reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(memory_.begin()))),
      places_(std::move(places)),
      first_(first) {}

#ifndef ATARI_NATIVE

std::unique_ptr<const Native> Native::Translate(const Cartridge&) { return nullptr; }

#else

namespace {

using namespace x86;

// The host registers while native code runs. An instruction may overwrite rax, rcx, rdx, r8 and r9;
// r9 has the time that a crossed page costs.
constexpr Reg kA = r12, kX = r13, kY = r14, kTime = r15, kCarry = rdi, kSp = r10;
constexpr Reg kNz = rbp;     // N: bit 7 or bit 15; Z: the lowest byte is 0
constexpr Reg kRam = r11;    // address of RAM
constexpr Reg kNoted = rsi;  // the size of the machine's log
constexpr Reg kFrame = rbx;  // address of the CpuFrame
constexpr Reg kPenalty = r9;

constexpr std::uint32_t kNegative = 0x8080;

#define ATARI_FIELD(name) \
  Mem { kFrame, static_cast<std::int32_t>(offsetof(CpuFrame, name)) }
#define ATARI_REGISTER(name) \
  Mem { kFrame, static_cast<std::int32_t>(offsetof(CpuFrame, regs) + offsetof(Registers, name)) }

constexpr std::int32_t TimeOf(int cycles) { return cycles << kCountBits | 1; }

// Reads a byte that is not in ROM or RAM. The read neither switches the bank nor ends the frame.
std::uint32_t ReadOther(CpuFrame* frame, std::uint32_t address, std::uint32_t bus,
                        std::int64_t time) {
  return ReadIo(*frame, address, bus, time);
}

// PLA if the stack is not entirely in RAM: the byte at the stack's old end is read as well.
std::uint32_t PullOther(CpuFrame* frame, std::uint32_t, std::uint32_t opcode, std::int64_t time) {
  const std::uint32_t bus = ReadIo(*frame, 0x100 + frame->sp, opcode, time);
  frame->sp = (frame->sp + 1) & 0xFF;
  return ReadIo(*frame, 0x100 + frame->sp, bus, time);
}

constexpr int OpcodeOf(std::uint16_t handler) {
  constexpr std::uint8_t kOpcodes[] = {
#define X(opcode) opcode,
      ATARI_ANY(X) ATARI_RAM(X) ATARI_TIA(X) ATARI_TIA(X) ATARI_TIMER(X)
#undef X
  };
  static_assert(std::size(kOpcodes) == kFirstSequence);
  return kOpcodes[handler];
}

constexpr Access AccessOf(std::uint16_t handler) {
  if (handler < kRam_0x05) return Access::kAny;
  if (handler < kTia_0x85) return Access::kRam;
  if (handler < kWsync_0x85) return Access::kTia;
  return handler < kTimer_0xAD ? Access::kWsync : Access::kTimer;
}

}  // namespace

class Translator {
 public:
  explicit Translator(const Cartridge& cartridge)
      : cartridge_(cartridge),
        one_bank_(cartridge.type() != CartridgeType::kE0 && cartridge.type() != CartridgeType::kFE),
        stride_(cartridge.bank_size() + 2 * Cartridge::kPadding),
        places_(static_cast<std::size_t>(cartridge.banks() * stride_)) {}

  std::unique_ptr<const Native> Run() {
    EmitEntry();
    EmitCommon();
    for (bank_ = 0; bank_ < cartridge_.banks(); ++bank_) EmitBank();
    std::vector<std::int32_t> places(places_.size());
    for (int bank = 0; bank < cartridge_.banks(); ++bank) {
      for (int i = 0; i < cartridge_.bank_size(); ++i) {
        const auto at = static_cast<std::size_t>(bank * stride_ + Cartridge::kPadding + i);
        places[at] = a_.PlaceOf(labels_[at]);
      }
    }
    // The code contains this table's address.
    std::ranges::copy(places, places_.begin());
    const std::vector<std::uint8_t> code = a_.Finish();
    return std::unique_ptr<const Native>(
        new Native(code, std::move(places_), cartridge_.code(0) - Cartridge::kPadding));
  }

 private:
  // --- Between native code and C++ ---

  void EmitEntry() {
    for (const Reg reg : {rbx, rbp, r12, r13, r14, r15}) a_.Push(reg);
    a_.Alu(kSub, rsp, 8, kWide);
    a_.Move(kFrame, rdi, kWide);
    a_.Move(rax, rsi, kWide);
    EmitLoad();
    a_.JumpTo(rax);
  }
  void EmitReturn() {
    a_.Alu(kAdd, rsp, 8, kWide);
    for (const Reg reg : {r15, r14, r13, r12, rbp, rbx}) a_.Pop(reg);
    a_.Return();
  }

  void EmitSave() {
    a_.Store(ATARI_REGISTER(a), kA);
    a_.Store(ATARI_REGISTER(x), kX);
    a_.Store(ATARI_REGISTER(y), kY);
    a_.Store(ATARI_REGISTER(time), kTime, kWide);
    a_.MoveByte(rdx, kNz);
    a_.Store(ATARI_REGISTER(z), rdx);
    a_.Move(rdx, kNz);
    a_.ShiftRight(rdx, 8);
    a_.Alu(kOr, rdx, kNz);
    a_.Store(ATARI_REGISTER(n), rdx);
    EmitSaveVolatile();
  }
  void EmitLoad() {
    a_.Load(kA, ATARI_REGISTER(a));
    a_.Load(kX, ATARI_REGISTER(x));
    a_.Load(kY, ATARI_REGISTER(y));
    a_.Load(kTime, ATARI_REGISTER(time), kWide);
    a_.Load(kNz, ATARI_REGISTER(n));
    a_.Alu(kAnd, kNz, 0x80);
    a_.ShiftLeft(kNz, 8);
    a_.Alu(kOr, kNz, ATARI_REGISTER(z));
    EmitLoadVolatile();
  }
  // The registers that a C++ function may overwrite.
  void EmitSaveVolatile() {
    a_.Store(ATARI_REGISTER(c), kCarry);
    a_.Store(ATARI_FIELD(sp), kSp);
    a_.Load(rdx, ATARI_FIELD(noted), kWide);
    a_.Store({rdx}, kNoted);
  }
  void EmitLoadVolatile() {
    a_.Load(kCarry, ATARI_REGISTER(c));
    a_.Load(kSp, ATARI_FIELD(sp));
    a_.Load(rdx, ATARI_FIELD(noted), kWide);
    a_.Load(kNoted, {rdx});
    a_.Load(kRam, ATARI_FIELD(ram), kWide);
  }

  void EmitCommon() {
    // rax: the next instruction, ecx: its offset in the bank.
    a_.Bind(leave_);
    EmitSavePlace();
    EmitSave();
    EmitReturn();
    // ecx: the next program counter, which may be anywhere.
    a_.Bind(leave_for_pc_);
    a_.Store(ATARI_FIELD(base_pc), rcx);
    a_.Move(rax, rcx);
    a_.ShiftRight(rax, 8);
    a_.Store(ATARI_FIELD(bus), rax);
    a_.Load(rax, ATARI_FIELD(away), kWide);
    a_.Store(ATARI_FIELD(base_op), rax, kWide);
    a_.Store(ATARI_REGISTER(op), rax, kWide);
    EmitSave();
    EmitReturn();
    a_.Bind(return_);
    EmitReturn();
    a_.Bind(read_io_);
    EmitIo(&ReadOther);
    a_.Bind(pull_io_);
    EmitIo(&PullOther);
    for (std::uint16_t handler = 0; handler < kFirstSequence; ++handler) EmitExecute(handler);
  }
  void EmitSavePlace() {
    a_.Alu(kAdd, rcx, ATARI_FIELD(pc_high));
    a_.Store(ATARI_FIELD(base_pc), rcx);
    a_.Store(ATARI_FIELD(base_op), rax, kWide);
    a_.Store(ATARI_REGISTER(op), rax, kWide);
  }
  // ecx: address, edx: bus, r8: time; eax: the byte.
  void EmitIo(std::uint32_t (*function)(CpuFrame*, std::uint32_t, std::uint32_t, std::int64_t)) {
    a_.Push(kPenalty);  // also aligns the stack
    a_.Move(rax, rdx);
    EmitSaveVolatile();
    a_.Move(rdx, rax);
    a_.Move(rdi, kFrame, kWide);
    a_.Move(rsi, rcx);
    a_.Move(rcx, r8, kWide);
    a_.Address(rax, reinterpret_cast<const void*>(function));
    a_.CallFunction(rax);
    EmitLoadVolatile();
    a_.Pop(kPenalty);
    a_.Return();
  }
  // rax: the instruction, ecx: its offset. Sets the zero flag if the instruction behind it is next.
  // Every call is paired with a return, because shadow stacks require it.
  void EmitExecute(std::uint16_t handler) {
    const Instruction instruction = kInstructions[static_cast<std::size_t>(OpcodeOf(handler))];
    executors_.push_back(a_.NewLabel());
    a_.Bind(executors_.back());
    EmitSavePlace();
    EmitSave();
    if (instruction.operation >= Operation::kBrk) {
      // A jump to the instruction behind it also takes this way: it may lead to another mirror
      // image of the ROM.
      a_.Immediate(rax, 0);
    } else {
      const int bytes = Length(instruction.mode) * static_cast<int>(sizeof(MicroOp));
      a_.LoadAddress(rax, {rax, bytes}, kWide);
    }
    a_.Store(ATARI_FIELD(expected), rax, kWide);
    a_.Alu(kSub, rsp, 8, kWide);
    a_.Move(rdi, kFrame, kWide);
    a_.Address(rax, reinterpret_cast<const void*>(kExecutors[handler]));
    a_.CallFunction(rax);
    a_.Alu(kAdd, rsp, 8, kWide);
    EmitLoad();
    a_.Load(rax, ATARI_REGISTER(op), kWide);
    a_.Alu(kCompare, rax, ATARI_FIELD(expected), kWide);
    a_.Return();
  }

  // --- A bank ---

  void EmitBank() {
    for (int i = 0; i < cartridge_.bank_size(); ++i) {
      if (a_.IsBound(LabelOf(i))) continue;
      // Translates instruction after instruction, until the next one has been translated.
      int at = i;
      while (InBank(at) && !a_.IsBound(LabelOf(at))) {
        a_.Bind(LabelOf(at));
        offset_ = at;
        op_ = cartridge_.code(bank_) + at;
        if (op_->handler == kFetch) break;
        EmitInstruction();
        at += Length(instruction_.mode);
      }
      if (InBank(at) && at != offset_) {
        a_.Jump(LabelOf(at));
      } else {
        EmitLeave(at);
      }
    }
    for (std::size_t i = 0; i < later_.size(); ++i) later_[i]();  // may append to later_
    later_.clear();
  }

  bool InBank(int offset) const { return offset >= 0 && offset < cartridge_.bank_size(); }
  int LabelOf(int offset) {
    int& label = labels_[static_cast<std::size_t>(bank_ * stride_ + Cartridge::kPadding + offset)];
    if (label < 0) label = a_.NewLabel();
    return label;
  }
  void EmitLeave(int offset) {
    a_.Address(rax, cartridge_.code(bank_) + offset);
    a_.Immediate(rcx, static_cast<std::uint32_t>(offset));
    a_.Jump(leave_);
  }
  // Rarely executed code, placed behind the rest.
  int Later(std::function<void()> emit) {
    const int label = a_.NewLabel();
    later_.push_back([this, label, emit = std::move(emit)] {
      a_.Bind(label);
      emit();
    });
    return label;
  }
  // A jump for the case in which a C++ function must execute the current instruction from its
  // beginning.
  int Otherwise() {
    if (otherwise_ < 0) {
      if (behind_ < 0) behind_ = a_.NewLabel();
      otherwise_ = Later([this, op = op_, offset = offset_, back = behind_] {
        EmitCall(op, offset);
        a_.Jump(back);
      });
    }
    return otherwise_;
  }
  void EmitCall(const MicroOp* op, int offset) {
    a_.Address(rax, op);
    a_.Immediate(rcx, static_cast<std::uint32_t>(offset));
    a_.Call(executors_[FirstOf(op->handler)]);
    a_.JumpIf(kNotZero, return_);
  }

  // --- An instruction ---

  void EmitInstruction() {
    const std::uint16_t handler = FirstOf(op_->handler);
    instruction_ = kInstructions[static_cast<std::size_t>(OpcodeOf(handler))];
    access_ = AccessOf(handler);
    otherwise_ = behind_ = -1;
    const Operation operation = instruction_.operation;
    bool done = false;
    if (Reads(operation)) {
      done = EmitRead(operation);
    } else if (Writes(operation)) {
      done = EmitWrite(operation);
    } else if (Modifies(operation)) {
      done = EmitModify(operation);
    } else if (Branches(operation)) {
      done = EmitBranch(operation);
    } else if (operation < Operation::kPha) {
      done = EmitTransfer(operation);
    } else {
      done = EmitSpecial(operation);
    }
    if (!done) EmitCall(op_, offset_);
    if (behind_ >= 0) a_.Bind(behind_);
  }

  void EmitTime() { a_.Alu(kAdd, kTime, TimeOf(instruction_.cycles), kWide); }
  Mem Ram(int address) const { return {kRam, address & 0x7F}; }

  // --- Reads ---

  bool IsTable(int offset) const {
    return cartridge_.type() != CartridgeType::kFE && offset >= cartridge_.plain_begin() &&
           offset < cartridge_.plain_end();
  }
  // True for a load of the timer with a branch back to it. LoadTimer in cpu.cc skips this loop.
  bool WaitsForTimer() const {
    if (access_ != Access::kTimer) return false;
    const int length = Length(instruction_.mode);
    const MicroOp next = op_[length];
    const std::uint16_t first = FirstOf(next.handler);
    return (first == kAny_0xD0 || first == kAny_0x10) && DistanceOf(next) == -length;
  }
  bool CanRead() const {
    const int operand = op_->operand;
    if (WaitsForTimer()) return false;
    switch (instruction_.mode) {
      case Mode::kImmediate:
      case Mode::kZeroPage:
      case Mode::kZeroPageX:
      case Mode::kZeroPageY:
        return true;
      case Mode::kAbsolute:
        // Registers and RAM of a cartridge are below 100, and hot spots above.
        return !(operand & 0x1000) || IsTable(operand & 0xFFF) || (operand & 0xFFF) < 0x100;
      case Mode::kAbsoluteX:
      case Mode::kAbsoluteY:
        return operand < 0x100 || (operand & 0x1000 && IsTable(operand & 0xFFF));
      case Mode::kIndirectY:
        return operand >= 0x80 && operand < 0xFF && cartridge_.type() != CartridgeType::kFE;
      default:
        return false;
    }
  }
  // Puts the operand's byte into a register and keeps the time. `penalized_` says whether a page
  // may have been crossed.
  void EmitOperand(Reg to) {
    const int operand = op_->operand;
    penalized_ = false;
    switch (instruction_.mode) {
      case Mode::kImmediate:
        a_.Immediate(to, op_->operand);
        break;
      case Mode::kZeroPage:
        if (operand & 0x80) {
          a_.LoadByte(to, Ram(operand));
        } else {
          EmitReadIo(to, operand, operand);
        }
        break;
      case Mode::kZeroPageX:
      case Mode::kZeroPageY:
        a_.LoadAddress(rcx, {Index(), operand});
        EmitReadLow(to, operand, 0xFF);
        break;
      case Mode::kAbsolute:
        if (IsRam(op_->operand)) {
          a_.LoadByte(to, Ram(operand));
        } else if (access_ == Access::kTimer) {
          EmitReadTimer(to);
        } else if (!(operand & 0x1000) || !IsTable(operand & 0xFFF)) {
          EmitReadIo(to, operand, operand >> 8);
        } else if (one_bank_) {
          a_.Immediate(to, cartridge_.bank(bank_)[operand & 0xFFF]);
        } else {
          a_.Load(rax, ATARI_FIELD(image), kWide);
          a_.LoadByte(to, {rax, operand & 0xFFF});
        }
        break;
      case Mode::kAbsoluteX:
      case Mode::kAbsoluteY:
        if (operand & 0xFF) {
          a_.LoadAddress(kPenalty, {Index(), operand & 0xFF});
          EmitPenalty();
        }
        a_.LoadAddress(rcx, {Index(), operand & 0xFFF});
        if (operand < 0x100) {
          EmitReadLow(to, 0, 0x1FF);
        } else {
          EmitReadTable(to, (operand & 0xFFF) + 255);
        }
        break;
      default:
        EmitReadIndirect(to);
        break;
    }
  }
  Reg Index() const {
    const Mode mode = instruction_.mode;
    return mode == Mode::kZeroPageX || mode == Mode::kAbsoluteX ? kX : kY;
  }
  static constexpr bool IsRam(int address) { return (address & 0x1280) == 0x80; }
  // kPenalty: the low byte of an address and an index.
  void EmitPenalty() {
    a_.ShiftRight(kPenalty, 8);
    a_.ShiftLeft(kPenalty, kCountBits);
    penalized_ = true;
  }
  // ecx: an offset in the ROM, at most `most`.
  void EmitReadTable(Reg to, int most) {
    if (most >= cartridge_.plain_end()) {
      a_.Alu(kCompare, rcx, cartridge_.plain_end());
      a_.JumpIf(kNotBelow, Otherwise());
    }
    a_.Load(rax, ATARI_FIELD(image), kWide);
    a_.LoadByte(to, {rax, 0, rcx});
  }
  // ecx: an address in the pages 0 and 1, once `mask` is applied.
  void EmitReadLow(Reg to, int bus, int mask) {
    a_.Test(rcx, 0x80);
    const int back = a_.NewLabel();
    a_.JumpIf(kZero, Later([=, this, instruction = instruction_, penalized = penalized_] {
                a_.Alu(kAnd, rcx, mask);
                EmitReadBus(to, bus, instruction.cycles, penalized);
                a_.Jump(back);
              }));
    a_.Alu(kAnd, rcx, 0x7F);
    a_.LoadByte(to, {kRam, 0, rcx});
    a_.Bind(back);
  }
  void EmitReadIo(Reg to, int address, int bus) {
    a_.Immediate(rcx, static_cast<std::uint32_t>(address));
    EmitReadBus(to, bus, instruction_.cycles, penalized_);
  }
  // Reads the timer as ReadTimer in riot.h does. Calls that function once the timer has run out.
  void EmitReadTimer(Reg to) {
    const auto riot = [](std::size_t offset) {
      return Mem{kRam, static_cast<std::int32_t>(offset - offsetof(RiotState, ram))};
    };
    a_.LoadAddress(rax, {kTime, TimeOf(instruction_.cycles)}, kWide);
    a_.ShiftRight(rax, kCountBits, kWide);
    a_.Alu(kSub, rax, 1);
    a_.Alu(kSub, rax, riot(offsetof(RiotState, timer_set)));
    a_.LoadByte(rcx, riot(offsetof(RiotState, timer_shift)));
    a_.ShiftRightByCl(rax);
    a_.LoadByte(rdx, riot(offsetof(RiotState, timer)));
    a_.Alu(kSub, rdx, rax);
    const int back = a_.NewLabel();
    a_.Alu(kSub, rdx, 1);
    a_.JumpIf(kLess, Later([=, this, op = op_, cycles = instruction_.cycles] {
                a_.Immediate(rcx, op->operand);
                EmitReadBus(to, op->operand >> 8, cycles, false);
                a_.Jump(back);
              }));
    a_.MoveByte(to, rdx);
    a_.Bind(back);
  }
  void EmitReadBus(Reg to, int bus, int cycles, bool penalized) {
    a_.LoadAddress(r8, {kTime, TimeOf(cycles)}, kWide);
    if (penalized) a_.Alu(kAdd, r8, kPenalty, kWide);
    a_.Immediate(rdx, static_cast<std::uint32_t>(bus));
    a_.Call(read_io_);
    a_.Move(to, rax);
  }
  void EmitReadIndirect(Reg to) {
    a_.LoadWord(rcx, Ram(op_->operand));
    a_.MoveByte(kPenalty, rcx);
    a_.Alu(kAdd, kPenalty, kY);
    EmitPenalty();
    a_.Alu(kAdd, rcx, kY);
    const int back = a_.NewLabel();
    a_.Test(rcx, 0x1000);
    a_.JumpIf(kZero, Later([=, this, otherwise = Otherwise()] {
                a_.Move(rax, rcx);
                a_.Alu(kAnd, rax, 0x1280);
                a_.Alu(kCompare, rax, 0x80);
                a_.JumpIf(kNotZero, otherwise);
                a_.Alu(kAnd, rcx, 0x7F);
                a_.LoadByte(to, {kRam, 0, rcx});
                a_.Jump(back);
              }));
    a_.Alu(kAnd, rcx, 0xFFF);
    if (cartridge_.plain_begin() > 0) {
      a_.Alu(kCompare, rcx, cartridge_.plain_begin());
      a_.JumpIf(kBelow, Otherwise());
    }
    EmitReadTable(to, 0xFFF);
    a_.Bind(back);
  }

  bool EmitRead(Operation operation) {
    using enum Operation;
    if (!CanRead()) return false;
    const auto operand = [this](Reg to) {
      EmitOperand(to);
      EmitTime();
      if (penalized_) a_.Alu(kAdd, kTime, kPenalty, kWide);
    };
    const auto load = [&](Reg to) {
      operand(to);
      a_.Move(kNz, to);
    };
    const auto logic = [&](Arithmetic what) {
      operand(rax);
      a_.Alu(what, kA, rax);
      a_.Move(kNz, kA);
    };
    const auto compare = [&](Reg with) {
      operand(rax);
      a_.Move(rcx, with);
      a_.Alu(kSub, rcx, rax);
      a_.SetIf(kNotBelow, kCarry);
      a_.MoveByte(kNz, rcx);
    };
    switch (operation) {
      case kLda:
        load(kA);
        return true;
      case kLdx:
        load(kX);
        return true;
      case kLdy:
        load(kY);
        return true;
      case Operation::kAnd:
        logic(x86::kAnd);
        return true;
      case kOra:
        logic(kOr);
        return true;
      case kEor:
        logic(kXor);
        return true;
      case kCmp:
        compare(kA);
        return true;
      case kCpx:
        compare(kX);
        return true;
      case kCpy:
        compare(kY);
        return true;
      case kBit:
        operand(rax);
        a_.Move(rcx, rax);
        a_.Alu(x86::kAnd, rcx, 0x40);
        a_.Store(ATARI_FIELD(v), rcx);
        a_.Move(kNz, rax);
        a_.Alu(x86::kAnd, kNz, kA);
        a_.Alu(x86::kAnd, rax, 0x80);
        a_.ShiftLeft(rax, 8);
        a_.Alu(kOr, kNz, rax);
        return true;
      case kAdc:
      case kSbc:
        a_.CompareWithZero(ATARI_FIELD(decimal));
        a_.JumpIf(kNotZero, Otherwise());
        operand(rax);
        // The carry of the host; a subtraction has a borrow, which is its opposite.
        a_.Move(rcx, kCarry);
        if (operation == kSbc) a_.Alu(kXor, rcx, 1);
        a_.ShiftRight(rcx, 1);
        a_.AluByte(operation == kAdc ? kAddCarry : kSubBorrow, kA, rax);
        a_.SetIf(operation == kAdc ? kBelow : kNotBelow, kCarry);
        a_.SetIf(kOverflow, ATARI_FIELD(v));
        a_.Move(kNz, kA);
        return true;
      default:
        return false;
    }
  }

  // --- Writes ---

  bool EmitWrite(Operation operation) {
    using enum Operation;
    if (operation != kSta && operation != kStx && operation != kSty) return false;
    const Reg from = operation == kSta ? kA : operation == kStx ? kX : kY;
    const int operand = op_->operand;
    if (access_ == Access::kRam) {
      a_.StoreByte(Ram(operand), from);
      EmitTime();
    } else if (access_ == Access::kTia) {
      a_.Immediate(rcx, static_cast<std::uint32_t>(operand & 0x3F));
      EmitNote(from);
    } else if (access_ == Access::kWsync) {
      EmitWaitForLine();
    } else if (instruction_.mode == Mode::kZeroPageX || instruction_.mode == Mode::kZeroPageY) {
      a_.LoadAddress(rcx, {Index(), operand});
      EmitWriteLow(from);
    } else {
      return false;
    }
    return true;
  }
  // Puts the time after this instruction into rax, if the frame lasts until then.
  void EmitTimeInFrame() {
    a_.LoadAddress(rax, {kTime, TimeOf(instruction_.cycles)}, kWide);
    a_.Alu(kCompare, rax, ATARI_FIELD(last_time), kWide);
    a_.JumpIf(kNotLess, Otherwise());
  }
  // ecx: a register of the TIA that affects only the TIA. Same as Note in cpu.cc.
  void EmitNote(Reg from) {
    EmitTimeInFrame();
    a_.Alu(kCompare, kNoted, Machine::kMaxLog);
    a_.JumpIf(kZero, Otherwise());
    a_.Move(kTime, rax, kWide);
    static_assert(kCountBits == 15);
    a_.Alu(kAdd, rax, rax);  // the cycle in its upper half
    a_.Alu(x86::kAnd, rax, static_cast<std::int32_t>(0xFFFF0000));
    a_.ShiftLeft(rcx, 8);
    a_.Alu(kOr, rax, rcx);
    a_.Alu(kOr, rax, from);
    a_.Load(rcx, ATARI_FIELD(log), kWide);
    a_.Store({rcx, 0, kNoted, 2}, rax);
    a_.Alu(kAdd, kNoted, 1);
  }
  // ecx: an address. Its bit 7 says whether RAM or the TIA is written.
  void EmitWriteLow(Reg from) {
    const int tia = a_.NewLabel(), back = a_.NewLabel();
    a_.Test(rcx, 0x80);
    a_.JumpIf(kZero, tia);
    a_.Alu(x86::kAnd, rcx, 0x7F);
    a_.StoreByte({kRam, 0, rcx}, from);
    EmitTime();
    a_.Jump(back);
    a_.Bind(tia);
    a_.Alu(x86::kAnd, rcx, 0x3F);
    a_.Alu(kCompare, rcx, kWsync);  // WSYNC, VSYNC and VBLANK do more
    a_.JumpIf(kNotAbove, Otherwise());
    EmitNote(from);
    a_.Bind(back);
  }
  void EmitWaitForLine() {
    EmitTimeInFrame();
    a_.Move(kTime, rax, kWide);
    a_.Store(ATARI_FIELD(waited), kTime, kWide);
    // To the next multiple of 76, by a product that is a division for all cycles of a frame.
    constexpr std::uint32_t kFactor = 55'189;
    constexpr int kShift = 22;
    static_assert([] {
      for (std::uint32_t cycle = 0; cycle <= 0xFFFF; ++cycle) {
        if (cycle * kFactor >> kShift != cycle / kCyclesPerLine) return false;
      }
      return true;
    }());
    a_.ShiftRight(rax, kCountBits);
    a_.Alu(kAdd, rax, kCyclesPerLine - 1);
    a_.Multiply(rcx, rax, kFactor);
    a_.ShiftRight(rcx, kShift);
    a_.Multiply(rcx, rcx, kCyclesPerLine);
    a_.Alu(kSub, rcx, rax);
    a_.Alu(kAdd, rcx, kCyclesPerLine - 1);
    a_.ShiftLeft(rcx, kCountBits);
    a_.Alu(kAdd, kTime, rcx, kWide);
  }

  bool EmitModify(Operation operation) {
    using enum Operation;
    const bool accumulator = instruction_.mode == Mode::kAccumulator;
    if (!accumulator && access_ != Access::kRam && instruction_.mode != Mode::kZeroPageX) {
      return false;
    }
    if (operation != kInc && operation != kDec && operation != kAsl && operation != kRol &&
        operation != kLsr && operation != kRor) {
      return false;
    }
    const Reg value = accumulator ? kA : rax;
    Mem memory = Ram(op_->operand);
    if (instruction_.mode == Mode::kZeroPageX) {
      a_.LoadAddress(rcx, {kX, op_->operand});
      a_.Test(rcx, 0x80);
      a_.JumpIf(kZero, Otherwise());
      a_.Alu(x86::kAnd, rcx, 0x7F);
      memory = {kRam, 0, rcx};
    }
    if (!accumulator) a_.LoadByte(value, memory);
    EmitTime();
    if (operation == kInc || operation == kDec) {
      a_.Alu(kAdd, value, operation == kInc ? 1 : -1);
      a_.MoveByte(value, value);
    } else if (operation == kAsl || operation == kRol) {
      a_.Alu(kAdd, value, value);
      if (operation == kRol) a_.Alu(kOr, value, kCarry);
      a_.Move(kCarry, value);
      a_.ShiftRight(kCarry, 8);
      a_.MoveByte(value, value);
    } else {
      if (operation == kRor) {
        a_.ShiftLeft(kCarry, 8);
        a_.Alu(kOr, value, kCarry);
      }
      a_.Move(kCarry, value);
      a_.Alu(x86::kAnd, kCarry, 1);
      a_.ShiftRight(value, 1);
    }
    a_.Move(kNz, value);
    if (!accumulator) a_.StoreByte(memory, value);
    return true;
  }

  // --- Registers, the stack and jumps ---

  bool EmitTransfer(Operation operation) {
    using enum Operation;
    EmitTime();
    const auto move = [this](Reg to, Reg from) {
      a_.Move(to, from);
      a_.Move(kNz, to);
    };
    const auto count = [this](Reg what, int by) {
      a_.Alu(kAdd, what, by);
      a_.MoveByte(what, what);
      a_.Move(kNz, what);
    };
    switch (operation) {
      case kClc:
        a_.Immediate(kCarry, 0);
        break;
      case kSec:
        a_.Immediate(kCarry, 1);
        break;
      case kCld:
        a_.StoreImmediate(ATARI_FIELD(decimal), 0);
        break;
      case kSed:
        a_.StoreImmediate(ATARI_FIELD(decimal), kDecimalBit);
        break;
      case kCli:
        a_.StoreImmediate(ATARI_FIELD(no_irq), 0);
        break;
      case kSei:
        a_.StoreImmediate(ATARI_FIELD(no_irq), kInterruptBit);
        break;
      case kClv:
        a_.StoreImmediate(ATARI_FIELD(v), 0);
        break;
      case kDex:
        count(kX, -1);
        break;
      case kDey:
        count(kY, -1);
        break;
      case kInx:
        count(kX, 1);
        break;
      case kIny:
        count(kY, 1);
        break;
      case kTax:
        move(kX, kA);
        break;
      case kTay:
        move(kY, kA);
        break;
      case kTsx:
        move(kX, kSp);
        break;
      case kTxa:
        move(kA, kX);
        break;
      case kTya:
        move(kA, kY);
        break;
      case kTxs:
        a_.Move(kSp, kX);
        break;
      default:  // NOP
        break;
    }
    return true;
  }

  bool EmitBranch(Operation operation) {
    using enum Operation;
    EmitTime();
    bool if_zero = false;  // taken if the host's comparison says equal
    switch (operation) {
      case kBcc:
      case kBcs:
        a_.Test(kCarry, 1);
        if_zero = operation == kBcc;
        break;
      case kBne:
      case kBeq:
        a_.TestByte(kNz);
        if_zero = operation == kBeq;
        break;
      case kBpl:
      case kBmi:
        a_.Test(kNz, kNegative);
        if_zero = operation == kBpl;
        break;
      default:
        a_.CompareWithZero(ATARI_FIELD(v));
        if_zero = operation == kBvc;
        break;
    }
    const int behind = a_.NewLabel();
    a_.JumpIf(if_zero ? kNotZero : kZero, behind);
    const int target = offset_ + DistanceOf(*op_);
    a_.Alu(kAdd, kTime, (op_->operand & 3) << kCountBits, kWide);
    if (InBank(target)) {
      // A forward branch is not counted: the bank soon ends.
      if (target <= offset_) {
        EmitLimit(Later([this, target] { EmitLeave(target); }));
      }
      a_.Jump(LabelOf(target));
    } else {
      a_.Jump(Later([this, target] { EmitLeave(target); }));
    }
    a_.Bind(behind);
    return true;
  }
  // Jumps to the place where instructions are counted one by one, if their number is near the
  // limit.
  void EmitLimit(int leave) {
    a_.Alu(kCompare, kTime, ATARI_FIELD(limit), kWide);
    a_.JumpIf(kNotLess, leave);
  }

  bool EmitSpecial(Operation operation) {
    using enum Operation;
    switch (operation) {
      case kPha:
        EmitPush(kA);
        return true;
      case kPhp:
        EmitStatus(r8);
        EmitPush(r8);
        return true;
      case kPla:
        EmitPull();
        return true;
      case kJmp:
        if (instruction_.mode == Mode::kAbsolute) {
          EmitTime();
          EmitJump(op_->operand);
          return true;
        }
        if (op_->operand < 0x80 || op_->operand >= 0xFF) return false;  // not both bytes in RAM
        EmitTime();
        a_.LoadWord(rcx, Ram(op_->operand));
        EmitGo();
        return true;
      case kJsr:
        a_.Alu(kCompare, kSp, 0x81);  // both bytes in RAM
        a_.JumpIf(kBelow, Otherwise());
        EmitTime();
        a_.Load(rax, ATARI_FIELD(pc_high));
        a_.Alu(kAdd, rax, offset_ + 2);
        a_.StoreByte({kRam, -0x81, kSp}, rax);
        a_.ShiftRight(rax, 8);
        a_.StoreByte({kRam, -0x80, kSp}, rax);
        a_.Alu(kSub, kSp, 2);
        EmitJump(op_->operand);
        return true;
      case kRts:
        a_.LoadAddress(rax, {kSp, -0x80});
        a_.Alu(kCompare, rax, 0x7E);  // both bytes in RAM, and the end of the stack
        a_.JumpIf(kNotBelow, Otherwise());
        a_.LoadWord(rcx, {kRam, 1, rax});
        EmitPlain();  // the byte before the next instruction is read
        a_.Alu(kAdd, rcx, 1);
        EmitTime();
        a_.Alu(kAdd, kSp, 2);
        a_.MoveWord(rcx, rcx);
        EmitGo();
        return true;
      default:
        return false;
    }
  }
  void EmitPush(Reg from) {
    a_.Move(rcx, kSp);
    EmitWriteLow(from);
    a_.Alu(kSub, kSp, 1);
    a_.MoveByte(kSp, kSp);
  }
  void EmitStatus(Reg to) {
    const auto add_bit = [&](ConditionCode condition, int shift) {
      a_.SetIf(condition, rdx);
      a_.MoveByte(rdx, rdx);
      a_.ShiftLeft(rdx, shift);
      a_.Alu(kOr, to, rdx);
    };
    a_.Move(to, kNz);
    a_.ShiftRight(to, 8);
    a_.Alu(kOr, to, kNz);
    a_.Alu(x86::kAnd, to, kNegativeBit);
    a_.Alu(kOr, to, kUnusedBit | kBreakBit);
    a_.Alu(kOr, to, kCarry);
    a_.Alu(kOr, to, ATARI_FIELD(decimal));
    a_.Alu(kOr, to, ATARI_FIELD(no_irq));
    a_.CompareWithZero(ATARI_FIELD(v));
    add_bit(kNotZero, 6);
    a_.TestByte(kNz);
    add_bit(kZero, 1);
  }
  // ecx: an address. If it is outside the cartridge and a read there has an effect, a C++ function
  // executes this instruction.
  void EmitPlain() {
    a_.Test(rcx, 0x1000);
    a_.JumpIf(kZero, Otherwise());
    const int begin = cartridge_.plain_begin(), end = cartridge_.plain_end();
    if (begin == 0 && end == 4096) return;
    a_.LoadAddress(rax, {rcx, -begin});
    a_.Alu(x86::kAnd, rax, 0xFFF);
    a_.Alu(kCompare, rax, end - begin);
    a_.JumpIf(kNotBelow, Otherwise());
  }
  void EmitPull() {
    const int io = a_.NewLabel(), back = a_.NewLabel();
    a_.LoadAddress(rax, {kSp, -0x80});
    a_.Alu(kCompare, rax, 0x7F);
    a_.JumpIf(kNotBelow, io);
    a_.Alu(kAdd, kSp, 1);
    a_.LoadByte(kA, {kRam, -0x80, kSp});
    a_.Jump(back);
    a_.Bind(io);
    a_.Immediate(rdx, static_cast<std::uint32_t>(OpcodeOf(FirstOf(op_->handler))));
    a_.LoadAddress(r8, {kTime, TimeOf(instruction_.cycles)}, kWide);
    a_.Call(pull_io_);
    a_.Move(kA, rax);
    a_.Bind(back);
    a_.Move(kNz, kA);
    EmitTime();
  }
  // Jumps to a known program counter.
  void EmitJump(int pc) {
    const int offset = pc & 0xFFF;
    a_.Immediate(rcx, static_cast<std::uint32_t>(pc));
    if (one_bank_ && (pc & 0x1000)) {
      EmitLimit(leave_for_pc_);
      a_.StoreImmediate(ATARI_FIELD(pc_high), static_cast<std::uint32_t>(pc & 0xF000));
      a_.Jump(LabelOf(offset));
    } else {
      EmitGo();
    }
  }
  // Jumps to the program counter in ecx.
  void EmitGo() {
    a_.Test(rcx, 0x1000);
    a_.JumpIf(kZero, leave_for_pc_);
    EmitLimit(leave_for_pc_);
    a_.Move(rax, rcx);
    a_.Alu(x86::kAnd, rax, 0xFFFF & ~(cartridge_.bank_size() - 1));
    a_.Store(ATARI_FIELD(pc_high), rax);
    const std::int32_t* const places = places_.data();
    if (one_bank_) {
      a_.Address(rdx, places + bank_ * stride_ + Cartridge::kPadding);
      a_.Alu(x86::kAnd, rcx, 0xFFF);
    } else {
      // Loads the bank that is visible there. MicroOp and place have the same size, so one index
      // serves both.
      static_assert(sizeof(MicroOp) == sizeof(std::int32_t));
      a_.Move(rax, rcx);
      a_.ShiftRight(rax, 10);
      a_.Alu(x86::kAnd, rax, 15);
      a_.Load(rdx, ATARI_FIELD(code), kWide);
      a_.Load(rdx, {rdx, 0, rax, 3}, kWide);
      a_.Address(rax, cartridge_.code(0) - Cartridge::kPadding);
      a_.Alu(kSub, rdx, rax, kWide);
      a_.Address(rax, places);
      a_.Alu(kAdd, rdx, rax, kWide);
      a_.Alu(x86::kAnd, rcx, 0x3FF);
    }
    a_.LoadSigned(rcx, {rdx, 0, rcx, 2});
    a_.Begin(rax);
    a_.Alu(kAdd, rax, rcx, kWide);
    a_.JumpTo(rax);
  }

  const Cartridge& cartridge_;
  const bool one_bank_;  // the same bank is visible at every address of the cartridge
  const int stride_;     // from a bank to the next, in instructions
  Assembler a_;
  const int leave_ = a_.NewLabel(), leave_for_pc_ = a_.NewLabel(), return_ = a_.NewLabel();
  const int read_io_ = a_.NewLabel(), pull_io_ = a_.NewLabel();
  std::vector<int> executors_;  // by handler
  std::vector<std::int32_t> places_;
  std::vector<int> labels_ = std::vector<int>(places_.size(), -1);
  std::vector<std::function<void()>> later_;

  int bank_ = 0;
  // The current instruction.
  int offset_ = 0;
  const MicroOp* op_ = nullptr;
  Instruction instruction_{};
  Access access_{};
  bool penalized_ = false;
  int otherwise_ = -1, behind_ = -1;
};

#undef ATARI_FIELD
#undef ATARI_REGISTER

std::unique_ptr<const Native> Native::Translate(const Cartridge& cartridge) {
  const char* wanted = std::getenv("ENVPOOL_ATARI_JIT");
  if (wanted != nullptr && std::string_view(wanted) == "0") return nullptr;
  std::unique_ptr<const Native> native = Translator(cartridge).Run();
  if (native->memory_.begin() == nullptr) return nullptr;
  return native;
}

#endif

}  // namespace envpool::atari
