// SPDX-License-Identifier: Apache-2.0
#include "reward_terms.h"

#include <algorithm>
#include <cmath>

namespace envpool::metaworld {

namespace {
constexpr double kAtMargin = 0.1;

Number Fall(double distance, Sigmoid sigmoid) {
  if (sigmoid == Sigmoid::kGaussian) {
    static const double scale = std::sqrt(-2 * std::log(kAtMargin));
    return std::exp(-0.5 * numpy::Square(distance * scale));
  }
  static const double scale = std::sqrt(1 / kAtMargin - 1);
  return 1 / (numpy::Square(distance * scale) + 1);
}

constexpr double kPads = 0.05;

struct PadDistances {
  double left, right, left_margin, right_margin;
};
PadDistances PadsAround(const Tabletop& tabletop) {
  const double y = tabletop.object[1], left = tabletop.left_pad()[1],
               right = tabletop.right_pad()[1];
  const auto margin = [y](double pad) { return std::abs(std::abs(y - pad) - kPads); };
  return {left - y, y - right, margin(left), margin(right)};
}
Number BothPads(const PadDistances& pads, double low, double high) {
  return HamacherProduct(Tolerance(pads.right, low, high, pads.right_margin),
                         Tolerance(pads.left, low, high, pads.left_margin));
}
Number AboveObject(const Tabletop& tabletop, const Vec& object, const Vec& start, double most) {
  const double margin = FlatDistance(start, tabletop.init_tcp, 0, 2) - most;
  return Near(FlatDistance(tabletop.tcp(), object, 0, 2), most, margin);
}
}  // namespace

Number Tolerance(double x, double low, double high, double margin, Sigmoid sigmoid) {
  if (low <= x && x <= high) return 1.0;
  if (margin == 0) return 0.0;
  return Fall((x < low ? low - x : x - high) / margin, sigmoid);
}

Number HamacherProduct(Number a, Number b) {
  const Number product = a * b, either = a + b - product;
  return either > 0.0 ? product / either : Number(0.0);
}

Number Closing(float grip, double effort) {
  if (!(grip > 0)) return 0.0;
  const Number closing = Number::Single(grip);
  return Number(effort) >= closing ? closing / effort : Number(1.0);
}

Number GripperCagingReward(const Tabletop& tabletop, const Vec& object, const Vec& start,
                           const Cage& cage) {
  const auto pad = [&](const Vec& at) {
    const double margin = std::abs(std::abs(at[1] - start[1]) - cage.pad_success_thresh);
    return Tolerance(std::abs(at[1] - object[1]), cage.obj_radius, cage.pad_success_thresh, margin);
  };
  const Number around =
      HamacherProduct(HamacherProduct(pad(tabletop.left_pad()), pad(tabletop.right_pad())),
                      AboveObject(tabletop, object, start, cage.xz_thresh));
  const Number closing =
      around > 0.97 ? Closing(tabletop.grip, cage.desired_gripper_effort) : Number(0.0);
  const Number held = HamacherProduct(around, closing);
  switch (cage.adds) {
    case Cage::Adds::kNothing:
      break;
    case Cage::Adds::kCage:
      return (held + around) / 2.0;
    case Cage::Adds::kReach:
      const double margin = std::abs(Distance(start, tabletop.init_tcp) - cage.object_reach_radius);
      return (held + Near(Distance(object, tabletop.tcp()), cage.object_reach_radius, margin)) /
             2.0;
  }
  return held;
}

Number Pinching(const Tabletop& tabletop, const Pinch& pinch) {
  const PadDistances pads = PadsAround(tabletop);
  const Number around = HamacherProduct(
      BothPads(pads, pinch.obj_radius, kPads),
      AboveObject(tabletop, tabletop.object, tabletop.obj_init_pos(), pinch.xz_thresh));
  const Number held =
      around > 0.95 ? BothPads(pads, pinch.obj_radius, pinch.obj_radius + pinch.grip) : Number(0.0);
  return (around + held) / 2.0;
}

Number PinchedGrip(const Tabletop& tabletop) {
  constexpr double kRadius = 0.015, kXz = 0.005;
  const Number around =
      HamacherProduct(BothPads(PadsAround(tabletop), kRadius, kPads),
                      AboveObject(tabletop, tabletop.object, tabletop.obj_init_pos(), kXz));
  const Number closing = around > 0.97 ? Closing(tabletop.grip) : Number(0.0);
  return (HamacherProduct(around, closing) + around) / 2.0;
}

double Floor(double radius, double threshold, double slope, double height) {
  return radius > threshold ? slope * std::log(radius - threshold) + height : 0.0;
}

Number RectPrismTolerance(const Vec& at, const Vec& zero, const Vec& one) {
  double product = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (at[i] < std::min(zero[i], one[i]) || at[i] > std::max(zero[i], one[i])) return 1.0;
    const double part = (at[i] - zero[i]) / (one[i] - zero[i]);
    product = i == 0 ? part : product * part;
  }
  return Number::Double(product);
}

}  // namespace envpool::metaworld
