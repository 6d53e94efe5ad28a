// SPDX-License-Identifier: Apache-2.0
// The console as a Python module for the tests of this folder, with some internals that only a test
// needs.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <ctime>
#include <memory>
#include <string>

#include "console/console.h"
#include "envpool/binding/translate.h"
#include "envpool/state_io.h"

namespace atari = envpool::atari;

namespace py = pybind11;
using atari::Cartridge;
using atari::CartridgeType;
using atari::Console;
using atari::ConsoleProperties;
using atari::ConsoleState;
using atari::Controller;
using atari::Format;
using atari::Inputs;

namespace {

using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;

std::shared_ptr<Cartridge> MakeCartridge(const py::bytes& rom, CartridgeType type) {
  const std::string bytes = rom;
  return std::make_shared<Cartridge>(
      std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), type);
}

Bytes Ram(const Console& console) { return Bytes(atari::kRamSize, console.ram().data()); }

Bytes Screen(const Console& console) {
  return Bytes({console.height(), atari::kScreenWidth}, console.screen());
}

void SetRam(Console& console, int index, int value) {
  console.ram()[static_cast<std::size_t>(index) & 127] = static_cast<std::uint8_t>(value);
}

std::string Save(const Console& console) {
  envpool::StateWriter out;
  console.SaveState(out);
  return out.bytes();
}

void Load(Console& console, const std::string& saved) {
  envpool::StateReader in(saved.data(), saved.size());
  console.LoadState(in);
}

void SetCpu(Console& console, int pc, int a, int x, int y, int sp, int status) {
  ConsoleState state = console.Save();
  state.cpu.pc = static_cast<std::uint16_t>(pc);
  state.cpu.a = static_cast<std::uint8_t>(a);
  state.cpu.x = static_cast<std::uint8_t>(x);
  state.cpu.y = static_cast<std::uint8_t>(y);
  state.cpu.sp = static_cast<std::uint8_t>(sp);
  state.cpu.status = static_cast<std::uint8_t>(status);
  // Not the saved bytes, which also contain the screens.
  std::string saved = Save(console);
  saved.replace(2 * Console::kMomentSize, sizeof(state), reinterpret_cast<const char*>(&state),
                sizeof(state));
  Load(console, saved);
}

py::dict State(const Console& console) {
  const ConsoleState& s = console.Save();
  py::dict d;
  d["pc"] = s.cpu.pc;
  d["a"] = s.cpu.a;
  d["x"] = s.cpu.x;
  d["y"] = s.cpu.y;
  d["sp"] = s.cpu.sp;
  d["status"] = s.cpu.status;
  d["cycle"] = s.cycle;
  d["partial"] = s.partial;
  d["lines"] = s.tia.last_lines;
  d["positions"] = Bytes(5, s.tia.position.data());
  d["collisions"] = s.tia.collisions;
  d["draws"] = s.draws;
  d["slice"] = Bytes(4, s.cartridge.slice.data());
  d["timer"] = py::make_tuple(s.riot.timer, s.riot.timer_shift, s.riot.timer_set,
                              s.riot.timer_restart, s.riot.timer_read);
  return d;
}

// CPU seconds of this thread that `frames` frames take; frame i is drawn if draw & 1 << i % 4.
double Time(Console& console, const Inputs& inputs, int frames, unsigned draw) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  for (int i = 0; i < frames; ++i) console.RunFrame(inputs, draw >> (i % 4) & 1);
  return now() - begin;
}

}  // namespace

PYBIND11_MODULE(console_module, m) {
  envpool::python::TranslateErrors();
  py::enum_<CartridgeType>(m, "CartridgeType")
      .value("k2K", CartridgeType::k2K)
      .value("k4K", CartridgeType::k4K)
      .value("kF8", CartridgeType::kF8)
      .value("kF8SC", CartridgeType::kF8SC)
      .value("kF6", CartridgeType::kF6)
      .value("kF6SC", CartridgeType::kF6SC)
      .value("kE0", CartridgeType::kE0)
      .value("kFE", CartridgeType::kFE)
      .value("kDPC", CartridgeType::kDPC);
  py::enum_<Format>(m, "Format")
      .value("kNtsc", Format::kNtsc)
      .value("kPal", Format::kPal)
      .value("kSecam", Format::kSecam);
  py::enum_<Controller>(m, "Controller")
      .value("kNone", Controller::kNone)
      .value("kJoystick", Controller::kJoystick)
      .value("kPaddles", Controller::kPaddles);
  py::class_<ConsoleProperties>(m, "ConsoleProperties")
      .def(py::init<>())
      .def_readwrite("format", &ConsoleProperties::format)
      .def_readwrite("detect_format", &ConsoleProperties::detect_format)
      .def_readwrite("first_line", &ConsoleProperties::first_line)
      .def_readwrite("height", &ConsoleProperties::height)
      .def_readwrite("hmove_blanks", &ConsoleProperties::hmove_blanks)
      .def_readwrite("swap_ports", &ConsoleProperties::swap_ports)
      .def_readwrite("swap_paddles", &ConsoleProperties::swap_paddles)
      .def_readwrite("left", &ConsoleProperties::left)
      .def_readwrite("right", &ConsoleProperties::right);
  py::class_<Inputs>(m, "Inputs")
      .def(py::init<>())
      .def_readwrite("select", &Inputs::select)
      .def_readwrite("reset", &Inputs::reset)
      .def_readwrite("left_difficulty_a", &Inputs::left_difficulty_a)
      .def_readwrite("right_difficulty_a", &Inputs::right_difficulty_a)
      .def("set_player",
           [](Inputs& inputs, std::size_t player, int joystick, bool fire, int paddle) {
             inputs.joystick[player] = static_cast<std::uint8_t>(joystick);
             inputs.fire[player] = fire;
             inputs.paddle[player] = paddle;
           });
  py::class_<Cartridge, std::shared_ptr<Cartridge>>(m, "Cartridge")
      .def(py::init(&MakeCartridge))
      .def_property_readonly("is_translated",
                             [](const Cartridge& c) { return c.native() != nullptr; });
  py::class_<Console>(m, "Console")
      .def(py::init([](std::shared_ptr<Cartridge> cartridge, const ConsoleProperties& properties) {
        return std::make_unique<Console>(std::move(cartridge), properties);
      }))
      .def("power_on", &Console::PowerOn)
      .def("reset", &Console::Reset)
      .def("run_frame", &Console::RunFrame)
      .def("read_ram", &Console::ReadRam, py::arg("last") = atari::kRamSize - 1)
      .def("ram", &Ram)
      .def("screen", &Screen)
      .def("set_ram", &SetRam)
      .def("set_cpu", &SetCpu)
      .def("save", [](const Console& console) { return py::bytes(Save(console)); })
      .def("load", &Load)
      .def("state", &State)
      .def("time", &Time)
      .def_property_readonly("height", &Console::height)
      .def_property_readonly("format", &Console::format);
}
