// SPDX-License-Identifier: Apache-2.0
// The TIA: it draws the screen and detects collisions.
//
//   Tia tia(state.tia, first_line, height, hmove_blanks);
//   tia.BeginFrame(pixels);
//   tia.Process(writes);          // in the order in which the program made them
//   tia.Collisions(kCxp0fb);      // collisions until the last of these writes
//
// The CPU only logs its writes. They are processed when a result is needed, a line at a time. Every
// object has a mask of its pixels on the current line,
//
//   pixel    0      from           160
//            |past_|~~~~now_~~~~~~~~|      past_: pixels before the last change
//                                          now_: pixels by the registers
//
// and a line is finished (collisions, pixels) when the next line begins. Lines outside the screen
// have no collisions, as measured above its first and below its last line.
#ifndef ENVPOOL_ATARI_CONSOLE_TIA_H_
#define ENVPOOL_ATARI_CONSOLE_TIA_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "console/mask.h"
#include "console/paint.h"
#include "console/state.h"

namespace envpool::atari {

// Registers that can be written.
enum TiaRegister : std::uint8_t {
  kVsync = 0x00,
  kVblank = 0x01,
  kWsync = 0x02,
  kNusiz0 = 0x04,
  kColup0 = 0x06,
  kCtrlpf = 0x0A,
  kRefp0 = 0x0B,
  kPf0 = 0x0D,
  kResp0 = 0x10,
  kGrp0 = 0x1B,
  kEnam0 = 0x1D,
  kHmp0 = 0x20,
  kVdelp0 = 0x25,
  kResmp0 = 0x28,
  kHmove = 0x2A,
  kHmclr = 0x2B,
  kCxclr = 0x2C,
  kNothing = 0x3F,
};

// Bits of CTRLPF: the halves of the playfield have the players' colors; it hides the players.
inline constexpr std::uint8_t kScore = 2;
inline constexpr std::uint8_t kPriority = 4;
inline constexpr std::uint8_t kScoreAndPriority = kScore | kPriority;

// A write, packed for the log: cycle << 16
// register << 8
// value. No frame with writes lasts longer than 65,535 cycles.
constexpr std::uint32_t PackWrite(std::uint32_t cycle, std::uint32_t reg, std::uint32_t value) {
  return cycle << 16 | reg << 8 | value;
}

// Number of clocks for which a player is still drawn after its RESP.
inline constexpr int kResetAdvance = 11;

// True if HMOVE in a cycle of a line blanks the left edge of the next line to be drawn.
constexpr bool BlanksEdge(int cycle) { return cycle <= 20 || cycle == 75; }

class Tia {
 public:
  Tia(TiaState& state, int first_line, int height, bool hmove_blanks);

  // Power-on and reset. cut: the CPU has stopped in the middle of a frame. Measured: the next frame
  // is then shown from its first line on, and the lines above the screen, which come first, are all
  // drawn by the registers' values when the beam reaches the screen.
  void Reset(bool cut = false);

  // Call it after the state was replaced.
  void Invalidate();

  // pixels: where height lines are drawn, or nullptr to draw nothing.
  void BeginFrame(std::uint8_t* pixels);

  // Continues a frame that was cut.
  void ResumeFrame(std::uint8_t* pixels);

  // If several writes are in one cycle, each of them but the last must be the last of its span.
  void Process(std::span<const std::uint32_t> writes);

  // Finishes the line after the last write of a frame, or of a part of it. accesses: at least those
  // of the last line and a half, with reads as writes to kNothing. over: the frame has ended, not
  // only a part.
  void EndFrame(std::span<const std::uint32_t> accesses, bool over);

  // True if the frame has reached the end of the screen.
  bool AllLinesDone() const { return s_.line_end == std::numeric_limits<std::int32_t>::max(); }

  // The screen's number of drawn pixels, in a frame that has ended early.
  int PixelsDone() const { return (s_.line_end / kClocksPerLine - 1) * kScreenWidth + drawn_; }

  // A read or write brings the frame up to date, which is visible if the frame ends early.
  void NoteAccess(int clock) { last_clock_ = std::max(last_clock_, clock); }

