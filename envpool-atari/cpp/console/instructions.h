// SPDX-License-Identifier: Apache-2.0
// The 256 opcodes of the 6507 as a table: what each does, where its operand is, and how long it
// takes. Nothing here runs; the decoder and the CPU read it at compile time.
//
//   constexpr Instruction kLda = kInstructions[0xA9];  // {Operation::kLda, Mode::kImmediate, 2}
//
// Names and cycles of the documented opcodes are those of the MCS6500 programming manual, those of
// the undocumented ones of the usual lists of what an NMOS 6502 does.
#ifndef ENVPOOL_ATARI_CONSOLE_INSTRUCTIONS_H_
#define ENVPOOL_ATARI_CONSOLE_INSTRUCTIONS_H_

#include <array>
#include <cstdint>

namespace envpool::atari {

// clang-format off
enum class Operation : std::uint8_t {
  // Use a byte that they read.
  kAdc, kAnc, kAnd, kAne, kArr, kAsr, kBit, kCmp, kCpx, kCpy, kEor, kLas, kLax, kLda, kLdx, kLdy,
  kLxa, kNopRead, kOra, kSbc, kSbx,
  // Write a byte.
  kSax, kSha, kShs, kShx, kShy, kSta, kStx, kSty,
  // Read a byte and write another one back.
  kAsl, kDcp, kDec, kInc, kIsb, kLsr, kRla, kRol, kRor, kRra, kSlo, kSre,
  // Use registers only.
  kClc, kCld, kCli, kClv, kDex, kDey, kInx, kIny, kNop, kSec, kSed, kSei, kTax, kTay, kTsx, kTxa,
  kTxs, kTya,
  // Use the stack.
  kPha, kPhp, kPla, kPlp,
  // Go elsewhere; the first eight on a condition.
  kBcc, kBcs, kBeq, kBmi, kBne, kBpl, kBvc, kBvs, kBrk, kJmp, kJsr, kRti, kRts, kJam
};

enum class Mode : std::uint8_t {
  kImplied, kAccumulator, kImmediate, kZeroPage, kZeroPageX, kZeroPageY, kAbsolute, kAbsoluteX,
  kAbsoluteY, kIndirectX, kIndirectY, kRelative, kIndirect
};
// clang-format on

struct Instruction {
  Operation operation;
  Mode mode;
  std::uint8_t cycles;  // without those of a crossed page or of a taken branch
};

constexpr bool Reads(Operation operation) { return operation <= Operation::kSbx; }
constexpr bool Writes(Operation operation) {
  return operation >= Operation::kSax && operation <= Operation::kSty;
}
constexpr bool Modifies(Operation operation) {
  return operation >= Operation::kAsl && operation <= Operation::kSre;
}
constexpr bool Branches(Operation operation) {
  return operation >= Operation::kBcc && operation <= Operation::kBvs;
}

// Bytes of an instruction with its operand.
constexpr int Length(Mode mode) {
  switch (mode) {
    case Mode::kImplied:
    case Mode::kAccumulator:
      return 1;
    case Mode::kAbsolute:
    case Mode::kAbsoluteX:
    case Mode::kAbsoluteY:
    case Mode::kIndirect:
      return 3;
    default:
      return 2;
  }
}

namespace detail {

constexpr std::array<Instruction, 256> MakeInstructions() {
  using enum Operation;
  constexpr auto kImp = Mode::kImplied, kAcc = Mode::kAccumulator, kImm = Mode::kImmediate,
                 kZp = Mode::kZeroPage, kZpX = Mode::kZeroPageX, kZpY = Mode::kZeroPageY,
                 kAbs = Mode::kAbsolute, kAbsX = Mode::kAbsoluteX, kAbsY = Mode::kAbsoluteY,
                 kIndX = Mode::kIndirectX, kIndY = Mode::kIndirectY, kRel = Mode::kRelative,
                 kInd = Mode::kIndirect;
  // clang-format off
  return {{
      // 00-0F
      {kBrk, kImp, 7}, {kOra, kIndX, 6}, {kJam, kImp, 2}, {kSlo, kIndX, 8},
      {kNopRead, kZp, 3}, {kOra, kZp, 3}, {kAsl, kZp, 5}, {kSlo, kZp, 5},
      {kPhp, kImp, 3}, {kOra, kImm, 2}, {kAsl, kAcc, 2}, {kAnc, kImm, 2},
      {kNopRead, kAbs, 4}, {kOra, kAbs, 4}, {kAsl, kAbs, 6}, {kSlo, kAbs, 6},
      // 10-1F
      {kBpl, kRel, 2}, {kOra, kIndY, 5}, {kJam, kImp, 2}, {kSlo, kIndY, 8},
      {kNopRead, kZpX, 4}, {kOra, kZpX, 4}, {kAsl, kZpX, 6}, {kSlo, kZpX, 6},
      {kClc, kImp, 2}, {kOra, kAbsY, 4}, {kNop, kImp, 2}, {kSlo, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kOra, kAbsX, 4}, {kAsl, kAbsX, 7}, {kSlo, kAbsX, 7},
      // 20-2F
      {kJsr, kAbs, 6}, {kAnd, kIndX, 6}, {kJam, kImp, 2}, {kRla, kIndX, 8},
      {kBit, kZp, 3}, {kAnd, kZp, 3}, {kRol, kZp, 5}, {kRla, kZp, 5},
      {kPlp, kImp, 4}, {kAnd, kImm, 2}, {kRol, kAcc, 2}, {kAnc, kImm, 2},
      {kBit, kAbs, 4}, {kAnd, kAbs, 4}, {kRol, kAbs, 6}, {kRla, kAbs, 6},
      // 30-3F
      {kBmi, kRel, 2}, {kAnd, kIndY, 5}, {kJam, kImp, 2}, {kRla, kIndY, 8},
      {kNopRead, kZpX, 4}, {kAnd, kZpX, 4}, {kRol, kZpX, 6}, {kRla, kZpX, 6},
      {kSec, kImp, 2}, {kAnd, kAbsY, 4}, {kNop, kImp, 2}, {kRla, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kAnd, kAbsX, 4}, {kRol, kAbsX, 7}, {kRla, kAbsX, 7},
      // 40-4F
      {kRti, kImp, 6}, {kEor, kIndX, 6}, {kJam, kImp, 2}, {kSre, kIndX, 8},
      {kNopRead, kZp, 3}, {kEor, kZp, 3}, {kLsr, kZp, 5}, {kSre, kZp, 5},
      {kPha, kImp, 3}, {kEor, kImm, 2}, {kLsr, kAcc, 2}, {kAsr, kImm, 2},
      {kJmp, kAbs, 3}, {kEor, kAbs, 4}, {kLsr, kAbs, 6}, {kSre, kAbs, 6},
      // 50-5F
      {kBvc, kRel, 2}, {kEor, kIndY, 5}, {kJam, kImp, 2}, {kSre, kIndY, 8},
      {kNopRead, kZpX, 4}, {kEor, kZpX, 4}, {kLsr, kZpX, 6}, {kSre, kZpX, 6},
      {kCli, kImp, 2}, {kEor, kAbsY, 4}, {kNop, kImp, 2}, {kSre, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kEor, kAbsX, 4}, {kLsr, kAbsX, 7}, {kSre, kAbsX, 7},
      // 60-6F
      {kRts, kImp, 6}, {kAdc, kIndX, 6}, {kJam, kImp, 2}, {kRra, kIndX, 8},
      {kNopRead, kZp, 3}, {kAdc, kZp, 3}, {kRor, kZp, 5}, {kRra, kZp, 5},
      {kPla, kImp, 4}, {kAdc, kImm, 2}, {kRor, kAcc, 2}, {kArr, kImm, 2},
      {kJmp, kInd, 5}, {kAdc, kAbs, 4}, {kRor, kAbs, 6}, {kRra, kAbs, 6},
      // 70-7F
      {kBvs, kRel, 2}, {kAdc, kIndY, 5}, {kJam, kImp, 2}, {kRra, kIndY, 8},
      {kNopRead, kZpX, 4}, {kAdc, kZpX, 4}, {kRor, kZpX, 6}, {kRra, kZpX, 6},
      {kSei, kImp, 2}, {kAdc, kAbsY, 4}, {kNop, kImp, 2}, {kRra, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kAdc, kAbsX, 4}, {kRor, kAbsX, 7}, {kRra, kAbsX, 7},
      // 80-8F
      {kNopRead, kImm, 2}, {kSta, kIndX, 6}, {kNopRead, kImm, 2}, {kSax, kIndX, 6},
      {kSty, kZp, 3}, {kSta, kZp, 3}, {kStx, kZp, 3}, {kSax, kZp, 3},
      {kDey, kImp, 2}, {kNopRead, kImm, 2}, {kTxa, kImp, 2}, {kAne, kImm, 2},
      {kSty, kAbs, 4}, {kSta, kAbs, 4}, {kStx, kAbs, 4}, {kSax, kAbs, 4},
      // 90-9F
      {kBcc, kRel, 2}, {kSta, kIndY, 6}, {kJam, kImp, 2}, {kSha, kIndY, 6},
      {kSty, kZpX, 4}, {kSta, kZpX, 4}, {kStx, kZpY, 4}, {kSax, kZpY, 4},
      {kTya, kImp, 2}, {kSta, kAbsY, 5}, {kTxs, kImp, 2}, {kShs, kAbsY, 5},
      {kShy, kAbsX, 5}, {kSta, kAbsX, 5}, {kShx, kAbsY, 5}, {kSha, kAbsY, 5},
      // A0-AF
      {kLdy, kImm, 2}, {kLda, kIndX, 6}, {kLdx, kImm, 2}, {kLax, kIndX, 6},
      {kLdy, kZp, 3}, {kLda, kZp, 3}, {kLdx, kZp, 3}, {kLax, kZp, 4},  // measured; the chip takes 3
      {kTay, kImp, 2}, {kLda, kImm, 2}, {kTax, kImp, 2}, {kLxa, kImm, 2},
      {kLdy, kAbs, 4}, {kLda, kAbs, 4}, {kLdx, kAbs, 4}, {kLax, kAbs, 4},
      // B0-BF
      {kBcs, kRel, 2}, {kLda, kIndY, 5}, {kJam, kImp, 2}, {kLax, kIndY, 5},
      {kLdy, kZpX, 4}, {kLda, kZpX, 4}, {kLdx, kZpY, 4}, {kLax, kZpY, 4},
      {kClv, kImp, 2}, {kLda, kAbsY, 4}, {kTsx, kImp, 2}, {kLas, kAbsY, 4},
      {kLdy, kAbsX, 4}, {kLda, kAbsX, 4}, {kLdx, kAbsY, 4}, {kLax, kAbsY, 4},
      // C0-CF
      {kCpy, kImm, 2}, {kCmp, kIndX, 6}, {kNopRead, kImm, 2}, {kDcp, kIndX, 8},
      {kCpy, kZp, 3}, {kCmp, kZp, 3}, {kDec, kZp, 5}, {kDcp, kZp, 5},
      {kIny, kImp, 2}, {kCmp, kImm, 2}, {kDex, kImp, 2}, {kSbx, kImm, 2},
      {kCpy, kAbs, 4}, {kCmp, kAbs, 4}, {kDec, kAbs, 6}, {kDcp, kAbs, 6},
      // D0-DF
      {kBne, kRel, 2}, {kCmp, kIndY, 5}, {kJam, kImp, 2}, {kDcp, kIndY, 8},
      {kNopRead, kZpX, 4}, {kCmp, kZpX, 4}, {kDec, kZpX, 6}, {kDcp, kZpX, 6},
      {kCld, kImp, 2}, {kCmp, kAbsY, 4}, {kNop, kImp, 2}, {kDcp, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kCmp, kAbsX, 4}, {kDec, kAbsX, 7}, {kDcp, kAbsX, 7},
      // E0-EF
      {kCpx, kImm, 2}, {kSbc, kIndX, 6}, {kNopRead, kImm, 2}, {kIsb, kIndX, 8},
      {kCpx, kZp, 3}, {kSbc, kZp, 3}, {kInc, kZp, 5}, {kIsb, kZp, 5},
      {kInx, kImp, 2}, {kSbc, kImm, 2}, {kNop, kImp, 2}, {kSbc, kImm, 2},
      {kCpx, kAbs, 4}, {kSbc, kAbs, 4}, {kInc, kAbs, 6}, {kIsb, kAbs, 6},
      // F0-FF
      {kBeq, kRel, 2}, {kSbc, kIndY, 5}, {kJam, kImp, 2}, {kIsb, kIndY, 8},
      {kNopRead, kZpX, 4}, {kSbc, kZpX, 4}, {kInc, kZpX, 6}, {kIsb, kZpX, 6},
      {kSed, kImp, 2}, {kSbc, kAbsY, 4}, {kNop, kImp, 2}, {kIsb, kAbsY, 7},
      {kNopRead, kAbsX, 4}, {kSbc, kAbsX, 4}, {kInc, kAbsX, 7}, {kIsb, kAbsX, 7}
  }};
  // clang-format on
}

}  // namespace detail

inline constexpr std::array<Instruction, 256> kInstructions = detail::MakeInstructions();

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_INSTRUCTIONS_H_
