// SPDX-License-Identifier: Apache-2.0
// Zoom: enlarges a small square image by cubic splines, as scipy.ndimage.zoom(image, factor) does.
//
//   std::vector<double> smooth = Zoom(bumps, 30, 201);   // 30 x 30 numbers to 201 x 201
//   const Bowl bowl(201, 0.04);                          // 201 x 201, flat within radius 0.04
//   bowl.Fill(random, 30, 0.15, heights);                // with 30 x 30 bumps of 0.15 to 1
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {
namespace detail {

/// spline_filter1d of order 3 with mirrored edges: replaces values by coefficients, in place.
inline void SplineCoefficients(double* values, std::size_t count, std::size_t stride) {
  const double pole = std::sqrt(3.0) - 2;
  const auto at = [&](std::size_t i) -> double& { return values[i * stride]; };
  const double gain = (1 - pole) * (1 - 1 / pole);
  for (std::size_t i = 0; i < count; ++i) at(i) *= gain;
  // The sum over the mirrored row before the first value.
  double power = pole;
  const double whole = std::pow(pole, static_cast<double>(count - 1));
  double first = at(0) + whole * at(count - 1);
  for (std::size_t i = 1; i < count - 1; ++i) {
    first += power * (at(i) + whole * at(count - 1 - i));
    power *= pole;
  }
  at(0) = first / (1 - whole * whole);
  for (std::size_t i = 1; i < count; ++i) at(i) += pole * at(i - 1);
  at(count - 1) = (pole * at(count - 2) + at(count - 1)) * pole / (pole * pole - 1);
  for (std::size_t i = count - 1; i-- > 0;) at(i) = pole * (at(i + 1) - at(i));
}

/// The indices of four coefficients around a point, and their weights.
struct SplinePoint {
  SplinePoint(double place, std::size_t count) {
    const double floor = std::floor(place);
    const double x = place - floor;
    const double y = 1 - x;
    weight[1] = (x * x * (x - 2) * 3 + 4) / 6;
    weight[2] = (y * y * (y - 2) * 3 + 4) / 6;
    weight[0] = y * y * y / 6;
    weight[3] = 1 - weight[0] - weight[1] - weight[2];
    const auto last = static_cast<long>(count) - 1;
    for (long k = 0; k < 4; ++k) {
      long i = static_cast<long>(floor) - 1 + k;
      if (i < 0) i = -i;
      if (i > last) i = 2 * last - i;
      index[k] = static_cast<std::size_t>(i);
    }
  }
  double weight[4];
  std::size_t index[4];
};

}  // namespace detail

/// `image` is `from` x `from`, in rows; the result is `to` x `to`.
inline std::vector<double> Zoom(std::vector<double> image, std::size_t from, std::size_t to) {
  for (std::size_t i = 0; i < from; ++i) detail::SplineCoefficients(&image[i], from, from);
  for (std::size_t i = 0; i < from; ++i) detail::SplineCoefficients(&image[i * from], from, 1);
  const double factor = static_cast<double>(from - 1) / static_cast<double>(to - 1);
  std::vector<detail::SplinePoint> points;
  for (std::size_t i = 0; i < to; ++i) points.emplace_back(static_cast<double>(i) * factor, from);
  std::vector<double> out;
  out.reserve(to * to);
  std::vector<double> sums(to);
  std::vector<double> rows(4 * from);  // a row's neighboring rows, times their weights
  for (const auto& row : points) {
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < from; ++i) {
        rows[k * from + i] = image[row.index[k] * from + i] * row.weight[k];
      }
    }
    // Columns in the inner loop, so that sums do not wait for one another.
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t k = 0; k < 4; ++k) {
      const double* one = rows.data() + k * from;
      for (std::size_t l = 0; l < 4; ++l) {
        for (std::size_t i = 0; i < to; ++i) {
          sums[i] += one[points[i].index[l]] * points[i].weight[l];
        }
      }
    }
    out.insert(out.end(), sums.begin(), sums.end());
  }
  return out;
}

/// The number of rows (and columns) of the model's only heightfield. Throws MujocoError.
inline std::size_t SquareRows(const mjModel& model) {
  if (model.nhfield != 1 || model.hfield_nrow[0] != model.hfield_ncol[0]) {
    throw MujocoError("the model has no square heightfield");
  }
  return static_cast<std::size_t>(model.hfield_nrow[0]);
}

/// A bowl of cosines, between -1 and 1 in both directions: heights in rows.
class Bowl {
 public:
  /// `size` heights per row; it is flat within the radius `least`.
  Bowl(std::size_t size, double least) : size_(size), shape_(Shape(size, least)) {}

  /// The bowl times smooth bumps, from `bumps` x `bumps` random numbers between `lowest` and 1.
  template <typename Random>
  void Fill(Random& random, std::size_t bumps, double lowest, float* heights) const {
    std::vector<double> image(bumps * bumps);
    for (double& bump : image) bump = random.Uniform(lowest, 1);
    const std::vector<double> smooth = Zoom(std::move(image), bumps, size_);
    for (std::size_t i = 0; i < smooth.size(); ++i) {
      heights[i] = static_cast<float>((*shape_)[i] * smooth[i]);
    }
  }

 private:
  using Heights = std::shared_ptr<const std::vector<double>>;

  /// Shared by all environments: its cosines take as long as the rest of a terrain.
  static Heights Shape(std::size_t size, double least) {
    static std::mutex mutex;
    static std::map<std::pair<std::size_t, double>, std::weak_ptr<const std::vector<double>>> known;
    const std::scoped_lock lock(mutex);
    auto& place = known[{size, least}];
    if (Heights shape = place.lock()) return shape;
    auto shape = std::make_shared<std::vector<double>>();
    // np.ogrid
    const double step = 2 / static_cast<double>(size - 1);
    const auto at = [&](std::size_t i) { return static_cast<double>(i) * step - 1; };
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < size; ++column) {
        const double x = at(column), y = at(row);
        const double radius = std::clamp(std::sqrt(x * x + y * y), least, 1.0);
        shape->push_back(0.5 - std::cos(2 * std::numbers::pi * radius) / 2);
      }
    }
    place = shape;
    return shape;
  }

  const std::size_t size_;
  const Heights shape_;
};

}  // namespace envpool::mujoco
