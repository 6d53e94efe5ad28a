// SPDX-License-Identifier: Apache-2.0
// Tools to use, and parts to put together or to take apart.
#include <algorithm>
#include <cmath>

#include "reward_terms.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
namespace {

constexpr double kRadius = 0.05;

/// 1 if the object has the rotation `ideal`, down to 0 for an error of `most`.
Number Upright(const Tabletop& tabletop, const std::array<double, 4>& ideal, double most) {
  double away[4];
  for (std::size_t i = 0; i < 4; ++i) away[i] = tabletop.quat[i] - ideal[i];
  return std::max(1.0 - numpy::Norm(away, 4) / most, 0.0);
}
constexpr std::array<double, 4> kQuarter{0.707, 0, 0, 0.707}, kFlat{1.0, 0.0, 0.0, 0.0};

/// A handle may be grasped anywhere along x.
Number GripOfHandle(const Tabletop& tabletop, double length, Cage::Adds adds) {
  Vec handle = tabletop.object;
  if (std::abs(handle[0] - tabletop.hand[0]) < length / 2.0) handle[0] = tabletop.hand[0];
  return GripperCagingReward(
      tabletop, handle, tabletop.obj_init_pos(),
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
void ResetModelAssembly(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(Vec::Of(drawn + 3));
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveBody(tabletop.target_pos() - Vec{{0.0, 0.0, 0.05}});
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardAssembly(Tabletop& tabletop) {
  const Vec ring = tabletop.At(0), goal = tabletop.target_pos();
  const Number upright = Upright(tabletop, kQuarter, 0.4);
  const Number grip = GripOfHandle(tabletop, kWrench, Cage::Adds::kReach);
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
void ResetModelDisassemble(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0, 0, 0.15}});
  tabletop.MoveBody(tabletop.obj_init_pos() + Vec{{0.0, 0.0, 0.03}});
  tabletop.MoveGoal(tabletop.obj_init_pos() + Vec{{0.0, 0.0, 0.08}});
  tabletop.Forward();
  tabletop.SetFree(tabletop.obj_init_pos());
}
StepResult ComputeRewardDisassemble(Tabletop& tabletop) {
  const Vec ring = tabletop.At(0);
  const Number upright = Upright(tabletop, kQuarter, 0.4);
  const Number grip = GripOfHandle(tabletop, kWrench, Cage::Adds::kCage);
  const Vec above = tabletop.target_pos() + Vec{{0.0, 0.0, 0.1}};
  const Number in_place = LiftedAndPlaced(ring[2] > 0.02, Distance(above, ring), 0.2);
  const bool success = tabletop.object[2] > tabletop.target_pos()[2];
  const Number reward = success ? Number(10.0) : Worth(grip, in_place, upright);
  return OfTool(reward, success, upright, grip, in_place);
}

// A hammer, and a nail in a box.
void ResetModelHammer(Tabletop& tabletop, const double* drawn) {
  tabletop.MoveBody({{0.24, 0.85, 0.0}});
  tabletop.SetTargetPos(tabletop.At(0));
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetFree(tabletop.obj_init_pos());
}
StepResult ComputeRewardHammer(Tabletop& tabletop) {
  const Vec head = tabletop.object + Vec{{0.16, 0.06, 0.0}};
  const Number upright = Upright(tabletop, kFlat, 0.4);
  const Number grip = GripOfHandle(tabletop, 0.14, Cage::Adds::kCage);
  const Number in_place =
      LiftedAndPlaced(head[2] > 0.02, Distance(tabletop.target_pos(), head), 0.2);
  Number reward = Worth(grip, in_place, upright);
  const bool success = tabletop.JointAt() > 0.09;
  if (success && reward > 5.0) reward = 10.0;
  return OfTool(reward, success, upright, grip, in_place);
}

// A box and its lid.
void ResetModelBox(Tabletop& tabletop, const double* drawn) {
  const double height = tabletop.At(0)[2];
  tabletop.SetObjInitPos({{drawn[0], drawn[1], 0.02f}});
  tabletop.SetTargetPos(Vec::Of(drawn + 3));
  tabletop.MoveBody({{drawn[3], drawn[4], height}});
  tabletop.Wait();
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardBox(Tabletop& tabletop) {
  const Number effort = GripEffort(tabletop.grip), upright = Upright(tabletop, kQuarter, 0.2);
  const Vec lid = tabletop.object + Vec{{0.0, 0.0, 0.02}};
  const double floor = Floor(FlatDistance(tabletop.hand, lid), 0.02, 0.04, 0.4);
  const Number above = Above(tabletop.hand[2], floor, floor / 2.0);
  const Number ready = HamacherProduct(above, Near(Distance(tabletop.hand, lid), 0.02, 0.5));
  const Number placed =
      0.2 * Truth(lid[2] > 0.04) +
      0.8 * Near(Distance(tabletop.target_pos(), lid, {{1.0, 1.0, 3.0}}), 0.05, 0.25);
  const bool success = Distance(tabletop.object, tabletop.target_pos()) < 0.08;
  const Number reward =
      success ? Number(10.0) : 2.0 * HamacherProduct(effort, ready) + 8.0 * placed;
  return OfTool(reward * upright, success, ready, effort, placed);
}

// A peg, and a hole for it.
void ResetModelPegInsert(Tabletop& tabletop, const double* drawn) {
  const Vec box = Vec::Of(drawn + 3);
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.reset_pos = tabletop.At(0);
  tabletop.SetFree(tabletop.obj_init_pos());
  tabletop.MoveBody(box);
  tabletop.SetTargetPos(box + Vec{{0.03, 0.0, 0.13}});
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardPegInsert(Tabletop& tabletop) {
  constexpr Vec kScale{{1.0, 2.0, 2.0}};
  const Vec head = tabletop.At(0), goal = tabletop.target_pos();
  const double left = Distance(head, goal, kScale),
               away = Distance(tabletop.object, tabletop.tcp());
  const Number free = HamacherProduct(RectPrismTolerance(head, tabletop.At(3), tabletop.At(4)),
                                      RectPrismTolerance(head, tabletop.At(1), tabletop.At(2)));
  const Number in_place =
      HamacherProduct(Near(left, 0.07, Distance(tabletop.reset_pos, goal, kScale)), free);
  const bool raised =
      tabletop.opening > 0 && tabletop.object[2] - 0.01 > tabletop.obj_init_pos()[2];
  const bool held = away < 0.08 && raised;
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 tabletop, tabletop.object, tabletop.obj_init_pos(),
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
void ResetModelPegUnplug(Tabletop& tabletop, const double* drawn) {
  const Vec box = Vec::Of(drawn), plug = box + Vec{{0.044, 0.0, 0.131}};
  tabletop.MoveBody(box);
  tabletop.Set(9, {plug[0], plug[1], plug[2], 1.0, 0.0, 0.0, 0.0}, 9, 3);
  tabletop.SetObjInitPos(tabletop.ObjectAt());
  tabletop.SetTargetPos(plug + Vec{{0.15, 0.0, 0.0}});
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardPegUnplug(Tabletop& tabletop) {
  const double left = Distance(tabletop.object, tabletop.target_pos());
  const double away = Distance(tabletop.object, tabletop.tcp());
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(),
                                          {.obj_radius = 0.025,
                                           .pad_success_thresh = 0.05,
                                           .xz_thresh = 0.005,
                                           .desired_gripper_effort = 0.8});
  const Number in_place =
      Near(left, kRadius, Distance(tabletop.obj_init_pos(), tabletop.target_pos()));
  const bool out =
      tabletop.opening > 0.5 && tabletop.object[0] - tabletop.obj_init_pos()[0] > 0.015;
  Number reward = 2.0 * grip;
  if (out && away < 0.035) reward = 1.0 + 2.0 * grip + 5.0 * in_place;
  if (left <= kRadius) reward = 10.0;
  return {reward, Truth(left <= 0.07), Truth(away <= 0.03), Truth(out), grip, in_place, left};
}

// A stick, which moves a container.
constexpr ModelObject kInsertion = Site("insertion"), kContainer = Body("object");
void ResetModelStick(Tabletop& tabletop, const double* drawn, double goal_height, double along) {
  tabletop.reset_pos = {{drawn[0], drawn[1], 0.02}};
  tabletop.SetTargetPos({{drawn[3], drawn[4], goal_height}});
  tabletop.SetFree(tabletop.reset_pos);
  tabletop.Set(16, {0.0, along}, 16, 2);
  tabletop.SetObjInitPos(tabletop.At(1));
  tabletop.MoveGoal(tabletop.target_pos());
}
void ResetModelStickPush(Tabletop& tabletop, const double* drawn) {
  ResetModelStick(tabletop, drawn, tabletop.At(0)[2], 0.0);
}
void ResetModelStickPull(Tabletop& tabletop, const double* drawn) {
  ResetModelStick(tabletop, drawn, 0.02, 0.09);
}
StepResult ComputeRewardStickPush(Tabletop& tabletop) {
  constexpr double kEnough = 0.12;
  const Vec stick = tabletop.object + Vec{{0.015, 0.0, 0.0}}, goal = tabletop.target_pos();
  const double away = Distance(stick, tabletop.tcp()), left = Distance(tabletop.second, goal);
  const Number stick_placed =
      Near(Distance(stick, goal), kEnough, Distance(tabletop.reset_pos, goal) - kEnough);
  const Number placed = Near(left, kEnough, Distance(tabletop.obj_init_pos(), goal) - kEnough);
  Number grip =
      GripperCagingReward(tabletop, stick, tabletop.reset_pos,
                          {.obj_radius = 0.04, .pad_success_thresh = 0.05, .xz_thresh = 0.01});
  Number reward = grip;
  if (away < 0.02 && tabletop.opening > 0 && stick[2] - 0.01 > tabletop.reset_pos[2]) {
    grip = 1.0;
    reward = left <= kEnough ? Number(10.0) : 2.0 + 5.0 * stick_placed + 3.0 * placed;
  }
  const bool lifted = tabletop.opening > 0 && tabletop.object[2] - 0.01 > tabletop.reset_pos[2];
  const bool grasped = lifted && tabletop.Touched();
  return {reward,
          Truth(grasped && left <= kEnough),
          Truth(away <= 0.03),
          Truth(grasped),
          grip,
          stick_placed,
          left};
}
StepResult ComputeRewardStickPull(Tabletop& tabletop) {
  constexpr Vec kScale{{1.0, 1.0, 2.0}}, kMiddle{{0.05, 0.0, 0.0}};
  const Vec stick = tabletop.object, handle = tabletop.second, end = tabletop.At(2),
            goal = tabletop.target_pos();
  const Vec container = handle + kMiddle, container_start = tabletop.obj_init_pos() + kMiddle;
  const double away = Distance(stick, tabletop.tcp()), left = Distance(handle, goal);
  const Number stick_placed = Near(Distance(stick, container, kScale), kRadius,
                                   Distance(tabletop.reset_pos, container_start, kScale));
  const Number stick_home =
      Near(Distance(stick, goal), kRadius, Distance(tabletop.reset_pos, goal));
  const Number placed =
      Near(Distance(container, goal), kRadius, Distance(tabletop.obj_init_pos(), goal));
  const bool held = away < 0.02 && tabletop.opening > 0 && stick[2] - 0.01 > tabletop.reset_pos[2];
  const Number grip =
      held ? Number(1.0)
           : GripperCagingReward(
                 tabletop, stick, tabletop.obj_init_pos(),
                 {.obj_radius = 0.014, .pad_success_thresh = 0.05, .xz_thresh = 0.01});
  const bool inserted = end[0] >= handle[0] && std::abs(end[1] - handle[1]) <= 0.04 &&
                        std::abs(end[2] - handle[2]) <= 0.06;
  const Number both = HamacherProduct(grip, stick_placed);
  Number reward = both;
  if (held) reward = 1.0 + both + 5.0 * stick_placed;
  if (held && inserted) reward = 1.0 + both + 5.0 + 2.0 * stick_home + 1.0 * placed;
  if (held && inserted && left <= 0.12) reward = 10.0;
  const bool lifted = tabletop.opening > 0 && stick[2] - 0.02 > tabletop.obj_init_pos()[2];
  return {reward,
          Truth(left <= 0.12 && inserted),
          Truth(away <= 0.03),
          Truth(lifted && tabletop.Touched()),
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
