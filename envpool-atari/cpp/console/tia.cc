// SPDX-License-Identifier: Apache-2.0
// The registers of the TIA.
#include "console/tia.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "console/inline.h"

namespace envpool::atari {
namespace {

// The number of color clocks after which a written value takes effect.
constexpr std::array<std::uint8_t, 64> MakeDelays() {
  std::array<std::uint8_t, 64> delays{};
  delays[kVblank] = 1;
  delays[kNusiz0] = delays[kNusiz0 + 1] = 8;
  delays[kRefp0] = delays[kRefp0 + 1] = 1;
  delays[kResp0 + 2] = delays[kResp0 + 3] = 8;
  delays[kGrp0] = delays[kGrp0 + 1] = 1;
  return delays;
}
constexpr std::array<std::uint8_t, 64> kDelays = MakeDelays();
// The playfield is read every four clocks. Index: the CPU cycle of the line, modulo 4.
constexpr std::array<std::uint8_t, 4> kPlayfieldDelays = {4, 5, 2, 3};

constexpr int DelayOf(std::size_t reg, int clock) {
  if (reg >= kPf0 && reg < kPf0 + 3) return kPlayfieldDelays[clock / kClocksPerCycle & 3];
  return kDelays[reg];
}

constexpr int kReflectDeadline =
    147;                         // clock of a line until which CTRLPF can mirror its right half
constexpr int kStarClocks = 63;  // between HMOVE and HMM0 that start the Cosmic Ark effect

}  // namespace

Tia::Tia(TiaState& state, int first_line, int height, bool hmove_blanks)
    : s_(state),
      first_clock_(first_line * kClocksPerLine),
      window_length_(height * kClocksPerLine),
      hmove_blanks_(hmove_blanks),
      painter_(BestPainter()) {
  Reset();
}

void Tia::Reset(bool cut) {
  s_ = TiaState{};
  s_.vsync_until = std::numeric_limits<std::int32_t>::max();
  s_.line_end = kClocksPerLine;
  if (cut) s_.view = View::kFromTopSoon;
  Invalidate();
}

void Tia::Invalidate() {
  window_begin_ = s_.view == View::kFromTop ? 0 : first_clock_;
  stale_ = (1 << kObjects) - 1;
  changed_ = true;
  mixed_ = 0;
  FindNextStop();
  if (s_.view == View::kFromTopSoon) next_stop_ = 0;
  // A saved state is between two frames: a line that it is within is finished up to that place.
  segment_begin_ = CatchUp(window_begin_);
  last_clock_ = window_begin_ + s_.done;
}

void Tia::BeginFrame(std::uint8_t* pixels) {
  s_.done = 0;
  s_.line_end = kClocksPerLine;
  row_ = pixels;
  last_clock_ = 0;
  resumed_clock_ = -1;
  vblank_clock_ = -1;
  edge_line_ = 0;
  restart_clock_ = -1;
  segment_begin_ = 0;
  mixed_ = 0;
  changed_ = true;
  FindNextStop();
  if (s_.view == View::kFromTopSoon) next_stop_ = 0;
}

void Tia::ResumeFrame(std::uint8_t* pixels) {
  const int line = std::min(s_.line_end, window_length_) / kClocksPerLine - 1;
  row_ = pixels ? pixels + line * kScreenWidth : nullptr;
  resumed_clock_ = last_clock_;
  changed_ = true;
}

void Tia::EndFrame(std::span<const std::uint32_t> accesses, bool over) {
  if (last_clock_ == resumed_clock_) return;  // pixels before the cut are not drawn again
  const int x = CatchUp(last_clock_);
  if (x > segment_begin_) Segment(x);
  // If a push switches VBLANK and the next push ends the frame, the first takes effect a block
  // later.
  const std::uint8_t late = vblank_clock_ == last_clock_ ? 2 : 0;
  s_.vblank ^= late;
  FinishBlock();
  s_.vblank ^= late;
  if (const int end = BlankEnd(accesses); end > segment_begin_) {
    if (row_) std::memset(row_ + segment_begin_, 0, static_cast<std::size_t>(end - segment_begin_));
    segment_begin_ = end;
  }
  drawn_ = segment_begin_;
  if (over) {
    s_.view = View::kScreen;
    window_begin_ = first_clock_;
  } else {
    segment_begin_ = x;
  }
}

// The first pixel of a frame's last line that is not blank: HMOVE has blanked the pixels before it,
// and they stay blank. Measured: if the first read or write after HMOVE comes before the line is
// visible, that pixel plus the line's clock at this access is 76.
int Tia::BlankEnd(std::span<const std::uint32_t> accesses) const {
  constexpr int kEdge = 8;
  const int begin = s_.line_end - kClocksPerLine;
  if (AllLinesDone() || s_.done <= begin) return 0;
  int end = s_.blank_edge ? std::max(kEdge, kHblankClocks + kEdge - (s_.done - begin)) : 0;
  const bool edge = s_.blank_edge || edge_line_ == s_.line_end;
  bool pending = s_.hmove_clock < window_begin_ + begin ? edge : edge_before_;
  int first = -1;  // clock of the line's first access since HMOVE
  for (const std::uint32_t access : accesses) {
    const std::size_t reg = access >> 8 & 0x3F;
    const int cycle = static_cast<int>(access >> 16);
    const int clock = cycle * kClocksPerCycle;
    int gone = clock + DelayOf(reg, clock) - window_begin_ - begin;
    // RESP restarts a player and also draws it until then, which reaches into the next line.
    const bool is_resp = reg == kResp0 || reg == kResp0 + 1;
    const bool restarts = is_resp && clock + kResetAdvance == restart_clock_ &&
                          restart_clock_ > window_begin_ + begin;
    if (gone <= 0 && restarts) gone += kResetAdvance;
    if (pending && gone > 0 && (first < 0 || clock == first)) {
      end = std::max(end, kHblankClocks + kEdge - std::min(gone, kHblankClocks));
      first = clock;
    }
    if (reg == kHmove && hmove_blanks_ && BlanksEdge(cycle % kCyclesPerLine)) {
      first = -1;
      // Above the screen no line is drawn that could have the edge.
      pending = begin == 0 || clock + kClocksPerLine / 2 > window_begin_ + begin;
    }
  }
  return end;
}

std::uint8_t Tia::Collisions(int reg) {
  const int x = CatchUp(last_clock_);
  if (x > segment_begin_) Segment(x);
  return static_cast<std::uint8_t>((s_.collisions >> (2 * reg) & 3) << 6);
}

void Tia::FindNextStop() {
  next_stop_ = s_.line_end == window_length_ ? window_length_ - 1 : s_.line_end;
}

// The beam reaches the screen in a frame that is shown from its first line on: draws all lines
// until there.
[[gnu::cold, gnu::noinline]] int Tia::ShowFromTop(int target) {
  s_.view = View::kFromTop;
  window_begin_ = 0;
  s_.done = target + first_clock_;
  FindNextStop();
  return s_.done;
}

void Tia::FinishLines(int target) {
  if (next_stop_ == 0) [[unlikely]]
    target = ShowFromTop(target);
  while (target > next_stop_) {
    FinishLine();
    if (s_.line_end == window_length_) {
      // The rest of the frame is below the screen: this line never ends.
      s_.line_end = next_stop_ = std::numeric_limits<std::int32_t>::max();
      return;
    }
    EndLine();
    FindNextStop();
  }
}

// A write also copies the other player's graphics, and a write to player 1's graphics the ball's,
// to the registers that are shown while they are delayed.
template <std::size_t kIndex>
ATARI_INLINE void Tia::SetGraphics(std::uint8_t value, int clock) {
  constexpr std::size_t kOther = 1 - kIndex;
  const bool changes = value != s_.graphics[kIndex];
  const bool hands_on = s_.delayed_graphics[kOther] != s_.graphics[kOther];
  const bool hands_ball_on = kIndex == 1 && s_.delayed_enable_ball != s_.enable_ball;
  if (!changes && !hands_on && !hands_ball_on) return;
  const int x = CatchUp(clock + kDelays[kGrp0]);
  if (changes) {
    if (!s_.delay_player[kIndex]) TouchPlayer(kIndex, x);
    s_.graphics[kIndex] = value;
  }
  if (hands_on) {
    if (s_.delay_player[kOther]) TouchPlayer(kOther, x);
    s_.delayed_graphics[kOther] = s_.graphics[kOther];
  }
  if (hands_ball_on) {
    if (s_.delay_ball) Touch(kBall, x);
    s_.delayed_enable_ball = s_.enable_ball;
  }
}

// Every case first tests whether the write changes anything: most writes do not, and cost next to
// nothing. In line, with the graphics: a call per write makes a frame an eighth slower.
ATARI_INLINE void Tia::Write(int clock, std::size_t reg, std::uint8_t value) {
  const auto catch_up = [&] { return CatchUp(clock + DelayOf(reg, clock)); };
  switch (reg) {
    case kVblank:
      if ((s_.vblank ^ value) & 2) {
        const int x = catch_up();
        if (x > segment_begin_) Segment(x);
        changed_ = true;
        vblank_clock_ = clock + kDelays[kVblank];
      }
      s_.vblank = value;
      break;
    case kNusiz0:
    case kNusiz0 + 1: {
      const std::size_t i = reg - kNusiz0;
      const int changes = s_.nusiz[i] ^ value;
      const int x = catch_up();  // may end the delay of a player
      if (changes & 0x37 || s_.late[i]) {
        TouchPlayer(i, x);
        TouchMissile(i, x);
      }
      s_.nusiz[i] = value;
      s_.late[i] = 0;
      break;
    }
    case kColup0:
    case kColup0 + 1:
    case kColup0 + 2:
    case kColup0 + 3: {
      std::uint8_t& color = s_.colors[reg - kColup0];
      value = static_cast<std::uint8_t>((value & 0xFE) | color_loss_);
      if (value == color) break;
      if (row_) {
        const int x = catch_up();
        if (x > segment_begin_) Segment(x);
        changed_ = true;
      }
      color = value;
      break;
    }
    case kCtrlpf:
      if (value != s_.ctrlpf || (value & 1) != s_.reflect_playfield) SetControl(value, clock);
      break;
    case kRefp0:
    case kRefp0 + 1: {
      const std::size_t i = reg - kRefp0;
      if ((value & 8) == s_.reflect_player[i]) break;
      TouchPlayer(i, catch_up());
      s_.reflect_player[i] = value & 8;
      break;
    }
    case kPf0:
    case kPf0 + 1:
    case kPf0 + 2: {
      std::uint8_t& part = s_.playfield[reg - kPf0];
      if (reg == kPf0) value &= 0xF0;
      if (value == part) break;
      Touch(kPlayfield, catch_up());
      part = value;
      break;
    }
    case kResp0:
    case kResp0 + 1:
      ResetPlayer(reg - kResp0, clock);
      break;
    case kResp0 + 2:
    case kResp0 + 3:
    case kResp0 + 4:
      ResetNarrow(static_cast<Object>(reg - kResp0), clock, catch_up());
      break;
    case kGrp0:
      SetGraphics<0>(value, clock);
      break;
    case kGrp0 + 1:
      SetGraphics<1>(value, clock);
      break;
    case kEnam0:
    case kEnam0 + 1: {
      const std::size_t i = reg - kEnam0;
      if ((value & 2) == s_.enable_missile[i]) break;
      TouchMissile(i, catch_up());
      s_.enable_missile[i] = value & 2;
      break;
    }
    case kEnam0 + 2:
      if ((value & 2) == s_.enable_ball) break;
      if (!s_.delay_ball) Touch(kBall, catch_up());
      s_.enable_ball = value & 2;
      break;
    case kHmp0:
    case kHmp0 + 1:
    case kHmp0 + 2:
    case kHmp0 + 3:
    case kHmp0 + 4: {
      std::uint8_t& motion = s_.motion[reg - kHmp0];
      value >>= 4;
      if (reg == kHmp0 + 2 && motion == 7 && value == 6 &&
          Since(s_.hmove_clock, clock) == kStarClocks) {
        catch_up();
        s_.stars = 1;
      }
      motion = value;
      break;
    }
    case kVdelp0:
    case kVdelp0 + 1: {
      const std::size_t i = reg - kVdelp0;
      if ((value & 1) == s_.delay_player[i]) break;
      TouchPlayer(i, catch_up());
      s_.delay_player[i] = value & 1;
      break;
    }
    case kVdelp0 + 2:
      if ((value & 1) == s_.delay_ball) break;
      Touch(kBall, catch_up());
      s_.delay_ball = value & 1;
      break;
    case kResmp0:
    case kResmp0 + 1: {
      const bool lock = value & 2;
      if (lock != (s_.lock_missile[reg - kResmp0] != 0)) {
        LockMissile(reg - kResmp0, lock, catch_up());
      }
      break;
    }
    case kHmove:
      MoveAll(clock);
      break;
    case kHmclr:
      s_.motion.fill(0);
      break;
    case kCxclr: {
      const int x = catch_up();
      if (x > segment_begin_) Segment(x);
      s_.collisions = 0;
      changed_ = true;
      break;
    }
    default:
      break;
  }
}

void Tia::Process(std::span<const std::uint32_t> writes) {
  if (writes.empty()) return;
  for (const std::uint32_t write : writes) {
    const int clock = static_cast<int>(write >> 16) * kClocksPerCycle;
    Write(clock, write >> 8 & 0x3F, static_cast<std::uint8_t>(write));
  }
  const int clock = static_cast<int>(writes.back() >> 16) * kClocksPerCycle;
  NoteAccess(clock + DelayOf(writes.back() >> 8 & 0x3F, clock));
  CatchUp(last_clock_);
}

void Tia::SetColorLoss(std::uint8_t bit) {
  color_loss_ = bit;
  for (std::uint8_t& color : s_.colors) color = static_cast<std::uint8_t>((color & 0xFE) | bit);
}

void Tia::SetControl(std::uint8_t value, int clock) {
  const int x = CatchUp(clock);
  const int changes = value ^ s_.ctrlpf;
  const bool at_once = clock % kClocksPerLine < kReflectDeadline;
  const std::uint8_t reflect = at_once ? value & 1 : s_.reflect_playfield;
  if (changes & kScoreAndPriority) {
    if (x > segment_begin_) Segment(x);
    changed_ = true;
  }
  if (reflect != s_.reflect_playfield) Touch(kPlayfield, x);
  if (changes & 0x30) Touch(kBall, x);
  s_.reflect_playfield = reflect;
  s_.ctrlpf = value;
}

}  // namespace envpool::atari
