// SPDX-License-Identifier: Apache-2.0
// How long consoles that play the same game stay on one path: whether several could run in lock
// step, each instruction once for all of them.
//
//   atari_lock_step FOLDER CONSOLES FRAMES GAME...
//
// Every console has its own random actions, each held for four frames. All begin each frame
// together. Compiled with ENVPOOL_ATARI_TRACE; docs/atari.md has the command and what came out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "console/cpu.h"
#include "games/game.h"
#include "games/table.h"

namespace {

constexpr int kWarmUp = 500;  // frames, of which each console plays a different number more
constexpr int kHeld = 4;

using Place = std::pair<std::int32_t, const atari::MicroOp*>;  // cycle, instruction
std::vector<Place> path;
bool tracing = false;

struct Totals {
  double instructions = 0;   // of all consoles
  double until_parted = 0;   // instructions of one console until not all do the same
  double all = 0, half = 0;  // in which all, or at least half of them, are at this place and cycle
  double at_places = 0;      // different places and cycles
  double steps = 0;          // the fewest in which each instruction runs for any set of consoles
  double frames = 0;
};

void Count(const std::vector<std::vector<Place>>& paths, Totals& totals) {
  const std::size_t consoles = paths.size();
  std::size_t together = 0;
  const auto same = [&](std::size_t i) {
    return std::ranges::all_of(
        paths, [&](const auto& p) { return i < p.size() && p[i].second == paths[0][i].second; });
  };
  while (same(together)) ++together;
  std::map<Place, std::size_t> at;
  std::map<const atari::MicroOp*, std::vector<std::size_t>> executed;
  for (std::size_t c = 0; c < consoles; ++c) {
    totals.instructions += static_cast<double>(paths[c].size());
    for (const Place& place : paths[c]) {
      ++at[place];
      std::vector<std::size_t>& counts = executed[place.second];
      counts.resize(consoles);
      ++counts[c];
    }
  }
  for (const auto& [place, count] : at) {
    const auto number = static_cast<double>(count);
    if (count == consoles) totals.all += number;
    if (2 * count >= consoles) totals.half += number;
  }
  for (const auto& [op, counts] : executed) {
    totals.steps += static_cast<double>(*std::ranges::max_element(counts));
  }
  totals.until_parted += static_cast<double>(together);
  totals.at_places += static_cast<double>(at.size());
  ++totals.frames;
}

Totals Play(const atari::GameInfo& info, std::shared_ptr<const atari::Cartridge> cartridge,
            std::size_t consoles, int frames) {
  std::vector<std::unique_ptr<atari::Game>> games;
  std::vector<std::mt19937> random;
  std::vector<int> actions(consoles);
  for (std::size_t c = 0; c < consoles; ++c) {
    const auto seed = static_cast<std::uint32_t>(c);
    games.push_back(std::make_unique<atari::Game>(cartridge, info, seed, 0));
    random.emplace_back(seed);
  }
  const auto act = [&](std::size_t c, int frame) {
    atari::Game& game = *games[c];
    if (game.game_over()) game.Reset();
    if (frame % kHeld == 0) actions[c] = static_cast<int>(random[c]() % atari::kActionCount);
    tracing = frame >= 0;
    game.Act(actions[c], 1, false);
    tracing = false;
  };
  for (std::size_t c = 0; c < consoles; ++c) {
    for (int frame = -kWarmUp - 4 * static_cast<int>(c); frame < 0; ++frame) act(c, frame);
  }
  Totals totals;
  for (int frame = 0; frame < frames; ++frame) {
    std::vector<std::vector<Place>> paths(consoles);
    for (std::size_t c = 0; c < consoles; ++c) {
      act(c, frame);
      paths[c] = std::exchange(path, {});
    }
    Count(paths, totals);
  }
  return totals;
}

}  // namespace

void atari::Trace(const MicroOp* op, std::int64_t time) {
  if (tracing) path.emplace_back(static_cast<std::int32_t>(time >> kCountBits), op);
}

int main(int count, char** words) {
  if (count < 4) return 2;
  const int consoles = std::atoi(words[2]);
  const int frames = std::atoi(words[3]);
  std::printf(
      "game, instructions of a frame, of them until the consoles part, share in which all\n"
      "are at the same place and cycle, at least half are, instructions per step if only\n"
      "the same place and cycle goes together, if the same place in any order does\n");
  for (int i = 4; i < count; ++i) {
    const atari::GameInfo* info = atari::FindGame(words[i]);
    if (info == nullptr) return 2;
    std::ifstream file(std::string(words[1]) + "/" + words[i] + ".bin", std::ios::binary);
    const std::vector<char> rom{std::istreambuf_iterator<char>(file), {}};
    const auto cartridge = std::make_shared<const atari::Cartridge>(
        std::span(reinterpret_cast<const std::uint8_t*>(rom.data()), rom.size()), info->cartridge);
    const Totals t = Play(*info, cartridge, static_cast<std::size_t>(consoles), frames);
    std::printf("%-18s %6.0f %6.0f %5.2f %5.2f %5.2f %5.2f\n", words[i],
                t.instructions / t.frames / consoles, t.until_parted / t.frames,
                t.all / t.instructions, t.half / t.instructions, t.instructions / t.at_places,
                t.instructions / t.steps);
  }
}
