// SPDX-License-Identifier: Apache-2.0
// Things to push, or to grasp and carry, to a goal.
#include <algorithm>
#include <cmath>

#include "reward_terms.h"
#include "task_definition.h"
#include "world.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

// Resets. Heights are those at which the objects have come to rest.
void ResetModelCarry(World& world, const double* drawn) {
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetTargetPos(Vec::Of(drawn + 3));
  world.SetFree(world.obj_init_pos());
  world.MoveGoal(world.target_pos());
}
void ResetModelAtHeight(World& world, const double* drawn, double height, double goal_height) {
  world.SetObjInitPos({{drawn[0], drawn[1], height}});
  world.SetTargetPos({{drawn[3], drawn[4], goal_height}});
  world.SetFree(world.obj_init_pos());
  world.MoveGoal(world.target_pos());
}
void ResetModelPush(World& world, const double* drawn) {
  const double height = world.At(0)[2];
  ResetModelAtHeight(world, drawn, height, height);
}
void ResetModelInsert(World& world, const double* drawn) {
  ResetModelAtHeight(world, drawn, 0.05, drawn[5]);
}
void ResetModelSoccer(World& world, const double* drawn) {
  world.MoveBody(Vec::Of(drawn + 3));
  ResetModelAtHeight(world, drawn, 0.03, drawn[5]);
}
void ResetModelSweep(World& world, const double* drawn) {
  const double with_goal[] = {drawn[0], drawn[1], 0, 0.5, drawn[1]};
  ResetModelAtHeight(world, with_goal, 0.02, 0.01);
}
constexpr Vec kHole{{0.0, 0.84, 0.02}};
void ResetModelSweepInto(World& world, const double* drawn) {
  const double with_goal[] = {drawn[0], drawn[1], 0, kHole[0], kHole[1]};
  ResetModelAtHeight(world, with_goal, world.At(0)[2], kHole[2]);
}
void ResetModelBasketball(World& world, const double* drawn) {
  world.SetObjInitPos({{drawn[0], drawn[1], 0.03f}});
  world.MoveBody(Vec::Of(drawn + 3));
  world.SetFree(world.obj_init_pos());
  world.MoveGoal(world.target_pos());
}
void ResetModelBinPicking(World& world, const double* drawn) {
  world.SetObjInitPos({{drawn[0], drawn[1], world.ObjectAt()[2]}});
  world.SetFree(world.obj_init_pos());
  world.first_distance = World::kUnmeasured;
}
void ResetModelShelf(World& world, const double* drawn) {
  const double height = world.ObjectAt()[2];
  const Vec shelf = Vec::Of(drawn + 3) - Vec{{0, 0, 0.3}};
  world.MoveBody(shelf);
  world.Forward();
  world.SetTargetPos(world.GoalInModel() + shelf);
  world.SetObjInitPos({{drawn[0], drawn[1], height}});
  world.SetFree(world.obj_init_pos());
}
template <int kMachineAtGoal>
void ResetModelMug(World& world, const double* drawn) {
  const Vec mug = Vec::Of(drawn), goal = Vec::Of(drawn + 3);
  world.Set(0, {mug[0], mug[1], mug[2]}, 9, 6);
  world.SetObjInitPos(mug);
  world.MoveBody((kMachineAtGoal ? goal : mug) + Vec{{0.0, 0.22, 0.0}});
  world.SetTargetPos(goal);
  world.MoveGoal(goal);
}

// The terms of most rewards.
struct Carrying {
  double left, away;  ///< object to goal, fingers to object
  Number in_place;
};
Carrying Measure(const World& world, double radius = kRadius) {
  const double left = Distance(world.object, world.target_pos());
  return {left, Distance(world.object, world.tcp()),
          Near(left, radius, Distance(world.obj_init_pos(), world.target_pos()))};
}
/// True if the object is lifted by more than `height` and the gripper holds something.
bool Lifted(const World& world, double height) {
  return world.opening > 0 && world.object[2] - height > world.obj_init_pos()[2];
}
bool LiftedByTouch(const World& world) { return Lifted(world, 0.02) && world.Touched(); }

