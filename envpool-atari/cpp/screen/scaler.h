// SPDX-License-Identifier: Apache-2.0
// Scales screens of palette indices to images: one screen or the maximum of two, in gray or RGB, at
// any size, byte for byte as cv2.resize does (see envpool/drawing/resize_plan.h), in a few
// microseconds.
//
//   const atari::ScreenScaler scaler(210, {84, 84}, drawing::Interpolation::kArea,
//                                    atari::ColorMode::kGray, atari::kNtscPalette);
//   scaler(newer, older, observation);     // writes scaler.frame_bytes() bytes
//   scaler(screen, nullptr, observation);  // of one screen
//
// A scaler is immutable: one serves all environments and threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "avx512.h"
#include "neon.h"
#include "palette.h"

namespace envpool::atari {

/// The shape of an image: gray (height, width), planes (3, height, width), pixels (height, width,
/// 3).
enum class ColorMode : std::uint8_t { kGray, kRgbPlanar, kRgbLast };

class ScreenScaler {
 public:
  /// Screens have `source_height` rows of 160 bytes. A size of 160 x source_height scales nothing.
  /// Throws std::invalid_argument for sizes below 1 or a kind of vectors that this machine lacks.
  ScreenScaler(int source_height, drawing::Size size, drawing::Interpolation interpolation,
               ColorMode mode, const Palette& palette, Simd simd = BestSimd());

  /// Writes the image of a screen or, if `older` is not null, of the maximum of both screens.
  void operator()(const std::uint8_t* newer, const std::uint8_t* older, std::uint8_t* out) const;

  [[nodiscard]] std::size_t frame_bytes() const { return plane_bytes_ * tables_.size(); }

 private:
  /// A thread's memory, as large as its largest scaler needs. More than half of a screen's rows
  /// repeat the row above: only distinct rows are scaled, in their order.
  struct Scratch {
    std::vector<std::uint8_t> repeats;
    std::vector<std::size_t> distinct;  // [distinct row] its row of the screen
    std::vector<std::size_t> place_of;  // [row of the screen] index in `distinct`
    AlignedVector<std::uint8_t> pooled, planes;
    AlignedVector<float> sums;
    std::vector<const float*> rows;
  };

  /// The vertical taps of a row of the image. Sources only increase from row to row.
  struct Row {
    std::vector<std::size_t> sources;
    std::vector<float> weights;
  };

  [[nodiscard]] Scratch& ThreadScratch() const;
  void FindDistinctRows(const std::uint8_t* newer, const std::uint8_t* older,
                        Scratch& scratch) const;
  void WritePlane(const LookUpTable& table, const std::uint8_t* newer, const std::uint8_t* older,
                  Scratch& scratch, std::uint8_t* out) const;
  void WriteRawPixels(const std::uint8_t* newer, const std::uint8_t* older, const Scratch& scratch,
                      std::uint8_t* out) const;

