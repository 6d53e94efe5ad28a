// SPDX-License-Identifier: Apache-2.0
// The Atari 2600, without anything that makes a cartridge a game: 6507, RIOT, TIA and nine kinds of
// cartridge, equal to ALE 0.12.1 in RAM and in every pixel.
//
//   auto cartridge = std::make_shared<const Cartridge>(rom_bytes, CartridgeType::k4K);
//   Console console(cartridge, ConsoleProperties{.height = 210});
//   console.PowerOn();
//   console.Reset();
//   Inputs inputs;
//   inputs.joystick[0] = kJoystickUp;
//   console.RunFrame(inputs, /*draw=*/true);
//   console.ram()[0x0D], console.screen()[y * kScreenWidth + x];
//
// One Console is used by one thread at a time; any number of them share one Cartridge. A console
// has no pixels of its own: they are in two screens of the thread, which the next console draws
// over, and a frame that is asked for later is played again.
#ifndef ENVPOOL_ATARI_CONSOLE_CONSOLE_H_
#define ENVPOOL_ATARI_CONSOLE_CONSOLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "console/cartridge.h"
#include "console/riot.h"
#include "console/state.h"

namespace envpool::atari {

// What is plugged into a port.
enum class Controller : std::uint8_t { kNone, kJoystick, kPaddles };

// What ALE knows about a ROM beside its bytes.
struct ConsoleProperties {
  // If detect_format, PowerOn plays 60 frames to find the format, as ALE does, and ignores
  // `format`.
  Format format = Format::kNtsc;
  bool detect_format = true;
  int first_line = 34;  // line of the frame that is the first of the screen ("YStart")
  int height = 210;     // lines of the screen
  bool hmove_blanks = true;
  bool swap_ports = false;    // player A is in the right port
  bool swap_paddles = false;  // player A has the second paddle of the port
  Controller left = Controller::kJoystick;
  Controller right = Controller::kJoystick;
};

// Bits of Inputs::joystick.
inline constexpr std::uint8_t kJoystickUp = 1;
inline constexpr std::uint8_t kJoystickDown = 2;
inline constexpr std::uint8_t kJoystickLeft = 4;
inline constexpr std::uint8_t kJoystickRight = 8;

// What the players hold down during one frame; index 0 is player A.
struct Inputs {
  bool select = false;
  bool reset = false;
  bool left_difficulty_a = false;  // the switches' other position is B
  bool right_difficulty_a = false;
  std::array<std::uint8_t, 2> joystick = {0, 0};
  std::array<bool, 2> fire = {false, false};                // of the joystick or of the paddle
  std::array<std::int32_t, 2> paddle = {408'823, 408'823};  // ohms; ALE's middle position
};

class Machine;

class Console {
 public:
  // A console that is off: PowerOn comes first. Raises std::invalid_argument if the screen's lines
  // are not in the range that a frame has.
  Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleProperties& properties);
  ~Console();
  Console(Console&&) noexcept;
  Console& operator=(Console&&) noexcept;

  // What loading a ROM does in ALE: RAM and timer from the machine's own std::mt19937(4753849), and
  // the frames that find the format. It always gives the same state.
  void PowerOn();

  // ALE's reset of the machine: the CPU starts again and the timer is drawn anew, while RAM
  // stays as it is.
  void Reset();

  // Plays one frame. `draw` says that screen() will be asked for, which is then faster; all else is
  // the same.
  void RunFrame(const Inputs& inputs, bool draw);

  // Measured: ALE reads RAM after every frame, and the byte that it reads last stays on the bus. It
  // shows where the program goes on in the TIA. After an action that is the last of RAM; in the
  // frames of a reset, what the rules of the game look at last.
  void ReadRam(std::size_t last = kRamSize - 1);

  // RAM as the CPU sees it at 0x80-0xFF.
  std::span<const std::uint8_t, kRamSize> ram() const;
  std::span<std::uint8_t, kRamSize> ram();

  // The last frame: height() lines of kScreenWidth palette indices, valid until this thread plays
  // a frame or asks another console.
  const std::uint8_t* screen() const;
  // What screen() was before the last frame, as long as both are frames since PowerOn and Load.
  const std::uint8_t* screen_before() const;
  int height() const { return height_; }
  Format format() const;

  // Everything that decides the future but the pixels. Load accepts any bytes: what no machine can
  // be in is brought into range, so that a damaged state cannot do harm. The screen is black then.
  const ConsoleState& Save() const;
  void Load(const ConsoleState& state);

  // Goes to where another console is, which has the same cartridge and properties.
  void Load(const Console& other);

  // Writes the state and what it takes to draw the last frames to an envpool::StateWriter, and
  // reads it from a StateReader. Each kMomentSize bytes are much like those before.
  template <typename Writer>
  void SaveState(Writer& out) const {
    const Frame& older = last_two_[1 - front_];
    const Frame& newer = last_two_[front_];
    out.Write(older.moment, newer.moment, Save(), older.rest, newer.rest);
  }
  template <typename Reader>
  void LoadState(Reader& in) {
    ConsoleState state;
    std::array<Frame, 2> frames;
    in.Read(frames[0].moment, frames[1].moment, state, frames[0].rest, frames[1].rest);
    Load(state);
    SetFrames(std::move(frames));
  }
  static constexpr std::size_t kMomentSize = sizeof(ConsoleState) + sizeof(Ports) + 4;

 private:
  // When a frame began, and how it is drawn.
  struct Moment {
    ConsoleState start{};
    Ports ports;
    // Pixels from this one on are not drawn, but were there before: Frame::rest has them. This is
    // so if a frame ends early, which shows lines of the one before the last.
    std::int32_t drawn = 0;
  };
  static_assert(sizeof(Moment) == kMomentSize);

  struct Frame {
    Moment moment;
    std::vector<std::uint8_t> rest;  // empty: black
    std::uint64_t number = 0;        // tells the frames of a console apart
  };

  std::int32_t pixels() const { return height_ * kScreenWidth; }
  std::uint32_t Draw();
  void SetPorts(const Inputs& inputs);
  void Resume();
  void Dim(std::uint8_t* screen) const;
  void KeepAll(const std::uint8_t* screen);
  std::vector<std::uint8_t> RestOf(const Frame& before, std::int32_t first) const;
  std::uint8_t* Show(const Frame& frame, std::size_t side) const;
  void Paint(const Moment& moment, std::uint8_t* screen) const;
  void PutRest(const Frame& frame, std::uint8_t* screen) const;
  void SetFrames(std::array<Frame, 2> frames);

  std::shared_ptr<const Cartridge> cartridge_;
  ConsoleProperties properties_;
  int height_;
  std::unique_ptr<Machine> machine_;
  std::uint64_t serial_;      // no other console of the process has it
  std::uint64_t frames_ = 0;  // that have been given a number
  // The last frame and the one before. They are drawn on two screens by turns, so a short frame
  // shows lines of the one before the last.
  std::array<Frame, 2> last_two_;
  std::size_t front_ = 0;
  // What was there before the last frame, if that one went on with a frame that was cut.
  std::vector<std::uint8_t> resumed_;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_CONSOLE_H_
