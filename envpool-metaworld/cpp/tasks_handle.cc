// SPDX-License-Identifier: Apache-2.0
// Handles, doors, drawers, windows, taps and the like: things that move along or about one axis.
#include <cmath>

#include "reward_terms.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr Vec kLowest{{-0.5, 0.4, -0.15}};

/// The progress of an object: 1 within `radius` of the goal, 0.1 at its first distance.
Number Progress(double left, double at_first, double radius) {
  return Near(left, radius, std::abs(at_first - radius));
}
/// The nearness of the fingers to a place that was `at_first` away.
Number Reach(double distance, double at_first, double radius, Sigmoid sigmoid) {
  return Near(distance, radius, std::abs(at_first - radius), sigmoid);
}
/// As np.linalg.norm of one number.
double Length(double x) { return std::sqrt(x * x); }

StepResult OfReach(Number reward, double left, double success, double to_object, double near,
                   Number reach, Number in_place) {
  return {reward, Truth(left <= success), Truth(to_object <= near), 1.0, reach, in_place, left};
}

// Handles that are pressed down.
void ResetModelHandlePress(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.SetJoint(-0.001);
  tabletop.SetTargetPos(tabletop.At(0));
  tabletop.reset_pos = tabletop.ObjectAt();
}
StepResult ComputeRewardHandlePress(Tabletop& tabletop) {
  constexpr double kRadius = 0.02;
  const Vec handle = tabletop.ObjectAt(), tcp = tabletop.tcp();
  const double left = Length(handle[2] - tabletop.target_pos()[2]);
  const Number in_place =
      Progress(left, Length(tabletop.reset_pos[2] - tabletop.target_pos()[2]), kRadius);
  const double away = Distance(handle, tcp);
  const Number reach =
      Reach(away, Distance(tabletop.reset_pos, tabletop.init_tcp), 0.02, Sigmoid::kLongTail);
  const Number reward = left <= kRadius ? Number(1.0) : HamacherProduct(reach, in_place);
  return OfReach(reward * 10.0, left, kRadius, away, 0.05, reach, in_place);
}

// Handles that are pulled up, held in the gripper.
void ResetModelHandlePull(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.SetJoint(-0.1);
  tabletop.SetTargetPos(tabletop.At(0));
}
void ResetModelHandlePullSide(Tabletop& tabletop, const double* drawn) {
  ResetModelHandlePull(tabletop, drawn);
  tabletop.SetObjInitPos(tabletop.ObjectAt());
}
StepResult Pulled(Tabletop& tabletop, double left, double at_first, const Cage& cage, bool lifted,
                  double success) {
  constexpr double kRadius = 0.05;
  const Number in_place = Near(left, kRadius, at_first);
  const Number grip = GripperCagingReward(tabletop, tabletop.object, tabletop.obj_init_pos(), cage);
  const double away = Distance(tabletop.object, tabletop.tcp());
  Number reward = HamacherProduct(grip, in_place);
  if (away < 0.035 && tabletop.opening > 0 && lifted) reward = reward + (1.0 + 5.0 * in_place);
  if (left < kRadius) reward = 10.0;
  const bool raised =
      tabletop.opening > 0 && tabletop.object[2] - 0.03 > tabletop.obj_init_pos()[2];
  return {reward, Truth(left <= success), Truth(away <= 0.05), Truth(raised), grip, in_place, left};
}
StepResult ComputeRewardHandlePull(Tabletop& tabletop) {
  const double goal = tabletop.target_pos()[2], start = tabletop.obj_init_pos()[2];
  // The reference compares y with a height.
  const bool lifted = tabletop.object[1] - 0.01 > start;
  return Pulled(tabletop, std::abs(goal - tabletop.object[2]), std::abs(goal - start),
                {.obj_radius = 0.022, .pad_success_thresh = 0.05, .xz_thresh = 0.01}, lifted, 0.05);
}
StepResult ComputeRewardHandlePullSide(Tabletop& tabletop) {
  const bool lifted = tabletop.object[2] - 0.01 > tabletop.obj_init_pos()[2];
  return Pulled(tabletop, Distance(tabletop.object, tabletop.target_pos()),
                Distance(tabletop.obj_init_pos(), tabletop.target_pos()),
                {.obj_radius = 0.032, .pad_success_thresh = 0.06, .xz_thresh = 0.01}, lifted, 0.08);
}

