// SPDX-License-Identifier: Apache-2.0
// Terms of Meta-World's rewards.
#pragma once

#include <algorithm>

#include "number.h"
#include "tabletop.h"
#include "vec.h"

namespace envpool::metaworld {

enum class Sigmoid : unsigned char { kLongTail, kGaussian };

/// 1 from `low` to `high`, and less outside: 0.1 where `x` is `margin` away. dm_control's
/// tolerance.
Number Tolerance(double x, double low, double high, double margin,
                 Sigmoid sigmoid = Sigmoid::kLongTail);
/// The same from 0 on, for a distance that should be at most `most`.
inline Number Near(double distance, double most, double margin,
                   Sigmoid sigmoid = Sigmoid::kLongTail) {
  return Tolerance(distance, 0, most, margin, sigmoid);
}

/// The reference's `hamacher_product` of two rewards from 0 to 1: a b / (a + b - a b).
Number HamacherProduct(Number a, Number b);

/// The gripper's command to close, divided by `effort`.
Number Closing(float grip, double effort = 1);

/// np.clip of a float64.
inline Number Clipped(double x, double low, double high) {
  return Number::Double(std::min(std::max(x, low), high));
}

/// The arguments of the reference's `_gripper_caging_reward`.
struct Cage {
  double obj_radius;                  ///< the object's radius: pads that are nearer squeeze it
  double pad_success_thresh;          ///< the most that a pad may be away, along y
  double xz_thresh;                   ///< the most that the fingers' middle may be away, in x and z
  double desired_gripper_effort = 1;  ///< the command to close that earns the whole term
  /// The second part of the term: nothing, the cage without a grip, or nearness within
  /// `object_reach_radius`.
  enum class Adds : unsigned char { kNothing, kCage, kReach } adds = Adds::kCage;
  double object_reach_radius = 0.01;
};
/// The reference's `_gripper_caging_reward`: high if the gripper is around `object` and closes.
/// `start` is the object's position at the start; the margins of the pads grow with their distance
/// from it.
Number GripperCagingReward(const Tabletop& tabletop, const Vec& object, const Vec& start,
                           const Cage& cage);

/// A term whose margins of the pads follow the object, for objects that are pushed, not held.
struct Pinch {
  double obj_radius;  ///< the object's radius
  double grip;        ///< pads that are nearer than this hold it
  double xz_thresh;
};
Number Pinching(const Tabletop& tabletop, const Pinch& pinch);
/// The cage of pick-place: the pads as in Pinching, the grip as in GripperCagingReward.
Number PinchedGrip(const Tabletop& tabletop);

/// The height above the table that the hand should keep while it is `radius` from the object; 0
/// within `threshold`.
double Floor(double radius, double threshold, double slope, double height);

/// 1 if `height` is above the floor, and less with its distance below the floor.
inline Number Above(double height, double floor, double margin) {
  return height >= floor ? Number(1.0) : Near(floor - height, 0.01, margin);
}

/// The gripper's command, from -1, open, to 1, scaled to 0 .. 1.
inline Number GripEffort(float grip) {
  return static_cast<double>((std::clamp(grip, -1.0f, 1.0f) + 1.0f) / 2.0f);
}

/// The reference's `rect_prism_tolerance`: in the box between two corners, 0 at `zero` and 1 at
/// `one`; 1 outside.
Number RectPrismTolerance(const Vec& at, const Vec& zero, const Vec& one);

inline Number Truth(bool is) { return is ? 1.0 : 0.0; }

}  // namespace envpool::metaworld
