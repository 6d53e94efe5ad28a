// SPDX-License-Identifier: Apache-2.0
// Options of numbers, none of which may be NaN or infinite: either would reach the simulation.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "envpool/error.h"

namespace envpool::myosuite {

/// Throws OptionError unless all numbers of an option are finite.
inline void CheckFinite(const char* option, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw OptionError(option, std::to_string(values[i]) + " as number " + std::to_string(i),
                      "finite numbers", "correct that number; the first is number 0");
  }
}

}  // namespace envpool::myosuite
