// SPDX-License-Identifier: Apache-2.0
// A cartridge's instructions as machine code of the host, made when the cartridge is loaded.
//
//   std::unique_ptr<const Native> native = Native::Translate(cartridge);
//   if (native) native->Run(frame, op);  // until something needs the loop of cpu.cc
//
// Every instruction of a bank becomes a piece of code. Execution can begin at each piece, because
// between two pieces all registers are in their fixed places. A piece itself does the common work:
// registers, RAM, tables in ROM, branches, and writes to the TIA, which are only logged. For
// anything else the piece calls the function of cpu.cc that executes this instruction.
//
// There is no native code on CPUs other than x86-64, on macOS, on systems that forbid code made at
// run time, and if the environment variable ENVPOOL_ATARI_JIT is 0 (for debugging). The interpreter
// then plays the same frames.
#ifndef ENVPOOL_ATARI_CONSOLE_NATIVE_H_
#define ENVPOOL_ATARI_CONSOLE_NATIVE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "console/executable_memory.h"
#include "console/micro_op.h"

namespace envpool::atari {

class Cartridge;
struct CpuFrame;

class Native {
 public:
  static std::unique_ptr<const Native> Translate(const Cartridge& cartridge);

  // Runs from an instruction of the cartridge on. Afterwards frame.regs.op is the next instruction.
  void Run(CpuFrame& frame, const MicroOp* op) const {
    enter_(&frame, memory_.begin() + places_[static_cast<std::size_t>(op - first_)]);
  }

 private:
  friend class Translator;
  using Enter = void (*)(CpuFrame*, const std::uint8_t*);

  Native(std::span<const std::uint8_t> code, std::vector<std::int32_t> places,
         const MicroOp* first);

  ExecutableMemory memory_;
  Enter enter_;
  std::vector<std::int32_t> places_;  // of each instruction, from the beginning of the code
  const MicroOp* first_;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_NATIVE_H_
