// SPDX-License-Identifier: Apache-2.0
#include "image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

// The best instructions of the CPU that it runs on; results are the same. The C library chooses,
// and of those only glibc can.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VIZDOOM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define VIZDOOM_CLONES
#endif

namespace vizdoom {
namespace {

constexpr std::size_t kRows = 8;      // of the result, done together
constexpr int kMostSum = 257;         // of whole weights: times 255 it is what 16 bits hold
constexpr float kTie = 0.4999f;       // from the nearest level: closer to the middle are ties only
constexpr float kRounder = 12582912;  // 1.5 * 2^23: added and subtracted, a number becomes whole

/// One row of the result, before its columns are summed up. `Sum` is std::uint16_t where weights
/// are whole, else float.
template <typename Sum, int kTaps>
VIZDOOM_CLONES void SumRows(const std::uint8_t* in, std::size_t stride, const Sum* weights,
                            int taps, Sum* out) {
  const int count = kTaps > 0 ? kTaps : taps;
  for (std::size_t x = 0; x < stride; ++x) {
    Sum sum = 0;
    for (int tap = 0; tap < count; ++tap) {
      sum = static_cast<Sum>(sum + weights[tap] * in[static_cast<std::size_t>(tap) * stride + x]);
    }
    out[x] = sum;
  }
}

template <typename Sum>
auto SumRowsOf(int taps) {
  switch (taps) {
    case 2:
      return SumRows<Sum, 2>;
    case 3:
      return SumRows<Sum, 3>;
    case 4:
      return SumRows<Sum, 4>;
    case 5:
      return SumRows<Sum, 5>;
    default:
      return SumRows<Sum, 0>;
  }
}

VIZDOOM_CLONES void SumColumns(const float* block, const int* first, const float* weights,
                               std::size_t taps, std::size_t width, float scale, float* out) {
  for (std::size_t x = 0; x < width; ++x) {
    const float* const from = block + static_cast<std::size_t>(first[x]) * kRows;
    float sums[kRows] = {};
    for (std::size_t tap = 0; tap < taps; ++tap) {
      const float weight = weights[x * taps + tap];
      for (std::size_t r = 0; r < kRows; ++r) sums[r] += weight * from[tap * kRows + r];
    }
    for (std::size_t r = 0; r < kRows; ++r) out[x * kRows + r] = sums[r] * scale;
  }
}

}  // namespace

Resize::Resize(Method method, ImageSize from, ImageSize to) : from_(from), to_(to) {
  const bool grows = to.width > from.width || to.height > from.height;
  area_ = method == Method::kArea && !grows;
  halves_ = area_ && from.width == 2 * to.width && from.height == 2 * to.height;
  columns_ = TapsOf(method, from.width, to.width, grows);
  rows_ = TapsOf(method, from.height, to.height, grows);
}

void Resize::operator()(const std::uint8_t* in, int planes, std::uint8_t* out,
                        Scratch& scratch) const {
  const auto count = static_cast<std::size_t>(planes);
  if (from_ == to_) {
    std::memcpy(out, in, count * to_.pixels());
    return;
  }
  const auto from_width = static_cast<std::size_t>(from_.width);
  scratch.whole_row.resize(from_width);
  scratch.row.resize(from_width);
  scratch.block.resize((from_width + static_cast<std::size_t>(to_.width)) * kRows);
  for (std::size_t i = 0; i < count; ++i) {
    Plane(in + i * from_.pixels(), out + i * to_.pixels(), scratch);
  }
}

Resize::Taps Resize::TapsOf(Method method, int from, int to, bool grows) {
  const double scale = static_cast<double>(from) / to;
  const int common = std::gcd(from, to), unit = to / common, whole_sum = from / common;
  const bool whole = method == Method::kArea && !grows && whole_sum <= kMostSum;
  Taps taps;
  if (whole) taps.sum = static_cast<float>(whole_sum);
  std::vector<std::vector<double>> all;
  for (int i = 0; i < to; ++i) {
    const double begin = i * scale, end = (i + 1) * scale;
    int first = std::min(static_cast<int>(begin), from - 1);
    std::vector<double> weights;
    if (method == Method::kNearest) {
      weights = {1};
    } else if (method == Method::kLinear) {
      const double center = std::clamp((begin + end) / 2 - 0.5, 0.0, from - 1.0);
      first = std::min(static_cast<int>(center), std::max(from - 2, 0));
      weights = {1 - (center - first), center - first};
    } else if (grows) {
      // Of what a pixel covers, OpenCV takes two pixels, and the share of the second.
      const double share = (i + 1) - (first + 1) / scale;
      const double second = share <= 0 || first == from - 1 ? 0 : share - std::floor(share);
      weights = {1 - second, second};
    } else if (whole) {
      const int whole_begin = i * whole_sum, whole_end = whole_begin + whole_sum;
      first = whole_begin / unit;
      for (int k = first; k * unit < whole_end; ++k) {
        weights.push_back(std::min(whole_end, (k + 1) * unit) - std::max(whole_begin, k * unit));
      }
    } else {
      for (int k = first; k < end && k < from; ++k) {
        // Shares that are no more than errors of rounding, OpenCV leaves out as well.
        const double share = std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k));
        weights.push_back(share < 1e-3 ? 0 : share / scale);
      }
    }
    taps.first.push_back(first);
    taps.most = std::max(taps.most, static_cast<int>(weights.size()));
    all.push_back(std::move(weights));
  }
  taps.most = std::min(taps.most, from);
  const auto most = static_cast<std::size_t>(taps.most);
  taps.weights.resize(most * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Taps with weight 0 must not lie beyond the end.
    const int moved = std::min(taps.first[i], from - taps.most);
    const auto shift = static_cast<std::size_t>(taps.first[i] - moved);
    for (std::size_t k = 0; k < all[i].size() && k + shift < most; ++k) {
      taps.weights[i * most + k + shift] = static_cast<float>(all[i][k]);
    }
    taps.first[i] = moved;
  }
  if (whole) {
    for (float weight : taps.weights) taps.whole.push_back(static_cast<std::uint16_t>(weight));
  }
  return taps;
}

