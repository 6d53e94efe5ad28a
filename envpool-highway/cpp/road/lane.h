// SPDX-License-Identifier: Apache-2.0
// One lane of a road: straight, along a sine, or along an arc.
//
//   const Lane lane = Lane::Straight({0, 4}, {100, 4}).SpeedLimit(30).Lines(kStriped, kNoLine);
//   const Vec middle = lane.Position(50, 0);
//   const auto [s, r] = lane.LocalCoordinates({50, 5});  // 50 along the lane, 1 to its right
//
// The reference is highway_env.road.lane: StraightLane, SineLane, CircularLane.
#pragma once

#include <cstdint>
#include <limits>

#include "geometry.h"

namespace envpool::highway {

/// A position along a lane and to the side of its middle, both in metres.
struct Local {
  double s = 0;  ///< longitudinal
  double r = 0;  ///< lateral, to the right in the pictures
};

/// The line that is drawn on one side of a lane.
enum LineType : std::uint8_t { kNoLine, kStriped, kContinuous, kContinuousLine };

class Lane {
 public:
  enum class Kind : std::uint8_t { kStraight, kSine, kArc };

  /// From `start` to `end`.
  static Lane Straight(Vec start, Vec end) {
    Lane lane;
    lane.start_ = start;
    lane.heading_ = std::atan2(end.y - start.y, end.x - start.x);
    lane.length_ = Norm(end - start);
    lane.direction_ = {(end.x - start.x) / lane.length_, (end.y - start.y) / lane.length_};
    lane.lateral_ = {-lane.direction_.y, lane.direction_.x};
    return lane;
  }
  /// A straight lane that is shifted to the side by amplitude * sin(pulsation * s + phase).
  static Lane Sine(Vec start, Vec end, double amplitude, double pulsation, double phase) {
    Lane lane = Straight(start, end);
    lane.kind_ = Kind::kSine;
    lane.amplitude_ = amplitude;
    lane.pulsation_ = pulsation;
    lane.phase_ = phase;
    return lane;
  }
  /// Around `center`, from one angle to another, in radians.
  static Lane Arc(Vec center, double radius, double start_phase, double end_phase,
                  bool clockwise = true) {
    Lane lane;
    lane.kind_ = Kind::kArc;
    lane.start_ = center;
    lane.radius_ = radius;
    lane.phase_ = start_phase;
    lane.turn_ = clockwise ? 1 : -1;
    lane.length_ = radius * (end_phase - start_phase) * lane.turn_;
    return lane;
  }

  /// In metres; 4 by default.
  Lane& Width(double width) { return width_ = width, *this; }
  /// In m/s; NaN: no limit. 20 by default.
  Lane& SpeedLimit(double limit) { return speed_limit_ = limit, *this; }
  /// The right of way where roads cross: the lane with the greater priority goes first.
  Lane& Priority(int priority) { return priority_ = priority, *this; }
  /// Forbids changes to this lane.
  Lane& Forbidden() { return forbidden_ = true, *this; }
  /// The lines painted on its left and on its right.
  Lane& Lines(LineType left, LineType right) {
    lines_[0] = left;
    lines_[1] = right;
    return *this;
  }

  Kind kind() const { return kind_; }
  double width() const { return width_; }
  double length() const { return length_; }
  double speed_limit() const { return speed_limit_; }
  int priority() const { return priority_; }
  /// The line of a side, 0 left and 1 right.
  LineType line(int side) const { return lines_[side]; }

  /// The point at local coordinates.
  Vec Position(double s, double r) const {
    if (kind_ == Kind::kArc) {
      const double phi = turn_ * s / radius_ + phase_;
      return start_ + (radius_ - r * turn_) * Direction(phi);
    }
    if (kind_ == Kind::kSine) r = r + amplitude_ * std::sin(pulsation_ * s + phase_);
    return start_ + s * direction_ + r * lateral_;
  }
  /// The direction of the lane, in radians.
  double HeadingAt(double s) const {
    if (kind_ == Kind::kArc) return turn_ * s / radius_ + phase_ + kPi / 2 * turn_;
    if (kind_ == Kind::kSine) {
      return heading_ + std::atan(amplitude_ * pulsation_ * std::cos(pulsation_ * s + phase_));
    }
    return heading_;
  }
  /// The local coordinates of a point.
  Local LocalCoordinates(Vec p) const {
    const Vec d = p - start_;
    if (kind_ == Kind::kArc) return {Along(d), turn_ * (radius_ - Norm(d))};
    const double s = Dot(d, direction_), r = Dot(d, lateral_);
    return {s, kind_ == Kind::kSine ? r - amplitude_ * std::sin(pulsation_ * s + phase_) : r};
  }

