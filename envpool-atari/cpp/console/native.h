// SPDX-License-Identifier: Apache-2.0
// A cartridge's instructions as machine code of the host, made when the cartridge is loaded.
//
//   std::unique_ptr<const Native> native = Native::Translate(cartridge);
//   if (native) native->Run(frame, op);  // until something needs the loop of cpu.cc
//
// Every instruction of a bank becomes a piece of code of its own, at which can be begun: between
// two of them everything is in its place. What is common is done there: registers, RAM, tables in
// ROM, branches, and writes to the TIA, which are only noted. For all else the piece calls the
// function that executes this instruction in cpu.cc.
//
// There is none on other CPUs than x86-64, on macOS, where the system forbids code that is made at
// run time, and where the environment variable ENVPOOL_ATARI_JIT is 0 (to rule out a cause); then
// the interpreter plays, and the frames are the same.
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

  // Runs from an instruction of the cartridge on; afterwards frame.regs.op is the next.
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