StepResult Result(const Carrying& c, Number reward, double success, double near, bool grasped,
                  Number grip, Number in_place) {
  return {reward, Truth(c.left <= success), Truth(c.away <= near), Truth(grasped), grip, in_place,
          c.left};
}

constexpr Cage kPuck{.obj_radius = 0.015, .pad_success_thresh = 0.05, .xz_thresh = 0.005};

StepResult ComputeRewardPush(World& world) {
  const Carrying c = Measure(world);
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), kPuck);
  Number reward = 2.0 * grip;
  if (c.away < 0.02 && world.opening > 0) reward = reward + (1.0 + reward + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, kRadius, 0.03, LiftedByTouch(world), grip, c.in_place);
}
StepResult ComputeRewardInsert(World& world) {
  const Carrying c = Measure(world);
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), kPuck);
  Number reward = HamacherProduct(grip, c.in_place);
  if (c.away < 0.02 && world.opening > 0) reward = reward + (1.0 + 7.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.05, 0.03, LiftedByTouch(world), grip, c.in_place);
}
StepResult ComputeRewardPickPlace(World& world) {
  const Carrying c = Measure(world);
  const Number grip = PinchedGrip(world);
  Number reward = HamacherProduct(grip, c.in_place);
  if (c.away < 0.02 && Lifted(world, 0.01)) reward = reward + (1.0 + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(world), grip, c.in_place);
}

// The path around a wall goes first to a place beside or above it, then to the goal.
struct Detour {
  Number first, second;
};
Detour Around(const World& world, const Carrying& c, const Vec& middle, const Vec& scale) {
  return {Near(Distance(world.object, middle, scale), kRadius,
               Distance(world.obj_init_pos(), middle, scale)),
          c.in_place};
}
constexpr double kWall = 0.75;
StepResult ComputeRewardPushWall(World& world) {
  const Carrying c = Measure(world);
  const Detour d = Around(world, c, {{-0.05, 0.77, world.object[2]}}, {{3.0, 1.0, 1.0}});
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), kPuck);
  Number reward = 2.0 * grip;
  if (c.away < 0.02 && world.opening > 0) {
    reward = world.object[1] > kWall ? 2.0 * grip + 1.0 + 4.0 + 3.0 * d.second
                                     : 2.0 * grip + 1.0 + 4.0 * d.first;
  }
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(world), grip, d.second);
}
StepResult ComputeRewardPickPlaceWall(World& world) {
  const Carrying c = Measure(world);
  const Detour d = Around(world, c, {{world.target_pos()[0], 0.77, 0.25}}, {{1.0, 1.0, 3.0}});
  Cage cage = kPuck;
  cage.adds = Cage::Adds::kNothing;
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), cage);
  const Number both = HamacherProduct(grip, d.first);
  Number reward = both;
  if (c.away < 0.02 && Lifted(world, 0.015)) {
    reward =
        world.object[1] > kWall ? both + 1.0 + 4.0 + 3.0 * d.second : both + 1.0 + 4.0 * d.first;
  }
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(world), grip, d.second);
}

