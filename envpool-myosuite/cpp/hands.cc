// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "key_turn.h"
#include "obj_hold.h"
#include "pen_twirl.h"
#include "register.h"
#include "reorient.h"

namespace envpool::myosuite {

void RegisterHands(pybind11::module_& m) {
  Register<KeyTurn>(m, "KeyTurn");
  Register<FromPixels<KeyTurn>>(m, "KeyTurnPixels");
  Register<ObjHold>(m, "ObjHold");
  Register<FromPixels<ObjHold>>(m, "ObjHoldPixels");
  Register<PenTwirl>(m, "PenTwirl");
  Register<FromPixels<PenTwirl>>(m, "PenTwirlPixels");
  Register<Reorient>(m, "Reorient");
  Register<FromPixels<Reorient>>(m, "ReorientPixels");
}

}  // namespace envpool::myosuite
