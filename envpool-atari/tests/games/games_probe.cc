// SPDX-License-Identifier: Apache-2.0
// The games as a Python module for the tests: the rows of the table, the rules of a game fed with
// memory from elsewhere, and whole games.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/binding/translate.h"
#include "envpool/state_io.h"
#include "games/table.h"

namespace atari = envpool::atari;

namespace {

namespace py = pybind11;
using atari::GameInfo;
using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<std::int32_t>;

const GameInfo& Find(const std::string& name) {
  const GameInfo* game = atari::FindGame(name);
  if (game == nullptr) throw std::invalid_argument("no game " + name);
  return *game;
}

py::dict Describe(const GameInfo& game) {
  using namespace py::literals;
  std::vector<std::pair<int, int>> start;
  for (const auto& [action, frames] : game.start) start.emplace_back(action, frames);
  return py::dict(
      "name"_a = game.name, "task"_a = atari::TaskName(game), "md5"_a = game.md5,
      "height"_a = atari::ScreenHeight(game), "pal"_a = game.console.format == atari::Format::kPal,
      "actions"_a = game.actions.ToVector(), "legal"_a = game.legal.ToVector(), "start"_a = start,
      "difficulties"_a = game.difficulties.ToVector(), "modes"_a = atari::ListModes(game),
      "paddle_max"_a = game.paddle_max, "special"_a = game.rules.special != nullptr);
}

/** The rules of a game, without a console. */
class RuleProbe {
 public:
  explicit RuleProbe(const std::string& name) : rules_(Find(name).rules) {}

  void Reset(int mode) {
    state_.Reset(rules_);
    state_.mode = mode;
  }

  /** Reward, lives and over after each of the frames, whose memory is a row: first the console's.
   */
  Ints Play(const Bytes& frames) {
    if (frames.ndim() != 2 || frames.shape(1) < atari::kRamSize) {
      throw std::invalid_argument("frames must be rows of 128 bytes, and those of a cartridge");
    }
    Ints results({frames.shape(0), py::ssize_t{3}});
    for (py::ssize_t i = 0; i < frames.shape(0); ++i) {
      const std::span<const std::uint8_t, atari::kRamSize> ram(frames.data(i, 0), atari::kRamSize);
      const std::span<const std::uint8_t> cartridge(
          ram.data() + ram.size(), static_cast<std::size_t>(frames.shape(1)) - ram.size());
      atari::Evaluate(rules_, {ram, cartridge}, state_);
      results.mutable_at(i, 0) = state_.reward;
      results.mutable_at(i, 1) = state_.Lives(rules_);
      results.mutable_at(i, 2) = state_.over ? 1 : 0;
    }
    return results;
  }

  /**
   * Bytes of memory that make the conditions of the row hold: for each test of each condition, the
   * address and all values with which it holds.
   */
  std::vector<std::pair<int, std::vector<int>>> Aims() const {
    std::vector<std::pair<int, std::vector<int>>> aims;
    const auto add = [&aims](const atari::Condition& condition) {
      for (const atari::Test& test : condition.tests) {
        if (test.term.coding == atari::Coding::kScore) continue;
        std::vector<int> values;
        for (int value = 0; value < 256; ++value) {
          std::array<std::uint8_t, atari::kRamSize> ram;
          ram.fill(static_cast<std::uint8_t>(value));
          if (test.Holds({ram}, 0)) values.push_back(value);
        }
        aims.emplace_back(test.term.address, std::move(values));
      }
    };
    add(rules_.over);
    add(rules_.started);
    add(rules_.lives_hold);
    add(rules_.score_case.when);
    for (const atari::Case& other : rules_.lives_cases) add(other.when);
    return aims;
  }

  /** A wrong row: every score is one point for ten. */
  void SpoilScore() { rules_.score = 10 * rules_.score + 1; }
  /** A wrong row: one life more. */
  void SpoilLives() { rules_.lives = rules_.lives + 1; }
  /** A wrong row: the game never ends. */
  void SpoilOver() { rules_.over = {}; }

 private:
  atari::Rules rules_;
  atari::RuleState state_;
};

/** A whole game. */
class GameProbe {
 public:
  GameProbe(const std::string& name, const py::bytes& rom, std::uint32_t seed, double repeat)
      : game_(Insert(Find(name), rom), Find(name), seed, repeat) {}