StepResult ComputeRewardShelf(World& world) {
  constexpr double kShelf = 0.24, kHalf = 0.15;
  const Carrying c = Measure(world);
  const Cage cage{.obj_radius = 0.02,
                  .pad_success_thresh = 0.05,
                  .xz_thresh = 0.01,
                  .adds = Cage::Adds::kNothing};
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), cage);
  Number reward = HamacherProduct(grip, c.in_place), in_place = c.in_place;
  const Vec &at = world.object, goal = world.target_pos();
  const bool below = 0.0 < at[2] && at[2] < kShelf;
  const bool beside = goal[0] - kHalf < at[0] && at[0] < goal[0] + kHalf;
  const double edge = goal[1] - 3 * kRadius;
  if (below && beside && edge < at[1] && at[1] < goal[1]) {
    const double into = (at[1] - edge) / (3 * kRadius), under = (kShelf - at[2]) / kShelf;
    const double loss = HamacherProduct(into, under).value();
    in_place = Clipped(in_place.value() - loss, 0.0, 1.0);
  }
  if (below && beside && at[1] > goal[1]) in_place = 0.0;
  if (c.away < 0.025 && Lifted(world, 0.01)) reward = reward + (1.0 + 5.0 * in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(world), grip, in_place);
}

StepResult ComputeRewardBasketball(World& world) {
  constexpr double kBasket = 0.08;
  constexpr Vec kScale{{1.0, 1.0, 2.0}};
  Vec goal = world.target_pos();
  goal[2] = 0.3;
  const double left = Distance(world.object, goal, kScale);
  const double away = Distance(world.object, world.tcp());
  const Number in_place = Near(left, kBasket, Distance(world.obj_init_pos(), goal, kScale));
  const bool held = away < 0.035 && Lifted(world, 0.01);
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 world, world.object, world.obj_init_pos(),
                 {.obj_radius = 0.025, .pad_success_thresh = 0.06, .xz_thresh = 0.005});
  Number reward = HamacherProduct(grip, in_place);
  if (held) reward = reward + (1.0 + 5.0 * in_place);
  if (left < kBasket) reward = 10.0;
  return Result({left, away, in_place}, reward, kBasket, 0.05, Lifted(world, 0.03), grip, in_place);
}

StepResult ComputeRewardMug(World& world) {
  constexpr Vec kScale{{2.0, 2.0, 1.0}};
  const double scaled = Distance(world.object, world.target_pos(), kScale);
  const Number in_place =
      Near(scaled, 0.05, Distance(world.obj_init_pos(), world.target_pos(), kScale));
  const double away = Distance(world.object, world.tcp());
  const Cage cage{.obj_radius = 0.02,
                  .pad_success_thresh = 0.05,
                  .xz_thresh = 0.05,
                  .desired_gripper_effort = 0.7,
                  .adds = Cage::Adds::kReach,
                  .object_reach_radius = 0.04};
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(), cage);
  Number reward = HamacherProduct(grip, in_place);
  if (away < 0.04 && world.opening > 0) reward = reward + (1.0 + 5.0 * in_place);
  if (scaled < 0.05) reward = 10.0;
  return Result({Distance(world.object, world.target_pos()), away, in_place}, reward, 0.07, 0.03,
                world.opening > 0 && world.Touched(), grip, in_place);
}