void Resize::Plane(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto width = static_cast<std::size_t>(to_.width),
             height = static_cast<std::size_t>(to_.height);
  const auto row_taps = static_cast<std::size_t>(rows_.most);
  const auto sum_whole = SumRowsOf<std::uint16_t>(rows_.most);
  const auto sum_rows = SumRowsOf<float>(rows_.most);
  float* const block = scratch.block.data();
  float* const sums = block + from_width * kRows;
  const float scale = 1.0f / (rows_.sum * columns_.sum);
  for (std::size_t y = 0; y < height; y += kRows) {
    const std::size_t count = std::min(kRows, height - y);
    for (std::size_t r = 0; r < count; ++r) {
      const std::uint8_t* const from =
          in + static_cast<std::size_t>(rows_.first[y + r]) * from_width;
      const std::size_t weights = (y + r) * row_taps;
      if (!rows_.whole.empty()) {
        const auto row = scratch.whole_row.data();
        sum_whole(from, from_width, &rows_.whole[weights], rows_.most, row);
        for (std::size_t x = 0; x < from_width; ++x) block[x * kRows + r] = row[x];
      } else {
        const auto row = scratch.row.data();
        sum_rows(from, from_width, &rows_.weights[weights], rows_.most, row);
        for (std::size_t x = 0; x < from_width; ++x) block[x * kRows + r] = row[x];
      }
    }
    SumColumns(block, columns_.first.data(), columns_.weights.data(),
               static_cast<std::size_t>(columns_.most), width, scale, sums);
    for (std::size_t r = 0; r < count; ++r) {
      std::uint8_t* const row = out + (y + r) * width;
      bool ties = false;
      for (std::size_t x = 0; x < width; ++x) {
        const float sum = sums[x * kRows + r];
        const float whole = (sum + kRounder) - kRounder;
        ties |= std::abs(sum - whole) > kTie;
        row[x] = static_cast<std::uint8_t>(whole);
      }
      for (std::size_t x = 0; ties && area_ && x < width; ++x) {
        const float sum = sums[x * kRows + r];
        if (std::abs(sum - static_cast<float>(row[x])) > kTie) row[x] = Tie(in, x, y + r);
      }
    }
  }
}

// In images of few colors a mean often lies right between two levels. Then OpenCV's result hangs on
// the rounding of its sums: this repeats them, columns first, in float, of weights that are shares.
std::uint8_t Resize::Tie(const std::uint8_t* in, std::size_t x, std::size_t y) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto row_taps = static_cast<std::size_t>(rows_.most),
             column_taps = static_cast<std::size_t>(columns_.most);
  const std::uint8_t* source = in + static_cast<std::size_t>(rows_.first[y]) * from_width +
                               static_cast<std::size_t>(columns_.first[x]);
  const auto share = [](const Taps& taps, std::size_t at) {
    return static_cast<float>(static_cast<double>(taps.weights[at]) / taps.sum);
  };
  float sum = 0;
  for (std::size_t row = 0; row < row_taps; ++row, source += from_width) {
    float part = 0;
    for (std::size_t tap = 0; tap < column_taps; ++tap) {
      part += share(columns_, x * column_taps + tap) * source[tap];
    }
    sum += share(rows_, y * row_taps + row) * part;
  }
  return static_cast<std::uint8_t>(halves_ ? sum + 0.5f : (sum + kRounder) - kRounder);
}

}  // namespace vizdoom
