// SPDX-License-Identifier: Apache-2.0
#include "image/resize.h"

#include <algorithm>
#include <array>
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

constexpr std::size_t kRows = 8;  // of the result, done together
using Lanes [[gnu::vector_size(kRows * sizeof(float))]] = float;
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

/// Elements of `a` and `b` by turns.
template <typename From, typename To>
VIZDOOM_CLONES void Zip(const From* __restrict a, const From* __restrict b, std::size_t count,
                        To* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[2 * i] = static_cast<To>(a[i]);
    out[2 * i + 1] = static_cast<To>(b[i]);
  }
}

/// The reverse of Zip.
VIZDOOM_CLONES void Unzip(const std::uint8_t* __restrict in, std::size_t count,
                          std::uint8_t* __restrict a, std::uint8_t* __restrict b) {
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = in[2 * i];
    b[i] = in[2 * i + 1];
  }
}

/// Lays 8 rows side by side: column x of row r becomes element 8 * x + r. `rows` and `other` have
/// room for 8 rows each.
template <typename Sum>
void Interleave(Sum* rows, Sum* other, std::size_t width, float* out) {
  for (std::size_t r = 0; r < 4; ++r) {
    Zip(rows + r * width, rows + (r + 4) * width, width, other + r * 2 * width);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    Zip(other + r * 2 * width, other + (r + 2) * 2 * width, 2 * width, rows + r * 4 * width);
  }
  Zip(rows, rows + 4 * width, 4 * width, out);
}

/// The reverse for bytes, with a row of the result at each of `out`.
void Separate(std::uint8_t* block, std::uint8_t* other, std::size_t width,
              const std::array<std::uint8_t*, kRows>& out) {
  Unzip(block, 4 * width, other, other + 4 * width);
  for (std::size_t r = 0; r < 2; ++r) {
    Unzip(other + r * 4 * width, 2 * width, block + r * 2 * width, block + (r + 2) * 2 * width);
  }
  for (std::size_t r = 0; r < 4; ++r) Unzip(block + r * 2 * width, width, out[r], out[r + 4]);
}

/// Means of 8 rows that lie side by side.
template <int kTaps>
VIZDOOM_CLONES void SumColumns(const float* block, const int* first, const float* weights, int taps,
                               std::size_t width, float scale, float* means) {
  const int count = kTaps > 0 ? kTaps : taps;
  for (std::size_t x = 0; x < width; ++x, weights += count) {
    const float* const from = block + static_cast<std::size_t>(first[x]) * kRows;
    Lanes sum{};
    for (int tap = 0; tap < count; ++tap) {
      Lanes one;
      std::memcpy(&one, from + static_cast<std::size_t>(tap) * kRows, sizeof(one));
      sum += weights[tap] * one;
    }
    const Lanes mean = sum * scale;
    std::memcpy(means + x * kRows, &mean, sizeof(mean));
  }
}

auto SumColumnsOf(int taps) {
  switch (taps) {
    case 2:
      return SumColumns<2>;
    case 3:
      return SumColumns<3>;
    case 4:
      return SumColumns<4>;
    case 5:
      return SumColumns<5>;
    default:
      return SumColumns<0>;
  }
}

/// The levels next to means, and which means lie right between two: 1, else 0.
VIZDOOM_CLONES void Round(const float* __restrict means, std::size_t count,
                          std::uint8_t* __restrict levels, std::uint8_t* __restrict ties) {
  for (std::size_t i = 0; i < count; ++i) {
    const float level = (means[i] + kRounder) - kRounder;
    levels[i] = static_cast<std::uint8_t>(static_cast<int>(level));
    ties[i] = std::abs(means[i] - level) > kTie ? 1 : 0;
  }
}

}  // namespace

