// SPDX-License-Identifier: Apache-2.0
// Calls a function for each geom that touches a body of a model.
#pragma once

#include <mujoco/mujoco.h>

namespace envpool::myosuite {

template <typename F>
void ForTouching(const mjModel& model, const mjData& data, int body, const F& touched) {
  for (int i = 0; i < data.ncon; ++i) {
    const int* const geoms = data.contact[i].geom;
    if (model.geom_bodyid[geoms[0]] == body) {
      touched(geoms[1]);
    } else if (model.geom_bodyid[geoms[1]] == body) {
      touched(geoms[0]);
    }
  }
}

}  // namespace envpool::myosuite