// Windows.
void ResetModelWindowOpen(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.2, 0.0, 0.0}});
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.reset_pos = tabletop.ObjectAt();
  tabletop.SetJointOnly(0.0);
  tabletop.MoveGoal(tabletop.target_pos());
}
void ResetModelWindowClose(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos());
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.reset_pos = tabletop.ObjectAt() + Vec{{0.2, 0.0, 0.0}};
  tabletop.SetJointOnly(0.2);
  tabletop.MoveGoal(tabletop.target_pos());
}
template <Sigmoid kSigmoid>
StepResult ComputeRewardWindow(Tabletop& tabletop) {
  constexpr double kRadius = 0.05;
  const Vec handle = tabletop.ObjectAt();
  const double goal = tabletop.target_pos()[0];
  const double at_first =
      kSigmoid == Sigmoid::kGaussian ? tabletop.reset_pos[0] : tabletop.obj_init_pos()[0];
  const double left = Length(handle[0] - goal);
  const Number in_place = Progress(left, Length(at_first - goal), kRadius);
  const double away = Distance(handle, tabletop.tcp());
  const Number reach = Reach(away, Distance(tabletop.reset_pos, tabletop.init_tcp), 0.02, kSigmoid);
  return OfReach(10.0 * HamacherProduct(reach, in_place), left, kRadius, away, 0.05, reach,
                 in_place);
}

// Drawers.
constexpr double kClosed = 0.15, kOpen = 0.2;
void ResetModelDrawerClose(Tabletop& tabletop, const double* drawn) {
  const Vec place = Vec::Of(drawn);
  tabletop.MoveBody(place);
  tabletop.SetTargetPos(place + Vec{{0.0, -0.16, 0.09}});
  tabletop.Set(9, {-kClosed}, 9, 0);
  tabletop.SetObjInitPos(tabletop.ObjectAt());
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardDrawerClose(Tabletop& tabletop) {
  constexpr double kRadius = 0.05, kEnd = 0.05 + 0.015;
  const double left = Distance(tabletop.object, tabletop.target_pos());
  const Number in_place =
      Progress(left, Distance(tabletop.obj_init_pos(), tabletop.target_pos()), kRadius);
  const double away = Distance(tabletop.object, tabletop.tcp());
  const Number near =
      Reach(away, Distance(tabletop.obj_init_pos(), tabletop.init_tcp), 0.005, Sigmoid::kGaussian);
  const Number reach = HamacherProduct(near, Closing(tabletop.grip));
  const Number reward = left <= kEnd ? Number(1.0) : HamacherProduct(reach, in_place);
  return OfReach(reward * 10.0, left, kEnd, away, 0.01, reach, in_place);
}
void ResetModelDrawerOpen(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.0, -0.16 - kOpen, 0.09}});
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardDrawerOpen(Tabletop& tabletop) {
  constexpr Vec kScale{{3.0, 3.0, 1.0}};
  const double left = Distance(tabletop.object, tabletop.target_pos());
  const Number opened = Near(left, 0.02, kOpen);
  const Vec closed = tabletop.target_pos() + Vec{{0.0, kOpen, 0.0}};
  const Number near = Near(Distance(tabletop.object, tabletop.hand, kScale), 0.01,
                           Distance(closed, tabletop.init_tcp, kScale));
  return {(near + opened) * 5.0,
          Truth(left <= 0.03),
          Truth(Distance(tabletop.object, tabletop.hand) <= 0.03),
          Truth(tabletop.opening > 0),
          near,
          opened,
          left};
}

