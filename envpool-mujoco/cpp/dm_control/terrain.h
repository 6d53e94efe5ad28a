// SPDX-License-Identifier: Apache-2.0
// Zoom: a small square image made larger by cubic splines, as scipy.ndimage.zoom(image, factor)
// does.
//
//   std::vector<double> smooth = Zoom(bumps, 30, 201);   // 30 x 30 numbers to 201 x 201
//   MakeBowl(random, {.size = 201, .bumps = 30, .lowest = 0.15, .least = 0.04}, heights);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace envpool::mujoco {
namespace detail {

/// spline_filter1d of order 3 with edges that mirror: values become coefficients, in place.
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

/// The four coefficients around a place, and how much each counts.
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
  for (const auto& row : points) {
    for (const auto& column : points) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t l = 0; l < 4; ++l) {
          sum += image[row.index[k] * from + column.index[l]] * row.weight[k] * column.weight[l];
        }
      }
      out.push_back(sum);
    }
  }
  return out;
}

/// A bowl with bumps, between -1 and 1 in both directions.
struct Bowl {
  std::size_t size;   ///< heights in a row
  std::size_t bumps;  ///< random numbers in a row
  double lowest;      ///< of these; the highest is 1
  double least;       ///< radius, inside of which the ground is flat
};

/// A bowl of cosines, times smooth bumps.
template <typename Random>
void MakeBowl(Random& random, const Bowl& bowl, float* heights) {
  std::vector<double> bumps(bowl.bumps * bowl.bumps);
  for (double& bump : bumps) bump = random.Uniform(bowl.lowest, 1);
  const std::vector<double> smooth = Zoom(std::move(bumps), bowl.bumps, bowl.size);
  // np.ogrid
  const double step = 2 / static_cast<double>(bowl.size - 1);
  const auto place = [&](std::size_t i) { return static_cast<double>(i) * step - 1; };
  for (std::size_t row = 0, i = 0; row < bowl.size; ++row) {
    for (std::size_t column = 0; column < bowl.size; ++column, ++i) {
      const double x = place(column), y = place(row);
      const double radius = std::clamp(std::sqrt(x * x + y * y), bowl.least, 1.0);
      const double shape = 0.5 - std::cos(2 * std::numbers::pi * radius) / 2;
      heights[i] = static_cast<float>(shape * smooth[i]);
    }
  }
}

}  // namespace envpool::mujoco
