// SPDX-License-Identifier: Apache-2.0
// The broad phase of collision detection, done once: a model that lists all pairs of geoms that may
// touch.
//
//   std::shared_ptr<const mjModel> quick = WithListedPairs(model);
//   mj_step(quick.get(), data);      // the same contacts in the same order, in less time
//
// A robot has few such pairs, most of them with the floor. At each step MuJoCo sorts all bodies
// along three axes to find the near pairs. It does not sort for pairs that the model lists as
// <pair>, but tests each by bounding spheres. So this model lists the pairs that MuJoCo would find.
// Without the middle phase (mjDSBL_MIDPHASE), which has its own order, all numbers stay the same.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

namespace envpool::mujoco {

/// The model with a list of its pairs; the same model if equal numbers or a gain are not certain.
std::shared_ptr<const mjModel> WithListedPairs(const std::shared_ptr<const mjModel>& shared);

/// True if this model, or the model it was copied from, has such a list. Both pointers then point
/// to as many zeros as there are geoms.
inline bool HasListedPairs(const mjModel& model) {
  return model.npair > 0 && model.geom_contype == model.body_contype;
}

/// Arrays of a model with listed pairs that are derived from its geoms.
struct PairNumbers {
  mjtNum *solref = nullptr, *solimp = nullptr, *margin = nullptr, *gap = nullptr,
         *friction = nullptr;
};
/// Writes the parameters that MuJoCo would derive from a pair's two geoms.
void MixPair(const mjModel& model, int pair, const PairNumbers& numbers);

}  // namespace envpool::mujoco
