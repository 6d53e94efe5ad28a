// SPDX-License-Identifier: Apache-2.0
// Writes down which instructions games execute, for envpool-atari/tests/console/sequences.py.
//
//   trace FOLDER FRAMES GAME... > instructions
//
// Random actions are played, and every 100th frame is written: two bytes for each instruction, its
// handler in the lower 12 bits, and above them whether the next one comes right behind it.
// Compiled with ENVPOOL_ATARI_TRACE.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "console/cpu.h"
#include "games/game.h"
#include "games/table.h"

namespace atari = envpool::atari;

namespace {

constexpr std::uint16_t kGoesOn = 1 << 12;
constexpr int kEvery = 100;

bool tracing = false;
const atari::MicroOp* last = nullptr;
std::vector<std::uint16_t> trace;

int LengthOf(std::uint16_t handler) {
  for (int opcode = 0; opcode < 256; ++opcode) {
    const auto byte = static_cast<std::uint8_t>(opcode);
    for (int access = 0; access <= static_cast<int>(atari::Access::kTimer); ++access) {
      if (atari::HandlerOf(byte, static_cast<atari::Access>(access)) == handler) {
        return atari::Length(atari::kInstructions[byte].mode);
      }
    }
  }
  return 0;
}

}  // namespace

void envpool::atari::Trace(const MicroOp* op, std::int64_t) {
  static const std::vector<int> lengths = [] {
    std::vector<int> all;
    for (std::uint16_t handler = 0; handler < kFirstSequence; ++handler) {
      all.push_back(LengthOf(handler));
    }
    return all;
  }();
  if (!tracing) return;
  if (last != nullptr && op == last + lengths[last->handler]) trace.back() |= kGoesOn;
  trace.push_back(op->handler);
  last = op;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int frames = std::atoi(words[2]);
  for (int i = 3; i < count; ++i) {
    const atari::GameInfo* info = atari::FindGame(words[i]);
    if (info == nullptr) continue;  // a game for several players
    std::ifstream file(std::string(words[1]) + "/" + words[i] + ".bin", std::ios::binary);
    const std::vector<char> rom{std::istreambuf_iterator<char>(file), {}};
    const auto cartridge = std::make_shared<const atari::Cartridge>(
        std::span(reinterpret_cast<const std::uint8_t*>(rom.data()), rom.size()), info->cartridge);
    atari::Game game(cartridge, *info, 1, 0.25);
    std::mt19937 random(1);
    for (int frame = 0; frame < frames; ++frame) {
      if (game.game_over()) game.Reset();
      tracing = frame % kEvery == kEvery - 1;
      game.Act(static_cast<int>(random() % atari::kActionCount), 1, false);
      tracing = false;
      last = nullptr;
    }
  }
  return std::fwrite(trace.data(), sizeof(trace[0]), trace.size(), stdout) != trace.size();
}
