// SPDX-License-Identifier: Apache-2.0
//
// The tables of the ziggurat method (Marsaglia and Tsang 2000) with 256 strips of equal area under
// exp(-x^2/2) and exp(-x), bit-equal to NumPy's and computed once, at the first draw (below 1 ms).
//
//   const ZigguratStrip& strip = NormalZiggurat()[bits & 0xff];
//   if (mantissa < strip.accept) return mantissa * strip.width;  // inside the strip's rectangle
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "envpool/random/double_double.h"

namespace envpool::detail {

// Strip i > 0 spans the heights [height(i), height(i - 1)] of the curve and reaches to edge x(i);
// x(255) is where the tail begins. Strip 0 is the tail with the rectangle below it.
struct ZigguratStrip {
  std::uint64_t accept;  // mantissas below lie under the curve, whatever the height
  double width;          // x(i) per unit of the mantissa
  double height;         // the curve at x(i); 1 for strip 0
};

using Ziggurat = std::array<ZigguratStrip, 256>;

inline constexpr double kNormalTail = 3.6541528853610088;          // x(255) of the normal
inline constexpr double kInverseNormalTail = 0.27366123732975828;  // 1 / kNormalTail
inline constexpr double kExponentialTail = 7.6971174701310497;     // x(255) of the exponential

inline const Ziggurat& NormalZiggurat();       // mantissas of 52 bits
inline const Ziggurat& ExponentialZiggurat();  // mantissas of 53 bits

// ---------------------------------------------------------------------------------------- detail

// NumPy's normal table was made in double precision, hence every rounding here is part of it.
inline Ziggurat MakeNormalZiggurat() {
  constexpr double kArea = 0x1.43016a5a4372ep-8;
  constexpr double kMantissas = 0x1p52;
  // The exp() that made NumPy's table rounded this one height up (by 0.502 of the last place)
  // where the nearest double is the one below.
  constexpr std::size_t kRoundedUp = 38;
  const auto curve = [](double x) { return Exp({-0.5 * x * x, 0.0}).high; };

  Ziggurat strips{};
  double edge = kNormalTail;
  strips[255] = {0, edge / kMantissas, curve(edge)};
  const double base = kArea / strips[255].height;
  strips[0] = {static_cast<std::uint64_t>(std::nearbyint(edge / base * kMantissas)),
               base / kMantissas, 1.0};
  for (std::size_t i = 254; i > 0; --i) {
    const double outer = edge;
    edge = std::sqrt(-2.0 * Log({kArea / outer + strips[i + 1].height, 0.0}).high);
    strips[i].width = edge / kMantissas;
    strips[i].height = curve(edge);
    if (i == kRoundedUp) {
      strips[i].height = std::nextafter(strips[i].height, 1.0);
    }
    strips[i + 1].accept = static_cast<std::uint64_t>(std::nearbyint(edge / outer * kMantissas));
  }
  return strips;
}

// NumPy's exponential table is the exact solution, rounded; its bounds are those of a 52-bit
// mantissa, doubled.
inline Ziggurat MakeExponentialZiggurat() {
  constexpr DoubleDouble kTail{kExponentialTail, -0x1.a1eb4a1d9b516p-52};
  constexpr double kMantissas = 0x1p53;
  const auto accept = [](DoubleDouble inner, DoubleDouble outer) {
    const DoubleDouble bound = Scale(inner / outer, 52);
    const double whole = std::floor(bound.high);
    const bool above = whole == bound.high && bound.low < 0.0;
    return 2 * (static_cast<std::uint64_t>(whole) - (above ? 1 : 0));
  };

  Ziggurat strips{};
  DoubleDouble edge = kTail;
  DoubleDouble height = Exp(-edge);
  const DoubleDouble area = (edge + DoubleDouble{1.0, 0.0}) * height;
  const DoubleDouble base = area / height;
  strips[255] = {0, edge.high / kMantissas, height.high};
  strips[0] = {accept(edge, base), base.high / kMantissas, 1.0};
  for (std::size_t i = 254; i > 0; --i) {
    const DoubleDouble outer = edge;
    height = height + area / outer;
    edge = -Log(height);
    strips[i].width = edge.high / kMantissas;
    strips[i].height = height.high;
    strips[i + 1].accept = accept(edge, outer);
  }
  return strips;
}

inline const Ziggurat& NormalZiggurat() {
  static const Ziggurat strips = MakeNormalZiggurat();
  return strips;
}

inline const Ziggurat& ExponentialZiggurat() {
  static const Ziggurat strips = MakeExponentialZiggurat();
  return strips;
}

}  // namespace envpool::detail
