// SPDX-License-Identifier: Apache-2.0
// The parts of a Python module of a family on envpool-mujoco beside its environments.
//
//   PYBIND11_MODULE(_robots, m) {
//     envpool::mujoco::RegisterFamily(m);            // first
//     envpool::Register<robots::Arm>(m, "Arm");
//   }
//
// and in Python, before the module is imported: envpool_mujoco.family.load_library().
#pragma once

#include <mujoco/mujoco.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/version.h"

namespace envpool::mujoco {

namespace detail {
/// Throws pybind11::import_error unless the installed envpool-mujoco has the interface and the
/// MuJoCo with which `m` was compiled.
inline void CheckFoundation(const pybind11::module_& m) {
  namespace py = pybind11;
  std::string wheel = py::cast<std::string>(m.attr("__name__"));
  wheel.resize(std::min(wheel.size(), wheel.find('.')));
  std::replace(wheel.begin(), wheel.end(), '_', '-');
  const auto text = [](const std::pair<int, int>& api) {
    return "interface " + std::to_string(api.first) + " and MuJoCo " + std::to_string(api.second);
  };
  const std::pair<int, int> built{kApi, mjVERSION_HEADER};
  const auto family = py::module_::import("envpool_mujoco.family");
  const auto installed = py::cast<std::pair<int, int>>(family.attr("API"));
  if (installed == built) return;
  const std::string older = installed < built ? "envpool-mujoco" : wheel;
  throw py::import_error(wheel + " was built for " + text(built) +
                         " of envpool-mujoco, and the installed envpool-mujoco has " +
                         text(installed) + "; upgrade " + older);
}
}  // namespace detail

/// Adds the functions that `envpool_mujoco.family` and a family's own Python code need:
/// `add_model`. Throws pybind11::import_error if the installed envpool-mujoco differs from the
/// build's.
inline void RegisterFamily(pybind11::module_& m) {
  detail::CheckFoundation(m);
  m.def(
      "add_model",
      [](const std::string& name, const std::string& xml, const ModelFiles& files) {
        return ModelStore::Add(name, xml, files);
      },
      pybind11::arg("name"), pybind11::arg("xml"), pybind11::arg("files"),
      "Keeps the text of a model and the files that it names; returns a key for ModelStore::Load.");
}

}  // namespace envpool::mujoco
