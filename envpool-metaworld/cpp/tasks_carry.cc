// SPDX-License-Identifier: Apache-2.0
// Things to push, or to grasp and carry, to a goal.
#include <algorithm>
#include <cmath>

#include "reward_terms.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

// Resets. Heights are those at which the objects have come to rest.
void ResetModelCarry(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(Vec::Of(drawn + 3));
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
}
void ResetModelAtHeight(Tabletop& tabletop, const double* drawn, double height,
                        double goal_height) {
  tabletop.SetObjInitPos({{drawn[0], drawn[1], height}});
  tabletop.SetTargetPos({{drawn[3], drawn[4], goal_height}});
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
}
void ResetModelPush(Tabletop& tabletop, const double* drawn) {
  const double height = tabletop.At(0)[2];
  ResetModelAtHeight(tabletop, drawn, height, height);
}
void ResetModelInsert(Tabletop& tabletop, const double* drawn) {
  ResetModelAtHeight(tabletop, drawn, 0.05, drawn[5]);
}
void ResetModelSoccer(Tabletop& tabletop, const double* drawn) {
  tabletop.MoveBody(Vec::Of(drawn + 3));
  ResetModelAtHeight(tabletop, drawn, 0.03, drawn[5]);
}
void ResetModelSweep(Tabletop& tabletop, const double* drawn) {
  const double with_goal[] = {drawn[0], drawn[1], 0, 0.5, drawn[1]};
  ResetModelAtHeight(tabletop, with_goal, 0.02, 0.01);
}
constexpr Vec kHole{{0.0, 0.84, 0.02}};
void ResetModelSweepInto(Tabletop& tabletop, const double* drawn) {
  const double with_goal[] = {drawn[0], drawn[1], 0, kHole[0], kHole[1]};
  ResetModelAtHeight(tabletop, with_goal, tabletop.At(0)[2], kHole[2]);
}
void ResetModelBasketball(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos({{drawn[0], drawn[1], 0.03f}});
  tabletop.MoveBody(Vec::Of(drawn + 3));
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
}
void ResetModelBinPicking(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos({{drawn[0], drawn[1], tabletop.ObjectAt()[2]}});
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.first_distance = Tabletop::kUnmeasured;
}
void ResetModelShelf(Tabletop& tabletop, const double* drawn) {
  const double height = tabletop.ObjectAt()[2];
  const Vec shelf = Vec::Of(drawn + 3) - Vec{{0, 0, 0.3}};
  tabletop.MoveBody(shelf);
  tabletop.Forward();
  tabletop.SetTargetPos(tabletop.GoalInModel() + shelf);
  tabletop.SetObjInitPos({{drawn[0], drawn[1], height}});
  tabletop.SetFree(tabletop.obj_init_pos());
}
template <int kMachineAtGoal>
void ResetModelMug(Tabletop& tabletop, const double* drawn) {
  const Vec mug = Vec::Of(drawn), goal = Vec::Of(drawn + 3);
  tabletop.Set(0, {mug[0], mug[1], mug[2]}, 9, 6);
  tabletop.SetObjInitPos(mug);
  tabletop.MoveBody((kMachineAtGoal ? goal : mug) + Vec{{0.0, 0.22, 0.0}});
  tabletop.SetTargetPos(goal);
  tabletop.MoveGoal(goal);
}

// The terms of most rewards.
struct Carrying {
  double left, away;  ///< object to goal, fingers to object
  Number in_place;
};
Carrying Measure(const Tabletop& tabletop, double radius = kRadius) {
  const double left = Distance(tabletop.object, tabletop.target_pos());
  return {left, Distance(tabletop.object, tabletop.tcp()),
          Near(left, radius, Distance(tabletop.obj_init_pos(), tabletop.target_pos()))};
}
/// True if the object is lifted by more than `height` and the gripper holds something.
bool Lifted(const Tabletop& tabletop, double height) {
  return tabletop.opening > 0 && tabletop.object[2] - height > tabletop.obj_init_pos()[2];
}
bool LiftedByTouch(const Tabletop& tabletop) {
  return Lifted(tabletop, 0.02) && tabletop.Touched();
}

