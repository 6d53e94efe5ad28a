// SPDX-License-Identifier: Apache-2.0
// FieldsEnv: an environment in whose model fields may differ from those of its neighbours.
//
//   struct ArmSpec : FieldsSpec {
//     static auto DefaultConfig() { return Dict{...} + FieldOptions(); }
//     static auto StateSpec(const auto& config) {
//       return Dict{..., "info:model"_ = FieldInfos(config, *model)};
//     }
//     static SharedModel FieldsModel(const auto& config) { return ...; }   // for Python's errors
//   };
//   class Arm final : public FieldsEnv<ArmSpec, NumpyRandom> {
//     Arm(const Spec& spec, int env_id) : ..., simulation_(...) { UseFields(simulation_); }
//     void Reset() override {
//       simulation_.RestoreFields();
//       ...                                    // draws the start
//       DrawFields();
//       simulation_.Forward();                 // and the first observation
//     }
//   };
//
// In Python the family adds envpool_mujoco.family.with_fields to what it prepares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/nested_numbers.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/field_draws.h"
#include "envpool_mujoco/model_fields.h"
#include "envpool_mujoco/simulation.h"

namespace envpool::mujoco {
using namespace envpool::literals;

/// Options of every such environment.
inline auto FieldOptions() {
  return Dict{"randomize"_ = Randomize{}, "model_info"_ = std::vector<std::string>{}};
}

/// What the option `model_info` asks for: fields of the model, as each environment has them.
template <typename Config>
SpecList FieldInfos(const Config& config, const SharedModel& model) {
  SpecList infos;
  const std::vector<std::string>& names = config["model_info"_];
  if (names.empty() && config["randomize"_].empty()) return infos;
  FieldDraws::Of(model, config["randomize"_]);  // or it is refused
  const auto fields = ModelFields::Of(model);
  for (const std::string& name : names) {
    const ModelField& field = fields->at(fields->Readable(name, "model_info"));
    std::vector<int> shape;
    if (field.pointed) shape.push_back(field.rows);
    if (!field.pointed || field.columns > 1) shape.push_back(field.columns);
    infos.arrays.push_back(
        MakeArraySpec("info:model." + name, envpool::Spec<double>(std::move(shape))));
  }
  return infos;
}

/// Throws OptionError of `option` unless these are fields of the model that may differ, with as
/// many numbers as the model has there.
inline void CheckFields(const FieldValues& values, const SharedModel& model,
                        const std::string& option) {
  if (values.empty()) return;
  const auto fields = ModelFields::Of(model);
  for (const auto& [name, numbers] : values) fields->Check(name, numbers, option);
}

/// The part of a description that is about fields.
struct FieldsSpec {
  static auto ResetOptions(const auto& /*config*/) {
    return Dict{"model_fields"_ = NestedNumbers{}};
  }
};

template <typename Description, typename Random>
class FieldsEnv : public Env<Description, Random> {
  using Base = Env<Description, Random>;

 public:
  using Base::Base;
  using typename Base::Spec;

  // What a new seed leaves alone.
  FieldValues Kept() const { return simulation_->set_fields(); }
  void Keep(const FieldValues& kept) { simulation_->SetFields(kept); }

  /// Answers what the pool's methods ask; see envpool_mujoco/_pool_fields.py.
  std::string Call(const std::string& request) {
    StateReader in(request.data(), request.size());
    StateWriter out;
    std::string what, name;
    in.Read(what, name);
    if (what == "state") return PhysicsState();
    if (what == "rollout") return Rollout(in);
    const auto fields = ModelFields::Of(simulation_->shared());
    if (what == "read") {
      const ModelField& field = fields->at(fields->Readable(name, "name"));
      std::vector<double> values;
      for (int i = 0; i < field.size(); ++i) values.push_back(field.Read(simulation_->model(), i));
      out.Write(field.pointed ? field.rows : 0, field.columns, values);
    } else if (what == "set") {
      std::vector<double> values;
      in.Read(values);
      fields->Check(name, values, "name");
      simulation_->SetField(name, values);
    } else {
      throw Error(ErrorKind::kConfig, "a call '" + what + "'", "an unknown one", "'read' or 'set'",
                  "install wheels of the same version");
    }
    return out.Take();
  }

 protected:
  /// To be called by a constructor; the simulation is a member of the environment.
  void UseFields(Simulation& simulation) {
    simulation_ = &simulation;
    simulation.Randomize(this->spec_.config["randomize"_]);
    const std::vector<std::string>& names = this->spec_.config["model_info"_];
    if (names.empty()) return;
    fields_ = ModelFields::Of(simulation.shared());
    for (const std::string& name : names) {
      told_.push_back(&fields_->at(fields_->Readable(name, "model_info")));
    }
  }
  /// At the end of what a start draws. Returns whether the model may have changed.
  bool DrawFields() {
    return simulation_->DrawFields(this->gen_, this->reset_options()["model_fields"_].values);
  }
  /// Writes what `model_info` asks for.
  template <typename State>
  void TellFields(const State& state) const {
    std::size_t i = 0;
    for (const ModelField* field : told_) {
      std::byte* out = state["info:model"_][i++].data;
      for (int k = 0; k < field->size(); ++k, out += sizeof(double)) {
        const double value = field->Read(simulation_->model(), k);
        std::memcpy(out, &value, sizeof(double));
      }
    }
  }

 private:
  std::string PhysicsState() {
    const Simulation::Visit visit(*simulation_, Simulation::Finds::kState);
    const mjModel& model = simulation_->model();
    std::vector<mjtNum> state(static_cast<std::size_t>(mj_stateSize(&model, mjSTATE_FULLPHYSICS)));
    mj_getState(&model, &simulation_->data(), state.data(), mjSTATE_FULLPHYSICS);
    StateWriter out;
    out.Write(model.nu, model.nsensordata, state);
    return out.Take();
  }
  std::string Rollout(StateReader& in) {
    std::vector<mjtNum> start, controls, states, sensors;
    in.Read(start, controls);
    const Simulation::Visit visit(*simulation_, Simulation::Finds::kState);
    simulation_->Rollout(start, controls, states, sensors);
    StateWriter out;
    out.Write(states, sensors);
    return out.Take();
  }

  Simulation* simulation_ = nullptr;
  std::shared_ptr<const ModelFields> fields_;  // where some are told
  std::vector<const ModelField*> told_;
};

}  // namespace envpool::mujoco
