// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-vizdoom: one environment type for all scenarios, once with a number
// for each button and once with a number for a combination. Python: `envpool.make("Basic-v1")`.

#include "envpool/module.h"

#include <pybind11/stl.h>

#include "envpool/any_option.h"
#include "game/combined_actions.h"
#include "game/names.h"
#include "game/scenario.h"
#include "vizdoom_env.h"

namespace vizdoom = envpool::vizdoom;

PYBIND11_MODULE(_vizdoom, m) {
  envpool::Register<vizdoom::VizdoomEnv<false>>(m, "Vizdoom");
  envpool::Register<vizdoom::VizdoomEnv<true>>(m, "VizdoomCombined");
  m.def(
      "buttons",
      [](const std::string& path) {
        std::vector<std::string> names;
        for (int button : vizdoom::ReadScenario(path).buttons) {
          names.emplace_back(vizdoom::kButtonNames[static_cast<std::size_t>(button)]);
        }
        return names;
      },
      pybind11::arg("cfg_path"), "The buttons of a scenario, in the order of an action.");
  m.def(
      "combined_actions",
      [](const std::string& path, bool force_speed, const vizdoom::DeltaButtonConfig& deltas) {
        const vizdoom::CombinedActions actions(vizdoom::ReadScenario(path).buttons, force_speed,
                                               deltas);
        std::vector<std::vector<double>> all;
        for (int i = 0; i < actions.size(); ++i) {
          all.emplace_back(actions[i].begin(), actions[i].end());
        }
        return all;
      },
      pybind11::arg("cfg_path"), pybind11::arg("force_speed"), pybind11::arg("delta_button_config"),
      "What each combined action presses.");
}