// A dial.
constexpr Vec kPushedAt{{0.05, 0.02, 0.09}};
Vec KnobOfDial(const Tabletop& tabletop) {
  constexpr double kDial = 0.05;
  const double angle = tabletop.JointAt();
  return tabletop.At(0) + Vec{{std::sin(angle) * kDial, -std::cos(angle) * kDial, 0.0 * kDial}};
}
void ResetModelDial(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0, 0.03, 0.03}});
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.reset_pos = tabletop.ObjectAt() + kPushedAt;
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardDial(Tabletop& tabletop) {
  constexpr double kRadius = 0.07;
  const Vec knob = tabletop.ObjectAt();
  const double left = Distance(knob, tabletop.target_pos());
  const Number in_place =
      Progress(left, Distance(tabletop.reset_pos, tabletop.target_pos()), kRadius);
  const double away = Distance(knob + kPushedAt, tabletop.tcp());
  const Number near =
      Reach(away, Distance(tabletop.reset_pos, tabletop.init_tcp), 0.005, Sigmoid::kGaussian);
  const Number reach = HamacherProduct(near, Closing(tabletop.grip));
  return OfReach(10.0 * HamacherProduct(reach, in_place), left, kRadius, away, 0.01, reach,
                 in_place);
}

// Taps.
constexpr double kTap = 0.175;
template <int kSide>
void ResetModelTap(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{kSide * kTap, 0.0, 0.125}});
  if (kSide < 0) tabletop.Forward();
  tabletop.MoveGoal(tabletop.target_pos());
}
template <int kSide>
StepResult ComputeRewardTap(Tabletop& tabletop) {
  constexpr double kRadius = 0.07;
  const Vec handle = kSide < 0 ? tabletop.object : tabletop.object + Vec{{-0.04, 0.0, 0.03}};
  const double left = Distance(handle, tabletop.target_pos());
  const Number in_place =
      Progress(left, Distance(tabletop.obj_init_pos(), tabletop.target_pos()), kRadius);
  const double away = Distance(handle, tabletop.tcp());
  const Number reach =
      Reach(away, Distance(tabletop.obj_init_pos(), tabletop.init_tcp), 0.01, Sigmoid::kGaussian);
  const Number reward = left <= kRadius ? Number(10.0) : (2.0 * reach + 3.0 * in_place) * 2.0;
  return OfReach(reward, left, 0.07, away, 0.01, reach, in_place);
}

// A lever, lifted by the shoulder of the gripper.
constexpr Vec kShoulder{{0.0, 0.055, 0.07}};
void ResetModelLever(Tabletop& tabletop, const double* drawn) {
  constexpr double kLever = 0.2;
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.reset_pos = tabletop.obj_init_pos() + Vec{{0.12, -kLever, 0.25}};
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.12, 0.0, 0.25 + kLever}});
  tabletop.MoveGoal(tabletop.target_pos());
}
StepResult ComputeRewardLever(Tabletop& tabletop) {
  constexpr Vec kScale{{4.0, 1.0, 4.0}};
  const double away = Distance(tabletop.hand + kShoulder, tabletop.object, kScale);
  const Number ready =
      Near(away, 0.02, Distance(tabletop.init_tcp + kShoulder, tabletop.reset_pos, kScale));
  const double left = std::abs(-tabletop.JointAt() - kPi / 2.0);
  const Number lifted = Near(left, kPi / 48.0, kPi / 2.0 - kPi / 12.0);
  const Number in_place = Near(Distance(tabletop.object, tabletop.target_pos()), 0.04,
                               Distance(tabletop.reset_pos, tabletop.target_pos()));
  return {10.0 * HamacherProduct(ready, in_place),
          Truth(left <= kPi / 24),
          Truth(away < 0.03),
          Truth(ready > 0.9),
          ready,
          lifted,
          away};
}

// A lock on a door.
constexpr Vec kLockScale{{0.25, 1.0, 0.5}};
void ResetModelLock(Tabletop& tabletop, const double* drawn) {
  tabletop.MoveBody(Vec::Of(drawn));
  tabletop.Wait();
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.0, -0.04, -0.1}});
}
void ResetModelUnlock(Tabletop& tabletop, const double* drawn) {
  tabletop.MoveBody(Vec::Of(drawn));
  tabletop.SetJoint(1.5708);
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.1, -0.04, 0.0}});
}
StepResult OfLock(const Tabletop& tabletop, Number reward, double away, double left, Number near,
                  Number turned) {
  return {
      reward, Truth(left <= 0.02), Truth(away <= 0.05), Truth(tabletop.opening > 0), near, turned,
      left};
}
StepResult ComputeRewardLock(Tabletop& tabletop) {
  // The margin is the pad's present distance: the reference reads it in place of the first one.
  const double away = Distance(tabletop.object, tabletop.left_pad(), kLockScale);
  const double left = std::abs(tabletop.target_pos()[2] - tabletop.object[2]);
  const Number near = Near(away, 0.01, away), turned = Near(left, 0.005, 0.1);
  const Number reward = 2.0 * HamacherProduct(tabletop.opening, near) + 8.0 * turned;
  return OfLock(tabletop, reward, away, left, near, turned);
}
StepResult ComputeRewardUnlock(Tabletop& tabletop) {
  const double away = Distance(tabletop.hand + kShoulder, tabletop.object, kLockScale);
  const Number near = Near(
      away, 0.02, Distance(tabletop.init_tcp + kShoulder, tabletop.obj_init_pos(), kLockScale));
  const double left = std::abs(tabletop.target_pos()[0] - tabletop.object[0]);
  const Number turned = Near(left, 0.005, 0.1);
  return OfLock(tabletop, 2.0 * near + 8.0 * turned, away, left, near, turned);
}

