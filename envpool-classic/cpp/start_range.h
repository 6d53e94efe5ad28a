// SPDX-License-Identifier: Apache-2.0
// The range of the random numbers at the start of an episode; a reset may change it. Gymnasium's
// options "low" and "high".
//
//   static auto ResetOptions(const auto&) { return StartRange(-0.05, 0.05); }
//   static void CheckResetOptions(const auto& options, const auto&) { CheckStartRange(options); }
#pragma once

#include <stdexcept>
#include <string>

#include "envpool/dict.h"

namespace envpool::classic {

/// Limit of a start: with a speed of 1e6, normalizing the angles of Acrobot's next state would take
/// minutes.
inline constexpr double kFarthestStart = 100;

inline auto StartRange(double low, double high) {
  using namespace envpool::literals;
  return envpool::Dict{"low"_ = low, "high"_ = high};
}

/// Throws std::invalid_argument if the range is not valid.
inline void CheckStartRange(const auto& options) {
  using namespace envpool::literals;
  const double low = options["low"_], high = options["high"_];
  if (low <= high && -kFarthestStart <= low && high <= kFarthestStart) return;
  throw std::invalid_argument("low " + std::to_string(low) + " and high " + std::to_string(high) +
                              " are no range within -100 .. 100, with low at most high");
}

}  // namespace envpool::classic
