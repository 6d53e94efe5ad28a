// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "gymnasium/ant.h"
#include "gymnasium/half_cheetah.h"
#include "gymnasium/hopper.h"
#include "gymnasium/humanoid.h"
#include "gymnasium/humanoid_standup.h"
#include "gymnasium/inverted_double_pendulum.h"
#include "gymnasium/inverted_pendulum.h"
#include "gymnasium/pusher.h"
#include "gymnasium/reacher.h"
#include "gymnasium/register.h"
#include "gymnasium/swimmer.h"
#include "gymnasium/walker2d.h"

namespace envpool::mujoco {

void RegisterGymnasiumPixels(pybind11::module_& m) {
  envpool::Register<envpool::FromPixels<Ant>>(m, "AntPixels");
  envpool::Register<envpool::FromPixels<HalfCheetah>>(m, "HalfCheetahPixels");
  envpool::Register<envpool::FromPixels<Hopper>>(m, "HopperPixels");
  envpool::Register<envpool::FromPixels<Humanoid>>(m, "HumanoidPixels");
  envpool::Register<envpool::FromPixels<HumanoidStandup>>(m, "HumanoidStandupPixels");
  envpool::Register<envpool::FromPixels<InvertedDoublePendulum>>(m, "InvertedDoublePendulumPixels");
  envpool::Register<envpool::FromPixels<InvertedPendulum>>(m, "InvertedPendulumPixels");
  envpool::Register<envpool::FromPixels<Pusher>>(m, "PusherPixels");
  envpool::Register<envpool::FromPixels<Reacher>>(m, "ReacherPixels");
  envpool::Register<envpool::FromPixels<Swimmer>>(m, "SwimmerPixels");
  envpool::Register<envpool::FromPixels<Walker2d>>(m, "Walker2dPixels");
}

}  // namespace envpool::mujoco
