// SPDX-License-Identifier: Apache-2.0
// StillGeoms: the geoms of bodies that do not move, which each episode places anew.
//
//   StillGeoms walls(model, {Names(model).body("walls")});
//   walls.Prepare(physics);              // once
//   walls.PlaceBox(0, {4, 0, 1}, {0.1, 2, 1});
//   walls.RemoveFrom(1);                 // the others are not there in this episode
//   walls.FindVolumes();
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "dm_control/physics.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

class StillGeoms {
 public:
  /// The bodies are at the origin and have all their geoms one after the other. Throws MujocoError
  /// otherwise.
  StillGeoms(const mjModel& model, std::vector<int> bodies);

  bool Has(int geom) const { return geom >= first_ && geom < first_ + count_; }

  void Prepare(Physics& physics);
  /// Geoms are numbered from the first one of the bodies. A box is turned as its body is: it has
  /// its middle here, and these halves of its lengths. Throws MujocoError where there is no such
  /// geom, or its place in the model is that of its body.
  void PlaceBox(int number, const Vec3& middle, const Vec3& half);
  /// A capsule from one end to the other.
  void PlaceCapsule(int number, const Vec3& from, const Vec3& to, double radius);
  /// A plane, and as much of it as is seen.
  void PlacePlane(int number, const Vec3& middle, const Vec3& size);
  /// Takes the geoms of the only body from this one on away.
  void RemoveFrom(int number);
  /// To be called after geoms were placed: the volumes in which MuJoCo looks for contacts.
  void FindVolumes();

 private:
  void Place(int number, const Vec3& middle, const Vec3& size);
  void SetExtent(int number, const Vec3& half, double radius);
  void WriteVolume(int geom, mjtNum* volume) const;

  const std::vector<int> bodies_;
  const int first_;
  int count_ = 0;
  const mjModel* model_ = nullptr;
  mjtNum *pos_ = nullptr, *quat_ = nullptr, *size_ = nullptr, *aabb_ = nullptr, *rbound_ = nullptr;
  mjtNum* volumes_ = nullptr;
  int *contype_ = nullptr, *conaffinity_ = nullptr;
  std::vector<int> types_, affinities_;  // of geoms that are there
};

}  // namespace envpool::mujoco
