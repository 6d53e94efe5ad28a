// SPDX-License-Identifier: Apache-2.0
// Noise: numbers that belong to a place and are the same whenever it is drawn.
//
//   double bright = Noise({x, y}, 7);        // smooth, 0 to 1, about 1 m from light to dark
//   double chance = Chance(3, -2, 5);        // of a cell of a grid, 0 to 1; 5 tells uses apart
#pragma once

#include <cmath>
#include <cstdint>

#include "vec.h"

namespace meadow {

/// A number of 0 to 1 for a cell.
inline double Chance(int x, int y, int use) {
  // The finaliser of MurmurHash3 over a sum of odd multiples.
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9e3779b1u +
                    static_cast<std::uint32_t>(y) * 0x85ebca77u +
                    static_cast<std::uint32_t>(use) * 0xc2b2ae3du;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return (h ^ (h >> 16)) * 0x1p-32;
}

/// Value noise: the chances of the four cells around a place, smoothly mixed.
inline double Noise(Vec at, int use) {
  const double x = std::floor(at.x), y = std::floor(at.y);
  const int i = static_cast<int>(x), j = static_cast<int>(y);
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const double u = ease(at.x - x), v = ease(at.y - y);
  const double low = (1 - u) * Chance(i, j, use) + u * Chance(i + 1, j, use);
  const double high = (1 - u) * Chance(i, j + 1, use) + u * Chance(i + 1, j + 1, use);
  return (1 - v) * low + v * high;
}

}  // namespace meadow
