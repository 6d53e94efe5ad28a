// SPDX-License-Identifier: Apache-2.0
// Noise of two columns whose power falls with the square of the frequency, so that it wanders. The
// rows are drawn together, and again when they are used up. powerlaw_psd_gaussian of the package
// colorednoise with exponent 2, as in myosuite 2.12.2.
//
//   BrownNoise noise(2000);
//   noise.Draw(gen);
//   const std::array<double, 2> row = noise.Next(gen);
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "envpool/numpy_math.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "real_fft.h"

namespace envpool::myosuite {

class BrownNoise {
 public:
  /// `rows`: number of rows, even.
  explicit BrownNoise(std::size_t rows) : rows_(rows), transform_(rows), scratch_(rows) {
    const std::size_t half = rows / 2 + 1;
    for (std::size_t i = 0; i < half; ++i) {
      // The first frequency would be 0; it is set to the second.
      const double frequency =
          static_cast<double>(i == 0 ? 1 : i) * (1.0 / static_cast<double>(rows));
      scales_.push_back(1.0 / frequency);
    }
    std::vector<double> weights(scales_.begin() + 1, scales_.end());
    weights.back() *= 0.5;
    const double sum = numpy::SumOfSquares(weights.data(), static_cast<int>(weights.size()));
    sigma_ = 2 * std::sqrt(sum) / static_cast<double>(rows);
    for (std::vector<double>& column : columns_) column.resize(rows);
  }

  void Draw(NumpyRandom& gen) {
    const std::size_t last = scales_.size() - 1;
    // First the real parts of both columns, then the imaginary parts. The first and the last
    // frequency have no imaginary part. The transform expects real and imaginary parts alternating.
    for (std::vector<double>& column : columns_) {
      for (std::size_t i = 0; i <= last; ++i) {
        const double value = scales_[i] * gen.StandardNormal();
        column[i == 0 ? 0 : 2 * i - 1] = i == 0 || i == last ? value * kRoot : value;
      }
    }
    for (std::vector<double>& column : columns_) {
      for (std::size_t i = 0; i <= last; ++i) {
        const double value = scales_[i] * gen.StandardNormal();
        if (i != 0 && i != last) column[2 * i] = value;
      }
    }
    for (std::vector<double>& column : columns_) {
      transform_.Backward(column.data(), scratch_.data());
      for (double& value : column) value /= sigma_;
    }
    row_ = 0;
  }
  std::array<double, 2> Next(NumpyRandom& gen) {
    if (row_ >= rows_) Draw(gen);
    const std::array<double, 2> next = {columns_[0][row_], columns_[1][row_]};
    ++row_;
    return next;
  }
  void SaveState(StateWriter& out) const { out.Write(row_, columns_[0], columns_[1]); }
  void LoadState(StateReader& in) {
    std::array<std::vector<double>, 2> columns;
    std::size_t row = 0;
    in.Read(row, columns[0], columns[1]);
    if (columns[0].size() != rows_ || columns[1].size() != rows_) {
      throw std::out_of_range("the saved noise has another length");
    }
    row_ = row;
    columns_ = std::move(columns);
  }

 private:
  static constexpr double kRoot = std::numbers::sqrt2;

  const std::size_t rows_;
  const RealFft transform_;
  std::vector<double> scales_, scratch_;
  double sigma_ = 0;  // the standard deviation of the sum
  std::array<std::vector<double>, 2> columns_;
  std::size_t row_ = 0;
};

}  // namespace envpool::myosuite
