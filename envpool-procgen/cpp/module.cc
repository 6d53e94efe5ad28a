// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-procgen. Python: `envpool.make("CoinrunEasy-v0")`.

#include "envpool/module.h"

#include <pybind11/stl.h>

#include "level_table.h"
#include "library/library.h"
#include "library/library_engine.h"
#include "procgen_env.h"

namespace {

using envpool::procgen::GameInfo;
using envpool::procgen::LevelTable;
using envpool::procgen::Library;

// Converts the settings' errors to Python's.
void SetRange(LevelTable& table, int env_id, std::int64_t num_levels, std::int64_t start_level) {
  table[env_id].range = envpool::procgen::RangeOf(num_levels, start_level);
  table[env_id].has_range = true;
}

}  // namespace

PYBIND11_MODULE(_procgen, m) {
  envpool::Register<envpool::procgen::ProcgenEnv>(m, "Procgen");
  pybind11::class_<LevelTable, std::shared_ptr<LevelTable>>(m, "LevelTable",
                                                            pybind11::module_local())
      .def(pybind11::init(&LevelTable::Make), pybind11::arg("num_envs"))
      .def_property_readonly("number", &LevelTable::number)
      .def(
          "set_level",
          [](LevelTable& table, int env_id, std::int32_t level) { table[env_id].level = level; },
          pybind11::arg("env_id"), pybind11::arg("level"))
      .def("set_range", &SetRange, pybind11::arg("env_id"), pybind11::arg("num_levels"),
           pybind11::arg("start_level"));
  m.def(
      "load", [](const std::string& path) { return Library::Load(path).version(); },
      pybind11::arg("path"), "Loads an engine and returns the version of its interface.");
  m.def("own_games", &envpool::procgen::OwnGames, "Names of the games that are computed here.");
  m.def("uses_own", &envpool::procgen::UsesOwn, pybind11::arg("game"), pybind11::arg("engine"),
        pybind11::arg("generated_assets"),
        "Whether a game is computed here; raises OptionError where it is to be, and cannot.");
  m.def("hook_problem", &envpool::procgen::LibraryEngine::HookProblem,
        "Why last frames of episodes are not known; empty where they are.");
}
