// SPDX-License-Identifier: Apache-2.0
#include "image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace vizdoom {

Resize::Resize(Method method, ImageSize from, ImageSize to) : from_(from), to_(to) {
  if (method == Method::kArea && (to.width > from.width || to.height > from.height)) {
    method = Method::kLinear;
  }
  columns_ = TapsOf(method, from.width, to.width);
  rows_ = TapsOf(method, from.height, to.height);
}

void Resize::operator()(const std::uint8_t* in, int planes, std::uint8_t* out,
                        std::vector<float>& scratch) const {
  const auto count = static_cast<std::size_t>(planes);
  if (from_ == to_) {
    std::memcpy(out, in, count * to_.pixels());
    return;
  }
  scratch.resize(static_cast<std::size_t>(from_.width));
  for (std::size_t i = 0; i < count; ++i) {
    Plane(in + i * from_.pixels(), out + i * to_.pixels(), scratch.data());
  }
}

Resize::Taps Resize::TapsOf(Method method, int from, int to) {
  const double scale = static_cast<double>(from) / to;
  std::vector<std::pair<int, std::vector<double>>> pixels;  // by pixel: the first, and all weights
  for (int i = 0; i < to; ++i) {
    const double begin = i * scale, end = (i + 1) * scale;
    if (method == Method::kNearest) {
      pixels.push_back({std::min(static_cast<int>(begin), from - 1), {1}});
    } else if (method == Method::kLinear) {
      const double center = std::clamp((begin + end) / 2 - 0.5, 0.0, from - 1.0);
      const int first = std::min(static_cast<int>(center), std::max(from - 2, 0));
      pixels.push_back({first, {1 - (center - first), center - first}});
    } else {
      const int first = static_cast<int>(begin);
      std::vector<double> weights;
      for (int k = first; k < end && k < from; ++k) {
        // Shares that are no more than errors of rounding, OpenCV leaves out as well.
        const double share = std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k));
        weights.push_back(share < 1e-3 ? 0 : share / scale);
      }
      pixels.push_back({first, std::move(weights)});
    }
  }
  Taps taps;
  for (const auto& [first, weights] : pixels) {
    taps.most = std::max(taps.most, static_cast<int>(weights.size()));
  }
  taps.most = std::min(taps.most, from);
  const auto most = static_cast<std::size_t>(taps.most), count = pixels.size();
  taps.weights.resize(most * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [first, weights] = pixels[i];
    // Taps with weight 0 must not lie beyond the end.
    const int moved = std::min(first, from - taps.most);
    taps.first.push_back(moved);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::size_t tap = k + static_cast<std::size_t>(first - moved);
      if (tap < most) taps.weights[tap * count + i] = static_cast<float>(weights[k]);
    }
  }
  return taps;
}

void Resize::Plane(const std::uint8_t* in, std::uint8_t* out, float* row) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto width = static_cast<std::size_t>(to_.width),
             height = static_cast<std::size_t>(to_.height);
  const int* const columns = columns_.first.data();
  for (std::size_t y = 0; y < height; ++y, out += width) {
    const std::uint8_t* source = in + static_cast<std::size_t>(rows_.first[y]) * from_width;
    for (int tap = 0; tap < rows_.most; ++tap, source += from_width) {
      const float weight = rows_.weights[static_cast<std::size_t>(tap) * height + y];
      if (tap == 0) {
        for (std::size_t x = 0; x < from_width; ++x) row[x] = weight * source[x];
      } else if (weight != 0) {
        for (std::size_t x = 0; x < from_width; ++x) row[x] += weight * source[x];
      }
    }
    for (std::size_t x = 0; x < width; ++x) {
      const float* const first = row + columns[x];
      float sum = 0;
      for (int tap = 0; tap < columns_.most; ++tap) {
        sum += columns_.weights[static_cast<std::size_t>(tap) * width + x] * first[tap];
      }
      out[x] = static_cast<std::uint8_t>(std::lrintf(sum));
    }
  }
}

}  // namespace vizdoom
