// SPDX-License-Identifier: Apache-2.0
// Resize: planes of 8-bit pixels to another size.
//
//   const Resize resize(Resize::Method::kArea, {320, 240}, {84, 84});
//   resize(screen, planes, out, scratch);
//
// kArea and kLinear are OpenCV's INTER_AREA and INTER_LINEAR, byte for byte; kNearest picks, as
// INTER_NEAREST.
//
// Where an image shrinks, weights of areas are whole numbers as long as they are small, the sides
// of the rectangles that both grids cut the image into: then sums are exact. Rows are done first,
// for 8 rows of the result at a time, which then lie side by side, so that their columns are done
// at once. Where an image grows, a row is made of two rows of sums, each of which is made once.
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
  /// What a call needs besides; it grows once.
  struct Scratch {
    std::vector<std::uint16_t> whole_rows;
    std::vector<float> rows, block;
    std::vector<std::uint8_t> levels;
    std::vector<std::int32_t> sums;
  };

  Resize(Method method, drawing::Size from, drawing::Size to);

  /// Resizes `planes` images that lie one after the other, into images that do.
  void operator()(const std::uint8_t* in, int planes, std::uint8_t* out, Scratch& scratch) const;
  drawing::Size to() const { return to_; }

 private:
  /// Which of a column's (or row's) pixels a pixel is made of: `most` from `first` on.
  struct Weights {
    int most = 1;
    float sum = 1;                     ///< of the weights of a pixel
    std::vector<int> first;            ///< by pixel
    std::vector<float> weights;        ///< by pixel, then tap; those not needed are 0
    std::vector<std::uint16_t> whole;  ///< the same, where they are whole numbers; else none
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
  Weights columns_, rows_;    ///< of the mean of areas; of the nearest, `first` alone
};

}  // namespace envpool::vizdoom