  GameProbe(const GameProbe& loaded, std::uint32_t seed, double repeat)
      : game_(loaded.game_, seed, repeat) {}

  Bytes Ram() const { return Bytes(atari::kRamSize, game_.ram().data()); }
  Bytes Screen() const { return Bytes({game_.height(), atari::kScreenWidth}, game_.screen()); }
  bool HasRam(const Bytes& ram) const {
    return ram.size() == atari::kRamSize && std::ranges::equal(game_.ram(), Span(ram));
  }
  bool HasScreen(const Bytes& screen) const {
    const int size = game_.height() * atari::kScreenWidth;
    return screen.size() == size && std::memcmp(screen.data(), game_.screen(), Size(size)) == 0;
  }
  void SetRam(int address, std::uint8_t byte) {
    game_.ram()[static_cast<std::size_t>(address & 0x7F)] = byte;
  }
  py::bytes Save() const {
    envpool::StateWriter out;
    game_.SaveState(out);
    return py::bytes(out.bytes());
  }
  void Load(const std::string& state) {
    envpool::StateReader in(state.data(), state.size());
    game_.LoadState(in);
  }
  atari::Game& game() { return game_; }

 private:
  static std::size_t Size(py::ssize_t size) { return static_cast<std::size_t>(size); }
  static std::span<const std::uint8_t> Span(const Bytes& bytes) {
    return {bytes.data(), Size(bytes.size())};
  }
  static std::shared_ptr<const atari::Cartridge> Insert(const GameInfo& game,
                                                        const std::string& rom) {
    const std::vector<std::uint8_t> bytes(rom.begin(), rom.end());
    return std::make_shared<const atari::Cartridge>(bytes, game.cartridge);
  }

  atari::Game game_;
};

}  // namespace

PYBIND11_MODULE(games_probe, m) {
  envpool::python::TranslateErrors();
  m.def("all_games", [] {
    py::list games;
    for (const GameInfo& game : atari::AllGames()) games.append(Describe(game));
    return games;
  });
  py::class_<RuleProbe>(m, "Rules")
      .def(py::init<const std::string&>())
      .def("reset", &RuleProbe::Reset)
      .def("play", &RuleProbe::Play)
      .def("aims", &RuleProbe::Aims)
      .def("spoil_score", &RuleProbe::SpoilScore)
      .def("spoil_lives", &RuleProbe::SpoilLives)
      .def("spoil_over", &RuleProbe::SpoilOver);
  py::class_<GameProbe>(m, "Game")
      .def(py::init<const std::string&, const py::bytes&, std::uint32_t, double>())
      .def(py::init<const GameProbe&, std::uint32_t, double>())
      .def(
          "act",
          [](GameProbe& p, int action, float strength, bool draw) {
            return p.game().Act(action, strength, draw);
          },
          py::arg("action"), py::arg("paddle_strength") = 1.0F, py::arg("draw") = true)
      .def("reset", [](GameProbe& p) { p.game().Reset(); })
      .def("set_mode_and_difficulty",
           [](GameProbe& p, int mode, int difficulty) {
             p.game().SetModeAndDifficulty(mode, difficulty);
           })
      .def("set_mode", [](GameProbe& p, int mode) { p.game().SetMode(mode); })
      .def("set_difficulty",
           [](GameProbe& p, int difficulty) { p.game().SetDifficulty(difficulty); })
      .def("lives", [](GameProbe& p) { return p.game().lives(); })
      .def("game_over", [](GameProbe& p) { return p.game().game_over(); })
      .def("frame_number", [](GameProbe& p) { return p.game().frame_number(); })
      .def("episode_frame_number", [](GameProbe& p) { return p.game().episode_frame_number(); })
      .def("paddle", [](GameProbe& p) { return p.game().paddle(); })
      .def("is_pal", [](GameProbe& p) { return p.game().format() == atari::Format::kPal; })
      .def("ram", &GameProbe::Ram)
      .def("screen", &GameProbe::Screen)
      .def("has_ram", &GameProbe::HasRam)
      .def("has_screen", &GameProbe::HasScreen)
      .def("set_ram", &GameProbe::SetRam)
      .def("save", &GameProbe::Save)
      .def("load", &GameProbe::Load);
}
