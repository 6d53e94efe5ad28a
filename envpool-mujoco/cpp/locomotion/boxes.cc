// SPDX-License-Identifier: Apache-2.0
#include "locomotion/boxes.h"

#include <algorithm>
#include <cmath>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {

Boxes::Boxes(const mjModel& model, int body)
    : body_(body), first_(model.body_geomadr[body]), count_(model.body_geomnum[body]) {
  const mjtNum plain[4] = {1, 0, 0, 0};
  for (int geom = first_; geom < first_ + count_; ++geom) {
    // MuJoCo would not look at the place of a geom that has one of its body's.
    const int frame = model.geom_sameframe[geom];
    if (model.geom_type[geom] == mjGEOM_BOX && frame != mjSAMEFRAME_BODY &&
        frame != mjSAMEFRAME_INERTIA && std::equal(plain, plain + 4, model.geom_quat + 4 * geom)) {
      continue;
    }
    throw MujocoError("a geom that episodes place anew is no box, or has a frame of its body");
  }
}

void Boxes::Prepare(Physics& physics) {
  const mjModel& model = physics.model();
  model_ = &model;
  pos_ = physics.Own(&mjModel::geom_pos, 3 * model.ngeom) + 3 * first_;
  size_ = physics.Own(&mjModel::geom_size, 3 * model.ngeom) + 3 * first_;
  aabb_ = physics.Own(&mjModel::geom_aabb, 6 * model.ngeom) + 6 * first_;
  rbound_ = physics.Own(&mjModel::geom_rbound, model.ngeom) + first_;
  contype_ = physics.Own(&mjModel::geom_contype, model.ngeom) + first_;
  conaffinity_ = physics.Own(&mjModel::geom_conaffinity, model.ngeom) + first_;
  type_ = contype_[0];
  affinity_ = conaffinity_[0];
  bvh_ = physics.Own(&mjModel::bvh_aabb, 6 * model.nbvhstatic);
  // Volumes are told in the frame of the body's inertia, which nothing else needs of a body that
  // does not move. Here it is the body's own, whatever the boxes weigh.
  std::fill_n(physics.Own(&mjModel::body_ipos, 3 * model.nbody) + 3 * body_, 3, 0);
  const mjtNum plain[4] = {1, 0, 0, 0};
  std::copy_n(plain, 4, physics.Own(&mjModel::body_iquat, 4 * model.nbody) + 4 * body_);
}

void Boxes::Place(int box, const Vec3& middle, const Vec3& half) {
  if (box >= count_) throw MujocoError("an episode has more boxes than the model");
  std::ranges::copy(middle, pos_ + 3 * box);
  std::ranges::copy(half, size_ + 3 * box);
  std::ranges::copy(half, aabb_ + 6 * box + 3);  // around its own middle
  rbound_[box] = std::sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
  contype_[box] = type_;
  conaffinity_[box] = affinity_;
}

void Boxes::Finish(int used) {
  for (int box = used; box < count_; ++box) {
    // Within the last one, where nobody sees it.
    const mjtNum* last = pos_ + 3 * (used - 1);
    Place(box, {last[0], last[1], last[2]}, {0.001, 0.001, 0.001});
    contype_[box] = conaffinity_[box] = 0;
  }
  // Children come after their parent.
  const int begin = model_->body_bvhadr[body_];
  for (int node = model_->body_bvhnum[body_] - 1; node >= 0; --node) {
    mjtNum* volume = bvh_ + 6 * (begin + node);
    const int geom = model_->bvh_nodeid[begin + node];
    if (geom >= 0) {
      std::copy_n(pos_ + 3 * (geom - first_), 3, volume);
      std::copy_n(size_ + 3 * (geom - first_), 3, volume + 3);
      continue;
    }
    const int* children = model_->bvh_child + 2 * (begin + node);
    const mjtNum *one = bvh_ + 6 * (begin + children[0]), *other = bvh_ + 6 * (begin + children[1]);
    for (int i = 0; i < 3; ++i) {
      const mjtNum low = std::min(one[i] - one[3 + i], other[i] - other[3 + i]);
      const mjtNum high = std::max(one[i] + one[3 + i], other[i] + other[3 + i]);
      volume[i] = (low + high) / 2;
      volume[3 + i] = (high - low) / 2;
    }
  }
}

}  // namespace envpool::mujoco
