// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-atari: one environment type for all games, once with numbers as
// actions and once with a joystick's, and the cartridges. Python: `envpool.make("Pong-v5")`.

#include "envpool/module.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "atari_env.h"
#include "cartridges.h"
#include "games/own_roms.h"
#include "simd.h"

namespace atari = envpool::atari;

namespace {

const atari::GameInfo& Find(const std::string& game) {
  const atari::GameInfo* info = atari::FindRow(game);
  if (info == nullptr) throw std::invalid_argument("'" + game + "' is no game that is known");
  return *info;
}

}  // namespace

PYBIND11_MODULE(_atari, m) {
  envpool::Register<atari::AtariEnv<atari::AtariSpec>>(m, "Atari");
  envpool::Register<atari::AtariEnv<atari::AtariContinuousSpec>>(m, "AtariContinuous");
  envpool::Register<atari::AtariEnv<atari::AtariRomSpec>>(m, "AtariRom");
  m.def(
      "add_rom",
      [](const std::string& name, int cartridge, const std::vector<int>& score, int lives,
         bool paddles, int height) {
        atari::OwnRoms::Add(name, {.cartridge = static_cast<atari::CartridgeType>(cartridge),
                                   .score = score,
                                   .lives = lives,
                                   .paddles = paddles,
                                   .height = height});
      },
      pybind11::arg("name"), pybind11::arg("cartridge"), pybind11::arg("score"),
      pybind11::arg("lives"), pybind11::arg("paddles"), pybind11::arg("height"),
      "Makes a ROM that is in no table known; the arguments are checked before.");
  m.attr("MOST_SCORE_BYTES") = atari::OwnRoms::kMostScoreBytes;
  m.def(
      "load_cartridge",
      [](const std::string& game, const pybind11::bytes& rom) {
        const std::string_view bytes = rom;
        atari::Cartridges::Add(game,
                               {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
      },
      pybind11::arg("game"), pybind11::arg("rom"),
      "Keeps a game's cartridge for the environments of this process.");
  m.def("has_cartridge", atari::Cartridges::Has, pybind11::arg("game"),
        "Whether the game's cartridge was loaded.");
  m.def(
      "md5", [](const std::string& game) { return std::string(Find(game).md5); },
      pybind11::arg("game"), "The MD5 sum of the game's cartridge.");
  m.def(
      "instruction_set",
      [] { return std::string(atari::kSimdNames[static_cast<std::size_t>(atari::BestSimd())]); },
      "The vector instructions that are used on this machine.");
  m.attr("MOST_FRAMES") = atari::Options::kMostFrames;
  using atari::GameInfo;
  pybind11::class_<GameInfo>(m, "GameInfo", "A row of the table of games.")
      .def_property_readonly("actions", [](const GameInfo& row) { return row.actions.ToVector(); })
      .def_property_readonly("legal", [](const GameInfo& row) { return row.legal.ToVector(); })
      .def_property_readonly("modes", atari::ListModes)
      .def_property_readonly("difficulties",
                             [](const GameInfo& row) { return row.difficulties.ToVector(); })
      .def_property_readonly("height", atari::ScreenHeight)
      .def_property_readonly("paddles", [](const GameInfo& row) {
        return row.console.left == atari::Controller::kPaddles;
      });
  m.def("game_info", Find, pybind11::arg("game"), pybind11::return_value_policy::reference,
        "The row of a game.");
}