StepResult ComputeRewardSoccer(World& world) {
  constexpr double kGoal = 0.07;
  constexpr Vec kScale{{3.0, 1.0, 1.0}};
  const Vec goal = world.target_pos();
  const double scaled = Distance(world.object, goal, kScale);
  // The margin grows while the ball rolls.
  Number in_place = Near(scaled, kGoal, Distance(world.object, world.obj_init_pos(), kScale));
  const double line = goal[1] - 0.1;
  if (world.object[1] > line && std::abs(world.object[0] - goal[0]) > 0.1) {
    const double behind = 2 * ((world.object[1] - line) / (1 - line));
    in_place = Clipped(in_place.value() - behind, 0.0, 1.0);
  }
  const Number grip = Pinching(world, {.obj_radius = 0.013, .grip = 0.01, .xz_thresh = 0.005});
  const Number reward = scaled < kGoal ? Number(10.0) : 3.0 * grip + 6.5 * in_place;
  return Result({Distance(world.object, goal), Distance(world.object, world.tcp()), in_place},
                reward, 0.07, 0.03, LiftedByTouch(world), grip, in_place);
}
StepResult ComputeRewardPushBack(World& world) {
  const Carrying c = Measure(world);
  const Number grip = Pinching(world, {.obj_radius = 0.007, .grip = 0.003, .xz_thresh = 0.01});
  Number reward = HamacherProduct(grip, c.in_place);
  const double come = Distance(world.obj_init_pos(), world.target_pos()) - c.left;
  const bool holds = 0 < world.opening && world.opening < 0.55;
  if (c.away < 0.01 && holds && come > 0.01) reward = reward + (1.0 + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(world), grip, c.in_place);
}
StepResult Swept(World& world, const Vec& goal, const Pinch& pinch) {
  const double left = Distance(world.object, goal);
  const Number in_place = Near(left, kRadius, Distance(world.obj_init_pos(), goal));
  const Number grip = Pinching(world, pinch);
  const Number reward =
      left < kRadius ? Number(10.0) : 2.0 * grip + 6.0 * HamacherProduct(grip, in_place);
  return Result({left, Distance(world.object, world.tcp()), in_place}, reward, 0.05, 0.03,
                world.opening > 0 && world.Touched(), grip, in_place);
}
StepResult ComputeRewardSweep(World& world) {
  return Swept(world, world.target_pos(), {.obj_radius = 0.02, .grip = 0.01, .xz_thresh = 0.005});
}
StepResult ComputeRewardSweepInto(World& world) {
  const Vec goal{{world.target_pos()[0], world.target_pos()[1], world.object[2]}};
  return Swept(world, goal, {.obj_radius = 0.02, .grip = 0.005, .xz_thresh = 0.01});
}

// Tasks that take an object out of a bin or a hole, and carry it above the ground in between.
StepResult ComputeRewardBinPicking(World& world) {
  const Vec goal = world.target_pos();
  const double left = Distance(world.object, goal);
  if (world.first_distance == World::kUnmeasured) world.first_distance = left;
  const Number in_place = Near(left, kRadius, world.first_distance);
  const auto floor_at = [&](const Vec& place) {
    return Floor(FlatDistance(world.hand, place), 0.03, 0.02, 0.2);
  };
  const double floor = std::min(floor_at(world.obj_init_pos()), floor_at(goal));
  const Number above = Above(world.hand[2], floor, 0.05);
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(),
                                          {.obj_radius = 0.015,
                                           .pad_success_thresh = 0.05,
                                           .xz_thresh = 0.01,
                                           .desired_gripper_effort = 0.7});
  Number reward = HamacherProduct(grip, in_place);
  const bool near = Distance(world.object, world.hand) < 0.04;
  const bool lifted = world.object[2] - 0.02 > world.obj_init_pos()[2];
  const bool grasped = near && lifted && !(world.opening < 0.43);
  if (grasped) reward = reward + (1.0 + 5.0 * HamacherProduct(above, in_place));
  if (left < kRadius) reward = 10.0;
  return {reward, Truth(left <= 0.05), Truth(near), Truth(grasped), grip, in_place, left};
}
StepResult ComputeRewardPickOut(World& world) {
  const Vec tcp = world.tcp();
  const Carrying c = Measure(world, 0.02);
  const double floor = Floor(FlatDistance(tcp, world.obj_init_pos()), 0.03, 0.015, 0.15);
  const Number above = Above(tcp[2], floor, 0.02);
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(),
                                          {.obj_radius = 0.015,
                                           .pad_success_thresh = 0.02,
                                           .xz_thresh = 0.03,
                                           .desired_gripper_effort = 0.1});
  Number reward = HamacherProduct(grip, c.in_place);
  const bool lifted = world.object[2] - 0.02 > world.obj_init_pos()[2];
  const bool grasped = c.away < 0.04 && lifted && !(world.opening < 0.33);
  if (grasped) reward = reward + (1.0 + 5.0 * HamacherProduct(c.in_place, above));
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, grasped, grip, c.in_place);
}

