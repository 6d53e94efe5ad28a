// SPDX-License-Identifier: Apache-2.0
// The life of a console: power-on, reset, frames and saved states.
#include "console/console.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "console/machine.h"

namespace atari {
namespace {

constexpr std::uint32_t kSeed = 4'753'849;  // of the machine's random numbers, as in ALE
constexpr int kDetectionFrames = 60;        // played to find the format
// A write to the TIA ends a frame of more lines than these.
constexpr int kMaxLinesNtsc = 290;
constexpr int kMaxLinesPal = 342;

// Cycles after which the times of a frame that never ends are moved back, so that they stay
// numbers.
constexpr std::int32_t kEndlessFrame = 1 << 28;
// Resets with more random numbers than these before them are not told apart.
constexpr std::uint32_t kMaxDraws = 1 << 26;

// Moves the origin of all times by some cycles.
void MoveTimes(ConsoleState& s, std::int32_t cycles) {
  s.cycle -= cycles;
  s.riot.timer_set = Since(cycles, s.riot.timer_set);
  s.riot.timer_restart = Since(cycles, s.riot.timer_restart);
  s.tia.charge_cycle = Since(cycles, s.tia.charge_cycle);
  s.cartridge.dpc.music_cycle = Since(cycles, s.cartridge.dpc.music_cycle);
  s.tia.hmove_clock = Since(cycles * kClocksPerCycle, s.tia.hmove_clock);
  if (s.tia.vsync_until != std::numeric_limits<std::int32_t>::max()) {
    s.tia.vsync_until = Since(cycles * kClocksPerCycle, s.tia.vsync_until);
  }
}

// Brings whatever the code relies on into range.
void Repair(ConsoleState& s, const Cartridge& cartridge, int height) {
  const auto mask = [](auto& array, int bits) {
    for (std::uint8_t& byte : array) byte = static_cast<std::uint8_t>(byte & bits);
  };
  s.cpu.jammed &= 1;
  s.partial &= 1;
  s.cycle = std::clamp(s.cycle, 0, kEndlessFrame);
  s.begin = std::clamp(s.begin, 0, kCyclesPerLine - 1);
  s.draws = std::min(s.draws, kMaxDraws);
  if (s.format > Format::kSecam) s.format = Format::kNtsc;
  if (std::ranges::find(kTimerShifts, s.riot.timer_shift) == kTimerShifts.end()) {
    s.riot.timer_shift = kTimerShifts[2];
  }
  TiaState& tia = s.tia;
  mask(tia.reflect_player, 8);
  mask(tia.delay_player, 1);
  mask(tia.enable_missile, 2);
  mask(tia.lock_missile, 1);
  mask(tia.late, 1);
  mask(tia.motion, 15);
  tia.playfield[0] &= 0xF0;
  tia.enable_ball &= 2;
  tia.delayed_enable_ball &= 2;
  tia.delay_ball &= 1;
  tia.discharging &= 1;
  tia.reflect_playfield &= 1;
  tia.blank_edge &= 1;
  tia.stars = static_cast<std::uint8_t>(tia.stars % 5);
  for (std::uint8_t& x : tia.position) x = static_cast<std::uint8_t>(x % kScreenWidth);
  const int window = height * kClocksPerLine;
  const bool over = tia.line_end == std::numeric_limits<std::int32_t>::max();
  const bool in_window = tia.line_end > 0 && tia.line_end <= window &&
                         tia.line_end % kClocksPerLine == 0 && tia.done <= tia.line_end &&
                         tia.done >= tia.line_end - kClocksPerLine;
  if (!in_window && !(over && tia.done >= window && tia.done <= kEndlessFrame)) {
    tia.done = 0;
    tia.line_end = kClocksPerLine;
  }
  const bool e0 = cartridge.type() == CartridgeType::kE0;
  const int banks = cartridge.type() == CartridgeType::kFE ? 1 : cartridge.banks();
  for (std::uint8_t& bank : s.cartridge.slice) bank = static_cast<std::uint8_t>(bank % banks);
  if (e0) s.cartridge.slice[3] = 7;
  DpcState& dpc = s.cartridge.dpc;
  if (!(dpc.music_fraction >= 0 && dpc.music_fraction < 1)) dpc.music_fraction = 0;
}

}  // namespace

Console::Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleProperties& properties)
    : cartridge_(std::move(cartridge)), properties_(properties), height_(properties.height) {
  if (properties.first_line < 0 || properties.first_line > 100 || height_ < 1 ||
      height_ > kMaxScreenHeight) {
    throw std::invalid_argument("a screen of " + std::to_string(height_) + " lines from line " +
                                std::to_string(properties.first_line) + " on is not in a frame");
  }
  machine_ = std::make_unique<Machine>(*cartridge_, properties.first_line, height_,
                                       properties.hmove_blanks);
  for (Picture& picture : pictures_) {
    picture.pixels.assign(static_cast<std::size_t>(height_ * kScreenWidth), 0);
  }
  SetFormat(properties.format);
}

