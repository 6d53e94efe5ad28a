// SPDX-License-Identifier: Apache-2.0
// Buttons to press.
#include <cmath>

#include "facts.h"
#include "terms.h"
#include "world.h"

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

// What a step is worth, but for the weights.
struct Pressing {
  double to_button, to_end;
  Number near, pressed;
};
Pressing Measure(const World& world, std::size_t axis, double near) {
  const double to_button = Distance(world.object, world.tcp());
  const double to_end = std::abs(world.target()[axis] - world.object[axis]);
  return {to_button, to_end, Near(to_button, near, Distance(world.object, world.start_tcp)),
          Near(to_end, 0.005, world.span)};
}
Verdict Result(const World& world, const Pressing& p, double success, Number reward) {
  return {reward,
          Truth(p.to_end <= success),
          Truth(p.to_button <= 0.05),
          Truth(world.opening > 0),
          p.near,
          p.pressed,
          p.to_end};
}

template <Press kPress>
Verdict Judge(World& world) {
  const Pressing p = Measure(world, kPress.axis, kPress.near);
  const double shut = kPress.closed ? 1 - world.opening : std::max(world.opening, 0.0);
  Number reward = kPress.for_near * Both(shut, p.near);
  if (p.to_button <= kPress.close) reward = reward + kPress.for_pressing * p.pressed;
  return Result(world, p, kPress.pressed, reward);
}

Verdict JudgeBehindWall(World& world) {
  const Pressing p = Measure(world, 1, 0.01);
  Number reward = 0.0;
  if (p.to_button > 0.07) {
    reward = 2.0 * Both((1 - world.opening) / 2.0, p.near);
  } else {
    reward = 2.0 + 2 * (1 + world.opening);
    reward = reward + 4.0 * Number(numpy::Square(p.pressed.value()));
  }
  return Result(world, p, 0.03, reward);
}

constexpr Place kHole = Site("hole"), kButton = Site("buttonStart");

template <std::size_t kAxis>
void Begin(World& world, const double* drawn) {
  world.SetStart(Vec::Of(drawn));
  world.MoveBody(world.start());
  if (kAxis == 2) {
    world.Forward();
  } else {
    world.SetJoint(0);
  }
  world.SetTarget(world.At(0));
  world.span = std::abs(world.target()[kAxis] - world.At(1)[kAxis]);
}

void BeginCoffee(World& world, const double* drawn) {
  constexpr double kTravel = 0.03;
  const Vec machine = Vec::Of(drawn), mug = machine + Vec{{0.0, -0.22, 0.0}};
  world.SetStart(machine);
  world.MoveBody(machine);
  world.Set(0, {mug[0], mug[1], mug[2]}, 9, 6);
  world.SetTarget(machine + Vec{{0.0, -0.22, 0.3}} + Vec{{0.0, kTravel, 0.0}});
  world.span = kTravel;
}

constexpr Vec kHand{{0, 0.4f, 0.2f}};
constexpr Vec kLow{{-0.5, 0.4, 0.05}}, kHigh{{0.5, 1.0, 0.5}};
constexpr Press kFromAbove{2, true, 0.01, 5, 5, 0.03, 0.024};
constexpr Press kFromAboveWall{2, false, 0.01, 5, 5, 0.03, 0.024};
constexpr Press kFromFront{1, false, 0.05, 2, 8, 0.05, 0.02};

const Facts kTasks[] = {
    {.name = "button-press-topdown-v3",
     .xml = "sawyer_button_press_topdown.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.1, 0.8, 0.115},
     .high = {0.1, 0.9, 0.115},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("button"),
     .offset = {{0.0, 0.0, 0.193}},
     .turn_of = Body("button"),
     .turn = Turn::kMujoco,
     .body = "box",
     .places = {kHole, kButton},
     .begin = Begin<2>,
     .judge = Judge<kFromAbove>},
    {.name = "button-press-topdown-wall-v3",
     .xml = "sawyer_button_press_topdown_wall.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.1, 0.8, 0.115},
     .high = {0.1, 0.9, 0.115},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("button"),
     .offset = {{0.0, 0.0, 0.193}},
     .turn_of = Body("button"),
     .turn = Turn::kMujoco,
     .body = "box",
     .places = {kHole, kButton},
     .begin = Begin<2>,
     .judge = Judge<kFromAboveWall>},
    {.name = "button-press-v3",
     .xml = "sawyer_button_press.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.1, 0.85, 0.115},
     .high = {0.1, 0.9, 0.115},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("button"),
     .offset = {{0.0, -0.193, 0.0}},
     .turn_of = Body("button"),
     .turn = Turn::kMujoco,
     .body = "box",
     .places = {kHole, kButton},
     .begin = Begin<1>,
     .judge = Judge<kFromFront>},
    {.name = "button-press-wall-v3",
     .xml = "sawyer_button_press_wall.xml",
     .hand = kHand,
     .size = 3,
     .low = {-0.05, 0.85, 0.1149},
     .high = {0.05, 0.9, 0.1151},
     .goal_low = kLow,
     .goal_high = kHigh,
     .object = Body("button"),
     .offset = {{0.0, -0.193, 0.0}},
     .turn_of = Body("button"),
     .turn = Turn::kMujoco,
     .body = "box",
     .places = {kHole, kButton},
     .begin = Begin<1>,
     .judge = JudgeBehindWall},
    {.name = "coffee-button-v3",
     .xml = "sawyer_coffee.xml",
     .hand = {{0, 0.4, 0.2}},
     .size = 3,
     .low = {-0.1, 0.8, -0.001},
     .high = {0.1, 0.9, 0.001},
     .goal_low = {{-0.1 - 0.001, 0.8 + (-0.22 + 0.03), -0.001 + 0.299}},
     .goal_high = {{0.1 + 0.001, 0.9 + (-0.22 + 0.03), 0.001 + 0.301}},
     .object = kButton,
     .turn = Turn::kUnit,
     .body = "coffee_machine",
     .begin = BeginCoffee,
     .judge = Judge<kFromFront>},
};

}  // namespace

std::span<const Facts> PressTasks() { return kTasks; }

}  // namespace envpool::metaworld
