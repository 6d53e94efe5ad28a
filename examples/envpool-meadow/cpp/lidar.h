// SPDX-License-Identifier: Apache-2.0
// Lidar: a ring of rays around an animal, that tells what is near and in which direction.
//
//   Lidar lidar(32, 10.0);
//   std::vector<float> seen(32 * kSights);
//   lidar.Scan(world, 0, seen.data());
//   seen[5 * kSights + kHareSight];  // 0.7: ray 5 ends at a hare, at 30 % of the range
//
// Ray 0 goes ahead, the others follow counter-clockwise at equal angles. A ray ends at the first
// solid thing; clover is flat, so a ray also tells of the first clover before its end. A value is
// 1 - distance / range, and 0 if there is nothing of that sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include "world.h"

namespace meadow {

/// The kinds of objects that a ray can meet: the columns of a scan.
enum Sight : std::size_t { kBarrierSight, kFoxSight, kHareSight, kCloverSight, kSights };

inline constexpr double kCloverRadius = 0.22;  ///< m, of the leaves

class Lidar {
 public:
  Lidar(int rays, double range) : range_(static_cast<float>(range)) {
    for (int i = 0; i < rays; ++i) {
      const Vec ray = Direction(2 * std::numbers::pi * i / rays);
      ring_x_.push_back(static_cast<float>(ray.x));
      ring_y_.push_back(static_cast<float>(ray.y));
    }
    ray_x_.resize(ring_x_.size());
    ray_y_.resize(ring_x_.size());
    for (auto& distances : nearest_) distances.resize(ring_x_.size());
  }

  std::size_t rays() const { return ring_x_.size(); }

  /// Looks around from animal `index`; writes rays x kSights values.
  void Scan(const World& world, std::size_t index, float* out) {
    const Animal& self = world.animals[index];
    Aim(self.heading);
    Hedges(self.position, world.half_size);
    for (const Stone& stone : world.stones) {
      Circle(kBarrierSight, stone.position - self.position, stone.radius);
    }
    for (std::size_t i = 0; i < world.animals.size(); ++i) {
      const Animal& other = world.animals[i];
      if (i == index || !other.in_game()) continue;
      Circle(other.kind == Kind::kFox ? kFoxSight : kHareSight, other.position - self.position,
             other.breed().radius);
    }
    for (const Vec clover : world.clovers) {
      Circle(kCloverSight, clover - self.position, kCloverRadius);
    }
    Tell(out);
  }

 private:
  static constexpr float kFar = std::numeric_limits<float>::infinity();

  void Aim(double heading) {
    const Vec ahead = Direction(heading);
    const auto c = static_cast<float>(ahead.x), s = static_cast<float>(ahead.y);
    for (std::size_t i = 0; i < rays(); ++i) {
      ray_x_[i] = c * ring_x_[i] - s * ring_y_[i];
      ray_y_[i] = s * ring_x_[i] + c * ring_y_[i];
    }
    for (auto& distances : nearest_) std::fill(distances.begin(), distances.end(), kFar);
  }

  void Hedges(Vec from, Vec half_size) {
    float* nearest = nearest_[kBarrierSight].data();
    const auto right = static_cast<float>(half_size.x - from.x);
    const auto left = static_cast<float>(-half_size.x - from.x);
    const auto top = static_cast<float>(half_size.y - from.y);
    const auto bottom = static_cast<float>(-half_size.y - from.y);
    for (std::size_t i = 0; i < rays(); ++i) {
      const float x = ray_x_[i], y = ray_y_[i];
      // One of two opposite hedges is ahead; a ray along them divides by 0, and never meets them.
      nearest[i] = std::min(std::max(right / x, left / x), std::max(top / y, bottom / y));
    }
  }

  // Every ray against one circle, without a branch: the compiler does several rays at a time.
  void Circle(Sight sight, Vec to, double radius) {
    const auto x = static_cast<float>(to.x), y = static_cast<float>(to.y);
    const auto square = static_cast<float>(radius * radius);
    float* nearest = nearest_[sight].data();
    const float *ray_x = ray_x_.data(), *ray_y = ray_y_.data();
    for (std::size_t i = 0, n = rays(); i < n; ++i) {
      const float along = ray_x[i] * x + ray_y[i] * y;
      const float beside = ray_x[i] * y - ray_y[i] * x;
      const float inside = square - beside * beside;
      const float distance = along - std::sqrt(std::max(inside, 0.0f));
      // From within a circle the distance is 0; animals that collide may overlap a little.
      const bool hit = (inside > 0) & (along > 0);
      nearest[i] = std::min(nearest[i], hit ? std::max(distance, 0.0f) : kFar);
    }
  }

  void Tell(float* out) const {
    for (std::size_t i = 0; i < rays(); ++i) {
      const float end = std::min(
          {nearest_[kBarrierSight][i], nearest_[kFoxSight][i], nearest_[kHareSight][i], range_});
      for (std::size_t sight = 0; sight < kSights; ++sight) {
        const float distance = nearest_[sight][i];
        *out++ = distance <= end ? 1 - distance / range_ : 0.0f;
      }
    }
  }

  float range_;
  std::vector<float> ring_x_, ring_y_;  // directions, ray 0 along the x axis
  std::vector<float> ray_x_, ray_y_;    // the same, turned as the animal is
  std::vector<float> nearest_[kSights];
};

}  // namespace meadow
