// SPDX-License-Identifier: Apache-2.0
// Handles, doors, drawers, windows, taps and the like: things that move along or about one axis.
#include <cmath>

#include "facts.h"
#include "terms.h"
#include "world.h"

namespace envpool::metaworld {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr Vec kLow{{-0.5, 0.4, 0.05}}, kHigh{{0.5, 1.0, 0.5}}, kLowest{{-0.5, 0.4, -0.15}};
constexpr Vec kHand{{0, 0.6, 0.2}}, kHandSingle{{0, 0.6f, 0.2f}};
constexpr Vec kFar{{0, 0.4, 0.2}}, kFarSingle{{0, 0.4f, 0.2f}};

/// How far a thing has come: 1 within `radius` of the end, 0.1 where it began.
Number Progress(double left, double at_first, double radius) {
  return Near(left, radius, std::abs(at_first - radius));
}
/// How near the fingers are to a place that was `at_first` away.
Number Reach(double distance, double at_first, double radius, Sigmoid sigmoid) {
  return Near(distance, radius, std::abs(at_first - radius), sigmoid);
}
/// As np.linalg.norm of one number.
double Length(double x) { return std::sqrt(x * x); }

Verdict OfReach(Number reward, double left, double success, double to_object, double near,
                Number reach, Number in_place) {
  return {reward, Truth(left <= success), Truth(to_object <= near), 1.0, reach, in_place, left};
}

// Handles that are pressed down.
void BeginHandlePress(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  world.SetJoint(-0.001);
  world.SetTarget(world.At(0));
  world.mark = world.ObjectAt();
}
Verdict JudgeHandlePress(World& world) {
  constexpr double kRadius = 0.02;
  const Vec handle = world.ObjectAt(), tcp = world.tcp();
  const double left = Length(handle[2] - world.target()[2]);
  const Number in_place = Progress(left, Length(world.mark[2] - world.target()[2]), kRadius);
  const double away = Distance(handle, tcp);
  const Number reach = Reach(away, Distance(world.mark, world.start_tcp), 0.02, Sigmoid::kLongTail);
  const Number reward = left <= kRadius ? Number(1.0) : Both(reach, in_place);
  return OfReach(reward * 10.0, left, kRadius, away, 0.05, reach, in_place);
}

// Handles that are pulled up, held in the gripper.
void BeginHandlePull(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  world.SetJoint(-0.1);
  world.SetTarget(world.At(0));
}
void BeginHandlePullSide(World& world, const double* drawn) {
  BeginHandlePull(world, drawn);
  world.SetStart(world.ObjectAt());
}
Verdict Pulled(World& world, double left, double at_first, const Cage& cage, bool lifted,
               double success) {
  constexpr double kRadius = 0.05;
  const Number in_place = Near(left, kRadius, at_first);
  const Number grip = Caging(world, world.object, world.start(), cage);
  const double away = Distance(world.object, world.tcp());
  Number reward = Both(grip, in_place);
  if (away < 0.035 && world.opening > 0 && lifted) reward = reward + (1.0 + 5.0 * in_place);
  if (left < kRadius) reward = 10.0;
  const bool raised = world.opening > 0 && world.object[2] - 0.03 > world.start()[2];
  return {reward, Truth(left <= success), Truth(away <= 0.05), Truth(raised), grip, in_place, left};
}
Verdict JudgeHandlePull(World& world) {
  const double goal = world.target()[2], start = world.start()[2];
  // The reference compares y with a height.
  const bool lifted = world.object[1] - 0.01 > start;
  return Pulled(world, std::abs(goal - world.object[2]), std::abs(goal - start),
                {.radius = 0.022, .pads = 0.05, .xz = 0.01}, lifted, 0.05);
}
Verdict JudgeHandlePullSide(World& world) {
  const bool lifted = world.object[2] - 0.01 > world.start()[2];
  return Pulled(world, Distance(world.object, world.target()),
                Distance(world.start(), world.target()),
                {.radius = 0.032, .pads = 0.06, .xz = 0.01}, lifted, 0.08);
}

// Windows.
void BeginWindowOpen(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.SetTarget(world.start() + Vec{{0.2, 0.0, 0.0}});
  world.MoveBody(world.start());
  world.mark = world.ObjectAt();
  world.SetJointOnly(0.0);
  world.MoveGoal(world.target());
}
void BeginWindowClose(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.SetTarget(world.start());
  world.MoveBody(world.start());
  world.mark = world.ObjectAt() + Vec{{0.2, 0.0, 0.0}};
  world.SetJointOnly(0.2);
  world.MoveGoal(world.target());
}
template <Sigmoid kSigmoid>
Verdict JudgeWindow(World& world) {
  constexpr double kRadius = 0.05;
  const Vec handle = world.ObjectAt();
  const double goal = world.target()[0];
  const double at_first = kSigmoid == Sigmoid::kGaussian ? world.mark[0] : world.start()[0];
  const double left = Length(handle[0] - goal);
  const Number in_place = Progress(left, Length(at_first - goal), kRadius);
  const double away = Distance(handle, world.tcp());
  const Number reach = Reach(away, Distance(world.mark, world.start_tcp), 0.02, kSigmoid);
  return OfReach(10.0 * Both(reach, in_place), left, kRadius, away, 0.05, reach, in_place);
}

// Drawers.
constexpr double kClosed = 0.15, kOpen = 0.2;
void BeginDrawerClose(World& world, const double* drawn) {
  const Vec place = Vec::Of(drawn);
  world.MoveBody(place);
  world.SetTarget(place + Vec{{0.0, -0.16, 0.09}});
  world.Set(9, {-kClosed}, 9, 0);
  world.SetStart(world.ObjectAt());
  world.MoveGoal(world.target());
}
Verdict JudgeDrawerClose(World& world) {
  constexpr double kRadius = 0.05, kEnd = 0.05 + 0.015;
  const double left = Distance(world.object, world.target());
  const Number in_place = Progress(left, Distance(world.start(), world.target()), kRadius);
  const double away = Distance(world.object, world.tcp());
  const Number near =
      Reach(away, Distance(world.start(), world.start_tcp), 0.005, Sigmoid::kGaussian);
  const Number reach = Both(near, Closing(world.grip));
  const Number reward = left <= kEnd ? Number(1.0) : Both(reach, in_place);
  return OfReach(reward * 10.0, left, kEnd, away, 0.01, reach, in_place);
}
void BeginDrawerOpen(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  world.SetTarget(world.start() + Vec{{0.0, -0.16 - kOpen, 0.09}});
  world.MoveGoal(world.target());
}
Verdict JudgeDrawerOpen(World& world) {
  constexpr Vec kScale{{3.0, 3.0, 1.0}};
  const double left = Distance(world.object, world.target());
  const Number opened = Near(left, 0.02, kOpen);
  const Vec closed = world.target() + Vec{{0.0, kOpen, 0.0}};
  const Number near = Near(Distance(world.object, world.hand, kScale), 0.01,
                           Distance(closed, world.start_tcp, kScale));
  return {(near + opened) * 5.0,
          Truth(left <= 0.03),
          Truth(Distance(world.object, world.hand) <= 0.03),
          Truth(world.opening > 0),
          near,
          opened,
          left};
}

// A dial.
constexpr Vec kPushedAt{{0.05, 0.02, 0.09}};
Vec KnobOfDial(const World& world) {
  constexpr double kDial = 0.05;
  const double angle = world.JointAt();
  return world.At(0) + Vec{{std::sin(angle) * kDial, -std::cos(angle) * kDial, 0.0 * kDial}};
}
void BeginDial(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.SetTarget(world.start() + Vec{{0, 0.03, 0.03}});
  world.MoveBody(world.start());
  world.mark = world.ObjectAt() + kPushedAt;
  world.MoveGoal(world.target());
}
Verdict JudgeDial(World& world) {
  constexpr double kRadius = 0.07;
  const Vec knob = world.ObjectAt();
  const double left = Distance(knob, world.target());
  const Number in_place = Progress(left, Distance(world.mark, world.target()), kRadius);
  const double away = Distance(knob + kPushedAt, world.tcp());
  const Number near = Reach(away, Distance(world.mark, world.start_tcp), 0.005, Sigmoid::kGaussian);
  const Number reach = Both(near, Closing(world.grip));
  return OfReach(10.0 * Both(reach, in_place), left, kRadius, away, 0.01, reach, in_place);
}

// Taps.
constexpr double kTap = 0.175;
template <int kSide>
void BeginTap(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  world.SetTarget(world.start() + Vec{{kSide * kTap, 0.0, 0.125}});
  if (kSide < 0) world.Forward();
  world.MoveGoal(world.target());
}
template <int kSide>
Verdict JudgeTap(World& world) {
  constexpr double kRadius = 0.07;
  const Vec handle = kSide < 0 ? world.object : world.object + Vec{{-0.04, 0.0, 0.03}};
  const double left = Distance(handle, world.target());
  const Number in_place = Progress(left, Distance(world.start(), world.target()), kRadius);
  const double away = Distance(handle, world.tcp());
  const Number reach =
      Reach(away, Distance(world.start(), world.start_tcp), 0.01, Sigmoid::kGaussian);
  const Number reward = left <= kRadius ? Number(10.0) : (2.0 * reach + 3.0 * in_place) * 2.0;
  return OfReach(reward, left, 0.07, away, 0.01, reach, in_place);
}

// A lever, lifted by the shoulder of the gripper.
constexpr Vec kShoulder{{0.0, 0.055, 0.07}};
void BeginLever(World& world, const double* drawn) {
  constexpr double kLever = 0.2;
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  world.mark = world.start() + Vec{{0.12, -kLever, 0.25}};
  world.SetTarget(world.start() + Vec{{0.12, 0.0, 0.25 + kLever}});
  world.MoveGoal(world.target());
}
Verdict JudgeLever(World& world) {
  constexpr Vec kScale{{4.0, 1.0, 4.0}};
  const double away = Distance(world.hand + kShoulder, world.object, kScale);
  const Number ready = Near(away, 0.02, Distance(world.start_tcp + kShoulder, world.mark, kScale));
  const double left = std::abs(-world.JointAt() - kPi / 2.0);
  const Number lifted = Near(left, kPi / 48.0, kPi / 2.0 - kPi / 12.0);
  const Number in_place =
      Near(Distance(world.object, world.target()), 0.04, Distance(world.mark, world.target()));
  return {10.0 * Both(ready, in_place),
          Truth(left <= kPi / 24),
          Truth(away < 0.03),
          Truth(ready > 0.9),
          ready,
          lifted,
          away};
}

// A lock on a door.
constexpr Vec kLockScale{{0.25, 1.0, 0.5}};
void BeginLock(World& world, const double* drawn) {
  world.MoveBody(Vec::Of(drawn));
  world.Wait();
  world.SetTarget(world.start() + Vec{{0.0, -0.04, -0.1}});
}
void BeginUnlock(World& world, const double* drawn) {
  world.MoveBody(Vec::Of(drawn));
  world.SetJoint(1.5708);
  world.SetTarget(world.start() + Vec{{0.1, -0.04, 0.0}});
}
Verdict OfLock(const World& world, Number reward, double away, double left, Number near,
               Number turned) {
  return {reward, Truth(left <= 0.02), Truth(away <= 0.05), Truth(world.opening > 0), near, turned,
          left};
}
Verdict JudgeLock(World& world) {
  // From where the pad is now: the reference looks at it where it means its place at first.
  const double away = Distance(world.object, world.left_pad(), kLockScale);
  const double left = std::abs(world.target()[2] - world.object[2]);
  const Number near = Near(away, 0.01, away), turned = Near(left, 0.005, 0.1);
  const Number reward = 2.0 * Both(world.opening, near) + 8.0 * turned;
  return OfLock(world, reward, away, left, near, turned);
}
Verdict JudgeUnlock(World& world) {
  const double away = Distance(world.hand + kShoulder, world.object, kLockScale);
  const Number near =
      Near(away, 0.02, Distance(world.start_tcp + kShoulder, world.start(), kLockScale));
  const double left = std::abs(world.target()[0] - world.object[0]);
  const Number turned = Near(left, 0.005, 0.1);
  return OfLock(world, 2.0 * near + 8.0 * turned, away, left, near, turned);
}

// A door.
void BeginDoorOpen(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.SetTarget(world.start() + Vec{{-0.3, -0.45, 0.0}});
  world.MoveBody(world.start());
  world.MoveGoal(world.target());
  world.SetJoint(0);
}
Verdict JudgeDoorOpen(World& world) {
  constexpr double kNear = 0.12;
  const Number effort = GripEffort(world.grip);
  const Vec door = world.object + Vec{{-0.05, 0, 0}};
  const double floor = Floor(FlatDistance(world.hand, door), kNear, 0.04, 0.4);
  const Number above = Above(world.hand[2], floor, floor / 2.0);
  const Vec beside{{0.05, 0.03, -0.01}};
  const Number near = Near(Norm(world.hand - door - beside), kNear / 2.0, 0.5);
  const Number ready = Both(above, near);
  const double angle = -world.JointAt();
  const Number opened =
      0.2 * Truth(-angle < -kPi / 90.0) + 0.8 * Near(kPi / 2.0 + kPi / 6 - angle, 0.5, kPi / 3.0);
  const bool success = std::abs(world.object[0] - world.target()[0]) <= 0.08;
  const Number reward = success ? Number(10.0) : 2.0 * Both(ready, effort) + 8.0 * opened;
  return {reward, Truth(success), ready, Truth(effort >= 0.5), effort, opened, 0.0};
}
void BeginDoorClose(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.SetTarget(world.start() + Vec{{0.2, -0.2, 0.0}});
  world.MoveBody(world.start());
  world.MoveGoal(world.target());
  world.SetJoint(-1.5708);
}
Verdict JudgeDoorClose(World& world) {
  constexpr double kRadius = 0.05;
  const double left = Distance(world.object, world.target());
  const Number in_place =
      Near(left, kRadius, Distance(world.start(), world.target()), Sigmoid::kGaussian);
  const double margin = Distance(world.facts().hand, world.object) + 0.1;
  const Number hand =
      Near(Distance(world.tcp(), world.target()), 0.25 * kRadius, margin, Sigmoid::kGaussian);
  const Number reward = left < kRadius ? Number(10.0) : 3.0 * hand + 6.0 * in_place;
  return {reward, Truth(left <= 0.08), 0.0, 1.0, 1.0, hand, left};
}

const Facts kTasks[] = {
    {.name = "dial-turn-v3",
     .xml = "sawyer_dial.xml",
     .hand = kHandSingle,
     .size = 3,
     .low = {-0.1, 0.7, 0.0},
     .high = {0.1, 0.8, 0.0},
     .goal_low = {{-0.1, 0.73, 0.0299}},
     .goal_high = {{0.1, 0.83, 0.0301}},
     .object = Body("dial"),
     .turn_of = Body("dial"),
     .turn = Turn::kMujoco,
     .body = "dial",
     .goal = "goal",
     .joint = "knob_Joint_1",
     .places = {Body("dial")},
     .begin = BeginDial,
     .judge = JudgeDial,
     .locate = KnobOfDial},
    {.name = "door-close-v3",
     .xml = "sawyer_door_pull.xml",
     .hand = {{-0.5, 0.6f, 0.2f}},
     .size = 3,
     .low = {0.0, 0.85, 0.15},
     .high = {0.1, 0.95, 0.15},
     .goal_low = {{0.2, 0.65, 0.1499}},
     .goal_high = {{0.3, 0.75, 0.1501}},
     .object = Geom("handle"),
     .turn_of = Geom("handle"),
     .turn = Turn::kScipy,
     .body = "door",
     .goal = "goal",
     .joint = "doorjoint",
     .begin = BeginDoorClose,
     .judge = JudgeDoorClose},
    {.name = "door-lock-v3",
     .xml = "sawyer_door_lock.xml",
     .hand = kHandSingle,
     .size = 3,
     .low = {-0.1, 0.8, 0.15},
     .high = {0.1, 0.85, 0.15},
     .goal_low = kLowest,
     .goal_high = kHigh,
     .object = Site("lockStartLock"),
     .turn_of = Body("door_link"),
     .turn = Turn::kMujoco,
     .body = "door",
     .begin = BeginLock,
     .judge = JudgeLock,
     .hand_low = kLowest,
     .settles_alike = false,
     .live_start = Body("lock_link")},
    {.name = "door-open-v3",
     .xml = "sawyer_door_pull.xml",
     .hand = kHand,
     .size = 3,
     .low = {0.0, 0.85, 0.15},
     .high = {0.1, 0.95, 0.15},
     .goal_low = {{-0.3, 0.4, 0.1499}},
     .goal_high = {{-0.2, 0.5, 0.1501}},
     .object = Geom("handle"),
     .turn_of = Geom("handle"),
     .turn = Turn::kScipy,
     .body = "door",
     .goal = "goal",
     .joint = "doorjoint",
     .begin = BeginDoorOpen,
     .judge = JudgeDoorOpen},
    {.name = "door-unlock-v3",
     .xml = "sawyer_door_lock.xml",
     .hand = kHandSingle,
     .size = 3,
     .low = {-0.1, 0.8, 0.15},
     .high = {0.1, 0.85, 0.15},
     .goal_low = {{0.0, 0.64, 0.21}},
     .goal_high = {{0.2, 0.7, 0.2111}},
     .object = Site("lockStartUnlock"),
     .turn_of = Body("door_link"),
     .turn = Turn::kMujoco,
     .body = "door",
     .begin = BeginUnlock,
     .judge = JudgeUnlock,
     .hand_low = kLowest,
     .settles_alike = false,
     .live_start = Body("lock_link")},
    {.name = "drawer-close-v3",
     .xml = "sawyer_drawer.xml",
     .hand = kHandSingle,
     .size = 3,
     .low = {-0.1, 0.9, 0.0},
     .high = {0.1, 0.9, 0.0},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("drawer_link"),
     .offset = {{0.0, -0.16, 0.05}},
     .body = "drawer",
     .goal = "goal",
     .begin = BeginDrawerClose,
     .judge = JudgeDrawerClose},
    {.name = "drawer-open-v3",
     .xml = "sawyer_drawer.xml",
     .hand = kHandSingle,
     .size = 3,
     .low = {-0.1, 0.9, 0.0},
     .high = {0.1, 0.9, 0.0},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("drawer_link"),
     .offset = {{0.0, -0.16, 0.0}},
     .turn_of = Body("drawer_link"),
     .turn = Turn::kMujoco,
     .body = "drawer",
     .goal = "goal",
     .begin = BeginDrawerOpen,
     .judge = JudgeDrawerOpen},
    {.name = "faucet-close-v3",
     .xml = "sawyer_faucet.xml",
     .hand = kFar,
     .size = 3,
     .low = {-0.1, 0.8, 0.0},
     .high = {0.1, 0.85, 0.0},
     .goal_low = kLowest,
     .goal_high = kHigh,
     .object = Site("handleStartClose"),
     .offset = {{0.0, 0.0, -0.01}},
     .turn_of = Body("faucetBase"),
     .turn = Turn::kMujoco,
     .body = "faucetBase",
     .goal = "goal_close",
     .begin = BeginTap<-1>,
     .judge = JudgeTap<-1>,
     .hand_low = kLowest},
    {.name = "faucet-open-v3",
     .xml = "sawyer_faucet.xml",
     .hand = kFar,
     .size = 3,
     .low = {-0.05, 0.8, 0.0},
     .high = {0.05, 0.85, 0.0},
     .goal_low = kLowest,
     .goal_high = kHigh,
     .object = Site("handleStartOpen"),
     .offset = {{0.0, 0.0, -0.01}},
     .turn_of = Body("faucetBase"),
     .turn = Turn::kMujoco,
     .body = "faucetBase",
     .goal = "goal_open",
     .begin = BeginTap<1>,
     .judge = JudgeTap<1>,
     .hand_low = kLowest},
    {.name = "handle-press-v3",
     .xml = "sawyer_handle_press.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.1, 0.8, -0.001},
     .high = {0.1, 0.9, 0.001},
     .goal_low = {{-0.1, 0.55, 0.04}},
     .goal_high = {{0.1, 0.7, 0.08}},
     .object = Site("handleStart"),
     .body = "box",
     .places = {Site("goalPress")},
     .begin = BeginHandlePress,
     .judge = JudgeHandlePress,
     .settles_alike = false},
    {.name = "handle-press-side-v3",
     .xml = "sawyer_handle_press_sideways.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.35, 0.65, -0.001},
     .high = {-0.25, 0.75, 0.001},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Site("handleStart"),
     .body = "box",
     .places = {Site("goalPress")},
     .begin = BeginHandlePress,
     .judge = JudgeHandlePress,
     .settles_alike = false},
    {.name = "handle-pull-v3",
     .xml = "sawyer_handle_press.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.1, 0.8, -0.001},
     .high = {0.1, 0.9, 0.001},
     .goal_low = {{-0.1, 0.55, 0.04}},
     .goal_high = {{0.1, 0.7, 0.18}},
     .object = Site("handleRight"),
     .body = "box",
     .places = {Site("goalPull")},
     .begin = BeginHandlePull,
     .judge = JudgeHandlePull,
     .settles_alike = false},
    {.name = "handle-pull-side-v3",
     .xml = "sawyer_handle_press_sideways.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.35, 0.65, 0.0},
     .high = {-0.25, 0.75, 0.0},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Site("handleCenter"),
     .body = "box",
     .places = {Site("goalPull")},
     .begin = BeginHandlePullSide,
     .judge = JudgeHandlePullSide,
     .settles_alike = false},
    {.name = "lever-pull-v3",
     .xml = "sawyer_lever_pull.xml",
     .hand = kFarSingle,
     .size = 3,
     .low = {-0.1, 0.7, 0.0},
     .high = {0.1, 0.8, 0.0},
     .goal_low = kLowest,
     .goal_high = kHigh,
     .object = Site("leverStart"),
     .turn_of = Geom("objGeom"),
     .turn = Turn::kScipy,
     .body = "lever",
     .goal = "goal",
     .joint = "LeverAxis",
     .begin = BeginLever,
     .judge = JudgeLever,
     .hand_low = kLowest,
     .settles_alike = false},
    {.name = "window-close-v3",
     .xml = "sawyer_window_horizontal.xml",
     .hand = kFarSingle,
     .size = 3,
     .low = {0.0, 0.75, 0.2},
     .high = {0.0, 0.9, 0.2},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Site("handleCloseStart"),
     .body = "window",
     .goal = "goal",
     .joint = "window_slide",
     .begin = BeginWindowClose,
     .judge = JudgeWindow<Sigmoid::kGaussian>},
    {.name = "window-open-v3",
     .xml = "sawyer_window_horizontal.xml",
     .hand = kFarSingle,
     .size = 3,
     .low = {-0.1, 0.7, 0.16},
     .high = {0.1, 0.9, 0.16},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Site("handleOpenStart"),
     .body = "window",
     .goal = "goal",
     .joint = "window_slide",
     .begin = BeginWindowOpen,
     .judge = JudgeWindow<Sigmoid::kLongTail>},
};

}  // namespace

std::span<const Facts> HandleTasks() { return kTasks; }

}  // namespace envpool::metaworld
