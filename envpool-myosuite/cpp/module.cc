// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-myosuite. Python: `envpool.make("myoElbowPose1D6MRandom-v0")`.
#include "envpool_mujoco/module.h"

#include "envpool/module.h"
#include "envpool/pixels.h"
#include "pose.h"
#include "reach.h"
#include "register.h"
#include "stand.h"
#include "track.h"
#include "walk.h"

PYBIND11_MODULE(_myosuite, m) {
  using namespace envpool::myosuite;  // NOLINT(google-build-using-namespace)
  envpool::mujoco::RegisterFamily(m);
  envpool::Register<Pose>(m, "Pose");
  envpool::Register<envpool::FromPixels<Pose>>(m, "PosePixels");
  envpool::Register<Reach>(m, "Reach");
  envpool::Register<envpool::FromPixels<Reach>>(m, "ReachPixels");
  envpool::Register<Track>(m, "Track");
  envpool::Register<envpool::FromPixels<Track>>(m, "TrackPixels");
  envpool::Register<Stand>(m, "Stand");
  envpool::Register<envpool::FromPixels<Stand>>(m, "StandPixels");
  envpool::Register<Walk>(m, "Walk");
  envpool::Register<envpool::FromPixels<Walk>>(m, "WalkPixels");
  RegisterHands(m);
  RegisterHandChallenges(m);
  RegisterArmChallenges(m);
  RegisterLegChallenges(m);
}
