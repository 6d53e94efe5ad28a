// SPDX-License-Identifier: Apache-2.0
// The positions of the TIA's objects: strobes put an object at the beam, and HMOVE moves all
// objects.
#include <algorithm>

#include "console/tia.h"

namespace envpool::atari {
namespace {

// Pixels to the right by which HMOVE in a cycle of the line moves an object whose motion register
// is `nibble`. A later HMOVE has fewer of its clocks in the horizontal blank.
constexpr int Motion(int cycle, int nibble) {
  const int left = nibble < 8 ? nibble : nibble - 16;
  const int clocks = (3 * cycle + 1) / 4;
  if (cycle <= 20) return std::max(-left, clocks - 9);
  if (cycle <= 74) return std::min(0, -left - clocks + 47);
  return -left;
}

// RESM and RESBL while an HMOVE's extra clocks still run: they shift the counter that the strobe
// resets. Measured for an HMOVE in every cycle of a line and a strobe 3-59 cycles later.
struct ResetException {
  Object object;
  int clocks_since_hmove;
  int line_clock;
  int position;
};
constexpr std::array<ResetException, 7> kResetExceptions = {{
    {kMissile0, 60, 69, 8},
    {kMissile1, 9, 18, 3},
    {kBall, 9, 18, 3},
    {kBall, 18, 27, 5},
    {kBall, 21, 30, 6},
    {kBall, 54, 60, 10},
    {kBall, 54, 69, 10},
}};

// The effect of RESP at one position on a player that was at another position.
enum class Restart { kLate, kAdvance, kAtOnce };
Restart RestartOf(int nusiz, int old_position, int new_position) {
  const int size = (nusiz & 7) == 5 ? 16 : (nusiz & 7) == 7 ? 32 : 8;
  const detail::Copies copies = detail::kCopies[static_cast<std::size_t>(nusiz & 7)];
  for (const int offset : {0, 16, 32, 64}) {
    const bool shown = offset < 64 ? copies.low >> offset & 1 : copies.high & 1;
    if (!shown) continue;
    const int distance = (new_position - old_position - offset + 320) % 160;
    if (distance < 4) return Restart::kAtOnce;
    if (distance < 4 + size) return Restart::kAdvance;
  }
  return Restart::kLate;
}

constexpr std::uint8_t Wrap(int position) {
  return static_cast<std::uint8_t>((position + 160) % 160);
}

}  // namespace

int Tia::BeamPosition(int clock, int hblank, int delay) const {
  const int x = clock % kClocksPerLine - kHblankClocks;
  return x < 0 ? hblank : (x + delay) % kScreenWidth;
}

int Tia::BeamPositionNarrow(Object object, int clock) const {
  const int line_clock = clock % kClocksPerLine;
  for (const ResetException& e : kResetExceptions) {
    if (e.object == object && e.line_clock == line_clock &&
        e.clocks_since_hmove == Since(s_.hmove_clock, clock)) {
      return e.position;
    }
  }
  return BeamPosition(clock, 2, 4);
}

void Tia::ResetPlayer(std::size_t i, int clock) {
  const int position = BeamPosition(clock, 3, 5);
  const Restart restart = RestartOf(s_.nusiz[i], s_.position[i], position);
  const bool advances = restart == Restart::kAdvance;
  const int x = CatchUp(advances ? clock + kResetAdvance : clock);
  if (advances && !AllLinesDone()) {
    const int begin = s_.line_end - kClocksPerLine;
    const bool first = restart_clock_ <= window_begin_ + begin;
    if (first && s_.done > begin) restart_clock_ = clock + kResetAdvance;
  }
  const std::uint8_t late = restart != Restart::kAtOnce;
  if (position == s_.position[i] && late == s_.late[i]) return;
  TouchPlayer(i, x);
  s_.position[i] = static_cast<std::uint8_t>(position);
  s_.late[i] = late;
}

void Tia::ResetNarrow(Object object, int clock, int x) {
  const auto position = static_cast<std::uint8_t>(BeamPositionNarrow(object, clock));
  if (position == s_.position[object]) return;
  Touch(object, x);
  s_.position[object] = position;
}

void Tia::LockMissile(std::size_t i, bool lock, int x) {
  TouchMissile(i, x);
  s_.lock_missile[i] = lock;
  if (lock) return;
  // A released missile starts from the middle of its player.
  const int size = s_.nusiz[i] & 7;
  const int middle = size == 5 ? 8 : size == 7 ? 16 : 4;
  s_.position[kMissile0 + i] = Wrap(s_.position[i] + middle);
}

void Tia::MoveAll(int clock) {
  const int x = CatchUp(clock);
  if (!AllLinesDone() && s_.hmove_clock < window_begin_ + s_.line_end - kClocksPerLine) {
    edge_before_ = s_.blank_edge != 0;
  }
  s_.hmove_clock = clock;
  const int cycle = clock / kClocksPerCycle % kCyclesPerLine;
  if (hmove_blanks_ && BlanksEdge(cycle)) {
    if (x > segment_begin_) Segment(x);  // the edge of this line is behind the beam
    s_.blank_edge = 1;
  }
  s_.stars = 0;
  for (std::size_t object = 0; object < kMovable; ++object) {
    const int motion = Motion(cycle, s_.motion[object]);
    const bool was_late = object < 2 && s_.late[object];
    if (motion == 0 && !was_late) continue;
    Touch(static_cast<Object>(object), x);
    s_.position[object] = Wrap(s_.position[object] + motion);
    if (object < 2) s_.late[object] = 0;
  }
}

}  // namespace envpool::atari
