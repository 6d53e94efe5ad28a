// SPDX-License-Identifier: Apache-2.0
// The shared parts of tasks with two legs: the model's keyframes, and a terrain that can be hidden.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <string>

#include "envpool/error.h"
#include "ground.h"
#include "muscle_env.h"

namespace envpool::myosuite {

constexpr char kLegs[] = "simhive/myo_sim/leg/myolegs.xml";

/// Throws OptionError unless a model begins with a free joint and has `keyframes` keyframes.
inline void CheckLegs(const mjModel& model, int keyframes) {
  if (model.njnt > 0 && model.jnt_type[0] == mjJNT_FREE && model.nkey >= keyframes) return;
  throw OptionError(
      "xml_file", "a model of other legs",
      "one that begins with a free joint and has " + std::to_string(keyframes) + " keyframes",
      "pass such a model");
}

template <typename Description>
class Legs : public MuscleEnv<Description> {
 public:
  using typename MuscleEnv<Description>::Spec;

  Legs(const Spec& spec, int env_id)
      : MuscleEnv<Description>(spec, env_id),
        terrain_(mujoco::NumberOf(this->model(), mjOBJ_GEOM, "terrain")),
        colours_(Own(&mjModel::geom_rgba, 4)),
        places_(Own(&mjModel::geom_pos, 3)) {}

 protected:
  /// The geoms' colors, four numbers each.
  float* colours() { return colours_; }
  /// Puts the terrain far below, invisible.
  void HideTerrain() { PutTerrain(-10, 0); }
  /// Shows the terrain; returns its kHeights heights. Throws OptionError if it has another number.
  float* ShowTerrain() {
    if (this->model().nhfielddata != kHeights) {
      throw OptionError("xml_file", std::to_string(this->model().nhfielddata) + " heights",
                        std::to_string(kHeights), "leave `terrain` out");
    }
    PutTerrain(0, 1);
    Own(&mjModel::geom_contype, 1)[terrain_] = 1;
    Own(&mjModel::geom_conaffinity, 1)[terrain_] = 1;
    return this->simulation().Own(&mjModel::hfield_data, static_cast<int>(kHeights));
  }
  /// Begins with the values of a keyframe.
  void BeginAt(int keyframe) {
    const mjModel& model = this->model();
    std::copy_n(model.key_qpos + keyframe * model.nq, model.nq, this->position().begin());
    std::copy_n(model.key_qvel + keyframe * model.nv, model.nv, this->velocity().begin());
  }

 private:
  /// A private copy of a model's array with `each` numbers per geom.
  template <typename T>
  T* Own(T* mjModel::* member, int each) {
    return this->simulation().Own(member, each * static_cast<int>(this->model().ngeom));
  }
  void PutTerrain(double height, float opacity) {
    const double place[] = {0, 0, height};
    std::copy_n(place, 3, places_ + 3 * terrain_);
    colours_[4 * terrain_ + 3] = opacity;
  }

  const int terrain_;
  float* const colours_;
  mjtNum* const places_;
};

}  // namespace envpool::myosuite
