// SPDX-License-Identifier: Apache-2.0
// Resize: scales planes of 8-bit pixels.
//
//   const Resize resize(Resize::Method::kArea, {320, 240}, {84, 84});
//   resize(screen, planes, out, scratch);
//
// kArea and kLinear are OpenCV's INTER_AREA and INTER_LINEAR, byte for byte; kNearest takes pixels
// as INTER_NEAREST does.
//
// If an image shrinks, the weights of areas are whole numbers while they are small (the sides of
// the rectangles into which both grids cut the image), so sums are exact. Rows are summed first,
// for 8 rows of the result at a time; these are interleaved, so that their columns are summed at
// once. If an image grows, a row is computed from two rows of sums, each of which is computed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/resize_plan.h"

namespace envpool::vizdoom {

class Resize {
 public:
  enum class Method { kArea, kLinear, kNearest };
  /// The working memory of a call; it grows once.
  struct Scratch {
    std::vector<std::uint16_t> whole_rows;
    std::vector<float> rows, block;
    std::vector<std::uint8_t> levels;
    std::vector<std::int32_t> sums;
  };

  Resize(Method method, drawing::Size from, drawing::Size to);

  /// Resizes `planes` consecutive images into consecutive images.
  void operator()(const std::uint8_t* in, int planes, std::uint8_t* out, Scratch& scratch) const;
  drawing::Size to() const { return to_; }

 private:
  /// The source pixels of each pixel of a column (or row): `most` pixels from `first` on.
  struct Weights {
    int most = 1;
    float sum = 1;                     ///< sum of the weights of a pixel
    std::vector<int> first;            ///< by pixel
    std::vector<float> weights;        ///< by pixel, then tap; unused weights are 0
    std::vector<std::uint16_t> whole;  ///< the weights as whole numbers if they are; else empty
  };
  static std::vector<int> Nearest(int from, int to);
  static Weights WeightsOf(const drawing::Taps& taps, int from, int to);
  void Pick(const std::uint8_t* in, std::uint8_t* out) const;
  void Average(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const;
  template <typename Sum>
  void SumBlock(const std::uint8_t* in, std::size_t y, std::size_t count, const Sum* weights,
                Sum* rows, float* out) const;
  std::uint8_t Tie(const std::uint8_t* in, std::size_t x, std::size_t y) const;
  void Interpolate(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const;

  drawing::Size from_, to_;
  bool nearest_;
  drawing::ResizePlan plan_;  ///< OpenCV's
  Weights columns_, rows_;    ///< for the mean of areas; nearest uses `first` only
};

}  // namespace envpool::vizdoom
