// SPDX-License-Identifier: Apache-2.0
// Tools to use, and parts to put together or to take apart.
#include <algorithm>
#include <cmath>

#include "reward_terms.h"
#include "task_definition.h"
#include "world.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

/// 1 if the object has the rotation `ideal`, down to 0 for an error of `most`.
Number Upright(const World& world, const std::array<double, 4>& ideal, double most) {
  double away[4];
  for (std::size_t i = 0; i < 4; ++i) away[i] = world.quat[i] - ideal[i];
  return std::max(1.0 - numpy::Norm(away, 4) / most, 0.0);
}
constexpr std::array<double, 4> kQuarter{0.707, 0, 0, 0.707}, kFlat{1.0, 0.0, 0.0, 0.0};

/// A handle may be grasped anywhere along x.
Number GripOfHandle(const World& world, double length, Cage::Adds adds) {
  Vec handle = world.object;
  if (std::abs(handle[0] - world.hand[0]) < length / 2.0) handle[0] = world.hand[0];
  return GripperCagingReward(
      world, handle, world.obj_init_pos(),
      {.obj_radius = 0.015, .pad_success_thresh = 0.02, .xz_thresh = 0.01, .adds = adds});
}
/// A tenth for the lifted object, the rest for its position.
Number LiftedAndPlaced(bool lifted, double left, double margin) {
  return 0.1 * Truth(lifted) + 0.9 * Near(left, 0.02, margin);
}
StepResult OfTool(Number reward, bool success, Number ready, Number grip, Number in_place) {
  return {reward, Truth(success), ready, Truth(grip >= 0.5), grip, in_place, 0.0};
}
Number Worth(Number grip, Number in_place, Number upright) {
  return (2.0 * grip + 6.0 * in_place) * upright;
}

// A wrench with a ring, which is put on a peg or taken off it.
constexpr double kWrench = 0.02;
void ResetModelAssembly(World& world, const double* drawn) {
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetTargetPos(Vec::Of(drawn + 3));
  world.SetFree(world.obj_init_pos());
  world.MoveBody(world.target_pos() - Vec{{0.0, 0.0, 0.05}});
  world.MoveGoal(world.target_pos());
}
StepResult ComputeRewardAssembly(World& world) {
  const Vec ring = world.At(0), goal = world.target_pos();
  const Number upright = Upright(world, kQuarter, 0.4);
  const Number grip = GripOfHandle(world, kWrench, Cage::Adds::kReach);
  const double radius = FlatDistance(goal, ring);
  const bool success = radius < 0.02 && goal[2] - ring[2] > 0.0;
  const double threshold = success ? 0.02 : 0.01;
  // Above the peg until it is around it.
  const Vec away{
      {goal[0] - ring[0], goal[1] - ring[1], Floor(radius, threshold, 0.02, 0.2) - ring[2]}};
  const Number in_place =
      LiftedAndPlaced(ring[2] > 0.02 || radius < threshold, Norm(away * Vec{{1.0, 1.0, 3.0}}), 0.4);
  const Number reward = success ? Number(10.0) : Worth(grip, in_place, upright);
  return OfTool(reward, success, upright, grip, in_place);
}
void ResetModelDisassemble(World& world, const double* drawn) {
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetTargetPos(world.obj_init_pos() + Vec{{0, 0, 0.15}});
  world.MoveBody(world.obj_init_pos() + Vec{{0.0, 0.0, 0.03}});
  world.MoveGoal(world.obj_init_pos() + Vec{{0.0, 0.0, 0.08}});
  world.Forward();
  world.SetFree(world.obj_init_pos());
}
StepResult ComputeRewardDisassemble(World& world) {
  const Vec ring = world.At(0);
  const Number upright = Upright(world, kQuarter, 0.4);
  const Number grip = GripOfHandle(world, kWrench, Cage::Adds::kCage);
  const Vec above = world.target_pos() + Vec{{0.0, 0.0, 0.1}};
  const Number in_place = LiftedAndPlaced(ring[2] > 0.02, Distance(above, ring), 0.2);
  const bool success = world.object[2] > world.target_pos()[2];
  const Number reward = success ? Number(10.0) : Worth(grip, in_place, upright);
  return OfTool(reward, success, upright, grip, in_place);
}

