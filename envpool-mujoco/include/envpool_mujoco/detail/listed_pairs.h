// SPDX-License-Identifier: Apache-2.0
// The broad phase of collision detection, done once: a model that lists all pairs of geoms that may
// ever touch.
//
//   std::shared_ptr<const mjModel> quick = WithListedPairs(model);
//   mj_step(quick.get(), data);      // the same contacts in the same order, in less time
//
// A robot has few such pairs, most of them with the floor. To find out at each step which of them
// are near, MuJoCo sorts all bodies along three axes. It does not do so with pairs that the author
// of a model has listed as <pair>, but asks one after the other, by a sphere around each geom. So
// this model lists what MuJoCo would find anyway. Without the middle phase (mjDSBL_MIDPHASE), which
// has an order of its own, all numbers stay as they are.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

namespace envpool::mujoco {

/// The model with a list of its pairs; itself where that is not known to be the same, and quicker.
std::shared_ptr<const mjModel> WithListedPairs(const std::shared_ptr<const mjModel>& shared);

/// Whether this is a model with such a list, or a copy of one. Then both of these point to zeros,
/// as many as there are geoms.
inline bool HasListedPairs(const mjModel& model) {
  return model.npair > 0 && model.geom_contype == model.body_contype;
}

/// Arrays of a model with listed pairs that follow from its geoms.
struct PairNumbers {
  mjtNum *solref = nullptr, *solimp = nullptr, *margin = nullptr, *gap = nullptr,
         *friction = nullptr;
};
/// Writes what MuJoCo would make of the two geoms of a pair.
void MixPair(const mjModel& model, int pair, const PairNumbers& numbers);

}  // namespace envpool::mujoco
