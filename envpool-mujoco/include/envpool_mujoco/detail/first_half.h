// SPDX-License-Identifier: Apache-2.0
// The first half of a simulation step: the values that follow from positions and velocities.
//
//   mj_step2(&model, data);
//   StepFirstHalf(model, data);      // the numbers of mj_step1, in less time
//
// If all collisions are listed pairs, the broad phase of collision detection has nothing to do, but
// MuJoCo detects this only after it has projected all geoms of bodies on three axes. So this file
// calls the parts of mj_step1, and the model has no such geoms while MuJoCo searches for contacts.
// Cameras and lights are placed only if sensors may read them: drawing places them itself.
#pragma once

#include <mujoco/mujoco.h>

#include <utility>

#include "envpool_mujoco/detail/listed_pairs.h"

namespace envpool::mujoco {

/// Replaces a value while the object lives.
template <typename T>
class Instead {
 public:
  Instead(T& place, T value) : place_(place), before_(std::exchange(place, value)) {}
  ~Instead() { place_ = before_; }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  T& place_;
  const T before_;
};

namespace detail {
/// True if mj_step1 consists of the parts below: no energy, no sleep, no other metric.
inline bool HasKnownParts(const mjModel& model) {
  return HasListedPairs(model) && model.opt.integrator == mjINT_EULER && model.opt.enableflags == 0;
}

inline void Places(mjModel& model, mjData* data) {
  if (!(model.opt.disableflags & mjDSBL_SENSOR)) return mj_fwdKinematics(&model, data);
  const Instead cameras(model.ncam, decltype(model.ncam){0});
  const Instead lights(model.nlight, decltype(model.nlight){0});
  mj_fwdKinematics(&model, data);
}

// True if the bounding spheres of a pair's geoms are apart.
inline bool AreFar(const mjModel& model, const mjData& data, mjtSize pair) {
  const int a = model.pair_geom1[pair], b = model.pair_geom2[pair];
  const mjtNum radius = model.geom_rbound[a], other = model.geom_rbound[b];
  if (radius == 0 || other == 0) return false;  // a plane
  const mjtNum* from = data.geom_xpos + 3 * a;
  const mjtNum* to = data.geom_xpos + 3 * b;
  const mjtNum x = from[0] - to[0], y = from[1] - to[1], z = from[2] - to[2];
  const mjtNum bound = radius + other + (model.pair_margin[pair] + model.pair_gap[pair]);
  return x * x + y * y + z * z > bound * bound;
}

inline void Contacts(mjModel& model, mjData* data) {
  // MuJoCo makes the same test for each pair, but takes longer: pairs that never meet, like legs,
  // come last.
  mjtSize near = model.npair;
  while (near > 0 && AreFar(model, *data, near - 1)) --near;
  const Instead pairs(model.npair, near);
  const Instead bodies(model.geom_bodyid, model.geom_contype);  // zeros: all geoms are the world's
  mj_collision(&model, data);
}
}  // namespace detail

/// mj_step1. The caller must own the model exclusively, since it is changed temporarily.
inline void StepFirstHalf(mjModel& model, mjData* data) {
  if (!detail::HasKnownParts(model)) return mj_step1(&model, data);
  mj_checkPos(&model, data);
  mj_checkVel(&model, data);
  detail::Places(model, data);
  mj_makeM(&model, data);
  mj_factorM(&model, data);
  detail::Contacts(model, data);
  mj_makeConstraint(&model, data);
  mj_island(&model, data);
  mj_projectConstraint(&model, data);
  mj_transmission(&model, data);
  mj_sensorPos(&model, data);
  mj_fwdVelocity(&model, data);
  mj_sensorVel(&model, data);
}

}  // namespace envpool::mujoco
