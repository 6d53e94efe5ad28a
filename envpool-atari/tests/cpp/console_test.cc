// SPDX-License-Identifier: Apache-2.0
// No cartridge and no saved state does harm: random bytes as ROM of every type, random
// instructions, random states, and frames that are drawn or not. Run with a sanitizer.
#include "console/console.cc"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "console/cartridge.cc"
#include "console/cpu.cc"
#include "console/machine.cc"
#include "console/paint.cc"
#include "console/tia.cc"
#include "console/tia_line.cc"
#include "console/tia_motion.cc"
#include "expect.h"

namespace {

using namespace atari;

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

std::vector<std::uint8_t> RandomRom(std::size_t size, Random& random) {
  std::vector<std::uint8_t> rom(size);
  for (std::uint8_t& byte : rom) byte = static_cast<std::uint8_t>(random());
  // Half of them do what most programs do: write to the TIA, and wait for lines.
  if (random() % 2) {
    for (std::size_t i = 0; i + 4 < size; i += 4) {
      if (random() % 4 == 0) continue;
      rom[i] = 0xA9;
      rom[i + 2] = 0x85;
      rom[i + 3] = static_cast<std::uint8_t>(random() % 8 ? random() % 0x2D : 2);
    }
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

void RandomBytesAreHarmless(unsigned seed) {
  Random random(seed);
  const Kind kind = kKinds[seed % std::size(kKinds)];
  const auto cartridge =
      std::make_shared<const Cartridge>(RandomRom(kind.bytes, random), kind.type);
  const ConsoleProperties properties = RandomProperties(random);
  Console drawn(cartridge, properties);
  Console undrawn(cartridge, properties);
  drawn.PowerOn();
  undrawn.PowerOn();
  const std::size_t pixels = static_cast<std::size_t>(drawn.height() * kScreenWidth);
  for (int frame = 0; frame < 12; ++frame) {
    const Inputs inputs = RandomInputs(random);
    const bool draw = random() % 2;
    drawn.RunFrame(inputs, true);
    undrawn.RunFrame(inputs, draw);
    EXPECT(Same(drawn.Save(), undrawn.Save()));
    EXPECT(!draw || std::memcmp(drawn.screen(), undrawn.screen(), pixels) == 0);
    if (random() % 16 == 0) {
      drawn.Reset();
      undrawn.Reset();
    }
  }
}

void RandomStatesAreHarmless(unsigned seed) {
  Random random(seed);
  const Kind kind = kKinds[seed % std::size(kKinds)];
  const auto cartridge =
      std::make_shared<const Cartridge>(RandomRom(kind.bytes, random), kind.type);
  Console console(cartridge, RandomProperties(random));
  console.PowerOn();
  ConsoleState state = console.Save();
  auto* bytes = reinterpret_cast<std::uint8_t*>(&state);
  for (int round = 0; round < 6; ++round) {
    // Sometimes all of it, sometimes a few bytes.
    const std::size_t changes = random() % 2 ? sizeof(state) : 1 + random() % 8;
    for (std::size_t i = 0; i < changes; ++i) {
      const std::size_t at = changes == sizeof(state) ? i : random() % sizeof(state);
      bytes[at] = static_cast<std::uint8_t>(random());
    }
    console.Load(state);
    for (int frame = 0; frame < 3; ++frame) console.RunFrame(RandomInputs(random), random() % 2);
    state = console.Save();
  }
  console.Reset();
  console.RunFrame(Inputs{}, true);
}

void SavedStatesGoOnAlike(unsigned seed) {
  Random random(seed);
  const Kind kind = kKinds[seed % std::size(kKinds)];
  const auto cartridge =
      std::make_shared<const Cartridge>(RandomRom(kind.bytes, random), kind.type);
  const ConsoleProperties properties = RandomProperties(random);
  Console first(cartridge, properties);
  Console second(cartridge, properties);
  first.PowerOn();
  for (int frame = 0; frame < 5; ++frame) first.RunFrame(RandomInputs(random), true);
  second.Load(first.Save());
  for (int frame = 0; frame < 5; ++frame) {
    const Inputs inputs = RandomInputs(random);
    first.RunFrame(inputs, true);
    second.RunFrame(inputs, false);
    EXPECT(Same(first.Save(), second.Save()));
  }
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
  for (int frame = 0; frame < 4'000; ++frame) {
    console.RunFrame(Inputs{}, false);
    EXPECT(console.Save().partial == 1 && console.Save().cycle < (1 << 28) + 200'000);
  }
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
  EXPECT(!"refused");
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

}  // namespace

int main() {
  ThreadsShareACartridge();
#ifndef __SANITIZE_THREAD__  // the rest has one thread, and would take minutes
  WrongSizesAreRefused();
  for (unsigned seed = 0; seed < 150; ++seed) RandomBytesAreHarmless(seed);
  for (unsigned seed = 0; seed < 150; ++seed) RandomStatesAreHarmless(seed);
  for (unsigned seed = 0; seed < 60; ++seed) SavedStatesGoOnAlike(seed);
  EndlessFramesStayNumbers();
#endif
}