// A door.
void ResetModelDoorOpen(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{-0.3, -0.45, 0.0}});
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
  tabletop.SetJoint(0);
}
StepResult ComputeRewardDoorOpen(Tabletop& tabletop) {
  constexpr double kNear = 0.12;
  const Number effort = GripEffort(tabletop.grip);
  const Vec door = tabletop.object + Vec{{-0.05, 0, 0}};
  const double floor = Floor(FlatDistance(tabletop.hand, door), kNear, 0.04, 0.4);
  const Number above = Above(tabletop.hand[2], floor, floor / 2.0);
  const Vec beside{{0.05, 0.03, -0.01}};
  const Number near = Near(Norm(tabletop.hand - door - beside), kNear / 2.0, 0.5);
  const Number ready = HamacherProduct(above, near);
  const double angle = -tabletop.JointAt();
  const Number opened =
      0.2 * Truth(-angle < -kPi / 90.0) + 0.8 * Near(kPi / 2.0 + kPi / 6 - angle, 0.5, kPi / 3.0);
  const bool success = std::abs(tabletop.object[0] - tabletop.target_pos()[0]) <= 0.08;
  const Number reward =
      success ? Number(10.0) : 2.0 * HamacherProduct(ready, effort) + 8.0 * opened;
  return {reward, Truth(success), ready, Truth(effort >= 0.5), effort, opened, 0.0};
}
void ResetModelDoorClose(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.SetTargetPos(tabletop.obj_init_pos() + Vec{{0.2, -0.2, 0.0}});
  tabletop.MoveBody(tabletop.obj_init_pos());
  tabletop.MoveGoal(tabletop.target_pos());
  tabletop.SetJoint(-1.5708);
}
StepResult ComputeRewardDoorClose(Tabletop& tabletop) {
  constexpr double kRadius = 0.05;
  const double left = Distance(tabletop.object, tabletop.target_pos());
  const Number in_place = Near(
      left, kRadius, Distance(tabletop.obj_init_pos(), tabletop.target_pos()), Sigmoid::kGaussian);
  const double margin = Distance(tabletop.definition().hand, tabletop.object) + 0.1;
  const Number hand = Near(Distance(tabletop.tcp(), tabletop.target_pos()), 0.25 * kRadius, margin,
                           Sigmoid::kGaussian);
  const Number reward = left < kRadius ? Number(10.0) : 3.0 * hand + 6.0 * in_place;
  return {reward, Truth(left <= 0.08), 0.0, 1.0, 1.0, hand, left};
}

