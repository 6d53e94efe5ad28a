// SPDX-License-Identifier: Apache-2.0
// OwnFields: the fields of a model that one environment owns, and the values derived from them.
//
//   OwnFields fields(shared, FieldDraws::Of(shared, option));
//   fields.Restore(model);                  // before a start is drawn: restores the model's values
//   fields.Begin(model, random, once);      // after it: sets, draws, and computes derived values
//
// `model` is the environment's own struct; it shares the arrays of the shared model. This class has
// a copy of each array that changes. If a task owns the array, numbers in it change for the rest of
// the episode. MuJoCo computes derived values in a scratch copy of the model.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "envpool/state_io.h"
#include "envpool_mujoco/field_draws.h"
#include "envpool_mujoco/model_fields.h"

namespace envpool::mujoco {

class OwnFields {
 public:
  /// With `mixes_friction` the friction of listed pairs, most of the memory, is not kept:
  /// MixFriction computes it for each use of the model.
  OwnFields(std::shared_ptr<const FieldDraws> draws, bool mixes_friction);
  OwnFields(const OwnFields&) = delete;
  OwnFields& operator=(const OwnFields&) = delete;

  /// The values that the user has set; the next Begin applies them.
  const FieldValues& set() const { return set_; }
  void Set(const FieldValues& values) { set_ = values; }
  /// Sets one field; without values, to the model's.
  void Set(const std::string& field, const std::vector<double>& values) {
    if (values.empty()) {
      set_.erase(field);
    } else {
      set_[field] = values;
    }
  }

  void Restore(mjModel& model);
  /// Restores the state before any set or draw.
  void Forget(mjModel& model) {
    Restore(model);
    set_.clear();
    now_.clear();
    inertia_.clear();
  }
  /// Uses `once` in place of the set values. Throws MujocoError after restoring the model.
  template <typename Random>
  void Begin(mjModel& model, Random& random, const FieldValues& once) {
    Prepare(model, once);
    draws_->Draw(random, before_.data(), drawn_.data());
    Finish(model);
  }

  /// Writes the friction of listed pairs into `memory` and points the model to it, until
  /// UnmixFriction.
  void MixFriction(mjModel& model, std::vector<mjtNum>& memory) const;
  void UnmixFriction(mjModel& model) const {
    if (friction_changed_) model.pair_friction = shared().pair_friction;
  }

  void Save(envpool::StateWriter& out) const;
  /// Call it after the task's arrays were loaded. Throws std::out_of_range.
  void Load(mjModel& model, envpool::StateReader& in);

 private:
  /// A copy of an array; it replaces the array while `on`.
  struct Layer {
    std::size_t offset, bytes;
    std::unique_ptr<std::byte[]> memory;
    bool on;
  };
  /// A number of an array that the task owns, and its former value.
  struct Undo {
    int field, element;
    double value;
  };
  /// All numbers of a field.
  struct Whole {
    int field;
    std::vector<double> values;
  };

  const ModelFields& fields() const { return draws_->fields(); }
  const mjModel& shared() const { return *fields().model(); }
  bool IsTasks(mjModel& model, std::size_t offset);
  Layer* LayerOf(std::size_t offset);
  /// Gives the environment its own copy of an array.
  void* Own(mjModel& model, std::size_t offset, std::size_t bytes);
  void Write(mjModel& model, const ModelField& field, int element, double value);
  template <typename Visit>
  void ForEachNumber(const Visit& visit) const;
  void Prepare(mjModel& model, const FieldValues& once);
  void Finish(mjModel& model);
  void Inertias(mjModel& model);
  void Put(mjModel& model);
  void Derive(mjModel& model);
  void Relist(mjModel& model);

  const std::shared_ptr<const FieldDraws> draws_;
  const bool mixes_friction_;
  bool friction_changed_ = false;  // of listed pairs, if it is mixed
  bool inertia_follows_ = false;   // of a drawn mass
  std::vector<Layer> layers_;
  std::vector<Undo> undo_;
  FieldValues set_;
  std::vector<Whole> now_;  // values set when this episode began
  std::vector<double> before_, drawn_;
  std::vector<Whole> inertia_;  // body_inertia if it follows a drawn mass: one element, or none
};

}  // namespace envpool::mujoco
