// SPDX-License-Identifier: Apache-2.0
// The opponent of tag: it stands, wanders, flees from walls and from the player, or runs after the
// player. ChallengeOpponent and RepellerChallengeOpponent of myosuite 2.12.2.
//
//   Opponent opponent({.probabilities = {0.1, 0.45, 0.45}});
//   opponent.Begin(false, root, gen);           // an episode
//   opponent.Move(0.01, pelvis, gen);           // a step
//   opponent.x(), opponent.y(), opponent.angle();
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "brown_noise.h"
#include "envpool/numpy_math.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/rotations.h"

namespace envpool::myosuite {

class Opponent {
 public:
  using Place = std::array<double, 2>;
  struct Rules {
    std::vector<double> probabilities;  // of standing at a corner, standing, wandering, fleeing
    bool flees = false;
    double distance = 2;                       // least distance at the start of an episode, in m
    std::vector<double> chase, random, repel;  // speed ranges in m/s
  };

  Opponent(Rules rules, NumpyRandom& gen) : rules_(std::move(rules)), noise_(2000) {
    noise_.Draw(gen);
    const double step = 2 * kWall / (kPosts - 1);
    for (std::size_t i = 0; i < kPosts; ++i) {
      const double along = i == kPosts - 1 ? kWall : static_cast<double>(i) * step + -kWall;
      posts_[i] = {kWall, along};
      posts_[kPosts + i] = {-kWall, along};
    }
    for (std::size_t i = 0; i < 2 * kPosts; ++i) {
      posts_[2 * kPosts + i] = {posts_[i][1], posts_[i][0]};
    }
  }

  /// Begins an episode: chasing, or with a drawn behavior.
  void Begin(bool chases, const Place& root, NumpyRandom& gen) {
    velocity_ = {0, 0};
    DrawPolicy(chases, gen);
    double far = 0, angle = 0;
    while (far < rules_.distance) {
      place_[0] = gen.Uniform(-5, 5);
      place_[1] = gen.Uniform(-5, 5);
      angle = gen.Uniform(-kTurn, kTurn);
      const double x = place_[0] - root[0], y = place_[1] - root[1];
      far = std::sqrt(x * x + y * y);
    }
    if (policy_ == Policy::kStatic) {
      place_ = {0, -5};
      angle = 0;
    }
    SetAngle(angle);
    speed_ = gen.Uniform(rules_.chase[0], rules_.chase[1]);
  }
  /// The noise of an episode.
  void DrawNoise(NumpyRandom& gen) { noise_.Draw(gen); }

  /// Moves for `dt` seconds.
  void Move(double dt, const Place& pelvis, NumpyRandom& gen) {
    velocity_ = Wanted(pelvis, gen);
    velocity_[0] = std::abs(velocity_[0]);
    const double forward = std::clamp(velocity_[0], -2.0, 2.0);
    const double turning = std::clamp(velocity_[1], -2.0, 2.0);
    const double now = angle(), heading = now + 0.5 * std::numbers::pi;
    place_[0] = std::clamp(place_[0] - dt * (forward * std::cos(heading)), -kEdge, kEdge);
    place_[1] = std::clamp(place_[1] - dt * (forward * std::sin(heading)), -kEdge, kEdge);
    SetAngle(now + dt * turning);
  }

  double x() const { return place_[0]; }
  double y() const { return place_[1]; }
  /// Angle about the vertical axis, in rad, converted back from the quaternion.
  double angle() const { return mujoco::EulerOf(turn_)[2]; }
  const mujoco::Quaternion& turn() const { return turn_; }
  /// Forward in m/s, and angular in rad/s, before they are limited.
  const Place& velocity() const { return velocity_; }

  void SaveState(StateWriter& out) const {
    out.Write(policy_, place_, velocity_, turn_, speed_);
    noise_.SaveState(out);
  }
  void LoadState(StateReader& in) {
    in.Read(policy_, place_, velocity_, turn_, speed_);
    noise_.LoadState(in);
  }

 private:
  enum class Policy : unsigned char { kStatic, kStationary, kRandom, kFlee, kChase };
  static constexpr double kTurn = 2 * std::numbers::pi;
  static constexpr double kEdge = 5.5, kWall = 8.7;  // in m from the middle
  static constexpr std::size_t kPosts = 25;          // of each wall, which repel it

