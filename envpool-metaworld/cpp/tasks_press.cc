// SPDX-License-Identifier: Apache-2.0
// Buttons to press.
#include <cmath>

#include "reward_terms.h"
#include "tabletop.h"
#include "task_definition.h"

namespace envpool::metaworld {
namespace {

struct Press {
  std::size_t axis;  ///< along which the button moves
  bool closed;       ///< a closed gripper presses better
  double near;       ///< metres from the button that are near enough
  double for_near, for_pressing;
  double close;    ///< metres from which on pressing counts
  double pressed;  ///< metres left at a success
};

// The terms of a step's reward, without the weights.
struct Pressing {
  double to_button, to_end;
  Number near, pressed;
};
Pressing Measure(const Tabletop& tabletop, std::size_t axis, double near) {
  const double to_button = Distance(tabletop.object, tabletop.tcp());
  const double to_end = std::abs(tabletop.target_pos()[axis] - tabletop.object[axis]);
  return {to_button, to_end, Near(to_button, near, Distance(tabletop.object, tabletop.init_tcp)),
          Near(to_end, 0.005, tabletop.reset_length)};
}
StepResult Result(const Tabletop& tabletop, const Pressing& p, double success, Number reward) {
  return {reward,
          Truth(p.to_end <= success),
          Truth(p.to_button <= 0.05),
          Truth(tabletop.opening > 0),
          p.near,
          p.pressed,
          p.to_end};
}

template <Press kPress>
StepResult ComputeReward(Tabletop& tabletop) {
  const Pressing p = Measure(tabletop, kPress.axis, kPress.near);
  const double shut = kPress.closed ? 1 - tabletop.opening : std::max(tabletop.opening, 0.0);
  Number reward = kPress.for_near * HamacherProduct(shut, p.near);
  if (p.to_button <= kPress.close) reward = reward + kPress.for_pressing * p.pressed;
  return Result(tabletop, p, kPress.pressed, reward);
}

StepResult ComputeRewardBehindWall(Tabletop& tabletop) {
  const Pressing p = Measure(tabletop, 1, 0.01);
  Number reward = 0.0;
  if (p.to_button > 0.07) {
    reward = 2.0 * HamacherProduct((1 - tabletop.opening) / 2.0, p.near);
  } else {
    reward = 2.0 + 2 * (1 + tabletop.opening);
    reward = reward + 4.0 * Number(numpy::Square(p.pressed.value()));
  }
  return Result(tabletop, p, 0.03, reward);
}

constexpr ModelObject kHole = Site("hole"), kButton = Site("buttonStart");

template <std::size_t kAxis>
void ResetModel(Tabletop& tabletop, const double* drawn) {
  tabletop.SetObjInitPos(Vec::Of(drawn));
  tabletop.MoveBody(tabletop.obj_init_pos());
  if (kAxis == 2) {
    tabletop.Forward();
  } else {
    tabletop.SetJoint(0);
  }
  tabletop.SetTargetPos(tabletop.At(0));
  tabletop.reset_length = std::abs(tabletop.target_pos()[kAxis] - tabletop.At(1)[kAxis]);
}

void ResetModelCoffee(Tabletop& tabletop, const double* drawn) {
  constexpr double kTravel = 0.03;
  const Vec machine = Vec::Of(drawn), mug = machine + Vec{{0.0, -0.22, 0.0}};
  tabletop.SetObjInitPos(machine);
  tabletop.MoveBody(machine);
  tabletop.Set(0, {mug[0], mug[1], mug[2]}, 9, 6);
  tabletop.SetTargetPos(machine + Vec{{0.0, -0.22, 0.3}} + Vec{{0.0, kTravel, 0.0}});
  tabletop.reset_length = kTravel;
}

constexpr Press kFromAbove{2, true, 0.01, 5, 5, 0.03, 0.024};
constexpr Press kFromAboveWall{2, false, 0.01, 5, 5, 0.03, 0.024};
constexpr Press kFromFront{1, false, 0.05, 2, 8, 0.05, 0.02};

// Each row has its fields in groups: name, draws, observed objects, the model's parts, functions.
// clang-format off
const TaskDefinition kTasks[] = {
    {.name = "button-press-topdown-v3", .xml = "sawyer_button_press_topdown.xml",
     .hand = kFarSingle,
     .size = 3, .low = {-0.1, 0.8, 0.115}, .high = {0.1, 0.9, 0.115},
     .object = Body("button"), .offset = {{0.0, 0.0, 0.193}}, .quat = QuaternionOrder::kMujoco,
     .body = "box", .places = {kHole, kButton},
     .reset_model = ResetModel<2>, .compute_reward = ComputeReward<kFromAbove>},
    {.name = "button-press-topdown-wall-v3", .xml = "sawyer_button_press_topdown_wall.xml",
     .hand = kFarSingle,
     .size = 3, .low = {-0.1, 0.8, 0.115}, .high = {0.1, 0.9, 0.115},
     .object = Body("button"), .offset = {{0.0, 0.0, 0.193}}, .quat = QuaternionOrder::kMujoco,
     .body = "box", .places = {kHole, kButton},
     .reset_model = ResetModel<2>, .compute_reward = ComputeReward<kFromAboveWall>},
    {.name = "button-press-v3", .xml = "sawyer_button_press.xml", .hand = kFarSingle,
     .size = 3, .low = {-0.1, 0.85, 0.115}, .high = {0.1, 0.9, 0.115},
     .object = Body("button"), .offset = {{0.0, -0.193, 0.0}}, .quat = QuaternionOrder::kMujoco,
     .body = "box", .places = {kHole, kButton},
     .reset_model = ResetModel<1>, .compute_reward = ComputeReward<kFromFront>},
    {.name = "button-press-wall-v3", .xml = "sawyer_button_press_wall.xml", .hand = kFarSingle,
     .size = 3, .low = {-0.05, 0.85, 0.1149}, .high = {0.05, 0.9, 0.1151},
     .object = Body("button"), .offset = {{0.0, -0.193, 0.0}}, .quat = QuaternionOrder::kMujoco,
     .body = "box", .places = {kHole, kButton},
     .reset_model = ResetModel<1>, .compute_reward = ComputeRewardBehindWall},
    {.name = "coffee-button-v3", .xml = "sawyer_coffee.xml", .hand = kFar,
     .size = 3, .low = {-0.1, 0.8, -0.001}, .high = {0.1, 0.9, 0.001},
     .goal_bounds = Bounds{{{-0.1 - 0.001, 0.8 + (-0.22 + 0.03), -0.001 + 0.299}},
                           {{0.1 + 0.001, 0.9 + (-0.22 + 0.03), 0.001 + 0.301}}},
     .object = kButton, .quat = QuaternionOrder::kUnit,
     .body = "coffee_machine",
     .reset_model = ResetModelCoffee, .compute_reward = ComputeReward<kFromFront>},
};
// clang-format on

}  // namespace

std::span<const TaskDefinition> PressTasks() { return kTasks; }

}  // namespace envpool::metaworld
