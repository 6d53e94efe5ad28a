// SPDX-License-Identifier: Apache-2.0
// These rules were found by drawing with Qt 5.13 and 5.15.2.
#include "own/scaling.h"

namespace envpool::procgen {
namespace {

constexpr double kOne = 65536;  // positions in an image are multiples of 1 / 65536 pixel

// Both are for the values of an image only. The library's functions are calls on a baseline x86-64.
std::int64_t Floor(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return whole - (value < static_cast<double>(whole) ? 1 : 0);
}
std::int64_t Ceil(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return whole + (value > static_cast<double>(whole) ? 1 : 0);
}

}  // namespace

bool FindSamples(double edge, double size, int source, bool exact, Samples& found) {
  found.span = PixelsOf(edge, size);
  if (found.span.begin >= found.span.end) return false;
  const double scale = source / size;
  const int step = static_cast<int>(exact ? scale * kOne : kOne / (size / source));
  const auto distance = [&](double pixels) {
    return exact ? pixels * scale * kOne : pixels * step;
  };
  const double middle = found.span.begin + 0.5;
  std::int64_t position = 0;
  if (size < 0) {
    position = Floor(distance(middle - (edge + size))) + 1 + (std::int64_t{source} << 16);
    if (position >> 16 >= source) {
      position += step;
      --found.span.end;
    }
  } else {
    position = Ceil(distance(middle - edge)) - 1;
  }
  const int count = found.span.end - found.span.begin;
  const std::int64_t last = (position + std::int64_t{step} * (count - 1)) >> 16;
  if (last < 0 || last >= source) --found.span.end;
  for (int i = 0; i < found.span.end - found.span.begin; ++i, position += step) {
    const auto at = static_cast<int>(position >> 16);
    found.at[static_cast<std::size_t>(i)] =
        static_cast<std::uint16_t>(std::clamp(at, 0, source - 1));
  }
  return found.span.begin < found.span.end;
}

}  // namespace envpool::procgen