StepResult Result(const Carrying& c, Number reward, double success, double near, bool grasped,
                  Number grip, Number in_place) {
  return {reward, Truth(c.left <= success), Truth(c.away <= near), Truth(grasped), grip, in_place,
          c.left};
}

constexpr Cage kPuck{.obj_radius = 0.015, .pad_success_thresh = 0.05, .xz_thresh = 0.005};

StepResult ComputeRewardPush(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Number grip =
      GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), kPuck);
  Number reward = 2.0 * grip;
  if (c.away < 0.02 && tabletop.opening > 0) reward = reward + (1.0 + reward + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, kRadius, 0.03, LiftedByTouch(tabletop), grip, c.in_place);
}
StepResult ComputeRewardInsert(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Number grip =
      GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), kPuck);
  Number reward = HamacherProduct(grip, c.in_place);
  if (c.away < 0.02 && tabletop.opening > 0) reward = reward + (1.0 + 7.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.05, 0.03, LiftedByTouch(tabletop), grip, c.in_place);
}
StepResult ComputeRewardPickPlace(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Number grip = PinchedGrip(tabletop);
  Number reward = HamacherProduct(grip, c.in_place);
  if (c.away < 0.02 && Lifted(tabletop, 0.01)) reward = reward + (1.0 + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, c.in_place);
}

// The path around a wall goes first to a place beside or above it, then to the goal.
struct Detour {
  Number first, second;
};
Detour Around(const Tabletop& tabletop, const Carrying& c, const Vec& middle, const Vec& scale) {
  return {Near(Distance(tabletop.object, middle, scale), kRadius,
               Distance(tabletop.obj_init_pos(), middle, scale)),
          c.in_place};
}
constexpr double kWall = 0.75;
StepResult ComputeRewardPushWall(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Detour d = Around(tabletop, c, {{-0.05, 0.77, tabletop.object[2]}}, {{3.0, 1.0, 1.0}});
  const Number grip =
      GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), kPuck);
  Number reward = 2.0 * grip;
  if (c.away < 0.02 && tabletop.opening > 0) {
    reward = tabletop.object[1] > kWall ? 2.0 * grip + 1.0 + 4.0 + 3.0 * d.second
                                        : 2.0 * grip + 1.0 + 4.0 * d.first;
  }
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, d.second);
}
StepResult ComputeRewardPickPlaceWall(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Detour d = Around(tabletop, c, {{tabletop.target_pos()[0], 0.77, 0.25}}, {{1.0, 1.0, 3.0}});
  Cage cage = kPuck;
  cage.adds = Cage::Adds::kNothing;
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), cage);
  const Number both = HamacherProduct(grip, d.first);
  Number reward = both;
  if (c.away < 0.02 && Lifted(tabletop, 0.015)) {
    reward =
        tabletop.object[1] > kWall ? both + 1.0 + 4.0 + 3.0 * d.second : both + 1.0 + 4.0 * d.first;
  }
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, d.second);
}

StepResult ComputeRewardShelf(Tabletop& tabletop) {
  constexpr double kShelf = 0.24, kHalf = 0.15;
  const Carrying c = Measure(tabletop);
  const Cage cage{.obj_radius = 0.02,
                  .pad_success_thresh = 0.05,
                  .xz_thresh = 0.01,
                  .adds = Cage::Adds::kNothing};
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), cage);
  Number reward = HamacherProduct(grip, c.in_place), in_place = c.in_place;
  const Vec &at = tabletop.object, goal = tabletop.target_pos();
  const bool below = 0.0 < at[2] && at[2] < kShelf;
  const bool beside = goal[0] - kHalf < at[0] && at[0] < goal[0] + kHalf;
  const double edge = goal[1] - 3 * kRadius;
  if (below && beside && edge < at[1] && at[1] < goal[1]) {
    const double into = (at[1] - edge) / (3 * kRadius), under = (kShelf - at[2]) / kShelf;
    const double loss = HamacherProduct(into, under).value();
    in_place = Clipped(in_place.value() - loss, 0.0, 1.0);
  }
  if (below && beside && at[1] > goal[1]) in_place = 0.0;
  if (c.away < 0.025 && Lifted(tabletop, 0.01)) reward = reward + (1.0 + 5.0 * in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, in_place);
}

