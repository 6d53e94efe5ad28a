// SPDX-License-Identifier: Apache-2.0
// Resize: planes of 8-bit pixels to another size.
//
//   const Resize resize(Resize::Method::kArea, {320, 240}, {84, 84});
//   resize(screen, planes, out, scratch);
//
// kArea is the mean of the area that a pixel covers, kLinear interpolates, kNearest picks: as
// OpenCV's INTER_AREA, INTER_LINEAR and INTER_NEAREST. Where an image grows, kArea interpolates, as
// there.
//
// Weights of areas are whole numbers where they are small, the sides of the rectangles that both
// grids cut the image into: then sums are exact. Rows are done first, for 8 rows of the result at a
// time, which then lie side by side, so that their columns are done at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vizdoom {

struct ImageSize {
  int width, height;
  bool operator==(const ImageSize&) const = default;
  std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

class Resize {
 public:
  enum class Method { kArea, kLinear, kNearest };
  /// What a call needs besides; it grows once.
  struct Scratch {
    std::vector<std::uint16_t> whole_rows;
    std::vector<float> rows, block;
    std::vector<std::uint8_t> levels;
  };

  Resize(Method method, ImageSize from, ImageSize to);

  /// Resizes `planes` images that lie one after the other, into images that do.
  void operator()(const std::uint8_t* in, int planes, std::uint8_t* out, Scratch& scratch) const;
  ImageSize to() const { return to_; }

 private:
  /// Which of a column's (or row's) pixels a pixel is made of: `most` from `first` on.
  struct Taps {
    int most = 1;
    float sum = 1;                     ///< of the weights of a pixel
    std::vector<int> first;            ///< by pixel
    std::vector<float> weights;        ///< by pixel, then tap; those not needed are 0
    std::vector<float> shares;         ///< the same, divided by their sum
    std::vector<std::uint16_t> whole;  ///< the same, where they are whole numbers; else none
  };
  static Taps TapsOf(Method method, int from, int to, bool grows);
  void Pick(const std::uint8_t* in, std::uint8_t* out) const;
  void Plane(const std::uint8_t* in, std::uint8_t* out, Scratch& scratch) const;
  template <typename Sum>
  void SumBlock(const std::uint8_t* in, std::size_t y, std::size_t count, const Sum* weights,
                Sum* rows, float* out) const;
  std::uint8_t Tie(const std::uint8_t* in, std::size_t x, std::size_t y) const;

  ImageSize from_, to_;
  Taps columns_, rows_;
  bool nearest_, area_, halves_;  // halves_: both sides become half as long, where OpenCV rounds up
};

}  // namespace vizdoom
