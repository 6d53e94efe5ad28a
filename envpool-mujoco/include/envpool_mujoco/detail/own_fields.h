// SPDX-License-Identifier: Apache-2.0
// OwnFields: fields of a model that are one environment's alone, and what follows from them.
//
//   OwnFields fields(shared, FieldDraws::Of(shared, option));
//   fields.Restore(model);                  // before a start is drawn: all is the model's
//   fields.Begin(model, random, once);      // after it: what was set, what is drawn, what follows
//
// `model` is a struct of the environment's own whose arrays it shares. Of each array that becomes
// another one there is a copy here; where a task owns the array, numbers in it change for as long
// as the episode lasts. MuJoCo computes what follows in a scratch copy of the model.
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
  /// With `mixes_friction` the friction of listed pairs, which is most of the memory, is not kept:
  /// MixFriction computes it for each use of the model.
  OwnFields(std::shared_ptr<const FieldDraws> draws, bool mixes_friction);
  OwnFields(const OwnFields&) = delete;
  OwnFields& operator=(const OwnFields&) = delete;

  /// What the user has set, which the next Begin takes.
  const FieldValues& set() const { return set_; }
  void Set(const FieldValues& values) { set_ = values; }
  /// Of one field; without values, as the model has it.
  void Set(const std::string& field, const std::vector<double>& values) {
    if (values.empty()) {
      set_.erase(field);
    } else {
      set_[field] = values;
    }
  }

  void Restore(mjModel& model);
  /// As if nothing had been set or drawn.
  void Forget(mjModel& model) {
    Restore(model);
    set_.clear();
    now_.clear();
    inertia_.clear();
  }
  /// With `once` in place of what was set. Throws MujocoError, and the model is then as restored.
  template <typename Random>
  void Begin(mjModel& model, Random& random, const FieldValues& once) {
    Prepare(model, once);
    draws_->Draw(random, before_.data(), drawn_.data());
    Finish(model);
  }

  /// Writes the friction of listed pairs into `memory`, to which the model then points, until
  /// UnmixFriction.
  void MixFriction(mjModel& model, std::vector<mjtNum>& memory) const;
  void UnmixFriction(mjModel& model) const {
    if (friction_changed_) model.pair_friction = shared().pair_friction;
  }

  void Save(envpool::StateWriter& out) const;
  /// After the arrays of the task were loaded. Throws std::out_of_range.
  void Load(mjModel& model, envpool::StateReader& in);

 private:
  /// A copy of an array, which takes its place while `on`.
  struct Layer {
    std::size_t offset, bytes;
    std::unique_ptr<std::byte[]> memory;
    bool on;
  };
  /// A number of an array that the task owns, and what it was.
  struct Undo {
    int field, element;
    double value;
  };
  /// A field as a whole.
  struct Whole {
    int field;
    std::vector<double> values;
  };

  const ModelFields& fields() const { return draws_->fields(); }
  const mjModel& shared() const { return *fields().model(); }
  bool IsTasks(mjModel& model, std::size_t offset);
  Layer* LayerOf(std::size_t offset);
  /// Makes the array one of this environment's alone.
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
  bool friction_changed_ = false;  // of listed pairs, where it is mixed
  bool inertia_follows_ = false;   // of a drawn mass
  std::vector<Layer> layers_;
  std::vector<Undo> undo_;
  FieldValues set_;
  std::vector<Whole> now_;  // what was set when this episode began
  std::vector<double> before_, drawn_;
  std::vector<Whole> inertia_;  // body_inertia, where it follows: one, or none
};

}  // namespace envpool::mujoco
