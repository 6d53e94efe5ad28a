// SPDX-License-Identifier: Apache-2.0
// No cartridge and no saved state does harm: random bytes as ROM of every type, random
// instructions, random states. A console is the same however it is drawn, saved and loaded; native
// code plays as the interpreter does. Run with a sanitizer. The argument is the number of seconds
// to continue with other seeds.
#include "console/console.cc"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "console/cartridge.cc"
#include "console/cpu.cc"
#include "console/executable_memory.cc"
#include "console/machine.cc"
#include "console/native.cc"
#include "console/paint.cc"
#include "console/tia.cc"
#include "console/tia_line.cc"
#include "console/tia_motion.cc"
#include "envpool/state_io.h"
#include "expect.h"

namespace {

using namespace envpool::atari;

struct Kind {
  CartridgeType type;
  std::size_t bytes;
};
constexpr Kind kKinds[] = {
    {CartridgeType::k2K, 2048},   {CartridgeType::k4K, 4096},  {CartridgeType::kF8, 8192},
    {CartridgeType::kF8SC, 8192}, {CartridgeType::kF6, 16384}, {CartridgeType::kF6SC, 16384},
    {CartridgeType::kE0, 8192},   {CartridgeType::kFE, 8192},  {CartridgeType::kDPC, 10240},
    {CartridgeType::kDPC, 10495},
};

using Random = std::mt19937;

// Bytes of all kinds: common instructions, some of them replaced by random bytes.
std::vector<std::uint8_t> RandomRom(std::size_t size, Random& random) {
  // STA, STX, STY, LDA, BIT, INC, JMP, JSR, and a load with an index, of absolute addresses.
  constexpr std::uint8_t kAbsolute[] = {0x8D, 0x8E, 0x8C, 0xAD, 0x2C, 0xEE, 0x4C, 0x20, 0xBD};
  std::vector<std::uint8_t> rom(size);
  for (std::uint8_t& byte : rom) byte = static_cast<std::uint8_t>(random());
  const unsigned how = random() % 3;
  for (std::size_t i = 0; how > 0 && i + 4 < size; i += 4) {
    if (random() % 4 == 0) continue;
    if (how == 1) {  // write to the TIA, wait for lines
      rom[i] = 0xA9;
      rom[i + 2] = 0x85;
      rom[i + 3] = static_cast<std::uint8_t>(random() % 8 ? random() % 0x2D : 2);
    } else {  // use RAM, the RIOT, the TIA, ROM and the places where banks are switched
      constexpr unsigned kPlaces[] = {0x0080, 0x0280, 0x0294, 0x0000, 0x1000, 0x1FE0, 0x1FF4};
      const unsigned address = kPlaces[random() % std::size(kPlaces)] + random() % 16;
      rom[i] = kAbsolute[random() % std::size(kAbsolute)];
      rom[i + 1] = static_cast<std::uint8_t>(address);
      rom[i + 2] = static_cast<std::uint8_t>(address >> 8);
    }
  }
  if (random() % 4 != 0) {  // begin in the cartridge, whichever bank is in sight
    for (std::size_t end = 1024; end <= size; end += 1024) rom[end - 3] |= 0xF0;
  }
  return rom;
}

Inputs RandomInputs(Random& random) {
  Inputs inputs;
  inputs.select = random() % 8 == 0;
  inputs.reset = random() % 8 == 0;
  for (std::size_t i = 0; i < 2; ++i) {
    inputs.joystick[i] = static_cast<std::uint8_t>(random());
    inputs.fire[i] = random() % 2;
    inputs.paddle[i] = static_cast<std::int32_t>(random() % 1'000'001);
  }
  return inputs;
}

ConsoleProperties RandomProperties(Random& random) {
  ConsoleProperties properties;
  properties.detect_format = random() % 4 == 0;
  properties.format = static_cast<Format>(random() % 3);
  properties.first_line = static_cast<int>(random() % 101);
  properties.height = static_cast<int>(random() % kMaxScreenHeight) + 1;
  properties.hmove_blanks = random() % 2;
  properties.swap_ports = random() % 2;
  properties.swap_paddles = random() % 2;
  properties.left = static_cast<Controller>(random() % 3);
  properties.right = static_cast<Controller>(random() % 3);
  return properties;
}

bool Same(const ConsoleState& a, const ConsoleState& b) {
  return a.cpu.pc == b.cpu.pc && a.cycle == b.cycle && a.riot.ram == b.riot.ram &&
         a.tia.collisions == b.tia.collisions && a.tia.position == b.tia.position &&
         a.cartridge.ram == b.cartridge.ram && a.cartridge.slice == b.cartridge.slice;
}

std::string Saved(const Console& console) {
  envpool::StateWriter out;
  console.SaveState(out);
  return out.bytes();
}

void Load(Console& console, const std::string& saved) {
  envpool::StateReader in(saved.data(), saved.size());
  console.LoadState(in);
}

// A cartridge, and the console's properties and inputs.
struct Subject {
  explicit Subject(unsigned seed) : random(seed), properties(RandomProperties(random)) {
    const Kind kind = kKinds[seed % std::size(kKinds)];
    cartridge = std::make_shared<const Cartridge>(RandomRom(kind.bytes, random), kind.type);
  }
  Console SwitchedOn() const {
    Console console(cartridge, properties);
    console.PowerOn();
    return console;
  }

