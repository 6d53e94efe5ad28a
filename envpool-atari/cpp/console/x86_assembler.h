// SPDX-License-Identifier: Apache-2.0
// Writes x86-64 machine code: only the instructions that the translator (native.cc) uses.
//
//   Assembler a;
//   const int again = a.NewLabel();
//   a.Bind(again);
//   a.Alu(kSub, rax, 1);
//   a.JumpIf(kNotZero, again);
//   std::vector<std::uint8_t> code = a.Finish();
//
// Operations are on 32 bits, which clears the upper half of a register; with kWide on 64.
#ifndef ENVPOOL_ATARI_CONSOLE_X86_ASSEMBLER_H_
#define ENVPOOL_ATARI_CONSOLE_X86_ASSEMBLER_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace envpool::atari::x86 {

// In the order of their numbers in machine code, as all enums below.
// clang-format off
enum Reg : std::uint8_t {
  rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
};
enum ConditionCode : std::uint8_t {
  kOverflow = 0x0, kBelow = 0x2, kNotBelow = 0x3, kZero = 0x4, kNotZero = 0x5, kNotAbove = 0x6,
  kLess = 0xC, kNotLess = 0xD
};
// clang-format on
enum Arithmetic : std::uint8_t {
  kAdd = 0,
  kOr = 1,
  kAddCarry = 2,
  kSubBorrow = 3,
  kAnd = 4,
  kSub = 5,
  kXor = 6,
  kCompare = 7
};
enum Width : std::uint8_t { kNarrow = 0, kWide = 1 };

// The memory at base + disp, or base + (index << scale) + disp.
struct Mem {
  Reg base;
  std::int32_t disp = 0;
  int index = -1;
  int scale = 0;
};

class Assembler {
 public:
  int NewLabel() {
    labels_.push_back(-1);
    return static_cast<int>(labels_.size()) - 1;
  }
  void Bind(int label) { labels_[static_cast<std::size_t>(label)] = here(); }
  bool IsBound(int label) const { return labels_[static_cast<std::size_t>(label)] >= 0; }
  std::int32_t PlaceOf(int label) const { return labels_[static_cast<std::size_t>(label)]; }

  void Jump(int label) {
    Byte(0xE9);
    Distance(label);
  }
  void JumpIf(ConditionCode condition, int label) {
    Byte(0x0F);
    Byte(0x80 | condition);
    Distance(label);
  }
  void Call(int label) {
    Byte(0xE8);
    Distance(label);
  }
  void JumpTo(Reg target) { RegReg(0xFF, 4, target); }
  void CallFunction(Reg target) { RegReg(0xFF, 2, target); }
  void Return() { Byte(0xC3); }

  void Move(Reg to, Reg from, Width width = kNarrow) { RegReg(0x8B, to, from, width); }
  void MoveByte(Reg to, Reg from) { RegReg(0x0FB6, to, from, kNarrow, true); }  // zero-extended
  void MoveWord(Reg to, Reg from) { RegReg(0x0FB7, to, from); }
  void Immediate(Reg to, std::uint32_t value) {
    Rex(kNarrow, 0, 0, to, false);
    Byte(0xB8 | (to & 7));
    Four(value);
  }
  void Address(Reg to, const void* address) {
    Rex(kWide, 0, 0, to, false);
    Byte(0xB8 | (to & 7));
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    Four(static_cast<std::uint32_t>(value));
    Four(static_cast<std::uint32_t>(value >> 32));
  }
  // The address of the first instruction.
  void Begin(Reg to) {
    Rex(kWide, to, 0, 0, false);
    Byte(0x8D);
    Byte((to & 7) << 3 | 5);
    Four(static_cast<std::uint32_t>(-(here() + 4)));
  }

  void Load(Reg to, Mem from, Width width = kNarrow) { RegMem(0x8B, to, from, width); }
  void LoadByte(Reg to, Mem from) { RegMem(0x0FB6, to, from); }
  void LoadWord(Reg to, Mem from) { RegMem(0x0FB7, to, from); }
  void LoadSigned(Reg to, Mem from) { RegMem(0x63, to, from, kWide); }  // 32 bits to 64
  void LoadAddress(Reg to, Mem from, Width width = kNarrow) { RegMem(0x8D, to, from, width); }
  void Store(Mem to, Reg from, Width width = kNarrow) { RegMem(0x89, from, to, width); }
  void StoreByte(Mem to, Reg from) { RegMem(0x88, from, to, kNarrow, true); }
  void StoreImmediate(Mem to, std::uint32_t value) {
    RegMem(0xC7, 0, to);
    Four(value);
  }