StepResult ComputeRewardBasketball(Tabletop& tabletop) {
  constexpr double kBasket = 0.08;
  constexpr Vec kScale{{1.0, 1.0, 2.0}};
  Vec goal = tabletop.target_pos();
  goal[2] = 0.3;
  const double left = Distance(tabletop.object, goal, kScale);
  const double away = Distance(tabletop.object, tabletop.tcp());
  const Number in_place = Near(left, kBasket, Distance(tabletop.obj_init_pos(), goal, kScale));
  const bool held = away < 0.035 && Lifted(tabletop, 0.01);
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 tabletop, tabletop.object, tabletop.obj_init_pos(),
                 {.obj_radius = 0.025, .pad_success_thresh = 0.06, .xz_thresh = 0.005});
  Number reward = HamacherProduct(grip, in_place);
  if (held) reward = reward + (1.0 + 5.0 * in_place);
  if (left < kBasket) reward = 10.0;
  return Result({left, away, in_place}, reward, kBasket, 0.05, Lifted(tabletop, 0.03), grip,
                in_place);
}

StepResult ComputeRewardMug(Tabletop& tabletop) {
  constexpr Vec kScale{{2.0, 2.0, 1.0}};
  const double scaled = Distance(tabletop.object, tabletop.target_pos(), kScale);
  const Number in_place =
      Near(scaled, 0.05, Distance(tabletop.obj_init_pos(), tabletop.target_pos(), kScale));
  const double away = Distance(tabletop.object, tabletop.tcp());
  const Cage cage{.obj_radius = 0.02,
                  .pad_success_thresh = 0.05,
                  .xz_thresh = 0.05,
                  .desired_gripper_effort = 0.7,
                  .adds = Cage::Adds::kReach,
                  .object_reach_radius = 0.04};
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), cage);
  Number reward = HamacherProduct(grip, in_place);
  if (away < 0.04 && tabletop.opening > 0) reward = reward + (1.0 + 5.0 * in_place);
  if (scaled < 0.05) reward = 10.0;
  return Result({Distance(tabletop.object, tabletop.target_pos()), away, in_place}, reward, 0.07,
                0.03, tabletop.opening > 0 && tabletop.Touched(), grip, in_place);
}