// Each row has its fields in groups: name, draws, observed objects, the model's parts, functions.
// clang-format off
const TaskDefinition kTasks[] = {
    {.name = "dial-turn-v3", .xml = "sawyer_dial.xml", .hand = kHandSingle,
     .size = 3, .low = {-0.1, 0.7, 0.0}, .high = {0.1, 0.8, 0.0},
     .goal_bounds = Bounds{{{-0.1, 0.73, 0.0299}}, {{0.1, 0.83, 0.0301}}},
     .object = Body("dial"), .quat = QuaternionOrder::kMujoco,
     .body = "dial", .goal = "goal", .joint = "knob_Joint_1", .places = {Body("dial")},
     .reset_model = ResetModelDial, .compute_reward = ComputeRewardDial,
     .locate = KnobOfDial},
    {.name = "door-close-v3", .xml = "sawyer_door_pull.xml", .hand = {{-0.5, 0.6f, 0.2f}},
     .size = 3, .low = {0.0, 0.85, 0.15}, .high = {0.1, 0.95, 0.15},
     .goal_bounds = Bounds{{{0.2, 0.65, 0.1499}}, {{0.3, 0.75, 0.1501}}},
     .object = Geom("handle"), .quat = QuaternionOrder::kScipy,
     .body = "door", .goal = "goal", .joint = "doorjoint",
     .reset_model = ResetModelDoorClose, .compute_reward = ComputeRewardDoorClose},
    {.name = "door-lock-v3", .xml = "sawyer_door_lock.xml", .hand = kHandSingle,
     .size = 3, .low = {-0.1, 0.8, 0.15}, .high = {0.1, 0.85, 0.15},
     .goal_bounds = Bounds{kLowest},
     .object = Site("lockStartLock"), .quat_of = Body("door_link"),
     .quat = QuaternionOrder::kMujoco,
     .body = "door",
     .reset_model = ResetModelLock, .compute_reward = ComputeRewardLock,
     .hand_low = kLowest, .hand_init_repeats = false, .obj_init_pos_object = Body("lock_link")},
    {.name = "door-open-v3", .xml = "sawyer_door_pull.xml",
     .size = 3, .low = {0.0, 0.85, 0.15}, .high = {0.1, 0.95, 0.15},
     .goal_bounds = Bounds{{{-0.3, 0.4, 0.1499}}, {{-0.2, 0.5, 0.1501}}},
     .object = Geom("handle"), .quat = QuaternionOrder::kScipy,
     .body = "door", .goal = "goal", .joint = "doorjoint",
     .reset_model = ResetModelDoorOpen, .compute_reward = ComputeRewardDoorOpen},
    {.name = "door-unlock-v3", .xml = "sawyer_door_lock.xml", .hand = kHandSingle,
     .size = 3, .low = {-0.1, 0.8, 0.15}, .high = {0.1, 0.85, 0.15},
     .goal_bounds = Bounds{{{0.0, 0.64, 0.21}}, {{0.2, 0.7, 0.2111}}},
     .object = Site("lockStartUnlock"), .quat_of = Body("door_link"),
     .quat = QuaternionOrder::kMujoco,
     .body = "door",
     .reset_model = ResetModelUnlock, .compute_reward = ComputeRewardUnlock,
     .hand_low = kLowest, .hand_init_repeats = false, .obj_init_pos_object = Body("lock_link")},
    {.name = "drawer-close-v3", .xml = "sawyer_drawer.xml", .hand = kHandSingle,
     .size = 3, .low = {-0.1, 0.9, 0.0}, .high = {0.1, 0.9, 0.0},
     .object = Body("drawer_link"), .offset = {{0.0, -0.16, 0.05}},
     .body = "drawer", .goal = "goal",
     .reset_model = ResetModelDrawerClose, .compute_reward = ComputeRewardDrawerClose},
    {.name = "drawer-open-v3", .xml = "sawyer_drawer.xml", .hand = kHandSingle,
     .size = 3, .low = {-0.1, 0.9, 0.0}, .high = {0.1, 0.9, 0.0},
     .object = Body("drawer_link"), .offset = {{0.0, -0.16, 0.0}},
     .quat = QuaternionOrder::kMujoco,
     .body = "drawer", .goal = "goal",
     .reset_model = ResetModelDrawerOpen, .compute_reward = ComputeRewardDrawerOpen},
    {.name = "faucet-close-v3", .xml = "sawyer_faucet.xml", .hand = kFar,
     .size = 3, .low = {-0.1, 0.8, 0.0}, .high = {0.1, 0.85, 0.0},
     .goal_bounds = Bounds{kLowest},
     .object = Site("handleStartClose"), .offset = {{0.0, 0.0, -0.01}},
     .quat_of = Body("faucetBase"), .quat = QuaternionOrder::kMujoco,
     .body = "faucetBase", .goal = "goal_close",
     .reset_model = ResetModelTap<-1>, .compute_reward = ComputeRewardTap<-1>,
     .hand_low = kLowest},
    {.name = "faucet-open-v3", .xml = "sawyer_faucet.xml", .hand = kFar,
     .size = 3, .low = {-0.05, 0.8, 0.0}, .high = {0.05, 0.85, 0.0},
     .goal_bounds = Bounds{kLowest},
     .object = Site("handleStartOpen"), .offset = {{0.0, 0.0, -0.01}},
     .quat_of = Body("faucetBase"), .quat = QuaternionOrder::kMujoco,
     .body = "faucetBase", .goal = "goal_open",
     .reset_model = ResetModelTap<1>, .compute_reward = ComputeRewardTap<1>,
     .hand_low = kLowest},
    {.name = "handle-press-v3", .xml = "sawyer_handle_press.xml",
     .size = 3, .low = {-0.1, 0.8, -0.001}, .high = {0.1, 0.9, 0.001},
     .goal_bounds = Bounds{{{-0.1, 0.55, 0.04}}, {{0.1, 0.7, 0.08}}},
     .object = Site("handleStart"),
     .body = "box", .places = {Site("goalPress")},
     .reset_model = ResetModelHandlePress, .compute_reward = ComputeRewardHandlePress,
     .hand_init_repeats = false},
    {.name = "handle-press-side-v3", .xml = "sawyer_handle_press_sideways.xml",
     .size = 3, .low = {-0.35, 0.65, -0.001}, .high = {-0.25, 0.75, 0.001},
     .object = Site("handleStart"),
     .body = "box", .places = {Site("goalPress")},
     .reset_model = ResetModelHandlePress, .compute_reward = ComputeRewardHandlePress,
     .hand_init_repeats = false},
    {.name = "handle-pull-v3", .xml = "sawyer_handle_press.xml",
     .size = 3, .low = {-0.1, 0.8, -0.001}, .high = {0.1, 0.9, 0.001},
     .goal_bounds = Bounds{{{-0.1, 0.55, 0.04}}, {{0.1, 0.7, 0.18}}},
     .object = Site("handleRight"),
     .body = "box", .places = {Site("goalPull")},
     .reset_model = ResetModelHandlePull, .compute_reward = ComputeRewardHandlePull,
     .hand_init_repeats = false},
    {.name = "handle-pull-side-v3", .xml = "sawyer_handle_press_sideways.xml",
     .size = 3, .low = {-0.35, 0.65, 0.0}, .high = {-0.25, 0.75, 0.0},
     .object = Site("handleCenter"),
     .body = "box", .places = {Site("goalPull")},
     .reset_model = ResetModelHandlePullSide, .compute_reward = ComputeRewardHandlePullSide,
     .hand_init_repeats = false},
    {.name = "lever-pull-v3", .xml = "sawyer_lever_pull.xml", .hand = kFarSingle,
     .size = 3, .low = {-0.1, 0.7, 0.0}, .high = {0.1, 0.8, 0.0},
     .goal_bounds = Bounds{kLowest},
     .object = Site("leverStart"), .quat_of = Geom("objGeom"), .quat = QuaternionOrder::kScipy,
     .body = "lever", .goal = "goal", .joint = "LeverAxis",
     .reset_model = ResetModelLever, .compute_reward = ComputeRewardLever,
     .hand_low = kLowest, .hand_init_repeats = false},
    {.name = "window-close-v3", .xml = "sawyer_window_horizontal.xml", .hand = kFarSingle,
     .size = 3, .low = {0.0, 0.75, 0.2}, .high = {0.0, 0.9, 0.2},
     .object = Site("handleCloseStart"),
     .body = "window", .goal = "goal", .joint = "window_slide",
     .reset_model = ResetModelWindowClose,
     .compute_reward = ComputeRewardWindow<Sigmoid::kGaussian>},
    {.name = "window-open-v3", .xml = "sawyer_window_horizontal.xml", .hand = kFarSingle,
     .size = 3, .low = {-0.1, 0.7, 0.16}, .high = {0.1, 0.9, 0.16},
     .object = Site("handleOpenStart"),
     .body = "window", .goal = "goal", .joint = "window_slide",
     .reset_model = ResetModelWindowOpen,
     .compute_reward = ComputeRewardWindow<Sigmoid::kLongTail>},
};
// clang-format on

}  // namespace

std::span<const TaskDefinition> HandleTasks() { return kTasks; }

}  // namespace envpool::metaworld
