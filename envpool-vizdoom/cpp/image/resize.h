// SPDX-License-Identifier: Apache-2.0
// Resize: planes of 8-bit pixels to another size.
//
//   const Resize resize(Resize::Method::kArea, {320, 240}, {84, 84});
//   resize(screen, planes, out, scratch);
//
// kArea is the mean of the area that a pixel covers, kLinear interpolates, kNearest picks: as
// OpenCV's INTER_AREA, INTER_LINEAR and INTER_NEAREST. Where an image grows, kArea is kLinear, as
// there.
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

  Resize(Method method, ImageSize from, ImageSize to);

  /// Resizes `planes` images that lie one after the other, into images that do. Allocates nothing
  /// after the first time with the same `scratch`.
  void operator()(const std::uint8_t* in, int planes, std::uint8_t* out,
                  std::vector<float>& scratch) const;
  ImageSize to() const { return to_; }

 private:
  /// Which of a row's (or column's) pixels a pixel is made of: `count` from `first` on.
  struct Taps {
    int most = 1;                ///< for each pixel; those that need fewer have zeros
    std::vector<int> first;      ///< by pixel
    std::vector<float> weights;  ///< by tap, then pixel
  };
  static Taps TapsOf(Method method, int from, int to);
  void Plane(const std::uint8_t* in, std::uint8_t* out, float* row) const;

  ImageSize from_, to_;
  Taps columns_, rows_;
};

}  // namespace vizdoom
