// SPDX-License-Identifier: Apache-2.0
// Options that are numbers of a kind. Each check throws OptionError, which `make` words with the
// call: "make('Pendulum-v1', g=nan): got nan; allowed: a finite number. ..."
//
//   CheckProbability("success_rate", config["success_rate"_]);
#pragma once

#include <cmath>
#include <string>

#include "envpool/error.h"

namespace envpool::classic {

inline void CheckProbability(const std::string& option, double value) {
  if (value >= 0 && value <= 1) return;
  throw envpool::OptionError(option, std::to_string(value), "0 .. 1", "pass a probability");
}
/// NaN or infinity would be in every observation or reward from then on.
inline void CheckFinite(const std::string& option, double value) {
  if (std::isfinite(value)) return;
  throw envpool::OptionError(option, std::to_string(value), "a finite number",
                             "pass a number that is neither NaN nor infinite");
}
inline void CheckAtLeast(const std::string& option, int value, int least) {
  if (value >= least) return;
  throw envpool::OptionError(option, std::to_string(value), std::to_string(least) + " or more",
                             "pass a larger number");
}

}  // namespace envpool::classic