// Each row has its fields in groups: name, draws, observed objects, the model's parts, functions.
// clang-format off
const TaskDefinition kTasks[] = {
    {.name = "basketball-v3", .xml = "sawyer_basketball.xml", .hand = kHandSingle,
     .low = {-0.1, 0.6, 0.0299, -0.1, 0.85, 0.0},
     .high = {0.1, 0.7, 0.0301, 0.1, 0.9 + 1e-07, 0.0},
     .goal_bounds = Bounds{{{-0.1, 0.85 + -0.083, 0.2499}}, {{0.1, 0.9 + 1e-07 + -0.083, 0.2501}}},
     .apart = 0.15,
     .object = Body("bsktball"), .quat = QuaternionOrder::kMujoco,
     .body = "basket_goal", .goal = "goal",
     .reset_model = ResetModelBasketball, .compute_reward = ComputeRewardBasketball,
     .target_pos_object = Site("goal")},
    {.name = "bin-picking-v3", .xml = "sawyer_bin_picking.xml",
     .low = {-0.21, 0.65, 0.02, 0.1199, 0.699, -0.001},
     .high = {-0.03, 0.75, 0.02, 0.1201, 0.701, 0.001},
     .object = Body("obj"), .quat = QuaternionOrder::kMujoco,
     .reset_model = ResetModelBinPicking, .compute_reward = ComputeRewardBinPicking,
     .hand_low = {{-0.5, 0.4, 0.07}}, .target_pos_object = Body("bin_goal")},
    {.name = "coffee-pull-v3", .xml = "sawyer_coffee.xml", .hand = kFar,
     .low = {-0.05, 0.7, -0.001, -0.1, 0.55, -0.001},
     .high = {0.05, 0.75, 0.001, 0.1, 0.65, 0.001}, .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("mug"), .quat = QuaternionOrder::kScipy,
     .body = "coffee_machine", .goal = "mug_goal", .touched = "mug",
     .reset_model = ResetModelMug<0>, .compute_reward = ComputeRewardMug},
    {.name = "coffee-push-v3", .xml = "sawyer_coffee.xml", .hand = kFar,
     .low = {-0.1, 0.55, -0.001, -0.05, 0.7, -0.001},
     .high = {0.1, 0.65, 0.001, 0.05, 0.75, 0.001}, .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("mug"), .quat = QuaternionOrder::kScipy,
     .body = "coffee_machine", .goal = "mug_goal", .touched = "mug",
     .reset_model = ResetModelMug<1>, .compute_reward = ComputeRewardMug},
    {.name = "hand-insert-v3", .xml = "sawyer_table_with_hole.xml", .hand = kHandSingle,
     .low = {-0.1, 0.6, 0.05, -0.04, 0.8, -0.0201}, .high = {0.1, 0.7, 0.05, 0.04, 0.88, -0.0199},
     .apart = 0.15,
     .object = Body("obj"), .quat = QuaternionOrder::kMujoco,
     .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelInsert, .compute_reward = ComputeRewardInsert,
     .hand_low = {{-0.5, 0.4, -0.15}}},
    {.name = "pick-out-of-hole-v3", .xml = "sawyer_pick_out_of_hole.xml",
     .low = {0.0, 0.75, 0.02, -0.1, 0.5, 0.15}, .high = {0.0, 0.75, 0.02, 0.1, 0.6, 0.3},
     .apart = 0.15,
     .object = Body("obj"), .quat = QuaternionOrder::kMujoco,
     .goal = "goal",
     .reset_model = ResetModelCarry, .compute_reward = ComputeRewardPickOut,
     .hand_low = {{-0.5, 0.4, -0.05}}},
    {.name = "pick-place-v3", .xml = "sawyer_pick_place_v3.xml",
     .low = {-0.1, 0.6, 0.02, -0.1, 0.8, 0.05}, .high = {0.1, 0.7, 0.02, 0.1, 0.9, 0.3},
     .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelCarry, .compute_reward = ComputeRewardPickPlace},
    {.name = "pick-place-wall-v3", .xml = "sawyer_pick_place_wall_v3.xml",
     .low = {-0.05, 0.6, 0.015, -0.05, 0.85, 0.05}, .high = {0.05, 0.65, 0.015, 0.05, 0.9, 0.3},
     .apart = 0.15,
     .object = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelCarry, .compute_reward = ComputeRewardPickPlaceWall},
    {.name = "push-v3", .xml = "sawyer_push_v3.xml",
     .low = {-0.1, 0.6, 0.02, -0.1, 0.8, 0.01}, .high = {0.1, 0.7, 0.02, 0.1, 0.9, 0.02},
     .apart = 0.15,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .places = {Body("obj")}, .touched = "objGeom",
     .reset_model = ResetModelPush, .compute_reward = ComputeRewardPush},
    {.name = "push-back-v3", .xml = "sawyer_push_back_v3.xml", .hand = kHandSingle,
     .low = {-0.1, 0.8, 0.02, -0.1, 0.6, 0.0199}, .high = {0.1, 0.85, 0.02, 0.1, 0.7, 0.0201},
     .apart = 0.15,
     .object = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .places = {Geom("objGeom")}, .touched = "objGeom",
     .reset_model = ResetModelPush, .compute_reward = ComputeRewardPushBack},
    {.name = "push-wall-v3", .xml = "sawyer_push_wall_v3.xml",
     .low = {-0.05, 0.6, 0.015, -0.05, 0.85, 0.01}, .high = {0.05, 0.65, 0.015, 0.05, 0.9, 0.02},
     .apart = 0.15,
     .object = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .places = {Geom("objGeom")}, .touched = "objGeom",
     .reset_model = ResetModelPush, .compute_reward = ComputeRewardPushWall},
    {.name = "shelf-place-v3", .xml = "sawyer_shelf_placing.xml", .hand = kHandSingle,
     .low = {-0.1, 0.5, 0.019, -0.1, 0.8, 0.299}, .high = {0.1, 0.6, 0.021, 0.1, 0.9, 0.301},
     .apart = 0.1,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .body = "shelf", .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelShelf, .compute_reward = ComputeRewardShelf},
    {.name = "soccer-v3", .xml = "sawyer_soccer.xml",
     .low = {-0.1, 0.6, 0.03, -0.1, 0.8, 0.0}, .high = {0.1, 0.7, 0.03, 0.1, 0.9, 0.0},
     .apart = 0.15,
     .object = Body("soccer_ball"), .quat = QuaternionOrder::kScipy,
     .body = "goal_whole", .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelSoccer, .compute_reward = ComputeRewardSoccer},
    {.name = "sweep-v3", .xml = "sawyer_sweep_v3.xml",
     .size = 3, .low = {-0.1, 0.6, 0.02}, .high = {0.1, 0.7, 0.02},
     .goal_bounds = Bounds{{{0.49, 0.6, 0.0}}, {{0.51, 0.7, 0.02}}},
     .object = Body("obj"), .quat = QuaternionOrder::kMujoco,
     .goal = "goal", .touched = "objGeom",
     .reset_model = ResetModelSweep, .compute_reward = ComputeRewardSweep},
    {.name = "sweep-into-v3", .xml = "sawyer_table_with_hole.xml",
     .low = {-0.1, 0.6, 0.02, -0.001, 0.8399, 0.0199},
     .high = {0.1, 0.7, 0.02, 0.001, 0.8401, 0.0201}, .apart = 0.15, .fixed_goal = &kHole,
     .object = Body("obj"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .goal = "goal", .places = {Body("obj")}, .touched = "objGeom",
     .reset_model = ResetModelSweepInto, .compute_reward = ComputeRewardSweepInto},
};
// clang-format on

}  // namespace

std::span<const TaskDefinition> CarryTasks() { return kTasks; }

}  // namespace envpool::metaworld