// A hammer, and a nail in a box.
void ResetModelHammer(World& world, const double* drawn) {
  world.MoveBody({{0.24, 0.85, 0.0}});
  world.SetTargetPos(world.At(0));
  world.SetObjInitPos(Vec::Of(drawn));
  world.SetFree(world.obj_init_pos());
}
StepResult ComputeRewardHammer(World& world) {
  const Vec head = world.object + Vec{{0.16, 0.06, 0.0}};
  const Number upright = Upright(world, kFlat, 0.4);
  const Number grip = GripOfHandle(world, 0.14, Cage::Adds::kCage);
  const Number in_place = LiftedAndPlaced(head[2] > 0.02, Distance(world.target_pos(), head), 0.2);
  Number reward = Worth(grip, in_place, upright);
  const bool success = world.JointAt() > 0.09;
  if (success && reward > 5.0) reward = 10.0;
  return OfTool(reward, success, upright, grip, in_place);
}

// A box and its lid.
void ResetModelBox(World& world, const double* drawn) {
  const double height = world.At(0)[2];
  world.SetObjInitPos({{drawn[0], drawn[1], 0.02f}});
  world.SetTargetPos(Vec::Of(drawn + 3));
  world.MoveBody({{drawn[3], drawn[4], height}});
  world.Wait();
  world.SetFree(world.obj_init_pos());
  world.MoveGoal(world.target_pos());
}
StepResult ComputeRewardBox(World& world) {
  const Number effort = GripEffort(world.grip), upright = Upright(world, kQuarter, 0.2);
  const Vec lid = world.object + Vec{{0.0, 0.0, 0.02}};
  const double floor = Floor(FlatDistance(world.hand, lid), 0.02, 0.04, 0.4);
  const Number above = Above(world.hand[2], floor, floor / 2.0);
  const Number ready = HamacherProduct(above, Near(Distance(world.hand, lid), 0.02, 0.5));
  const Number placed =
      0.2 * Truth(lid[2] > 0.04) +
      0.8 * Near(Distance(world.target_pos(), lid, {{1.0, 1.0, 3.0}}), 0.05, 0.25);
  const bool success = Distance(world.object, world.target_pos()) < 0.08;
  const Number reward =
      success ? Number(10.0) : 2.0 * HamacherProduct(effort, ready) + 8.0 * placed;
  return OfTool(reward * upright, success, ready, effort, placed);
}

