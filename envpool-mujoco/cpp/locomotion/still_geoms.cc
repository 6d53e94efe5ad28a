// SPDX-License-Identifier: Apache-2.0
#include "locomotion/still_geoms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {
namespace {

constexpr mjtNum kPlain[4] = {1, 0, 0, 0};

}  // namespace

StillGeoms::StillGeoms(const mjModel& model, std::vector<int> bodies)
    : bodies_(std::move(bodies)), first_(model.body_geomadr[bodies_.front()]) {
  for (const int body : bodies_) {
    if (model.body_geomadr[body] != first_ + count_) {
      throw MujocoError("geoms that episodes place anew are not side by side");
    }
    count_ += model.body_geomnum[body];
  }
}

void StillGeoms::Prepare(Physics& physics) {
  const mjModel& model = physics.model();
  model_ = &model;
  pos_ = physics.Own(&mjModel::geom_pos, 3 * model.ngeom);
  quat_ = physics.Own(&mjModel::geom_quat, 4 * model.ngeom);
  size_ = physics.Own(&mjModel::geom_size, 3 * model.ngeom);
  aabb_ = physics.Own(&mjModel::geom_aabb, 6 * model.ngeom);
  rbound_ = physics.Own(&mjModel::geom_rbound, model.ngeom);
  contype_ = physics.Own(&mjModel::geom_contype, model.ngeom);
  conaffinity_ = physics.Own(&mjModel::geom_conaffinity, model.ngeom);
  types_.assign(contype_ + first_, contype_ + first_ + count_);
  affinities_.assign(conaffinity_ + first_, conaffinity_ + first_ + count_);
  volumes_ = physics.Own(&mjModel::bvh_aabb, 6 * model.nbvhstatic);
  // Volumes are told in the frame of the body's inertia, which nothing else needs of a body that
  // does not move. Here it is the body's own, whatever its geoms weigh.
  mjtNum* places = physics.Own(&mjModel::body_ipos, 3 * model.nbody);
  mjtNum* turns = physics.Own(&mjModel::body_iquat, 4 * model.nbody);
  for (const int body : bodies_) {
    std::fill_n(places + 3 * body, 3, 0);
    std::copy_n(kPlain, 4, turns + 4 * body);
  }
}

void StillGeoms::PlaceBox(int number, const Vec3& middle, const Vec3& half) {
  Place(number, middle, half);
  SetExtent(number, half, std::sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]));
}

void StillGeoms::PlaceCapsule(int number, const Vec3& from, const Vec3& to, double radius) {
  Vec3 along = Difference(from.data(), to.data());
  Vec3 middle;
  for (std::size_t i = 0; i < 3; ++i) middle[i] = (from[i] + to[i]) / 2;
  const double length = std::sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
  Place(number, middle, {radius, length / 2, 0});
  SetExtent(number, {radius, radius, length / 2 + radius}, radius + length / 2);
  // The compiler has another last bit for a capsule along an axis, which turns with no episode.
  if ((along[0] != 0) + (along[1] != 0) + (along[2] != 0) == 1) return;
  for (double& x : along) x /= length;
  mju_quatZ2Vec(quat_ + 4 * (first_ + number), along.data());
}

void StillGeoms::PlacePlane(int number, const Vec3& middle, const Vec3& size) {
  Place(number, middle, size);
}

void StillGeoms::Place(int number, const Vec3& middle, const Vec3& size) {
  if (number >= count_) throw MujocoError("an episode has more geoms than the model");
  const int geom = first_ + number;
  // MuJoCo does not look at the place of a geom that has one of its body's.
  const int frame = model_->geom_sameframe[geom];
  if (frame == mjSAMEFRAME_BODY || frame == mjSAMEFRAME_INERTIA) {
    throw MujocoError("a geom that episodes place anew has a frame of its body");
  }
  std::ranges::copy(middle, pos_ + 3 * geom);
  std::ranges::copy(size, size_ + 3 * geom);
  contype_[geom] = types_[static_cast<std::size_t>(number)];
  conaffinity_[geom] = affinities_[static_cast<std::size_t>(number)];
}

void StillGeoms::SetExtent(int number, const Vec3& half, double radius) {
  std::ranges::copy(half, aabb_ + 6 * (first_ + number) + 3);  // around its own middle
  rbound_[first_ + number] = radius;
}

void StillGeoms::RemoveFrom(int number) {
  // Into the last one, where nobody sees it.
  const mjtNum* last = pos_ + 3 * (first_ + number - 1);
  const Vec3 hidden = {last[0], last[1], last[2]};
  for (; number < count_; ++number) {
    PlaceBox(number, hidden, {0.001, 0.001, 0.001});
    contype_[first_ + number] = conaffinity_[first_ + number] = 0;
  }
}

void StillGeoms::FindVolumes() {
  for (const int body : bodies_) {
    const int begin = model_->body_bvhadr[body];
    // Children come after their parent.
    for (int node = model_->body_bvhnum[body] - 1; node >= 0; --node) {
      mjtNum* volume = volumes_ + 6 * (begin + node);
      if (const int geom = model_->bvh_nodeid[begin + node]; geom >= 0) {
        WriteVolume(geom, volume);
        continue;
      }
      const int* children = model_->bvh_child + 2 * (begin + node);
      const mjtNum* one = volumes_ + 6 * (begin + children[0]);
      const mjtNum* other = volumes_ + 6 * (begin + children[1]);
      for (int i = 0; i < 3; ++i) {
        const mjtNum low = std::min(one[i] - one[3 + i], other[i] - other[3 + i]);
        const mjtNum high = std::max(one[i] + one[3 + i], other[i] + other[3 + i]);
        volume[i] = (low + high) / 2;
        volume[3 + i] = (high - low) / 2;
      }
    }
  }
}

void StillGeoms::WriteVolume(int geom, mjtNum* volume) const {
  // From corner to corner, as the compiler does it: a plane's are so far away that its volume ends
  // a micrometre before or behind it.
  const mjtNum *middle = aabb_ + 6 * geom, *half = middle + 3;
  Vec3 low, high;
  for (int corner = 0; corner < 8; ++corner) {
    mjtNum place[3], turned[3];
    for (int i = 0; i < 3; ++i) place[i] = middle[i] + (corner >> i & 1 ? half[i] : -half[i]);
    mju_rotVecQuat(turned, place, quat_ + 4 * geom);
    for (std::size_t i = 0; i < 3; ++i) {
      const mjtNum at = turned[i] + pos_[3 * geom + static_cast<int>(i)];
      low[i] = corner == 0 ? at : std::min(low[i], at);
      high[i] = corner == 0 ? at : std::max(high[i], at);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    volume[i] = (low[i] + high[i]) / 2;
    volume[3 + i] = (high[i] - low[i]) / 2;
  }
}

}  // namespace envpool::mujoco
