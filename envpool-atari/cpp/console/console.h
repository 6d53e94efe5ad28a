// SPDX-License-Identifier: Apache-2.0
// The Atari 2600 without the rules of a game: 6507, RIOT, TIA and nine kinds of cartridge, equal to
// ALE 0.12.1 in RAM and in every pixel.
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
// One Console is used by one thread at a time; any number of consoles share one Cartridge. A
// console owns no pixels: each thread has two screens, which the next console draws over. If a
// caller asks for an overwritten frame, the frame is played again.
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

// The controller that is plugged into a port.
enum class Controller : std::uint8_t { kNone, kJoystick, kPaddles };

// ALE's settings of a ROM.
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

// The buttons and directions that the players hold during one frame; index 0 is player A.
struct Inputs {
  bool select = false;
  bool reset = false;
  bool left_difficulty_a = false;  // the switches' other position is B
  bool right_difficulty_a = false;
  std::array<std::uint8_t, 2> joystick = {0, 0};
  std::array<bool, 2> fire = {false, false};                // button of joystick or paddle
  std::array<std::int32_t, 2> paddle = {408'823, 408'823};  // ohms; ALE's middle position
};

class Machine;

class Console {
 public:
  // A console that is off: call PowerOn first. Throws std::invalid_argument if the screen's lines
  // are not in the range that a frame has.
  Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleProperties& properties);
  ~Console();
  Console(Console&&) noexcept;
  Console& operator=(Console&&) noexcept;

  // The state after ALE loads a ROM: RAM and timer are drawn from the machine's own
  // std::mt19937(4753849), and frames are played to detect the format. The state is the same every
  // time.
  void PowerOn();

  // ALE's reset of the machine: the CPU starts again and the timer is drawn anew, while RAM
  // stays as it is.
  void Reset();

  // Plays one frame. Pass draw=true if screen() will be called: screen() is then faster. The result
  // is the same.
  void RunFrame(const Inputs& inputs, bool draw);

  // Measured: ALE reads RAM after every frame, and the byte that it reads last stays on the bus,
  // where the TIA can show it to the program. After an action this byte is the last of RAM; after a
  // frame of a reset it is the byte that the game's rules read last.
  void ReadRam(std::size_t last = kRamSize - 1);

  // RAM as the CPU sees it at 0x80-0xFF.
  std::span<const std::uint8_t, kRamSize> ram() const;
  std::span<std::uint8_t, kRamSize> ram();

  // The last frame: height() lines of kScreenWidth palette indices, valid until this thread plays a
  // frame or calls screen() of another console.
  const std::uint8_t* screen() const;
  // screen() before the last frame. Valid if both frames were played since PowerOn and Load.
  const std::uint8_t* screen_before() const;
  int height() const { return height_; }
  Format format() const;

  // The state that decides all later frames; the pixels are not in it. Load accepts any bytes: it
  // brings values into range, so that a damaged state does no harm. The screen is black after Load.
  const ConsoleState& Save() const;
  void Load(const ConsoleState& state);

  // Takes over the state of another console with the same cartridge and properties.
  void Load(const Console& other);

  // Writes the state, and the data from which the last frames can be drawn, to an
  // envpool::StateWriter, and reads them from a StateReader. Each kMomentSize bytes resemble the
  // bytes before.
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
  // The state at the beginning of a frame, and how the frame is drawn.
  struct Moment {
    ConsoleState start{};
    Ports ports;
    // Pixels from this index on are not drawn but come from Frame::rest. If a frame ends early,
    // they show lines of the frame before the last.
    std::int32_t drawn = 0;
  };
  static_assert(sizeof(Moment) == kMomentSize);

  struct Frame {
    Moment moment;
    std::vector<std::uint8_t> rest;  // empty means black
    std::uint64_t number = 0;        // tells this console's frames apart
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
  std::uint64_t serial_;      // unique in the process
  std::uint64_t frames_ = 0;  // number of frames so far
  // The last frame and the frame before. They are drawn on two screens by turns, so a short frame
  // shows lines of the frame before the last.
  std::array<Frame, 2> last_two_;
  std::size_t front_ = 0;
  // The previous screen, if the last frame continued a frame that was cut.
  std::vector<std::uint8_t> resumed_;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_CONSOLE_H_
