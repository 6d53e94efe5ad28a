// SPDX-License-Identifier: Apache-2.0
#include "image/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

// Compiles a function for several instruction sets; results are the same. The C library chooses by
// CPU; only glibc can.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VIZDOOM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define VIZDOOM_CLONES
#endif

namespace envpool::vizdoom {
namespace {

constexpr std::size_t kRows = 8;  // rows of the result that are computed together
using Lanes [[gnu::vector_size(kRows * sizeof(float))]] = float;
constexpr int kMostSum = 257;         // of whole weights: times 255 it fits in 16 bits
constexpr float kTie = 0.4999f;       // a difference from the nearest level above this is a tie
constexpr float kRounder = 12582912;  // 1.5 * 2^23: adding and subtracting it rounds

/// One row of the result, before its columns are summed. `Sum` is std::uint16_t for whole weights,
/// else float.
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

/// Interleaves the elements of `a` and `b`.
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

/// Interleaves 8 rows: column x of row r becomes element 8 * x + r. `rows` and `other` have room
/// for 8 rows each.
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

/// The reverse of it for bytes: writes a row of the result to each of `out`.
void Separate(std::uint8_t* block, std::uint8_t* other, std::size_t width,
              const std::array<std::uint8_t*, kRows>& out) {
  Unzip(block, 4 * width, other, other + 4 * width);
  for (std::size_t r = 0; r < 2; ++r) {
    Unzip(other + r * 4 * width, 2 * width, block + r * 2 * width, block + (r + 2) * 2 * width);
  }
  for (std::size_t r = 0; r < 4; ++r) Unzip(block + r * 2 * width, width, out[r], out[r + 4]);
}

/// Means of 8 interleaved rows.
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

/// The levels nearest to the means, and 1 for each mean halfway between two levels, else 0.
VIZDOOM_CLONES void Round(const float* __restrict means, std::size_t count,
                          std::uint8_t* __restrict levels, std::uint8_t* __restrict ties) {
  for (std::size_t i = 0; i < count; ++i) {
    const float level = (means[i] + kRounder) - kRounder;
    levels[i] = static_cast<std::uint8_t>(static_cast<int>(level));
    ties[i] = std::abs(means[i] - level) > kTie ? 1 : 0;
  }
}

/// A row of interpolated pixels, from the sums of the rows above and below.
VIZDOOM_CLONES void BlendRows(const std::int32_t* __restrict above,
                              const std::int32_t* __restrict below, std::int32_t above_weight,
                              std::int32_t below_weight, std::size_t width,
                              std::uint8_t* __restrict out) {
  for (std::size_t x = 0; x < width; ++x) {
    const std::int32_t sum =
        ((above[x] >> 4) * above_weight >> 16) + ((below[x] >> 4) * below_weight >> 16);
    out[x] = static_cast<std::uint8_t>((sum + 2) >> 2);
  }
}

}  // namespace

Resize::Resize(Method method, drawing::Size from, drawing::Size to)
    : from_(from), to_(to), nearest_(method == Method::kNearest) {
  if (nearest_) {
    columns_.first = Nearest(from.width, to.width);
    rows_.first = Nearest(from.height, to.height);
    return;
  }
  plan_ = drawing::PlanResize(
      from, to,
      method == Method::kArea ? drawing::Interpolation::kArea : drawing::Interpolation::kLinear);
  if (plan_.linear) return;
  columns_ = WeightsOf(plan_.across, from.width, to.width);
  rows_ = WeightsOf(plan_.down, from.height, to.height);
}

void Resize::operator()(const std::uint8_t* in, int planes, std::uint8_t* out,
                        Scratch& scratch) const {
  const auto count = static_cast<std::size_t>(planes);
  if (from_ == to_) {
    std::memcpy(out, in, count * to_.Pixels());
    return;
  }
  for (std::size_t i = 0; i < count; ++i, in += from_.Pixels(), out += to_.Pixels()) {
    if (nearest_) {
      Pick(in, out);
    } else if (plan_.linear) {
      Interpolate(in, out, scratch);
    } else {
      Average(in, out, scratch);
    }
  }
}

std::vector<int> Resize::Nearest(int from, int to) {
  const double scale = static_cast<double>(from) / to;
  std::vector<int> nearest;
  for (int i = 0; i < to; ++i) nearest.push_back(std::min(static_cast<int>(i * scale), from - 1));
  return nearest;
}

/// The weights of `taps`: whole numbers if they are small.
Resize::Weights Resize::WeightsOf(const drawing::Taps& taps, int from, int to) {
  const int common = std::gcd(from, to), unit = to / common, whole_sum = from / common;
  std::vector<std::vector<float>> all;
  Weights result;
  for (int i = 0; i < to; ++i) {
    std::vector<float>& weights = all.emplace_back();
    if (whole_sum <= kMostSum) {
      const int begin = i * whole_sum, end = begin + whole_sum;
      result.first.push_back(begin / unit);
      for (int k = begin / unit; k * unit < end; ++k) {
        const int part = std::min(end, (k + 1) * unit) - std::max(begin, k * unit);
        weights.push_back(static_cast<float>(part));
      }
    } else {
      const std::vector<drawing::Tap>& pixel = taps[static_cast<std::size_t>(i)];
      result.first.push_back(pixel.front().source);
      for (const drawing::Tap& tap : pixel) weights.push_back(tap.weight);
    }
    result.most = std::max(result.most, static_cast<int>(weights.size()));
  }
  const auto most = static_cast<std::size_t>(result.most);
  result.weights.resize(most * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Taps with weight 0 must not lie beyond the end.
    const int moved = std::min(result.first[i], from - result.most);
    std::copy(
        all[i].begin(), all[i].end(),
        result.weights.begin() + static_cast<std::ptrdiff_t>(i * most) + (result.first[i] - moved));
    result.first[i] = moved;
  }
  if (whole_sum <= kMostSum) {
    result.sum = static_cast<float>(whole_sum);
    for (float weight : result.weights) result.whole.push_back(static_cast<std::uint16_t>(weight));
  }
  return result;
}

void Resize::Pick(const std::uint8_t* in, std::uint8_t* out) const {
  for (std::size_t y = 0; y < rows_.first.size(); ++y) {
    const std::uint8_t* const row = in + rows_.first[y] * from_.width;
    for (int x : columns_.first) *out++ = row[x];
  }
}

void Resize::Average(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const {
  const auto from_width = static_cast<std::size_t>(from_.width);
  const auto width = static_cast<std::size_t>(to_.width),
             height = static_cast<std::size_t>(to_.height);
  if (!rows_.whole.empty()) scratch.whole_rows.resize(2 * kRows * from_width);
  if (rows_.whole.empty()) scratch.rows.resize(2 * kRows * from_width);
  scratch.block.resize(kRows * (from_width + width));
  scratch.levels.resize((3 * kRows + 1) * width);
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
    for (std::size_t x = 0; x < width; ++x) {
      std::uint64_t found;  // not 0 if this column has a tie
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

/// Rows y .. y + count - 1 of the result, interleaved, before their columns are summed.
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

// In images of few colors a mean often lies halfway between two levels. OpenCV's result then
// depends on the rounding of its sums, which are repeated here.
std::uint8_t Resize::Tie(const std::uint8_t* in, std::size_t x, std::size_t y) const {
  float sum = 0;
  for (const drawing::Tap& down : plan_.down[y]) {
    const std::uint8_t* const row = in + down.source * from_.width;
    float part = 0;
    for (const drawing::Tap& across : plan_.across[x]) part += across.weight * row[across.source];
    sum += down.weight * part;
  }
  const float level = sum * plan_.scale + plan_.bias;
  return static_cast<std::uint8_t>((level + kRounder) - kRounder);
}

void Resize::Interpolate(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const {
  const auto width = static_cast<std::size_t>(to_.width);
  scratch.sums.resize(2 * width);
  // The rows of `in` whose sums are present; two neighbors are used together.
  std::array<int, 2> present{-1, -1};
  const auto sums_of = [&](int source) {
    const auto place = static_cast<std::size_t>(source % 2);
    std::int32_t* const sums = scratch.sums.data() + place * width;
    if (std::exchange(present[place], source) != source) {
      const std::uint8_t* const row = in + source * from_.width;
      for (std::size_t x = 0; x < width; ++x) {
        const drawing::Tap &left = plan_.across[x][0], &right = plan_.across[x][1];
        sums[x] = row[left.source] * static_cast<std::int32_t>(left.weight) +
                  row[right.source] * static_cast<std::int32_t>(right.weight);
      }
    }
    return sums;
  };
  for (const std::vector<drawing::Tap>& down : plan_.down) {
    BlendRows(sums_of(down[0].source), sums_of(down[1].source),
              static_cast<std::int32_t>(down[0].weight), static_cast<std::int32_t>(down[1].weight),
              width, out);
    out += width;
  }
}

}  // namespace envpool::vizdoom
