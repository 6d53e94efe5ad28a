// SPDX-License-Identifier: Apache-2.0
// Boxes: the boxes of a body that does not move, which each episode places anew.
//
//   Boxes boxes(model, Names(model).body("walls"));
//   boxes.Prepare(physics);              // once
//   boxes.Place(0, {4, 0, 1}, {0.1, 2, 1});
//   boxes.Finish(1);                     // the others are not there in this episode
#pragma once

#include <mujoco/mujoco.h>

#include "dm_control/physics.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

class Boxes {
 public:
  /// All geoms of the body are boxes, and turned as it is. Throws MujocoError otherwise.
  Boxes(const mjModel& model, int body);

  bool Has(int geom) const { return geom >= first_ && geom < first_ + count_; }

  void Prepare(Physics& physics);
  /// The place of a box's middle, and half of its lengths. Throws MujocoError where the model has
  /// too few.
  void Place(int box, const Vec3& middle, const Vec3& half);
  /// Takes the boxes from `used` on away, and finds the volumes in which MuJoCo looks for contacts.
  void Finish(int used);

 private:
  const int body_, first_, count_;
  const mjModel* model_ = nullptr;
  mjtNum *pos_ = nullptr, *size_ = nullptr, *aabb_ = nullptr, *rbound_ = nullptr, *bvh_ = nullptr;
  int *contype_ = nullptr, *conaffinity_ = nullptr;
  int type_ = 0, affinity_ = 0;  // of a box that is there
};

}  // namespace envpool::mujoco