Console::~Console() = default;
Console::Console(Console&&) noexcept = default;
Console& Console::operator=(Console&&) noexcept = default;

std::uint32_t Console::Draw() {
  std::uint32_t& wanted = machine_->state.draws;
  if (wanted < drawn_ || drawn_ == 0) {
    random_.seed(kSeed);
    drawn_ = 0;
  }
  random_.discard(wanted - drawn_);
  drawn_ = ++wanted;
  return static_cast<std::uint32_t>(random_());
}

void Console::SetFormat(Format format) {
  machine_->state.format = format;
  const int lines = format == Format::kNtsc ? kMaxLinesNtsc : kMaxLinesPal;
  machine_->last_cycle = (lines + 1) * kCyclesPerLine;
}

void Console::PowerOn() {
  ConsoleState& s = machine_->state;
  s.draws = 0;
  for (std::uint8_t& byte : s.riot.ram) byte = static_cast<std::uint8_t>(Draw());
  Draw();  // for the timer, which the first reset sets again
  SetFormat(properties_.format);
  Reset();
  if (!properties_.detect_format) return;
  SetFormat(Format::kNtsc);
  int pal = 0;
  for (int frame = 0; frame < kDetectionFrames; ++frame) {
    RunFrame(Inputs{}, false);
    if (s.tia.last_lines > 285) ++pal;
  }
  SetFormat(pal >= kDetectionFrames / 2 ? Format::kPal : Format::kNtsc);
  Reset();
}

void Console::Reset() {
  ConsoleState& s = machine_->state;
  const auto ram = s.riot.ram;
  s.riot = RiotState{};
  s.riot.ram = ram;
  s.riot.timer = static_cast<std::uint8_t>(25 + Draw() % 75);
  s.riot.timer_shift = 6;
  machine_->tia.Reset();
  machine_->mapper.Reset();
  if (machine_->mapper.HasRam()) {
    for (std::uint8_t& byte : s.cartridge.ram) byte = static_cast<std::uint8_t>(Draw());
  }
  s.cpu = CpuState{};
  s.cpu.sp = 0xFF;
  s.cpu.status = 0x30;
  s.cpu.pc =
      static_cast<std::uint16_t>(machine_->Read(0x1FFC, 0, 0) | machine_->Read(0x1FFD, 0, 0) << 8);
  s.cycle = 0;
  s.begin = 0;
  s.partial = 0;
}

void Console::SetPorts(const Inputs& inputs) {
  Ports ports;
  unsigned switches = 0x3F;
  if (inputs.reset) switches &= ~0x01u;
  if (inputs.select) switches &= ~0x02u;
  if (inputs.left_difficulty_a) switches |= 0x40;
  if (inputs.right_difficulty_a) switches |= 0x80;
  ports.switches = static_cast<std::uint8_t>(switches);
  unsigned pressed = 0;
  for (std::size_t player = 0; player < 2; ++player) {
    const std::size_t port = properties_.swap_ports ? 1 - player : player;
    const Controller controller = port == 0 ? properties_.left : properties_.right;
    if (controller == Controller::kJoystick) {
      const unsigned nibble = inputs.joystick[player] & 15u;
      pressed |= nibble << (port == 0 ? 4 : 0);
      ports.fire[port] = inputs.fire[player] ? 0x00 : 0x80;
    }
  }
  // Nobody turns the paddles of the right port: they have no resistance.
  if (properties_.right == Controller::kPaddles) ports.charge[2] = ports.charge[3] = 0;
  if (properties_.left == Controller::kPaddles) {
    for (std::size_t player = 0; player < 2; ++player) {
      const std::size_t paddle = properties_.swap_paddles ? 1 - player : player;
      // The capacitor is charged after 1.6 * resistance * 10 nF, at 1.19 MHz.
      const double seconds = 1.6 * inputs.paddle[player] * 0.01e-6;
      ports.charge[paddle] = static_cast<std::int32_t>(seconds * 1.19e6);
      if (inputs.fire[player]) pressed |= paddle == 0 ? 0x80u : 0x40u;
    }
  }
  ports.port_a = static_cast<std::uint8_t>(~pressed);
  machine_->ports = ports;
}