// A peg, and a hole for it.
void ResetModelPegInsert(World& world, const double* drawn) {
  const Vec box = Vec::Of(drawn + 3);
  world.SetObjInitPos(Vec::Of(drawn));
  world.reset_pos = world.At(0);
  world.SetFree(world.obj_init_pos());
  world.MoveBody(box);
  world.SetTargetPos(box + Vec{{0.03, 0.0, 0.13}});
  world.MoveGoal(world.target_pos());
}
StepResult ComputeRewardPegInsert(World& world) {
  constexpr Vec kScale{{1.0, 2.0, 2.0}};
  const Vec head = world.At(0), goal = world.target_pos();
  const double left = Distance(head, goal, kScale), away = Distance(world.object, world.tcp());
  const Number free = HamacherProduct(RectPrismTolerance(head, world.At(3), world.At(4)),
                                      RectPrismTolerance(head, world.At(1), world.At(2)));
  const Number in_place =
      HamacherProduct(Near(left, 0.07, Distance(world.reset_pos, goal, kScale)), free);
  const bool raised = world.opening > 0 && world.object[2] - 0.01 > world.obj_init_pos()[2];
  const bool held = away < 0.08 && raised;
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 world, world.object, world.obj_init_pos(),
                 {.obj_radius = 0.0075, .pad_success_thresh = 0.03, .xz_thresh = 0.005});
  Number reward = HamacherProduct(grip, in_place);
  if (held) reward = reward + (1.0 + 5 * in_place);
  if (left <= 0.07) reward = 10.0;
  return {reward,
          Truth(left <= 0.07),
          Truth(away <= 0.03),
          Truth(away < 0.02 && raised),
          grip,
          in_place,
          left};
}
void ResetModelPegUnplug(World& world, const double* drawn) {
  const Vec box = Vec::Of(drawn), plug = box + Vec{{0.044, 0.0, 0.131}};
  world.MoveBody(box);
  world.Set(9, {plug[0], plug[1], plug[2], 1.0, 0.0, 0.0, 0.0}, 9, 3);
  world.SetObjInitPos(world.ObjectAt());
  world.SetTargetPos(plug + Vec{{0.15, 0.0, 0.0}});
  world.MoveGoal(world.target_pos());
}
StepResult ComputeRewardPegUnplug(World& world) {
  const double left = Distance(world.object, world.target_pos());
  const double away = Distance(world.object, world.tcp());
  const Number grip = GripperCagingReward(world, world.object, world.obj_init_pos(),
                                          {.obj_radius = 0.025,
                                           .pad_success_thresh = 0.05,
                                           .xz_thresh = 0.005,
                                           .desired_gripper_effort = 0.8});
  const Number in_place = Near(left, kRadius, Distance(world.obj_init_pos(), world.target_pos()));
  const bool out = world.opening > 0.5 && world.object[0] - world.obj_init_pos()[0] > 0.015;
  Number reward = 2.0 * grip;
  if (out && away < 0.035) reward = 1.0 + 2.0 * grip + 5.0 * in_place;
  if (left <= kRadius) reward = 10.0;
  return {reward, Truth(left <= 0.07), Truth(away <= 0.03), Truth(out), grip, in_place, left};
}

// A stick, which moves a container.
constexpr ModelObject kInsertion = Site("insertion"), kContainer = Body("object");
void ResetModelStick(World& world, const double* drawn, double goal_height, double along) {
  world.reset_pos = {{drawn[0], drawn[1], 0.02}};
  world.SetTargetPos({{drawn[3], drawn[4], goal_height}});
  world.SetFree(world.reset_pos);
  world.Set(16, {0.0, along}, 16, 2);
  world.SetObjInitPos(world.At(1));
  world.MoveGoal(world.target_pos());
}
void ResetModelStickPush(World& world, const double* drawn) {
  ResetModelStick(world, drawn, world.At(0)[2], 0.0);
}
void ResetModelStickPull(World& world, const double* drawn) {
  ResetModelStick(world, drawn, 0.02, 0.09);
}
StepResult ComputeRewardStickPush(World& world) {
  constexpr double kEnough = 0.12;
  const Vec stick = world.object + Vec{{0.015, 0.0, 0.0}}, goal = world.target_pos();
  const double away = Distance(stick, world.tcp()), left = Distance(world.second, goal);
  const Number stick_placed =
      Near(Distance(stick, goal), kEnough, Distance(world.reset_pos, goal) - kEnough);
  const Number placed = Near(left, kEnough, Distance(world.obj_init_pos(), goal) - kEnough);
  Number grip =
      GripperCagingReward(world, stick, world.reset_pos,
                          {.obj_radius = 0.04, .pad_success_thresh = 0.05, .xz_thresh = 0.01});
  Number reward = grip;
  if (away < 0.02 && world.opening > 0 && stick[2] - 0.01 > world.reset_pos[2]) {
    grip = 1.0;
    reward = left <= kEnough ? Number(10.0) : 2.0 + 5.0 * stick_placed + 3.0 * placed;
  }
  const bool lifted = world.opening > 0 && world.object[2] - 0.01 > world.reset_pos[2];
  const bool grasped = lifted && world.Touched();
  return {reward,
          Truth(grasped && left <= kEnough),
          Truth(away <= 0.03),
          Truth(grasped),
          grip,
          stick_placed,
          left};
}
StepResult ComputeRewardStickPull(World& world) {
  constexpr Vec kScale{{1.0, 1.0, 2.0}}, kMiddle{{0.05, 0.0, 0.0}};
  const Vec stick = world.object, handle = world.second, end = world.At(2),
            goal = world.target_pos();
  const Vec container = handle + kMiddle, container_start = world.obj_init_pos() + kMiddle;
  const double away = Distance(stick, world.tcp()), left = Distance(handle, goal);
  const Number stick_placed = Near(Distance(stick, container, kScale), kRadius,
                                   Distance(world.reset_pos, container_start, kScale));
  const Number stick_home = Near(Distance(stick, goal), kRadius, Distance(world.reset_pos, goal));
  const Number placed =
      Near(Distance(container, goal), kRadius, Distance(world.obj_init_pos(), goal));
  const bool held = away < 0.02 && world.opening > 0 && stick[2] - 0.01 > world.reset_pos[2];
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 world, stick, world.obj_init_pos(),
                 {.obj_radius = 0.014, .pad_success_thresh = 0.05, .xz_thresh = 0.01});
  const bool inserted = end[0] >= handle[0] && std::abs(end[1] - handle[1]) <= 0.04 &&
                        std::abs(end[2] - handle[2]) <= 0.06;
  const Number both = HamacherProduct(grip, stick_placed);
  Number reward = both;
  if (held) reward = 1.0 + both + 5.0 * stick_placed;
  if (held && inserted) reward = 1.0 + both + 5.0 + 2.0 * stick_home + 1.0 * placed;
  if (held && inserted && left <= 0.12) reward = 10.0;
  const bool lifted = world.opening > 0 && stick[2] - 0.02 > world.obj_init_pos()[2];
  return {reward,
          Truth(left <= 0.12 && inserted),
          Truth(away <= 0.03),
          Truth(lifted && world.Touched()),
          grip,
          stick_placed,
          left};
}