  drawing::Size size_;
  ColorMode mode_;
  bool is_raw_;  // true: no scaling
  bool linear_;
  float scale_, bias_;  // see drawing::ResizePlan
  Kernels kernels_;
  std::vector<LookUpTable> tables_;  // gray, or red, green and blue
  RowPlan across_;
  std::vector<Row> down_;
  std::size_t source_height_, plane_bytes_;
  std::size_t stride_;     // floats of a row of sums
  std::size_t ring_rows_;  // number of rows of sums that are kept at a time
};

namespace detail {

/// The inner loops for a kind of vector instructions.
inline const Kernels& KernelsFor(Simd simd) {
  switch (HasSimd(simd) ? simd : throw std::invalid_argument("no such vector instructions here")) {
#if ATARI_X86
    case Simd::kAvx512:
      return kAvx512Kernels;
    case Simd::kAvx2:
      return kAvx2Kernels;
#endif
#if ATARI_NEON
    case Simd::kNeon:
      return kNeonKernels;
#endif
    default:
      return kPortableKernels;
  }
}

inline drawing::ResizePlan PlanScreen(int source_height, drawing::Size size,
                                      drawing::Interpolation interpolation) {
  if (source_height < 1 || size.width < 1 || size.height < 1) {
    throw std::invalid_argument("a screen of height " + std::to_string(source_height) +
                                " cannot become an image of width " + std::to_string(size.width) +
                                " and height " + std::to_string(size.height));
  }
  return drawing::PlanResize({kSourceWidth, source_height}, size, interpolation);
}

constexpr std::size_t RoundUp(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace detail

inline ScreenScaler::ScreenScaler(int source_height, drawing::Size size,
                                  drawing::Interpolation interpolation, ColorMode mode,
                                  const Palette& palette, Simd simd)
    : size_(size),
      mode_(mode),
      is_raw_(size == drawing::Size{kSourceWidth, source_height}),
      kernels_(detail::KernelsFor(simd)),
      across_({}, kernels_.shape) {
  const drawing::ResizePlan plan = detail::PlanScreen(source_height, size, interpolation);
  linear_ = plan.linear;
  scale_ = plan.scale;
  bias_ = plan.bias;
  if (mode == ColorMode::kGray) {
    tables_.emplace_back(palette.gray);
  } else {
    tables_ = {LookUpTable(palette.red), LookUpTable(palette.green), LookUpTable(palette.blue)};
  }
  across_ = RowPlan(plan.across, kernels_.shape);
  if (!across_.fits) {
    kernels_.rows = kPortableKernels.rows;
    across_ = RowPlan(plan.across, kPortableKernels.shape);
  }
  std::size_t most_taps = 1;
  for (const std::vector<drawing::Tap>& taps : plan.down) {
    Row& row = down_.emplace_back();
    for (const drawing::Tap& tap : taps) {
      row.sources.push_back(static_cast<std::size_t>(tap.source));
      row.weights.push_back(tap.weight);
    }
    most_taps = std::max(most_taps, taps.size());
  }
  const auto width = static_cast<std::size_t>(size.width);
  source_height_ = static_cast<std::size_t>(source_height);
  plane_bytes_ = width * static_cast<std::size_t>(size.height);
  stride_ = detail::RoundUp(width, kSumsUnit);
  // The taps of a row may begin at the last row of a block, and end at the first row of another.
  ring_rows_ = detail::RoundUp(most_taps, kRowsAtOnce) + kRowsAtOnce;
}

inline ScreenScaler::Scratch& ScreenScaler::ThreadScratch() const {
  static thread_local Scratch scratch;
  const auto grow = [](auto& buffer, std::size_t size) {
    if (buffer.size() < size) {
      buffer.resize(size);
    }
  };
  grow(scratch.repeats, source_height_);
  grow(scratch.distinct, source_height_);
  grow(scratch.place_of, source_height_);
  grow(scratch.pooled, kRowsAtOnce * kSourceWidth + kRowSlack);
  grow(scratch.sums, ring_rows_ * stride_);
  grow(scratch.rows, ring_rows_);
  grow(scratch.planes, mode_ == ColorMode::kRgbLast ? 3 * plane_bytes_ : 0);
  return scratch;
}

inline void ScreenScaler::operator()(const std::uint8_t* newer, const std::uint8_t* older,
                                     std::uint8_t* out) const {
  Scratch& scratch = ThreadScratch();
  if (!is_raw_ || mode_ == ColorMode::kRgbLast) {
    FindDistinctRows(newer, older, scratch);
  }
  if (is_raw_ && mode_ == ColorMode::kRgbLast) {
    WriteRawPixels(newer, older, scratch, out);
    return;
  }
  std::uint8_t* planes = mode_ == ColorMode::kRgbLast ? scratch.planes.data() : out;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    WritePlane(tables_[i], newer, older, scratch, planes + i * plane_bytes_);
  }
  if (mode_ == ColorMode::kRgbLast) {
    kernels_.interleave({planes, planes + plane_bytes_, planes + 2 * plane_bytes_}, plane_bytes_,
                        out);
  }
}

inline void ScreenScaler::FindDistinctRows(const std::uint8_t* newer, const std::uint8_t* older,
                                           Scratch& scratch) const {
  std::fill_n(scratch.repeats.begin(), source_height_, std::uint8_t{1});
  kernels_.find_repeats(newer, source_height_, scratch.repeats.data());
  if (older != nullptr) {
    kernels_.find_repeats(older, source_height_, scratch.repeats.data());
  }
  scratch.repeats[0] = 0;
  std::size_t count = 0;
  for (std::size_t y = 0; y < source_height_; ++y) {
    scratch.distinct[count] = y;
    count += 1U - scratch.repeats[y];
    scratch.place_of[y] = count - 1;
  }
}

inline void ScreenScaler::WritePlane(const LookUpTable& table, const std::uint8_t* newer,
                                     const std::uint8_t* older, Scratch& scratch,
                                     std::uint8_t* out) const {
  if (is_raw_) {
    kernels_.pool(newer, older, table, source_height_ * kSourceWidth, out);
    return;
  }
  const std::size_t count = scratch.place_of[source_height_ - 1] + 1;
  std::size_t ready = 0;  // the distinct rows before this one are summed, if they are needed
  for (const Row& row : down_) {
    const std::size_t first = scratch.place_of[row.sources.front()];
    const std::size_t last = scratch.place_of[row.sources.back()];
    ready = std::max(ready, first / kRowsAtOnce * kRowsAtOnce);
    for (; ready <= last; ready += kRowsAtOnce) {
      for (std::size_t i = 0; i < std::min<std::size_t>(kRowsAtOnce, count - ready); ++i) {
        const std::size_t begin = scratch.distinct[ready + i] * kSourceWidth;
        kernels_.pool(newer + begin, older == nullptr ? nullptr : older + begin, table,
                      kSourceWidth, &scratch.pooled[i * kSourceWidth]);
      }
      kernels_.rows(across_, scratch.pooled.data(), &scratch.sums[ready % ring_rows_ * stride_]);
    }
    const std::size_t taps = row.sources.size();
    for (std::size_t i = 0; i < taps; ++i) {
      scratch.rows[i] = &scratch.sums[scratch.place_of[row.sources[i]] % ring_rows_ * stride_];
    }
    if (linear_) {
      kernels_.linear_down(scratch.rows.data(), row.weights.data(), out, size_.width);
    } else {
      kernels_.sums_down(scratch.rows.data(), row.weights.data(), static_cast<int>(taps), scale_,
                         bias_, out, size_.width);
    }
    out += size_.width;
  }
}

inline void ScreenScaler::WriteRawPixels(const std::uint8_t* newer, const std::uint8_t* older,
                                         const Scratch& scratch, std::uint8_t* out) const {
  std::array<std::array<std::uint8_t, kSourceWidth>, 3> planes;
  for (std::size_t y = 0; y < source_height_; ++y) {
    std::uint8_t* row = out + y * 3 * kSourceWidth;
    if (scratch.repeats[y] != 0) {
      std::memcpy(row, row - 3 * kSourceWidth, 3 * kSourceWidth);
      continue;
    }
    const std::size_t begin = y * kSourceWidth;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      kernels_.pool(newer + begin, older == nullptr ? nullptr : older + begin, tables_[i],
                    kSourceWidth, planes[i].data());
    }
    kernels_.interleave({planes[0].data(), planes[1].data(), planes[2].data()}, kSourceWidth, row);
  }
}

}  // namespace envpool::atari