StepResult ComputeRewardSoccer(Tabletop& tabletop) {
  constexpr double kGoal = 0.07;
  constexpr Vec kScale{{3.0, 1.0, 1.0}};
  const Vec goal = tabletop.target_pos();
  const double scaled = Distance(tabletop.object, goal, kScale);
  // The margin grows while the ball rolls.
  Number in_place = Near(scaled, kGoal, Distance(tabletop.object, tabletop.obj_init_pos(), kScale));
  const double line = goal[1] - 0.1;
  if (tabletop.object[1] > line && std::abs(tabletop.object[0] - goal[0]) > 0.1) {
    const double behind = 2 * ((tabletop.object[1] - line) / (1 - line));
    in_place = Clipped(in_place.value() - behind, 0.0, 1.0);
  }
  const Number grip = Pinching(tabletop, {.obj_radius = 0.013, .grip = 0.01, .xz_thresh = 0.005});
  const Number reward = scaled < kGoal ? Number(10.0) : 3.0 * grip + 6.5 * in_place;
  return Result(
      {Distance(tabletop.object, goal), Distance(tabletop.object, tabletop.tcp()), in_place},
      reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, in_place);
}
StepResult ComputeRewardPushBack(Tabletop& tabletop) {
  const Carrying c = Measure(tabletop);
  const Number grip = Pinching(tabletop, {.obj_radius = 0.007, .grip = 0.003, .xz_thresh = 0.01});
  Number reward = HamacherProduct(grip, c.in_place);
  const double come = Distance(tabletop.obj_init_pos(), tabletop.target_pos()) - c.left;
  const bool holds = 0 < tabletop.opening && tabletop.opening < 0.55;
  if (c.away < 0.01 && holds && come > 0.01) reward = reward + (1.0 + 5.0 * c.in_place);
  if (c.left < kRadius) reward = 10.0;
  return Result(c, reward, 0.07, 0.03, LiftedByTouch(tabletop), grip, c.in_place);
}
StepResult Swept(Tabletop& tabletop, const Vec& goal, const Pinch& pinch) {
  const double left = Distance(tabletop.object, goal);
  const Number in_place = Near(left, kRadius, Distance(tabletop.obj_init_pos(), goal));
  const Number grip = Pinching(tabletop, pinch);
  const Number reward =
      left < kRadius ? Number(10.0) : 2.0 * grip + 6.0 * HamacherProduct(grip, in_place);
  return Result({left, Distance(tabletop.object, tabletop.tcp()), in_place}, reward, 0.05, 0.03,
                tabletop.opening > 0 && tabletop.Touched(), grip, in_place);
}
StepResult ComputeRewardSweep(Tabletop& tabletop) {
  return Swept(tabletop, tabletop.target_pos(),
               {.obj_radius = 0.02, .grip = 0.01, .xz_thresh = 0.005});
}
StepResult ComputeRewardSweepInto(Tabletop& tabletop) {
  const Vec goal{{tabletop.target_pos()[0], tabletop.target_pos()[1], tabletop.object[2]}};
  return Swept(tabletop, goal, {.obj_radius = 0.02, .grip = 0.005, .xz_thresh = 0.01});
}

// Tasks that take an object out of a bin or a hole, and carry it above the ground in between.
StepResult ComputeRewardBinPicking(Tabletop& tabletop) {
  const Vec goal = tabletop.target_pos();
  const double left = Distance(tabletop.object, goal);
  if (tabletop.first_distance == Tabletop::kUnmeasured) tabletop.first_distance = left;
  const Number in_place = Near(left, kRadius, tabletop.first_distance);
  const auto floor_at = [&](const Vec& place) {
    return Floor(FlatDistance(tabletop.hand, place), 0.03, 0.02, 0.2);
  };
  const double floor = std::min(floor_at(tabletop.obj_init_pos()), floor_at(goal));
  const Number above = Above(tabletop.hand[2], floor, 0.05);
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(),
                                          {.obj_radius = 0.015,
                                           .pad_success_thresh = 0.05,
                                           .xz_thresh = 0.01,
                                           .desired_gripper_effort = 0.7});
  Number reward = HamacherProduct(grip, in_place);
  const bool near = Distance(tabletop.object, tabletop.hand) < 0.04;
  const bool lifted = tabletop.object[2] - 0.02 > tabletop.obj_init_pos()[2];
  const bool grasped = near && lifted && !(tabletop.opening < 0.43);
  if (grasped) reward = reward + (1.0 + 5.0 * HamacherProduct(above, in_place));
  if (left < kRadius) reward = 10.0;
  return {reward, Truth(left <= 0.05), Truth(near), Truth(grasped), grip, in_place, left};
}
StepResult ComputeRewardPickOut(Tabletop& tabletop) {
  const Vec tcp = tabletop.tcp();
  const Carrying c = Measure(tabletop, 0.02);
  const double floor = Floor(FlatDistance(tcp, tabletop.obj_init_pos()), 0.03, 0.015, 0.15);
  const Number above = Above(tcp[2], floor, 0.02);
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(),
                                          {.obj_radius = 0.015,
                                           .pad_success_thresh = 0.02,
                                           .xz_thresh = 0.03,
                                           .desired_gripper_effort = 0.1});
  Number reward = HamacherProduct(grip, c.in_place);
  const bool lifted = tabletop.object[2] - 0.02 > tabletop.obj_init_pos()[2];
  const bool grasped = c.away < 0.04 && lifted && !(tabletop.opening < 0.33);
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