  void DrawPolicy(bool chases, NumpyRandom& gen) {
    if (chases) {
      policy_ = Policy::kChase;
      return;
    }
    const double drawn = gen.Random();
    const std::vector<double>& p = rules_.probabilities;
    if (drawn < p[0]) {
      policy_ = Policy::kStatic;
    } else if (drawn < p[0] + p[1]) {
      policy_ = Policy::kStationary;
    } else if (drawn < p[0] + p[1] + p[2]) {
      policy_ = Policy::kRandom;
    } else if (rules_.flees) {
      policy_ = Policy::kFlee;
    }
  }
  Place Wanted(const Place& pelvis, NumpyRandom& gen) {
    switch (policy_) {
      case Policy::kStatic:
      case Policy::kStationary:
        return {0, 0};
      case Policy::kRandom: {
        Place row = Wander(gen);
        for (double& value : row) value = std::clamp(value, rules_.random[0], rules_.random[1]);
        return row;
      }
      case Policy::kFlee:
        return Flee(pelvis, gen);
      case Policy::kChase: {
        const double x = pelvis[0] - place_[0], y = pelvis[1] - place_[1], now = angle();
        return {speed_, std::cos(now) * x + std::sin(now) * y};
      }
    }
    return {0, 0};
  }
  Place Wander(NumpyRandom& gen) {
    Place row = noise_.Next(gen);
    for (double& value : row) value = 10 * value;
    return row;
  }
  /// A velocity away from the mean of all near posts and the player. The repelling force falls with
  /// the distance, as in artificial potential fields.
  Place Flee(const Place& pelvis, NumpyRandom& gen) {
    constexpr double kNear = 3.5, kStrength = 20.0;
    std::array<double, 4 * kPosts + 1> forces;
    int count = 0;
    Place sum = {};
    const auto look = [&](const Place& at) {
      const double x = at[0] - place_[0], y = at[1] - place_[1], far = std::sqrt(x * x + y * y);
      if (!(far < kNear)) return;
      sum = count == 0 ? at : Place{sum[0] + at[0], sum[1] + at[1]};
      const double push = 1 / std::max(far, 0.00001) - 1 / kNear;
      forces[static_cast<std::size_t>(count++)] = 0.5 * kStrength * (push * push);
    };
    look(pelvis);
    for (const Place& post : posts_) look(post);
    if (count == 0) {
      const Place row = Wander(gen);
      return {std::clamp(row[0], rules_.repel[0], rules_.repel[1]), Spin(angle(), row[1])};
    }
    const double force = numpy::Sum(forces.data(), count) / count;
    std::array<double, 2> away = {place_[0] - sum[0] / count, place_[1] - sum[1] / count};
    for (double& value : away) {
      if (std::abs(value) > 0.1) continue;
      const double sign = value > 0 ? 1 : value < 0 ? -1 : 0;
      value = -1 * sign * gen.Uniform(0.3, 0.9);
    }
    const double wanted = std::atan2(away[1], away[0]) + 1.57;
    return {std::clamp(force, rules_.repel[0], rules_.repel[1]), Spin(angle(), wanted)};
  }
  /// The direction of rotation to an angle: 1 or -1.
  static double Spin(double now, double wanted) {
    const auto wrapped = [](double angle) {
      while (angle > kTurn) angle -= kTurn;
      while (angle < 0) angle += kTurn;
      return angle;
    };
    now = wrapped(now);
    wanted = wrapped(wanted);
    return std::abs(0 - now) + (kTurn - wanted) < (kTurn - now) + (0 + wanted) ? 1 : -1;
  }
  void SetAngle(double angle) { turn_ = mujoco::QuaternionOf(mujoco::Euler{0, 0, angle}); }

  const Rules rules_;
  BrownNoise noise_;
  std::array<Place, 4 * kPosts> posts_;
  Policy policy_ = Policy::kStationary;
  Place place_ = {}, velocity_ = {};
  mujoco::Quaternion turn_ = {1, 0, 0, 0};
  double speed_ = 0;  // of a chase
};

}  // namespace envpool::myosuite