  // Bits 7 and 6 of the collision register `reg` (0-7). Call it after Process.
  std::uint8_t Collisions(int reg);

  // Bit 0 of the colors, 0 or 1: PAL televisions show a frame without color if the frame before had
  // an odd number of lines.
  void SetColorLoss(std::uint8_t bit);

 private:
  // Finishes the pixels before a clock; returns the next pixel of its line.
  int CatchUp(int clock);
  void FindNextStop();
  int ShowFromTop(int target);
  void FinishLines(int target);
  void FinishLine();
  void EndLine();
  void Segment(int end);

  // Call it before an object's pixels change from pixel x on.
  void Touch(Object object, int x);
  void TouchPlayer(std::size_t i, int x);
  void TouchMissile(std::size_t i, int x);
  void Mix(Object object, int x);
  Mask Look(Object object) const;
  void Refresh(Object object);
  bool MayCollide() const;
  void Collide(const Mask* masks, unsigned present);
  void Draw(const Mask* masks, unsigned present, int end);
  int BlankEnd(std::span<const std::uint32_t> accesses) const;
  void FinishBlock();
  Mask Reach(Object object) const;
  unsigned Enabled() const;

  void Write(int clock, std::size_t reg, std::uint8_t value);
  void SetControl(std::uint8_t value, int clock);
  template <std::size_t kIndex>
  void SetGraphics(std::uint8_t value, int clock);
  void ResetPlayer(std::size_t i, int clock);
  void ResetNarrow(Object object, int clock, int x);
  void LockMissile(std::size_t i, bool lock, int x);
  void MoveAll(int clock);
  int BeamPosition(int clock, int hblank, int delay) const;
  int BeamPositionNarrow(Object object, int clock) const;

  TiaState& s_;
  int first_clock_;    // of the screen
  int window_begin_;   // of what is shown
  int window_length_;  // clocks
  bool hmove_blanks_;
  std::uint8_t color_loss_ = 0;
  Painter painter_;

  std::uint8_t* row_ = nullptr;  // of the current line; nullptr: no drawing
  int last_clock_ = 0;           // clock of the last access, which brought all up to date
  int next_stop_ = 0;            // clock of the screen after which the line has to be finished
  int segment_begin_ = 0;        // pixels of the line before it are finished
  bool changed_ = true;          // the line differs from the one before
  bool blanked_ = false;         // the last drawn line has a blanked edge
  std::array<Mask, kObjects> now_{};
  std::array<Mask, kObjects> past_{};
  std::array<int, kObjects> from_{};
  unsigned stale_ = 0;    // objects whose now_ must be computed
  unsigned present_ = 0;  // objects whose now_ is not empty
  unsigned mixed_ = 0;    // objects that have a past_

  // The members below are used at the end of a frame only; they lie behind the hot members.
  int drawn_ = 0;             // drawn pixels of the frame's last line
  int resumed_clock_ = -1;    // last_clock_ when a cut frame was continued
  int vblank_clock_ = -1;     // clock of the last change of VBLANK
  int edge_line_ = 0;         // s_.line_end of the last line that was drawn with a blanked edge
  bool edge_before_ = false;  // blank_edge before the first HMOVE of the line
  int restart_clock_ = -1;    // until here the first RESP of a restart draws its line
};

inline int Tia::CatchUp(int clock) {
  const int target = clock - window_begin_;
  if (target > next_stop_) FinishLines(target);
  if (target > s_.done) s_.done = target;
  return std::max(0, s_.done - (s_.line_end - kClocksPerLine) - kHblankClocks);
}

inline void Tia::Touch(Object object, int x) {
  changed_ = true;
  if (x > 0) Mix(object, x);
  stale_ |= 1u << object;
}

inline void Tia::TouchPlayer(std::size_t i, int x) { Touch(static_cast<Object>(kPlayer0 + i), x); }
inline void Tia::TouchMissile(std::size_t i, int x) {
  Touch(static_cast<Object>(kMissile0 + i), x);
}

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_TIA_H_