  void Alu(Arithmetic what, Reg to, std::int32_t value, Width width = kNarrow) {
    const bool is_short = value >= -128 && value < 128;
    RegReg(is_short ? 0x83 : 0x81, what, to, width);
    if (is_short) {
      Byte(value);
    } else {
      Four(static_cast<std::uint32_t>(value));
    }
  }
  void Alu(Arithmetic what, Reg to, Reg from, Width width = kNarrow) {
    RegReg(what * 8 + 3, to, from, width);
  }
  void Alu(Arithmetic what, Reg to, Mem from, Width width = kNarrow) {
    RegMem(what * 8 + 3, to, from, width);
  }
  void AluByte(Arithmetic what, Reg to, Reg from) { RegReg(what * 8 + 2, to, from, kNarrow, true); }
  void CompareWithZero(Mem what) {
    RegMem(0x83, kCompare, what);
    Byte(0);
  }
  void Test(Reg what, std::uint32_t bits) {
    RegReg(0xF7, 0, what);
    Four(bits);
  }
  void TestByte(Reg what) { RegReg(0x84, what, what, kNarrow, true); }
  void ShiftLeft(Reg what, int by) {
    RegReg(0xC1, 4, what);
    Byte(by);
  }
  void ShiftRight(Reg what, int by, Width width = kNarrow) {
    RegReg(0xC1, 5, what, width);
    Byte(by);
  }
  // Shifts by the number in cl; the sign stays.
  void ShiftRightByCl(Reg what) { RegReg(0xD3, 7, what); }
  void Multiply(Reg to, Reg from, std::uint32_t factor) {
    RegReg(0x69, to, from);
    Four(factor);
  }
  // Sets a byte to 0 or 1; the rest of the register stays.
  void SetIf(ConditionCode condition, Reg to) { RegReg(0x0F90 | condition, 0, to, kNarrow, true); }
  void SetIf(ConditionCode condition, Mem to) { RegMem(0x0F90 | condition, 0, to); }
  void Push(Reg what) {
    Rex(kNarrow, 0, 0, what, false);
    Byte(0x50 | (what & 7));
  }
  void Pop(Reg what) {
    Rex(kNarrow, 0, 0, what, false);
    Byte(0x58 | (what & 7));
  }

  // The code. All labels must be bound.
  std::vector<std::uint8_t> Finish() {
    for (const auto& [end, label] : jumps_) {
      const std::int32_t distance = PlaceOf(label) - end;
      std::memcpy(&code_[static_cast<std::size_t>(end) - 4], &distance, 4);
    }
    return std::move(code_);
  }

 private:
  std::int32_t here() const { return static_cast<std::int32_t>(code_.size()); }
  void Byte(int value) { code_.push_back(static_cast<std::uint8_t>(value)); }
  void Four(std::uint32_t value) {
    for (int i = 0; i < 4; ++i) Byte(static_cast<int>(value >> (8 * i) & 0xFF));
  }
  void Distance(int label) {
    Four(0);
    jumps_.emplace_back(here(), label);
  }
  // always: without this prefix, four numbers of byte registers mean other registers.
  void Rex(Width width, int reg, int index, int base, bool always) {
    const int rex = 0x40 | width << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
    if (rex != 0x40 || always) Byte(rex);
  }
  void Opcode(int opcode) {
    if (opcode > 0xFF) Byte(opcode >> 8);
    Byte(opcode & 0xFF);
  }
  void RegReg(int opcode, int reg, int rm, Width width = kNarrow, bool bytes = false) {
    Rex(width, reg, 0, rm, bytes);
    Opcode(opcode);
    Byte(0xC0 | (reg & 7) << 3 | (rm & 7));
  }
  void RegMem(int opcode, int reg, Mem m, Width width = kNarrow, bool bytes = false) {
    Rex(width, reg, m.index < 0 ? 0 : m.index, m.base, bytes);
    Opcode(opcode);
    const bool is_short = m.disp >= -128 && m.disp < 128;
    const int mode = (is_short ? 0x40 : 0x80) | (reg & 7) << 3;
    constexpr int kScaled = 4;  // another byte follows; rsp and r12 as base require it
    if (m.index < 0 && (m.base & 7) != kScaled) {
      Byte(mode | (m.base & 7));
    } else {
      Byte(mode | kScaled);
      Byte(m.scale << 6 | ((m.index < 0 ? 4 : m.index) & 7) << 3 | (m.base & 7));
    }
    if (is_short) {
      Byte(m.disp);
    } else {
      Four(static_cast<std::uint32_t>(m.disp));
    }
  }

  std::vector<std::uint8_t> code_;
  std::vector<std::int32_t> labels_;
  std::vector<std::pair<std::int32_t, int>> jumps_;  // end of the distance, and its label
};

}  // namespace envpool::atari::x86

#endif  // ENVPOOL_ATARI_CONSOLE_X86_ASSEMBLER_H_
