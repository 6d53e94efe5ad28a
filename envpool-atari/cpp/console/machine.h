// SPDX-License-Identifier: Apache-2.0
// The chips of a console, wired together: the bus as the CPU sees it.
//
//   address  bit 12  bit 9  bit 7
//   cartridge     1      -      -
//   TIA           0      -      0
//   RAM           0      0      1
//   RIOT          0      1      1
#ifndef ENVPOOL_ATARI_CONSOLE_MACHINE_H_
#define ENVPOOL_ATARI_CONSOLE_MACHINE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "console/mapper.h"
#include "console/riot.h"
#include "console/state.h"
#include "console/tia.h"

namespace envpool::atari {

class Machine {
 public:
  Machine(const Cartridge& cartridge, int first_line, int height, bool hmove_blanks);

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Plays a frame until it ends or is cut (state.partial), and draws it unless `pixels` is null.
  void PlayFrame(std::uint8_t* pixels);
  // Continues a frame that was cut.
  void ResumeFrame(std::uint8_t* pixels);
  // Takes over another state. Its values must be in range.
  void Replace(const ConsoleState& other);

  // A read that has an effect or is not of ROM or RAM. `bus` is the last byte on the data bus: bits
  // that the TIA does not drive keep its value.
  std::uint8_t Read(std::uint32_t address, std::uint32_t bus, std::int32_t cycle);
  // Returns the cycle at which the CPU continues.
  std::int32_t Write(std::uint32_t address, std::uint8_t value, std::int32_t cycle);

  // Processes the writes that the CPU has logged. They stay in the log for the end of the frame.
  void FlushLog() {
    tia.Process(Logged().subspan(static_cast<std::size_t>(flushed_)));
    flushed_ = log_size;
  }

  static constexpr int kMaxInstructions = 25'000;
  static constexpr int kMaxLog = 256;

  ConsoleState state{};
  Tia tia;
  Mapper mapper;
  Ports ports;
  std::int32_t last_cycle = 0;  // from this cycle on, a write to the TIA ends the frame
  bool frame_over = false;

  // Writes to the TIA in the order of the program, at most kMaxLog. Null while no frame is played.
  std::uint32_t* log = nullptr;
  int log_size = 0;
  std::int32_t last_wait = 0;  // cycle of the last write to WSYNC, which is not in the log

 private:
  std::span<const std::uint32_t> Logged() const {
    return {log, static_cast<std::size_t>(log_size)};
  }
  std::int32_t LastLogged() const {
    return log_size > 0 ? static_cast<std::int32_t>(Logged().back() >> 16) : -1;
  }
  void Log(int reg, std::uint8_t value, std::int32_t cycle);
  // Makes room in a log that is full.
  void ShortenLog();
  void Play();
  void EndFrame();
  // Runs the CPU until the frame ends or is cut after kMaxInstructions.
  void Run();
  void RunNative(const Native& native);
  void RunInterpreter();
  void WriteTia(int reg, std::uint8_t value, std::int32_t& cycle);
  std::uint8_t ReadTia(int reg, std::uint32_t bus, std::int32_t cycle);

  int flushed_ = 0;  // of the log
  // Cycles of the last reads of the TIA, in the log's format, for at least a line and a half; a
  // ring.
  static constexpr int kMaxReads = 128;
  std::uint16_t* reads_ = nullptr;
  int reads_size_ = 0;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_MACHINE_H_
