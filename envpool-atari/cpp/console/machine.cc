// SPDX-License-Identifier: Apache-2.0
// Reads and writes by way of the bus.
#include "console/machine.h"

#include <algorithm>
#include <limits>

namespace envpool::atari {
namespace {

// The time of a write in the log has 16 bits. A later write, in a cut frame that is continued,
// comes after the last line of every screen: only its place on the line matters.
constexpr std::int32_t LoggedCycle(std::int32_t cycle) {
  constexpr std::int32_t kLines = 0xFFFF / kCyclesPerLine;
  return cycle < kLines * kCyclesPerLine ? cycle
                                         : (kLines - 1) * kCyclesPerLine + cycle % kCyclesPerLine;
}

// A frame with more lines than this ends at the next write to the TIA.
constexpr int kMaxLinesNtsc = 290;
constexpr int kMaxLinesPal = 342;

constexpr int kInpt0 = 0x08;  // the first register that can be read beside the collisions

// The writes of a full log that are kept: as many as a program can make in the line and a half that
// Tia::EndFrame reads: 114 cycles of instructions that write twice in 5.
constexpr int kKept = 48;

}  // namespace

Machine::Machine(const Cartridge& cartridge, int first_line, int height, bool hmove_blanks)
    : tia(state.tia, first_line, height, hmove_blanks), mapper(cartridge, state.cartridge) {}

void Machine::PlayFrame(std::uint8_t* pixels) {
  tia.SetColorLoss(state.format == Format::kPal ? state.tia.last_lines & 1 : 0);
  tia.BeginFrame(pixels);
  Play();
}

void Machine::ResumeFrame(std::uint8_t* pixels) {
  tia.ResumeFrame(pixels);
  Play();
}

void Machine::Replace(const ConsoleState& other) {
  state = other;
  tia.Invalidate();
  mapper.Update();
}

void Machine::Play() {
  std::array<std::uint32_t, kMaxLog> writes;
  std::array<std::uint16_t, kMaxReads> reads;
  log = writes.data();
  reads_ = reads.data();
  const int lines = state.format == Format::kNtsc ? kMaxLinesNtsc : kMaxLinesPal;
  last_cycle = (lines + 1) * kCyclesPerLine;
  frame_over = false;
  Run();
  if (!frame_over && last_wait > LastLogged()) Log(kWsync, 0, last_wait);
  FlushLog();
  EndFrame();
  log_size = flushed_ = reads_size_ = 0;
  log = nullptr;
  reads_ = nullptr;
  state.partial = !frame_over;
  state.tia.last_lines = static_cast<std::uint16_t>(state.cycle / kCyclesPerLine);
}

void Machine::Run() {
  if (const Native* native = mapper.native()) {
    RunNative(*native);
  } else {
    RunInterpreter();
  }
}

std::uint8_t Machine::Read(std::uint32_t address, std::uint32_t bus, std::int32_t cycle) {
  if (address & 0x1000) return mapper.Read(address, cycle);
  if (!(address & 0x80)) return ReadTia(static_cast<int>(address & 0x0F), bus, cycle);
  if (!(address & 0x200)) return state.riot.ram[address & 0x7F];
  return ReadRiot(state.riot, ports, address, cycle);
}

std::int32_t Machine::Write(std::uint32_t address, std::uint8_t value, std::int32_t cycle) {
  if (address & 0x1000) {
    mapper.Write(address, value);
  } else if (!(address & 0x80)) {
    WriteTia(static_cast<int>(address & 0x3F), value, cycle);
  } else if (!(address & 0x200)) {
    state.riot.ram[address & 0x7F] = value;
  } else {
    WriteRiot(state.riot, address, value, cycle);
  }
  return cycle;
}

// A frame that ends above the end of the screen needs the last accesses.
void Machine::EndFrame() {
  if (tia.AllLinesDone()) return tia.EndFrame({}, frame_over);
  std::array<std::uint32_t, kMaxReads> reads;
  const int first = std::max(0, reads_size_ - kMaxReads);
  auto end = reads.begin();
  for (int i = first; i < reads_size_; ++i) {
    *end++ = PackWrite(reads_[static_cast<std::size_t>(i % kMaxReads)], kNothing, 0);
  }
  std::array<std::uint32_t, kMaxLog + kMaxReads> accesses;
  const auto cycle_of = [](std::uint32_t access) { return access >> 16; };
  // In the same cycle, an instruction reads before it writes.
  const auto merged = std::ranges::merge(std::span(reads.begin(), end), Logged(), accesses.begin(),
                                         {}, cycle_of, cycle_of);
  tia.EndFrame({accesses.begin(), merged.out}, frame_over);
}

std::uint8_t Machine::ReadTia(int reg, std::uint32_t bus, std::int32_t cycle) {
  const auto noise = static_cast<std::uint8_t>(bus & 0x3F);
  reads_[static_cast<std::size_t>(reads_size_++) % kMaxReads] =
      static_cast<std::uint16_t>(LoggedCycle(cycle));
  tia.NoteAccess(cycle * kClocksPerCycle);
  if (reg < kInpt0) {
    FlushLog();
    return tia.Collisions(reg) | noise;
  }
  const int input = reg - kInpt0;
  if (input < 4) {
    const std::int32_t charge = ports.charge[static_cast<std::size_t>(input)];
    if (charge == 0) return 0x80 | noise;
    if (charge == kNeverCharged || state.tia.discharging) return noise;
    // Measured: a capacitor that was charged before the frame began reads as empty.
    const std::int32_t charged = Since(-charge, state.tia.charge_cycle);
    return charged >= state.begin && cycle > charged ? 0x80 | noise : noise;
  }
  if (input < 6) return ports.fire[static_cast<std::size_t>(input - 4)] | noise;
  return noise;
}

void Machine::WriteTia(int reg, std::uint8_t value, std::int32_t& cycle) {
  const std::int32_t now = cycle;
  TiaState& s = state.tia;
  if (now >= last_cycle) frame_over = true;
  switch (reg) {
    case kVsync: {
      const std::int32_t clock = now * kClocksPerCycle;
      if (value & 2) {
        s.vsync_until = clock + kClocksPerLine;
      } else if (clock >= s.vsync_until) {  // also if VSYNC was off in between
        s.vsync_until = std::numeric_limits<std::int32_t>::max();
        frame_over = true;
      }
      break;
    }
    case kVblank:
      if (!(s.discharging) && value & 0x80) s.discharging = 1;
      if (s.discharging && !(value & 0x80)) {
        s.discharging = 0;
        s.charge_cycle = now;
      }
      break;
    case kWsync:
      cycle = (now + kCyclesPerLine - 1) / kCyclesPerLine * kCyclesPerLine;
      break;
    default:
      break;
  }
  Log(reg, value, now);
}

void Machine::Log(int reg, std::uint8_t value, std::int32_t cycle) {
  if (log_size == kMaxLog) ShortenLog();
  if (LastLogged() == LoggedCycle(cycle)) FlushLog();  // pushes have a cycle in common
  log[static_cast<std::size_t>(log_size++)] = PackWrite(
      static_cast<std::uint32_t>(LoggedCycle(cycle)), static_cast<std::uint32_t>(reg), value);
}

void Machine::ShortenLog() {
  FlushLog();
  std::copy(log + kMaxLog - kKept, log + kMaxLog, log);
  log_size = flushed_ = kKept;
}

}  // namespace envpool::atari
