// SPDX-License-Identifier: Apache-2.0
// The part of the machine's state that decides its future, as plain data: one memcpy copies it.
//
//   ConsoleState  +--------------------------------------------------------------+
//                 | CpuState        6507: registers                              |
//                 | RiotState       128 bytes of RAM, timer, port direction      |
//                 | TiaState        registers, positions, collisions, beam       |
//                 | CartridgeState  banks, extra RAM, DPC chip                   |
//                 | cycle, draws, bus, format                                    |
//                 +--------------------------------------------------------------+
//
// The struct is saved as it is, so it has no padding: padding need not be copied, and equal states
// would be saved as different bytes. Unneeded bytes are named `unused` and are 0.
//
// Times are in CPU cycles (1.19 MHz) or color clocks (3 per cycle, 228 per line) since the
// beginning of the line in which the frame began. At a new frame all times are moved back.
#ifndef ENVPOOL_ATARI_CONSOLE_STATE_H_
#define ENVPOOL_ATARI_CONSOLE_STATE_H_

#include <array>
#include <cstdint>
#include <type_traits>

namespace envpool::atari {

// The difference of two times: they wrap around if nothing resets them for long.
constexpr std::int32_t Since(std::int32_t then, std::int32_t now) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(now) -
                                   static_cast<std::uint32_t>(then));
}

inline constexpr int kCyclesPerLine = 76;
inline constexpr int kClocksPerCycle = 3;
inline constexpr int kClocksPerLine = 228;
inline constexpr int kHblankClocks = 68;      // before the first pixel of a line
inline constexpr int kScreenWidth = 160;      // pixels of a line
inline constexpr int kMaxScreenHeight = 256;  // lines
inline constexpr int kRamSize = 128;          // bytes

enum class Format : std::uint8_t { kNtsc, kPal, kSecam };

struct CpuState {
  std::uint16_t pc;
  std::uint8_t a, x, y, sp;
  std::uint8_t status;  // NV1BDIZC
  std::uint8_t jammed;  // an opcode that stops the CPU was met
};

struct RiotState {
  std::array<std::uint8_t, kRamSize> ram;
  std::int32_t timer_set;      // cycle of the last write to the timer
  std::int32_t timer_restart;  // cycle of the first read after the timer ran out
  std::uint8_t timer;          // the last written value
  std::uint8_t timer_shift;    // log2 of the cycles per count: 0, 3, 6 or 10
  std::uint8_t timer_read;     // 1 once the timer was read after it ran out
  std::uint8_t direction_a;    // of port A; 1 is output
};

// Index of an object that the TIA draws; the first five have a position.
enum Object : std::uint8_t { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall, kPlayfield };
inline constexpr int kMovable = 5;
inline constexpr int kObjects = 6;

// Index of a color register.
enum Color : std::uint8_t { kColor0, kColor1, kColorPlayfield, kColorBackground };

// The lines of a frame that are shown.
enum class View : std::uint8_t {
  kScreen,
  kFromTop,      // from the first line of the frame on
  kFromTopSoon,  // becomes kFromTop when the beam reaches the screen
};

struct TiaState {
  std::int32_t vsync_until;   // clock from which VSYNC off ends the frame; INT32_MAX: it was not on
  std::int32_t hmove_clock;   // of the last HMOVE
  std::int32_t charge_cycle;  // since when the capacitors of the paddles are charged
  std::int32_t done;          // finished clocks since the screen's first line
  std::int32_t line_end;      // clock, since the screen's first line, at which the line ends
  std::uint16_t collisions;   // one bit for each pair of objects, in the order of kPairs
  std::uint8_t vblank, ctrlpf;
  std::uint8_t discharging;  // VBLANK bit 7: the capacitors are emptied
  std::array<std::uint8_t, 4> colors;
  std::array<std::uint8_t, 2> nusiz, reflect_player, graphics, delayed_graphics, delay_player;
  std::array<std::uint8_t, 2> enable_missile, lock_missile;
  std::array<std::uint8_t, 3> playfield;
  std::uint8_t enable_ball, delayed_enable_ball, delay_ball;
  std::array<std::uint8_t, kMovable> motion;    // high nibble of HMxx
  std::array<std::uint8_t, kMovable> position;  // pixel, 0-159
  std::array<std::uint8_t, 2> late;             // the player's first copy is not drawn yet
  std::uint8_t reflect_playfield;               // the value in effect, not the value written
  std::uint8_t blank_edge;                      // HMOVE blanks the next 8 leftmost pixels
  std::uint8_t stars;                           // the Cosmic Ark effect: 0 off, else 1 + line & 3
  std::uint16_t last_lines;                     // lines of the last frame
  View view;
  std::uint8_t unused;
};

struct DpcState {
  std::array<std::uint16_t, 8> counter;
  std::array<std::uint8_t, 8> top, bottom, flag;
  std::array<std::uint8_t, 3> music;  // of fetchers 5-7
  std::uint8_t random;
  std::int32_t music_cycle;
  double music_fraction;  // fraction of a music clock
};

struct CartridgeState {
  DpcState dpc;
  std::array<std::uint8_t, 128> ram;  // of the SC types
  std::array<std::uint8_t, 4> slice;  // E0: bank in each kilobyte; else [0] is the bank
  std::array<std::uint8_t, 4> unused;
};

struct ConsoleState {
  CpuState cpu;
  RiotState riot;
  TiaState tia;
  CartridgeState cartridge;
  std::int32_t cycle;    // now
  std::uint32_t draws;   // of the machine's random numbers
  std::uint8_t begin;    // cycle at which the frame began, 0-75
  std::uint8_t bus;      // the last byte on the data bus; 0 where the program is in the cartridge
  std::uint8_t partial;  // the last frame was cut: the next call goes on with it
  Format format;
  std::array<std::uint8_t, 4> unused;
};

static_assert(std::has_unique_object_representations_v<CpuState> &&
              std::has_unique_object_representations_v<RiotState> &&
              std::has_unique_object_representations_v<TiaState>);
// The same of those with a floating-point number, by their members' sizes.
static_assert(sizeof(DpcState) == 8 * 2 + 3 * 8 + 3 + 1 + 4 + 8);
static_assert(sizeof(CartridgeState) == sizeof(DpcState) + 128 + 4 + 4);
static_assert(sizeof(ConsoleState) == sizeof(CpuState) + sizeof(RiotState) + sizeof(TiaState) +
                                          sizeof(CartridgeState) + 4 + 4 + 3 + 1 + 4);
static_assert(std::is_trivially_copyable_v<ConsoleState>);
static_assert(sizeof(ConsoleState) <= 640, "a saved environment has to stay below 2 kB");

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_STATE_H_
