// SPDX-License-Identifier: Apache-2.0
// Places to reach, and plates to slide.
#include "reward_terms.h"
#include "task_definition.h"
#include "world.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

void ResetModelReach(World& world, const double* drawn) {
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetTargetPos(Vec::Of(drawn + 3));
  world.SetFree(world.obj_init_pos());
  world.MoveGoal(world.target_pos());
}
Number Reached(const World& world, double left) {
  return Near(left, kRadius, Distance(world.definition().hand, world.target_pos()));
}
StepResult ComputeRewardReach(World& world) {
  const double left = Distance(world.tcp(), world.target_pos());
  const Number in_place = Reached(world, left);
  return {10.0 * in_place, Truth(left <= kRadius), left, 1.0, left, in_place, left};
}
StepResult ComputeRewardReachWall(World& world) {
  const double left = Distance(world.tcp(), world.target_pos());
  const Number in_place = Reached(world, left);
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
void ResetModelSlide(World& world, const double* drawn) {
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetTargetPos(Vec::Of(drawn + 3));
  if (kSlide.base == Base::kAtGoal) world.MoveBody(world.target_pos());
  if (kSlide.base == Base::kAtStart) world.MoveBody(world.obj_init_pos());
  world.Set(9, {kSlide.x, kSlide.y}, 9, 0);
  world.MoveGoal(world.target_pos());
}
struct Sliding {
  double left, away;
  Number in_place, near;
};
Sliding MeasureSlide(const World& world, double less) {
  const double left = Distance(world.object, world.target_pos());
  const double away = Distance(world.tcp(), world.object);
  return {left, away,
          Near(left, kRadius, Distance(world.obj_init_pos(), world.target_pos()) - less),
          Near(away, kRadius, Distance(world.init_tcp, world.obj_init_pos()) - less)};
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
StepResult ComputeRewardSlide(World& world) {
  const Sliding slide = MeasureSlide(world, 0);
  return OfSlide(slide, 8.0 * HamacherProduct(slide.near, slide.in_place));
}
// The hand has to come down to the table first.
StepResult ComputeRewardSlideLow(World& world) {
  const Sliding slide = MeasureSlide(world, kRadius);
  const bool low = world.tcp()[2] <= 0.03 && slide.away < 0.07;
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
