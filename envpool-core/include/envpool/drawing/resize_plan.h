// SPDX-License-Identifier: Apache-2.0
// ResizePlan: the source pixels and weights of each pixel of an image that cv2.resize (OpenCV
// 5.0.0, and the version in envpool 1.2.5) scales with INTER_AREA or INTER_LINEAR.
//
//   using namespace envpool::drawing;
//   const ResizePlan plan = PlanResize({160, 210}, {84, 84}, Interpolation::kArea);
//   for (const Tap& tap : plan.across[x]) sum += pixels[tap.source] * tap.weight;
//
// Every pixel is a weighted sum across of weighted sums down, two kinds of arithmetic:
// - sums (float): each product and each sum rounded to float, in the order of the taps; in the end
//   round(sum * scale + bias), half to even.
// - linear (integer): two taps, weights in 1/2048; across exact; down, with >> rounding down,
//   (((first >> 4) * weight >> 16) + ((second >> 4) * weight >> 16) + 2) >> 2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "envpool/drawing/canvas.h"

namespace envpool::drawing {

/// How an image is scaled: OpenCV's INTER_AREA and INTER_LINEAR.
enum class Interpolation : std::uint8_t {
  kArea,    ///< the mean of the area that a pixel covers; where the image grows, of two pixels
  kLinear,  ///< the weighted sum of the two nearest pixels
};

/// A source pixel and its weight.
struct Tap {
  int source;    ///< its place along the axis
  float weight;  ///< kLinear: a whole number of 1/2048
};

/// The taps of every pixel along one axis.
using Taps = std::vector<std::vector<Tap>>;

/// How to compute an image, see above.
struct ResizePlan {
  bool linear;      ///< true: kLinear, false: kArea
  Taps across;      ///< by column
  Taps down;        ///< by row
  float scale = 1;  ///< each sum is multiplied by it
  float bias = 0;   ///< is added to each sum
};

/// Both sizes have to be at least 1 x 1.
inline ResizePlan PlanResize(Size from, Size to, Interpolation interpolation);

namespace detail {

/// One axis: `ratio` is target / source and `scale` its inverse, rounded as OpenCV rounds them.
struct Axis {
  Axis(int source_size, int target_size)
      : source(source_size),
        target(target_size),
        ratio(static_cast<double>(target_size) / source_size),
        scale(1 / ratio) {}

  /// The whole number of source pixels that one pixel covers, or 0 if it is not whole.
  [[nodiscard]] int WholeScale() const {
    const double whole = std::nearbyint(scale);
    const bool is_whole = std::abs(scale - whole) < std::numeric_limits<double>::epsilon();
    return is_whole ? static_cast<int>(whole) : 0;
  }

  int source, target;
  double ratio, scale;
};

/// Each pixel covers `size` pixels, which count the same.
inline Taps BlockTaps(const Axis& axis, int size) {
  Taps taps(static_cast<std::size_t>(axis.target));
  for (int i = 0; i < axis.source; ++i) {
    taps[static_cast<std::size_t>(i / size)].push_back({i, 1});
  }
  return taps;
}

/// Each pixel covers `axis.scale` >= 1 pixels; those at its ends count by the part it covers.
inline Taps CoverTaps(const Axis& axis) {
  constexpr double kNegligible = 1e-3;
  Taps taps;
  for (int i = 0; i < axis.target; ++i) {
    const double begin = i * axis.scale;
    const double end = begin + axis.scale;
    const double cell = std::min(axis.scale, axis.source - begin);
    const int last = std::min(static_cast<int>(std::floor(end)), axis.source - 1);
    const int first = std::min(static_cast<int>(std::ceil(begin)), last);
    std::vector<Tap>& pixel = taps.emplace_back();
    if (first - begin > kNegligible) {
      pixel.push_back({first - 1, static_cast<float>((first - begin) / cell)});
    }
    for (int j = first; j < last; ++j) {
      pixel.push_back({j, static_cast<float>(1 / cell)});
    }
    if (end - last > kNegligible) {
      const double part = std::min(std::min(end - last, 1.0), cell);
      pixel.push_back({last, static_cast<float>(part / cell)});
    }
  }
  return taps;
}

/// Two neighbours. INTER_AREA differs from INTER_LINEAR in where it sees the pixels when it cannot
/// average because an axis is enlarged. Outside the image its edge goes on; `whole_at_edge` says
/// whether the edge then counts as one tap, which is not the same when both taps are rounded.
inline Taps LinearTaps(const Axis& axis, Interpolation interpolation, bool whole_at_edge) {
  constexpr float kUnit = 2048;
  const int edge = axis.source - 1;
  Taps taps;
  for (int i = 0; i < axis.target; ++i) {
    int first = 0;
    float part = 0;
    if (interpolation == Interpolation::kArea) {
      first = static_cast<int>(std::floor(i * axis.scale));
      part = static_cast<float>((i + 1) - (first + 1) * axis.ratio);
      part = part <= 0 ? 0 : part - std::floor(part);
    } else {
      const auto center = static_cast<float>((i + 0.5) * axis.scale - 0.5);
      first = static_cast<int>(std::floor(center));
      part = center - static_cast<float>(first);
    }
    if (whole_at_edge && (first < 0 || first >= edge)) {
      part = 0;
    }
    taps.push_back({{std::clamp(first, 0, edge), std::nearbyint((1 - part) * kUnit)},
                    {std::clamp(first + 1, 0, edge), std::nearbyint(part * kUnit)}});
  }
  return taps;
}

}  // namespace detail

inline ResizePlan PlanResize(Size from, Size to, Interpolation interpolation) {
  const detail::Axis across(from.width, to.width);
  const detail::Axis down(from.height, to.height);
  const int columns = across.WholeScale();
  const int rows = down.WholeScale();
  const bool half = columns == 2 && rows == 2;  // always averaged, and rounded half up
  if ((interpolation == Interpolation::kArea || half) && columns > 0 && rows > 0) {
    return {.linear = false,
            .across = detail::BlockTaps(across, columns),
            .down = detail::BlockTaps(down, rows),
            .scale = 1 / static_cast<float>(columns * rows),
            .bias = half ? 0.125F : 0};
  }
  if (interpolation == Interpolation::kArea && across.scale >= 1 && down.scale >= 1) {
    return {.linear = false, .across = detail::CoverTaps(across), .down = detail::CoverTaps(down)};
  }
  return {.linear = true,
          .across = detail::LinearTaps(across, interpolation, true),
          .down = detail::LinearTaps(down, interpolation, false)};
}

}  // namespace envpool::drawing
