// SPDX-License-Identifier: Apache-2.0
// A goalkeeper who stands, wanders along the line, or follows the ball. GoalKeeper of myosuite
// 2.12.2. There it is neither observed nor touched by the ball; its draws matter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "brown_noise.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"

namespace envpool::myosuite {

class Goalkeeper {
 public:
  static constexpr double kLine = 50, kPost = 3.3;  // x of the line, and y of a post, in m

  /// `probabilities`: of blocking, wandering and standing.
  Goalkeeper(std::vector<double> probabilities, NumpyRandom& gen)
      : probabilities_(std::move(probabilities)), noise_(10), speed_(gen.Uniform(1.0, 5.0)) {
    Begin(gen);
  }

  void Begin(NumpyRandom& gen) {
    scale_ = speed_;  // the last episode's speed
    noise_.Draw(gen);
    const double drawn = gen.Random();
    const std::vector<double>& p = probabilities_;
    if (drawn < p[0]) {
      policy_ = Policy::kBlock;
    } else if (drawn < p[0] + p[1]) {
      policy_ = Policy::kRandom;
    } else if (drawn < p[0] + p[1] + p[2]) {
      policy_ = Policy::kStationary;
    }
    y_ = Inside(gen.Uniform(-kPost, kPost));
    speed_ = gen.Uniform(1.0, 5.0);
  }
  /// Moves for `dt` seconds, with the ball at this y.
  void Move(double dt, double ball, NumpyRandom& gen) {
    double velocity = 0;
    if (policy_ == Policy::kRandom) velocity = scale_ * noise_.Next(gen)[0];
    if (policy_ == Policy::kBlock) velocity = Inside(ball) - y_;
    y_ = Inside(y_ + dt * std::clamp(velocity, -speed_, speed_));
  }
  double y() const { return y_; }

  void SaveState(StateWriter& out) const {
    out.Write(policy_, y_, speed_, scale_);
    noise_.SaveState(out);
  }
  void LoadState(StateReader& in) {
    in.Read(policy_, y_, speed_, scale_);
    noise_.LoadState(in);
  }

 private:
  enum class Policy : unsigned char { kBlock, kRandom, kStationary };

  static double Inside(double y) { return std::clamp(y, -kPost, kPost); }

  const std::vector<double> probabilities_;
  BrownNoise noise_;
  Policy policy_ = Policy::kStationary;
  double y_ = 0;
  double speed_;      // maximum, in m/s
  double scale_ = 0;  // of the noise
};

}  // namespace envpool::myosuite