  /// True if local coordinates are on the lane, with a margin beside it and a car's length at its
  /// ends.
  bool OnLane(Local at, double margin = 0) const {
    return std::abs(at.r) <= width_ / 2 + margin && -kCarLength <= at.s &&
           at.s < length_ + kCarLength;
  }
  /// True if a point is on the lane; fills `at` only if so. Returns early if no angle and no sine
  /// can change the answer.
  bool FindOnLane(Vec p, double margin, Local& at) const {
    const Vec d = p - start_;
    if (kind_ == Kind::kArc) {
      const double r = turn_ * (radius_ - Norm(d));
      if (std::abs(r) > width_ / 2 + margin) return false;
      at = {Along(d), r};
      return OnLane(at, margin);
    }
    const double s = Dot(d, direction_);
    if (!(-kCarLength <= s && s < length_ + kCarLength)) return false;
    double r = Dot(d, lateral_);
    if (kind_ == Kind::kSine) {
      if (std::abs(r) > width_ / 2 + margin + std::abs(amplitude_) + kSlack) return false;
      r = r - amplitude_ * std::sin(pulsation_ * s + phase_);
    }
    at = {s, r};
    return std::abs(r) <= width_ / 2 + margin;
  }
  /// True if a car at a point may change to this lane.
  bool IsReachableFrom(Vec p) const {
    if (forbidden_) return false;
    const Local at = LocalCoordinates(p);
    return std::abs(at.r) <= 2 * width_ && 0 <= at.s && at.s < length_ + kCarLength;
  }
  /// True if a car is so near to the end, or past it, that it follows the next lane.
  bool AfterEnd(double s) const { return s > length_ - kCarLength / 2; }

  /// The distance of a point from the lane, as the 1-norm of its local coordinates.
  double Distance(Local at) const {
    return std::abs(at.r) + std::max(at.s - length_, 0.0) + std::max(0 - at.s, 0.0);
  }
  /// The distance plus the difference of the headings.
  double DistanceWithHeading(Local at, double heading) const {
    return Distance(at) + std::abs(WrapToPi(heading - HeadingAt(at.s)));
  }
  /// A lower bound of Distance that needs no angle and no sine.
  double LeastDistance(Vec p) const {
    const Vec d = p - start_;
    if (kind_ == Kind::kArc) return std::abs(radius_ - Norm(d));
    const double s = Dot(d, direction_), r = std::abs(Dot(d, lateral_));
    const double beside = kind_ == Kind::kSine ? r - std::abs(amplitude_) - kSlack : r;
    return std::max(beside, 0.0) + std::max(s - length_, 0.0) + std::max(0 - s, 0.0);
  }

 private:
  static constexpr double kCarLength = 5;  ///< AbstractLane.VEHICLE_LENGTH, in metres
  static constexpr double kSlack = 1e-6;   ///< larger than the sum of roundings, in metres

  // The distance along an arc of a point on its circle, given as a vector from its center.
  double Along(Vec d) const {
    const double phi = phase_ + WrapToPi(std::atan2(d.y, d.x) - phase_);
    return turn_ * (phi - phase_) * radius_;
  }

  Kind kind_ = Kind::kStraight;
  bool forbidden_ = false;
  LineType lines_[2] = {kStriped, kStriped};
  int priority_ = 0;
  double turn_ = 1;  // of an arc: 1 clockwise, -1 not
  double width_ = 4, length_ = 0, speed_limit_ = 20, heading_ = 0;
  Vec start_, direction_, lateral_;  // start_ is the center of an arc
  double amplitude_ = 0, pulsation_ = 0;
  double phase_ = 0;  // of a sine, and of an arc's start
  double radius_ = 0;
};

}  // namespace envpool::highway