  Random random;
  ConsoleProperties properties;
  std::shared_ptr<const Cartridge> cartridge;
};

void EveryWayIsTheSame(unsigned seed) {
  struct Frame {
    Inputs inputs;
    bool resets;
    ConsoleState state;
    std::vector<std::uint8_t> screen;
  };
  Subject subject(seed);
  Random& random = subject.random;
  const int pixels = subject.properties.height * kScreenWidth;
  std::vector<Frame> frames(12);
  {
    // Alone in its thread, and always drawn: nothing has to be found again.
    Console console = subject.SwitchedOn();
    for (Frame& frame : frames) {
      frame.inputs = RandomInputs(random);
      frame.resets = random() % 16 == 0;
      if (frame.resets) console.Reset();
      console.RunFrame(frame.inputs, true);
      frame.state = console.Save();
      frame.screen.assign(console.screen(), console.screen() + pixels);
    }
  }
  Console console = subject.SwitchedOn();
  Console other = subject.SwitchedOn();
  for (const Frame& frame : frames) {
    if (random() % 4 == 0) {
      Load(other, Saved(console));
      EXPECT(Saved(other) == Saved(console));
      std::swap(console, other);
    }
    if (frame.resets) console.Reset();
    console.RunFrame(frame.inputs, random() % 2);
    if (random() % 2) other.RunFrame(RandomInputs(random), true);  // on the same two screens
    EXPECT(Same(console.Save(), frame.state));
    if (random() % 2) {
      EXPECT(std::memcmp(console.screen(), frame.screen.data(), frame.screen.size()) == 0);
    }
  }
}

// A program of any instructions but those that stop the CPU, mostly about RAM, tables and the TIA,
// with jumps within it.
std::vector<std::uint8_t> RandomProgram(std::size_t size, Random& random) {
  std::vector<std::uint8_t> rom(size);
  for (std::size_t at = 0; at + 3 <= size;) {
    const auto opcode = static_cast<std::uint8_t>(random());
    const Instruction instruction = kInstructions[opcode];
    const bool leads_away = instruction.operation >= Operation::kBrk;
    if (instruction.operation == Operation::kJam || (leads_away && random() % 8)) continue;
    rom[at++] = opcode;
    const int length = Length(instruction.mode);
    if (Branches(instruction.operation)) {
      rom[at++] = static_cast<std::uint8_t>(random() % 8 ? random() % 24 : random());
    } else if (length == 2) {
      constexpr unsigned kPages[] = {0x80, 0x80, 0x80, 0x00};
      rom[at++] = static_cast<std::uint8_t>(kPages[random() % 4] + random() % 128);
    } else if (length == 3) {
      constexpr unsigned kPlaces[] = {0x0080, 0x0000, 0x0280, 0x1000, 0xF100, 0xD800, 0xFFE0};
      const unsigned place = leads_away ? 0xF000 + random() % 0x1000
                                        : kPlaces[random() % std::size(kPlaces)] + random() % 128;
      rom[at++] = static_cast<std::uint8_t>(place);
      rom[at++] = static_cast<std::uint8_t>(place >> 8);
    }
  }
  for (std::size_t end = 1024; end <= size; end += 1024) {
    rom[end - 4] = static_cast<std::uint8_t>(random());
    rom[end - 3] = 0xF0;
  }
  return rom;
}

void NativeCodePlaysAsTheInterpreter(unsigned seed) {
  Random random(seed);
  const Kind kind = kKinds[seed % std::size(kKinds)];
  const std::vector<std::uint8_t> rom =
      random() % 4 ? RandomProgram(kind.bytes, random) : RandomRom(kind.bytes, random);
  const auto translated = std::make_shared<const Cartridge>(rom, kind.type);
  const auto interpreted = std::make_shared<const Cartridge>(rom, kind.type, false);
#ifdef ATARI_NATIVE
  EXPECT(translated->native() != nullptr);
#endif
  EXPECT(interpreted->native() == nullptr);
  const ConsoleProperties properties = RandomProperties(random);
  Console a(translated, properties), b(interpreted, properties);
  a.PowerOn();
  b.PowerOn();
  for (int round = 0; round < 24; ++round) {
    // Anywhere in the program: the beginning alone often ends in a short loop.
    ConsoleState state = a.Save();
    for (std::uint8_t& byte : state.riot.ram) byte = static_cast<std::uint8_t>(random());
    state.cpu = {static_cast<std::uint16_t>(0xF000 | random()),
                 static_cast<std::uint8_t>(random()),
                 static_cast<std::uint8_t>(random()),
                 static_cast<std::uint8_t>(random()),
                 static_cast<std::uint8_t>(random()),
                 static_cast<std::uint8_t>(random() % 4 ? random() & ~kDecimalBit : random()),
                 0};
    state.partial = 0;
    a.Load(state);
    b.Load(state);
    const Inputs inputs = RandomInputs(random);
    a.RunFrame(inputs, true);
    b.RunFrame(inputs, true);
    EXPECT(Saved(a) == Saved(b));
    const std::size_t pixels = static_cast<std::size_t>(a.height()) * kScreenWidth;
    const std::vector<std::uint8_t> screen(a.screen(), a.screen() + pixels);
    EXPECT(std::memcmp(b.screen(), screen.data(), pixels) == 0);
  }
}

// A jump that a function executes, to the instruction right behind it but in another mirror image
// of the ROM: the program counter that JSR pushes says which.
void JumpsBetweenMirrorImages() {
  std::vector<std::uint8_t> rom(0x1000);
  const std::vector<std::uint8_t> program = {
      0xA2, 0xFF, 0x9A,  // LDX #$FF, TXS
      0x6C, 0x80, 0xF0,  // JMP ($F080)
      0x20, 0x09, 0xF0,  // JSR $F009
      0x4C, 0x09, 0xF0,  // JMP $F009
  };
  std::ranges::copy(program, rom.begin());
  rom[0x80] = 0x06;  // $5006, which is $F006
  rom[0x81] = 0x50;
  rom[0xFFC] = 0x00;
  rom[0xFFD] = 0xF0;
  for (const bool native : {true, false}) {
    Console console(std::make_shared<const Cartridge>(rom, CartridgeType::k4K, native), {});
    console.PowerOn();
    EXPECT(console.ram()[0x7F] == 0x50);
  }
}

void RandomStatesAreHarmless(unsigned seed) {
  Subject subject(seed);
  Random& random = subject.random;
  Console console = subject.SwitchedOn();
  for (int round = 0; round < 6; ++round) {
    std::string saved = Saved(console);
    // Sometimes all of it, sometimes a few bytes, sometimes not to the end.
    const std::size_t changes = random() % 2 ? saved.size() - 16 : 1 + random() % 8;
    for (std::size_t i = 0; i < changes; ++i) {
      const std::size_t at = changes == saved.size() - 16 ? i : random() % saved.size();
      saved[at] = static_cast<char>(random());
    }
    if (random() % 16 == 0) saved.resize(random() % saved.size());
    try {
      Load(console, saved);
    } catch (const std::out_of_range&) {
    }
    for (int frame = 0; frame < 3; ++frame) {
      if (random() % 2) {
        const std::uint8_t* screen = console.screen();
        EXPECT(std::count(screen, screen + console.height() * kScreenWidth, 0) >= 0);
      }
      console.RunFrame(RandomInputs(random), random() % 2);
    }
  }
  console.Reset();
  console.RunFrame(Inputs{}, true);
}

void EndlessFramesStayNumbers() {
  // JMP to itself: never a write to the TIA, so one frame that goes on and on.
  std::vector<std::uint8_t> rom(4096, 0xEA);
  rom[0] = 0x4C;
  rom[1] = 0x00;
  rom[2] = 0xF0;
  rom[0xFFC] = 0x00;
  rom[0xFFD] = 0xF0;
  Console console(std::make_shared<const Cartridge>(rom, CartridgeType::k4K),
                  {.detect_format = false});
  console.PowerOn();
  console.RunFrame(Inputs{}, false);
  ConsoleState state = console.Save();
  EXPECT(state.partial == 1);
  constexpr int kMoved = 1 << 28;  // cycles after which times are moved back
  state.cycle = kMoved - 500'000;
  console.Load(state);
  bool moved = false;
  for (int frame = 0; frame < 20; ++frame) {
    const int before = console.Save().cycle;
    console.RunFrame(Inputs{}, false);
    moved |= console.Save().cycle < before;
    EXPECT(console.Save().partial == 1 && console.Save().cycle < kMoved + 200'000);
  }
  EXPECT(moved);
}

void ThreadsShareACartridge() {
  Random random(5);
  const auto cartridge =
      std::make_shared<const Cartridge>(RandomRom(8192, random), CartridgeType::kF8);
  std::vector<ConsoleState> ends(4);
  std::vector<std::thread> threads;
  for (ConsoleState& end : ends) {
    threads.emplace_back([&] {
      Console console(cartridge, {});
      console.PowerOn();
      for (int frame = 0; frame < 20; ++frame) console.RunFrame(Inputs{}, true);
      end = console.Save();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ConsoleState& end : ends) EXPECT(Same(end, ends[0]));
}

template <typename Function>
void ExpectRefused(Function function) {
  try {
    function();
  } catch (const std::invalid_argument&) {
    return;
  }
  EXPECT(false);  // it was not refused
}

void WrongSizesAreRefused() {
  const std::vector<std::uint8_t> rom(4096);
  for (const Kind& kind : kKinds) {
    if (kind.bytes == rom.size()) continue;
    ExpectRefused([&] { Cartridge(rom, kind.type); });
  }
  ExpectRefused([&] { Cartridge(rom, static_cast<CartridgeType>(9)); });
  const auto cartridge = std::make_shared<const Cartridge>(rom, CartridgeType::k4K);
  ExpectRefused([&] { Console(cartridge, {.height = 0}); });
  ExpectRefused([&] { Console(cartridge, {.height = kMaxScreenHeight + 1}); });
  ExpectRefused([&] { Console(cartridge, {.first_line = -1}); });
}

// True under `dev.py test --full`: tries everything.
[[maybe_unused]] bool Full() {
  const char* full = std::getenv("ENVPOOL_TEST_FULL");
  return full != nullptr && std::strcmp(full, "1") == 0;
}

}  // namespace

int main(int argc, char** argv) {
  ThreadsShareACartridge();
#ifndef __SANITIZE_THREAD__  // the rest has one thread, and would take minutes
  WrongSizesAreRefused();
  EndlessFramesStayNumbers();
  JumpsBetweenMirrorImages();
  const unsigned seeds = Full() ? 100 : 20;
  for (unsigned seed = 0; seed < seeds; ++seed) EveryWayIsTheSame(seed);
  for (unsigned seed = 0; seed < 4 * seeds; ++seed) NativeCodePlaysAsTheInterpreter(seed);
  for (unsigned seed = 0; seed < seeds; ++seed) RandomStatesAreHarmless(seed);
  if (argc < 2) return 0;
  unsigned seed = std::random_device{}();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  unsigned cases = 0;
  for (; std::chrono::steady_clock::now() < end; ++seed, cases += 3) {
    std::fprintf(stderr, "\rseed %u", seed);
    EveryWayIsTheSame(seed);
    NativeCodePlaysAsTheInterpreter(seed);
    RandomStatesAreHarmless(seed);
  }
  std::printf("\n%u cases\n", cases);
#endif
}
