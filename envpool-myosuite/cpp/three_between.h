// SPDX-License-Identifier: Apache-2.0
// Three numbers drawn from three ranges, and the options with these ranges.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"

namespace envpool::myosuite {

struct ThreeBetween {
  void Draw(NumpyRandom& gen, double* out) const {
    for (std::size_t i = 0; i < 3; ++i) out[i] = gen.Uniform(low[i], high[i]);
  }

  std::vector<double> low, high;
};

/// Throws OptionError unless the options `<name>_low` and `<name>_high` have three ordered numbers
/// each, none below `floor`, or are empty if that is allowed.
inline void CheckThree(const std::string& name, const std::vector<double>& low,
                       const std::vector<double>& high, bool may_be_none = false,
                       double floor = -std::numeric_limits<double>::infinity()) {
  if (may_be_none && low.empty() && high.empty()) return;
  if (low.size() != 3 || high.size() != 3) {
    throw OptionError(
        name + "_low",
        std::to_string(low.size()) + " and " + std::to_string(high.size()) + " numbers",
        may_be_none ? "three in both ends, or none" : "three in both ends", "pass as many");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (low[i] < floor) {
      throw OptionError(name + "_low", std::to_string(low[i]), std::to_string(floor) + " or more",
                        "pass a larger number");
    }
    CheckEnds(name + "_low", low[i], name + "_high", high[i]);
  }
}

}  // namespace envpool::myosuite
