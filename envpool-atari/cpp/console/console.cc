// SPDX-License-Identifier: Apache-2.0
// A console's life: power-on, reset, frames and saved states.
#include "console/console.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "console/machine.h"

namespace envpool::atari {
namespace {

constexpr std::uint32_t kSeed = 4'753'849;  // seed of the machine's random numbers, found by a
                                            // search
// Number of cycles for which a paddle's capacitor charges per number of ohms; measured.
constexpr std::int32_t kChargeCycles = 119;
constexpr std::int32_t kChargeOhms = 6250;
constexpr int kDetectionFrames = 60;  // frames that are played to detect the format, which the
                                      // second half decides
// If a frame never ends, its times are moved back after this many cycles, so that they stay in
// range.
constexpr std::int32_t kEndlessFrame = 1 << 28;
// Resets after more random numbers than this all get the same numbers.
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

// Brings every value that the code relies on into range.
void Repair(ConsoleState& s, const Cartridge& cartridge, int height) {
  const auto mask = [](auto& array, int bits) {
    for (std::uint8_t& byte : array) byte = static_cast<std::uint8_t>(byte & bits);
  };
  s.cpu.jammed &= 1;
  s.partial &= 1;
  s.cycle = std::clamp(s.cycle, 0, kEndlessFrame);
  s.begin %= kCyclesPerLine;
  s.unused = {};
  s.cartridge.unused = {};
  s.tia.unused = 0;
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
  if (tia.view > View::kFromTopSoon) tia.view = View::kScreen;
  tia.stars = static_cast<std::uint8_t>(tia.stars % 5);
  for (std::uint8_t& x : tia.position) x = static_cast<std::uint8_t>(x % kScreenWidth);
  const int window = height * kClocksPerLine;
  const bool over = tia.line_end == std::numeric_limits<std::int32_t>::max();
  const bool in_window = tia.line_end > 0 && tia.line_end <= window &&
                         tia.line_end % kClocksPerLine == 0 && tia.done <= tia.line_end &&
                         tia.done >= tia.line_end - kClocksPerLine;
  const bool in_frame = in_window && tia.view != View::kFromTopSoon;
  if (!in_frame && !(over && tia.done >= window && tia.done <= kEndlessFrame)) {
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

// A screen, and the console and frame that it shows.
struct Canvas {
  std::uint64_t console = 0;
  std::uint64_t frame = 0;
  std::array<std::uint8_t, kScreenWidth * kMaxScreenHeight> pixels;
};

// Each thread has two canvases: one per console would not stay in the cache.
std::array<Canvas, 2>& Canvases() {
  thread_local std::array<Canvas, 2> canvases;
  return canvases;
}

std::uint64_t NextSerial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Console::Console(std::shared_ptr<const Cartridge> cartridge, const ConsoleProperties& properties)
    : cartridge_(std::move(cartridge)),
      properties_(properties),
      height_(properties.height),
      serial_(NextSerial()) {
  if (properties.first_line < 0 || properties.first_line > 100 || height_ < 1 ||
      height_ > kMaxScreenHeight) {
    throw std::invalid_argument("a screen of " + std::to_string(height_) + " lines from line " +
                                std::to_string(properties.first_line) + " on is not in a frame");
  }
  machine_ = std::make_unique<Machine>(*cartridge_, properties.first_line, height_,
                                       properties.hmove_blanks);
  machine_->state.format = properties.format;
}

Console::~Console() = default;
Console::Console(Console&&) noexcept = default;
Console& Console::operator=(Console&&) noexcept = default;

std::uint32_t Console::Draw() {
  // All consoles use the same sequence of numbers, and most are at about the same place in it.
  thread_local std::mt19937 random(kSeed);
  thread_local std::uint32_t drawn = 0;
  std::uint32_t& wanted = machine_->state.draws;
  if (wanted < drawn) {
    random.seed(kSeed);
    drawn = 0;
  }
  random.discard(wanted - drawn);
  drawn = ++wanted;
  return static_cast<std::uint32_t>(random());
}

void Console::PowerOn() {
  ConsoleState& s = machine_->state;
  SetFrames({});
  machine_->tia.Reset();
  s.partial = 0;
  s.draws = 0;
  for (std::uint8_t& byte : s.riot.ram) byte = static_cast<std::uint8_t>(Draw());
  Draw();  // draws for the timer, which the first reset sets again
  s.format = properties_.format;
  machine_->mapper.PowerOn();
  Reset();
  if (!properties_.detect_format) return;
  s.format = Format::kNtsc;
  int pal = 0;
  for (int frame = 0; frame < kDetectionFrames; ++frame) {
    RunFrame(Inputs{}, false);
    if (frame >= kDetectionFrames / 2 && s.tia.last_lines > 285) ++pal;
  }
  s.format = pal >= kDetectionFrames / 4 ? Format::kPal : Format::kNtsc;
  Reset();
}

void Console::Reset() {
  ConsoleState& s = machine_->state;
  const auto ram = s.riot.ram;
  s.riot = RiotState{};
  s.riot.ram = ram;
  s.riot.timer = static_cast<std::uint8_t>(25 + Draw() % 75);
  s.riot.timer_shift = 6;
  // Measured: ALE continues a frame that was cut with the next frame.
  machine_->tia.Reset(s.partial || s.tia.view != View::kScreen);
  machine_->mapper.Reset();
  if (machine_->mapper.HasRam()) {
    for (std::uint8_t& byte : s.cartridge.ram) byte = static_cast<std::uint8_t>(Draw());
  }
  s.cpu = CpuState{};
  s.cpu.sp = 0xFF;
  s.cpu.status = 0x30;
  s.cpu.pc =
      static_cast<std::uint16_t>(machine_->Read(0x1FFC, 0, 0) | machine_->Read(0x1FFD, 0, 0) << 8);
  s.bus = s.cpu.pc & 0x1000 ? 0 : static_cast<std::uint8_t>(s.cpu.pc >> 8);
  s.cycle = 0;
  s.begin = 0;
  s.partial = 0;
  SetFrames({});  // measured: the earlier screens are not shown again
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
  // Nobody turns the paddles of the right port: their resistance is 0.
  if (properties_.right == Controller::kPaddles) ports.charge[2] = ports.charge[3] = 0;
  if (properties_.left == Controller::kPaddles) {
    for (std::size_t player = 0; player < 2; ++player) {
      const std::size_t paddle = properties_.swap_paddles ? 1 - player : player;
      ports.charge[paddle] = inputs.paddle[player] * kChargeCycles / kChargeOhms;
      if (inputs.fire[player]) pressed |= paddle == 0 ? 0x80u : 0x40u;
    }
  }
  ports.port_a = static_cast<std::uint8_t>(~pressed);
  machine_->ports = ports;
}

void Console::RunFrame(const Inputs& inputs, bool draw) {
  ConsoleState& s = machine_->state;
  SetPorts(inputs);
  resumed_.clear();
  if (s.partial) {
    Resume();
    return;
  }
  const bool resumes = s.tia.view != View::kScreen;
  MoveTimes(s, s.cycle - s.cycle % kCyclesPerLine);
  s.begin = static_cast<std::uint8_t>(s.cycle);
  front_ = 1 - front_;
  Frame& frame = last_two_[front_];
  const Frame before = std::exchange(frame, {{s, machine_->ports, pixels()}, {}, ++frames_});
  Canvas& canvas = Canvases()[front_];
  if (draw) canvas.console = 0;
  machine_->PlayFrame(draw ? canvas.pixels.data() : nullptr);
  if (!machine_->tia.AllLinesDone()) {
    frame.moment.drawn = machine_->tia.PixelsDone();
    frame.rest = RestOf(before, frame.moment.drawn);
  }
  if (draw && canvas.console == 0) {
    PutRest(frame, canvas.pixels.data());
    canvas.console = serial_;
    canvas.frame = frame.number;
  }
  if (resumes || s.partial) {
    std::uint8_t* screen = Show(frame, front_);
    if (!resumes) Dim(screen);
    KeepAll(screen);
  }
}

void Console::ReadRam(std::size_t last) {
  ConsoleState& s = machine_->state;
  if (!(s.cpu.pc & 0x1000)) s.bus = s.riot.ram.at(last);
}

// Continues a frame that was cut. A caller who saw its first part expects these lines.
void Console::Resume() {
  ConsoleState& s = machine_->state;
  if (s.cycle > kEndlessFrame) MoveTimes(s, kEndlessFrame - kEndlessFrame % kCyclesPerLine);
  std::uint8_t* screen = Show(last_two_[front_], front_);
  resumed_.assign(screen, screen + pixels());
  machine_->ResumeFrame(screen);
  KeepAll(screen);
}

// Playing such a frame from its beginning does not give the same pixels, so they are kept.
void Console::KeepAll(const std::uint8_t* screen) {
  last_two_[front_].moment.drawn = 0;
  last_two_[front_].rest.assign(screen, screen + pixels());
}

// The previous frame's pixels from `first` on: a frame that ends early leaves them on the screen.
std::vector<std::uint8_t> Console::RestOf(const Frame& before, std::int32_t first) const {
  if (before.moment.drawn <= first) {
    if (before.rest.empty()) return {};
    return {before.rest.begin() + (first - before.moment.drawn), before.rest.end()};
  }
  const std::uint8_t* screen = Show(before, front_);
  return {screen + first, screen + pixels()};
}

// The screen with a frame. Draws the frame if no screen has it.
std::uint8_t* Console::Show(const Frame& frame, std::size_t side) const {
  Canvas& canvas = Canvases()[side];
  if (canvas.console != serial_ || canvas.frame != frame.number) {
    if (frame.moment.drawn > 0) Paint(frame.moment, canvas.pixels.data());
    PutRest(frame, canvas.pixels.data());
    canvas.console = serial_;
    canvas.frame = frame.number;
  }
  return canvas.pixels.data();
}

// Plays a frame again and draws it, then restores the machine.
void Console::Paint(const Moment& moment, std::uint8_t* screen) const {
  Machine& machine = *machine_;
  const ConsoleState now = machine.state;
  ConsoleState start = moment.start;
  Repair(start, *cartridge_, height_);  // a damaged saved state may be out of range
  machine.Replace(start);
  machine.ports = moment.ports;
  machine.PlayFrame(screen);
  machine.Replace(now);
}

void Console::PutRest(const Frame& frame, std::uint8_t* screen) const {
  std::uint8_t* to = screen + frame.moment.drawn;
  if (frame.rest.empty()) {
    std::fill(to, screen + pixels(), std::uint8_t{0});
  } else {
    std::ranges::copy(frame.rest, to);
  }
}

// Draws the rest of a cut frame: the lines that the beam has not reached, without color and at half
// their brightness.
void Console::Dim(std::uint8_t* screen) const {
  const int lines = machine_->state.tia.last_lines;
  const int first = std::clamp(lines - properties_.first_line, 0, height_) * kScreenWidth;
  for (std::uint8_t& pixel : std::span(screen + first, screen + pixels())) {
    pixel = static_cast<std::uint8_t>((pixel & 0x0F) >> 1);
  }
}

std::span<const std::uint8_t, kRamSize> Console::ram() const { return machine_->state.riot.ram; }
std::span<std::uint8_t, kRamSize> Console::ram() { return machine_->state.riot.ram; }
const std::uint8_t* Console::screen() const { return Show(last_two_[front_], front_); }
const std::uint8_t* Console::screen_before() const {
  return resumed_.empty() ? Show(last_two_[1 - front_], 1 - front_) : resumed_.data();
}
Format Console::format() const { return machine_->state.format; }
const ConsoleState& Console::Save() const { return machine_->state; }

void Console::Load(const ConsoleState& state) {
  ConsoleState repaired = state;
  Repair(repaired, *cartridge_, height_);
  machine_->Replace(repaired);
  SetFrames({});
}

void Console::Load(const Console& other) {
  machine_->Replace(other.Save());
  SetFrames({other.last_two_[1 - other.front_], other.last_two_[other.front_]});
}

void Console::SetFrames(std::array<Frame, 2> frames) {
  for (Frame& frame : frames) {
    Moment& moment = frame.moment;
    moment.drawn = std::clamp(moment.drawn, 0, pixels());
    if (std::cmp_not_equal(frame.rest.size(), pixels() - moment.drawn)) frame.rest.clear();
    for (std::int32_t& charge : moment.ports.charge) charge = std::max(charge, kNeverCharged);
    frame.number = ++frames_;
  }
  last_two_ = std::move(frames);
  front_ = 1;
}

}  // namespace envpool::atari