// Each row has its fields in groups: name, draws, observed objects, the model's parts, functions.
// clang-format off
const TaskDefinition kTasks[] = {
    {.name = "assembly-v3", .xml = "sawyer_assembly_peg.xml", .hand = kHandSingle,
     .low = {0.0, 0.6, 0.02, -0.1, 0.75, 0.1}, .high = {0.0, 0.6, 0.02, 0.1, 0.85, 0.1},
     .apart = 0.1,
     .object = Site("RoundNut-8"), .quat_of = Body("RoundNut"), .quat = QuaternionOrder::kMujoco,
     .body = "peg", .goal = "pegTop", .places = {Site("RoundNut")},
     .reset_model = ResetModelAssembly, .compute_reward = ComputeRewardAssembly},
    {.name = "box-close-v3", .xml = "sawyer_box.xml", .hand = kHandSingle,
     .low = {-0.05, 0.5, 0.02, -0.1, 0.7, 0.133}, .high = {0.05, 0.55, 0.02, 0.1, 0.8, 0.133},
     .apart = 0.25,
     .object = Body("top_link"), .quat = QuaternionOrder::kMujoco,
     .body = "boxbody", .goal = "goal", .places = {Body("boxbody")},
     .reset_model = ResetModelBox, .compute_reward = ComputeRewardBox,
     .hand_init_repeats = false},
    {.name = "disassemble-v3", .xml = "sawyer_assembly_peg.xml", .hand = kFarSingle,
     .low = {0.0, 0.6, 0.025, -0.1, 0.6, 0.1699}, .high = {0.1, 0.75, 0.02501, 0.1, 0.75, 0.1701},
     .goal_bounds = Bounds{{{-0.1, 0.6, 0.1699 + 0.005}}, {{0.1, 0.75, 0.1701 + 0.005}}},
     .apart = 0.1,
     .object = Site("RoundNut-8"), .quat_of = Body("RoundNut"), .quat = QuaternionOrder::kMujoco,
     .body = "peg", .goal = "pegTop", .places = {Site("RoundNut")},
     .reset_model = ResetModelDisassemble, .compute_reward = ComputeRewardDisassemble,
     .hand_init_repeats = false},
    {.name = "hammer-v3", .xml = "sawyer_hammer.xml", .hand = kFar,
     .size = 3, .low = {-0.1, 0.4, 0.0}, .high = {0.1, 0.5, 0.0},
     .goal_bounds = Bounds{{{0.2399, 0.7399, 0.109}}, {{0.2401, 0.7401, 0.111}}},
     .object = Body("hammer"), .quat = QuaternionOrder::kMujoco,
     .second = Body("nail_link"), .second_quat = QuaternionOrder::kMujoco,
     .body = "box", .joint = "NailSlideJoint", .places = {Site("goal")},
     .reset_model = ResetModelHammer, .compute_reward = ComputeRewardHammer},
    {.name = "peg-insert-side-v3", .xml = "sawyer_peg_insertion_side.xml",
     .low = {0.0, 0.5, 0.02, -0.35, 0.4, -0.001}, .high = {0.2, 0.7, 0.02, -0.25, 0.7, 0.001},
     .goal_bounds = Bounds{{{-0.35 + 0.03, 0.4, -0.001 + 0.13}},
                           {{-0.25 + 0.03, 0.7, 0.001 + 0.13}}},
     .apart = 0.1,
     .object = Site("pegGrasp"), .quat = QuaternionOrder::kScipy,
     .body = "box", .goal = "goal",
     .places = {Site("pegHead"), Site("bottom_right_corner_collision_box_1"),
                Site("top_left_corner_collision_box_1"),
                Site("bottom_right_corner_collision_box_2"),
                Site("top_left_corner_collision_box_2")},
     .reset_model = ResetModelPegInsert, .compute_reward = ComputeRewardPegInsert},
    {.name = "peg-unplug-side-v3", .xml = "sawyer_peg_unplug_side.xml",
     .size = 3, .low = {-0.25, 0.6, -0.001}, .high = {-0.15, 0.8, 0.001},
     .goal_bounds = Bounds{{{-0.25 + 0.194, 0.6, -0.001 + 0.131}},
                           {{-0.15 + 0.194, 0.8, 0.001 + 0.131}}},
     .object = Site("pegEnd"), .quat_of = Body("plug1"), .quat = QuaternionOrder::kMujoco,
     .body = "box", .goal = "goal",
     .reset_model = ResetModelPegUnplug, .compute_reward = ComputeRewardPegUnplug,
     .hand_init_repeats = false},
    {.name = "stick-pull-v3", .xml = "sawyer_stick_obj.xml",
     .low = {-0.1, 0.55, 0.0, 0.35, 0.45, 0.0199}, .high = {0.0, 0.65, 0.001, 0.45, 0.55, 0.0201},
     .apart = 0.1,
     .object = Body("stick"), .quat = QuaternionOrder::kScipy,
     .second = kInsertion,
     .goal = "goal", .places = {kInsertion, kContainer, Site("stick_end")}, .touched = "objGeom",
     .reset_model = ResetModelStickPull, .compute_reward = ComputeRewardStickPull,
     .hand_low = {{-0.5, 0.35, 0.05}}},
    {.name = "stick-push-v3", .xml = "sawyer_stick_obj.xml",
     .low = {-0.08, 0.58, 0.0, 0.399, 0.55, 0.1319},
     .high = {-0.03, 0.62, 0.001, 0.401, 0.6, 0.1321}, .apart = 0.1,
     .object = Body("stick"), .quat = QuaternionOrder::kScipy,
     .second = kInsertion, .second_offset = {{0.0, 0.09, 0.0}},
     .goal = "goal", .places = {kInsertion, kContainer}, .touched = "objGeom",
     .reset_model = ResetModelStickPush, .compute_reward = ComputeRewardStickPush},
};
// clang-format on

}  // namespace

std::span<const TaskDefinition> ToolTasks() { return kTasks; }

}  // namespace envpool::metaworld