Resize::Resize(Method method, ImageSize from, ImageSize to)
    : from_(from), to_(to), nearest_(method == Method::kNearest) {
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
  const auto width = static_cast<std::size_t>(to_.width);
  if (!rows_.whole.empty()) scratch.whole_rows.resize(2 * kRows * from_width);
  if (rows_.whole.empty()) scratch.rows.resize(2 * kRows * from_width);
  scratch.block.resize(kRows * (from_width + width));
  scratch.levels.resize((3 * kRows + 1) * width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* const plane = in + i * from_.pixels();
    if (nearest_) {
      Pick(plane, out + i * to_.pixels());
    } else {
      Plane(plane, out + i * to_.pixels(), scratch);
    }
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
  for (float weight : taps.weights) {
    taps.shares.push_back(static_cast<float>(static_cast<double>(weight) / taps.sum));
  }
  if (whole) {
    for (float weight : taps.weights) taps.whole.push_back(static_cast<std::uint16_t>(weight));
  }
  return taps;
}

void Resize::Pick(const std::uint8_t* in, std::uint8_t* out) const {
  for (std::size_t y = 0; y < rows_.first.size(); ++y) {
    const std::uint8_t* const row = in + rows_.first[y] * from_.width;
    for (int x : columns_.first) *out++ = row[x];
  }
}

void Resize::Plane(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto width = static_cast<std::size_t>(to_.width),
             height = static_cast<std::size_t>(to_.height);
  const auto sum_columns = SumColumnsOf(columns_.most);
  float* const block = scratch.block.data();
  float* const means = block + from_width * kRows;
  std::uint8_t* const levels = scratch.levels.data();
  std::uint8_t* const other = levels + kRows * width;
  std::uint8_t* const ties = other + kRows * width;
  std::uint8_t* const unused = ties + kRows * width;
  const float scale = 1.0f / (rows_.sum * columns_.sum);
  for (std::size_t y = 0; y < height; y += kRows) {
    const std::size_t count = std::min(kRows, height - y);
    if (!rows_.whole.empty()) {
      SumBlock(in, y, count, rows_.whole.data(), scratch.whole_rows.data(), block);
    } else {
      SumBlock(in, y, count, rows_.weights.data(), scratch.rows.data(), block);
    }
    sum_columns(block, columns_.first.data(), columns_.weights.data(), columns_.most, width, scale,
                means);
    Round(means, kRows * width, levels, ties);
    for (std::size_t x = 0; area_ && x < width; ++x) {
      std::uint64_t found;  // any of this column
      static_assert(sizeof(found) == kRows);
      std::memcpy(&found, ties + x * kRows, kRows);
      if (found == 0) continue;
      for (std::size_t r = 0; r < count; ++r) {
        if (ties[x * kRows + r] != 0) levels[x * kRows + r] = Tie(in, x, y + r);
      }
    }
    std::array<std::uint8_t*, kRows> rows;
    for (std::size_t r = 0; r < kRows; ++r) rows[r] = r < count ? out + (y + r) * width : unused;
    Separate(levels, other, width, rows);
  }
}

/// Rows y .. y + count - 1 of the result, before their columns are summed up, side by side.
template <typename Sum>
void Resize::SumBlock(const std::uint8_t* in, std::size_t y, std::size_t count, const Sum* weights,
                      Sum* rows, float* out) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto sum_rows = SumRowsOf<Sum>(rows_.most);
  for (std::size_t r = 0; r < count; ++r) {
    sum_rows(in + static_cast<std::size_t>(rows_.first[y + r]) * from_width, from_width,
             weights + (y + r) * static_cast<std::size_t>(rows_.most), rows_.most,
             rows + r * from_width);
  }
  Interleave(rows, rows + kRows * from_width, from_width, out);
}

// In images of few colors a mean often lies right between two levels. Then OpenCV's result hangs on
// the rounding of its sums: this repeats them, columns first, in float, of weights that are shares.
std::uint8_t Resize::Tie(const std::uint8_t* in, std::size_t x, std::size_t y) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto row_taps = static_cast<std::size_t>(rows_.most),
             column_taps = static_cast<std::size_t>(columns_.most);
  const std::uint8_t* source = in + static_cast<std::size_t>(rows_.first[y]) * from_width +
                               static_cast<std::size_t>(columns_.first[x]);
  float sum = 0;
  for (std::size_t row = 0; row < row_taps; ++row, source += from_width) {
    float part = 0;
    for (std::size_t tap = 0; tap < column_taps; ++tap) {
      part += columns_.shares[x * column_taps + tap] * source[tap];
    }
    sum += rows_.shares[y * row_taps + row] * part;
  }
  return static_cast<std::uint8_t>(halves_ ? sum + 0.5f : (sum + kRounder) - kRounder);
}

}  // namespace vizdoom
