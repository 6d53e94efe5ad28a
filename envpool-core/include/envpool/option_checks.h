// SPDX-License-Identifier: Apache-2.0
// Options that are numbers of a kind. Each check throws OptionError, which `make` words with the
// call: "make('Taxi-v3', fickle_probability=2): got 2; allowed: 0 .. 1. ..."
//
//   CheckProbability("success_rate", config["success_rate"_]);
//   CheckNotNegative("reset_noise_scale", config["reset_noise_scale"_]);
#pragma once

#include <cmath>
#include <string>

#include "envpool/error.h"

namespace envpool {

/// A number from 0 to 1.
inline void CheckProbability(const std::string& option, double value) {
  if (value >= 0 && value <= 1) return;
  throw OptionError(option, std::to_string(value), "0 .. 1", "pass a probability");
}
/// A count.
inline void CheckAtLeast(const std::string& option, int value, int least) {
  if (value >= least) return;
  throw OptionError(option, std::to_string(value), std::to_string(least) + " or more",
                    "pass a larger number");
}
/// Half the width of a range that is drawn from, a distance, a threshold and the like.
inline void CheckNotNegative(const std::string& option, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw OptionError(option, std::to_string(value), "a finite number, 0 or more",
                    "pass a number that is not negative");
}
/// The ends of a range that is drawn from.
inline void CheckEnds(const std::string& low_option, double low, const std::string& high_option,
                      double high) {
  if (low <= high && std::isfinite(high - low)) return;
  throw OptionError(high_option, std::to_string(high),
                    low_option + ", which is " + std::to_string(low) + ", or more",
                    "pass the lower end as " + low_option);
}

}  // namespace envpool