void Console::RunFrame(const Inputs& inputs, bool draw) {
  ConsoleState& s = machine_->state;
  if (s.partial) {
    // The lines that come now were promised to whoever saw the first part.
    if (s.cycle > kEndlessFrame) MoveTimes(s, kEndlessFrame - kEndlessFrame % kCyclesPerLine);
    SetPorts(inputs);
    machine_->tia.ResumeFrame(pictures_[front_].pixels.data());
    Play();
    return;
  }
  MoveTimes(s, s.cycle - s.cycle % kCyclesPerLine);
  s.begin = s.cycle;
  front_ = 1 - front_;
  Picture& picture = pictures_[front_];
  const ConsoleState start = s;
  PlayFrame(inputs, draw);
  if (!s.partial && machine_->tia.AllLinesDone()) {
    picture.drawn = draw;
    if (!draw) {
      picture.start = start;
      picture.inputs = inputs;
    }
    return;
  }
  // A short frame: the lines that it does not reach are those of the frame before the last, which
  // now has to be drawn if it was not, and this one once more on top of it.
  if (!draw || !picture.drawn) {
    if (!picture.drawn) Replay(picture.start, picture.inputs);
    Replay(start, inputs);
    picture.drawn = true;
  }
  if (s.partial) Dim(s.tia.last_lines);
}

// Plays a frame again from its beginning, and draws it.
void Console::Replay(const ConsoleState& start, const Inputs& inputs) {
  machine_->state = start;
  machine_->tia.Invalidate();
  machine_->mapper.Update();
  PlayFrame(inputs, true);
}

void Console::PlayFrame(const Inputs& inputs, bool draw) {
  const ConsoleState& s = machine_->state;
  SetPorts(inputs);
  machine_->tia.SetColorLoss(s.format == Format::kPal ? s.tia.last_lines & 1 : 0);
  machine_->tia.BeginFrame(draw ? pictures_[front_].pixels.data() : nullptr);
  Play();
}

void Console::Play() {
  ConsoleState& s = machine_->state;
  machine_->frame_over = false;
  machine_->Run();
  machine_->FlushWrites();
  machine_->tia.EndFrame();
  s.partial = !machine_->frame_over;
  s.tia.last_lines = static_cast<std::uint16_t>(s.cycle / kCyclesPerLine);
}

// What ALE shows of a frame that was cut: the lines that have not been reached, without colour and
// at half their brightness.
void Console::Dim(int line) {
  const int first = std::clamp(line - properties_.first_line, 0, height_);
  std::vector<std::uint8_t>& pixels = pictures_[front_].pixels;
  for (auto it = pixels.begin() + first * kScreenWidth; it != pixels.end(); ++it) {
    *it = static_cast<std::uint8_t>((*it & 0x0F) >> 1);
  }
}

std::span<const std::uint8_t, kRamSize> Console::ram() const { return machine_->state.riot.ram; }
std::span<std::uint8_t, kRamSize> Console::ram() { return machine_->state.riot.ram; }
const std::uint8_t* Console::screen() const { return pictures_[front_].pixels.data(); }
Format Console::format() const { return machine_->state.format; }
const ConsoleState& Console::Save() const { return machine_->state; }

void Console::Load(const ConsoleState& state) {
  machine_->state = state;
  Repair(machine_->state, *cartridge_, height_);
  SetFormat(machine_->state.format);
  for (Picture& picture : pictures_) picture.drawn = true;  // the old ones are not of this past
  machine_->tia.Invalidate();
  machine_->mapper.Update();
}

}  // namespace atari
