// SPDX-License-Identifier: Apache-2.0
// Places to reach, and plates to slide.
#include "reward_terms.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

void ResetModelReach(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(Vec::Of(drawn + 3));
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
}
Number Reached(const Tabletop& tabletop, double left) {
  return Near(left, kRadius, Distance(tabletop.definition().hand, tabletop.target_pos()));
}
StepResult ComputeRewardReach(Tabletop& tabletop) {
  const double left = Distance(tabletop.tcp(), tabletop.target_pos());
  const Number in_place = Reached(tabletop, left);
  return {10.0 * in_place, Truth(left <= kRadius), left, 1.0, left, in_place, left};
}
StepResult ComputeRewardReachWall(Tabletop& tabletop) {
  const double left = Distance(tabletop.tcp(), tabletop.target_pos());
  const Number in_place = Reached(tabletop, left);
  return {10.0 * in_place, Truth(left <= kRadius), 0.0, 0.0, 0.0, in_place, left};
}

// The puck's offset from its joints' origin. Its base is moved to the goal, to the start, or not at
// all.
enum class Base : unsigned char { kStays, kAtGoal, kAtStart };
struct Slide {
  double x, y;
  Base base;
};
template <Slide kSlide>
void ResetModelSlide(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(Vec::Of(drawn + 3));
  if (kSlide.base == Base::kAtGoal) tabletop.MoveBody(tabletop.target_pos());
  if (kSlide.base == Base::kAtStart) tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.Set(9, {kSlide.x, kSlide.y}, 9, 0);
  tabletop.MoveGoal(tabletop.target_pos());
}
struct Sliding {
  double left, away;
  Number in_place, near;
};
Sliding MeasureSlide(const Tabletop& tabletop, double less) {
  const double left = Distance(tabletop.object, tabletop.target_pos());
  const double away = Distance(tabletop.tcp(), tabletop.object);
  return {left, away,
          Near(left, kRadius, Distance(tabletop.obj_init_pos(), tabletop.target_pos()) - less),
          Near(away, kRadius, Distance(tabletop.init_tcp, tabletop.obj_init_pos()) - less)};
}
StepResult OfSlide(const Sliding& slide, Number reward) {
  if (slide.left < kRadius) reward = 10.0;
  return {reward,
          Truth(slide.left <= 0.07),
          Truth(slide.away <= 0.03),
          0.0,
          slide.near,
          slide.in_place,
          slide.left};
}
StepResult ComputeRewardSlide(Tabletop& tabletop) {
  const Sliding slide = MeasureSlide(tabletop, 0);
  return OfSlide(slide, 8.0 * HamacherProduct(slide.near, slide.in_place));
}
// The hand has to come down to the table first.
StepResult ComputeRewardSlideLow(Tabletop& tabletop) {
  const Sliding slide = MeasureSlide(tabletop, kRadius);
  const bool low = tabletop.tcp()[2] <= 0.03 && slide.away < 0.07;
  return OfSlide(slide, low ? 2.0 + 7.0 * slide.in_place : 1.5 * slide.near);
}

constexpr Slide kToGoal{0, 0, Base::kAtGoal}, kSideways{0, 0, Base::kStays};
constexpr Slide kBack{0, 0.15, Base::kStays}, kBackSideways{-0.15, 0, Base::kAtStart};

// Each row has its fields in groups: name, draws, observed objects, the model's parts, functions.
// clang-format off
const TaskDefinition kTasks[] = {
    {.name = "plate-slide-v3", .xml = "sawyer_plate_slide.xml", .hand = kHandSingle,
     .low = {0.0, 0.6, 0.0, -0.1, 0.85, 0.0}, .high = {0.0, 0.6, 0.0, 0.1, 0.9, 0.0},
     .object = Geom("puck"), .quat = QuaternionOrder::kScipy,
     .body = "puck_goal", .goal = "goal",
     .reset_model = ResetModelSlide<kToGoal>, .compute_reward = ComputeRewardSlide},
    {.name = "plate-slide-back-v3", .xml = "sawyer_plate_slide.xml", .hand = kHandSingle,
     .low = {0.0, 0.85, 0.0, -0.1, 0.6, 0.015}, .high = {0.0, 0.85, 0.0, 0.1, 0.6, 0.015},
     .object = Geom("puck"), .quat = QuaternionOrder::kScipy,
     .goal = "goal",
     .reset_model = ResetModelSlide<kBack>, .compute_reward = ComputeRewardSlideLow},
    {.name = "plate-slide-back-side-v3", .xml = "sawyer_plate_slide_sideway.xml",
     .hand = kHandSingle,
     .low = {-0.25, 0.6, 0.0, -0.05, 0.6, 0.015}, .high = {-0.25, 0.6, 0.0, 0.15, 0.6, 0.015},
     .object = Geom("puck"), .quat = QuaternionOrder::kScipy,
     .body = "puck_goal", .goal = "goal",
     .reset_model = ResetModelSlide<kBackSideways>, .compute_reward = ComputeRewardSlideLow},
    {.name = "plate-slide-side-v3", .xml = "sawyer_plate_slide_sideway.xml", .hand = kHandSingle,
     .low = {0.0, 0.6, 0.0, -0.3, 0.54, 0.0}, .high = {0.0, 0.6, 0.0, -0.25, 0.66, 0.0},
     .object = Geom("puck"), .quat = QuaternionOrder::kScipy,
     .goal = "goal",
     .reset_model = ResetModelSlide<kSideways>, .compute_reward = ComputeRewardSlideLow},
    {.name = "reach-v3", .xml = "sawyer_reach_v3.xml",
     .low = {-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, .high = {0.1, 0.7, 0.02, 0.1, 0.9, 0.3},
     .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal",
     .reset_model = ResetModelReach, .compute_reward = ComputeRewardReach},
    {.name = "reach-wall-v3", .xml = "sawyer_reach_wall_v3.xml",
     .low = {-0.05, 0.6, 0.015, -0.05, 0.85, 0.05}, .high = {0.05, 0.65, 0.015, 0.05, 0.9, 0.3},
     .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal",
     .reset_model = ResetModelReach, .compute_reward = ComputeRewardReachWall},
};
// clang-format on

}  // namespace

std::span<const TaskDefinition> SlideTasks() { return kTasks; }

}  // namespace envpool::metaworld
