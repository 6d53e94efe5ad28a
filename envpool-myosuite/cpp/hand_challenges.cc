// SPDX-License-Identifier: Apache-2.0
#include "baoding.h"
#include "die.h"
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "register.h"
#include "relocate.h"
#include "torso.h"

namespace envpool::myosuite {

void RegisterHandChallenges(pybind11::module_& m) {
  Register<Torso>(m, "Torso");
  Register<FromPixels<Torso>>(m, "TorsoPixels");
  Register<Die>(m, "Die");
  Register<FromPixels<Die>>(m, "DiePixels");
  Register<Relocate>(m, "Relocate");
  Register<FromPixels<Relocate>>(m, "RelocatePixels");
  Register<Baoding>(m, "Baoding");
  Register<FromPixels<Baoding>>(m, "BaodingPixels");
}

}  // namespace envpool::myosuite
