// SPDX-License-Identifier: Apache-2.0
#include "gymnasium/register.h"

#include "envpool/module.h"
#include "gymnasium/ant.h"
#include "gymnasium/half_cheetah.h"
#include "gymnasium/hopper.h"
#include "gymnasium/humanoid.h"
#include "gymnasium/humanoid_standup.h"
#include "gymnasium/inverted_double_pendulum.h"
#include "gymnasium/inverted_pendulum.h"
#include "gymnasium/pusher.h"
#include "gymnasium/reacher.h"
#include "gymnasium/swimmer.h"
#include "gymnasium/walker2d.h"

namespace envpool::mujoco {

void RegisterGymnasium(pybind11::module_& m) {
  envpool::Register<Ant>(m, "Ant");
  envpool::Register<HalfCheetah>(m, "HalfCheetah");
  envpool::Register<Hopper>(m, "Hopper");
  envpool::Register<Humanoid>(m, "Humanoid");
  envpool::Register<HumanoidStandup>(m, "HumanoidStandup");
  envpool::Register<InvertedDoublePendulum>(m, "InvertedDoublePendulum");
  envpool::Register<InvertedPendulum>(m, "InvertedPendulum");
  envpool::Register<Pusher>(m, "Pusher");
  envpool::Register<Reacher>(m, "Reacher");
  envpool::Register<Swimmer>(m, "Swimmer");
  envpool::Register<Walker2d>(m, "Walker2d");
}

}  // namespace envpool::mujoco
