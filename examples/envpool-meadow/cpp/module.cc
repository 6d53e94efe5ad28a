// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-meadow. Python: `envpool.make("Meadow/Tag-v0")`.

#include "envpool/module.h"

#include "meadow.h"
#include "sandbox.h"

PYBIND11_MODULE(_meadow, m) {
  envpool::Register<meadow::Meadow<false>>(m, "Meadow");
  envpool::Register<meadow::Meadow<true>>(m, "PixelMeadow");
  meadow::BindSandbox(m);
}
