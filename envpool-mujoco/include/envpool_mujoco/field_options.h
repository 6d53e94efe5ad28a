// SPDX-License-Identifier: Apache-2.0
// FieldOptions: the options about fields of the model, which every SimulatedEnv has, and their
// infos.
//
//   struct ArmSpec : SimulatedSpec<ArmSpec> {
//     static SharedModel Model(const auto& config) { return ModelStore::Load(config["xml_file"_]);
//     } static auto DefaultConfig() { return Dict{...} + FieldOptions(); } static auto
//     StateSpec(const auto& config) {
//       return Dict{..., "info:model"_ = FieldInfos(config, Model(config))};
//     }
//   };
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/nested_numbers.h"
#include "envpool_mujoco/field_draws.h"
#include "envpool_mujoco/model_fields.h"

namespace envpool::mujoco {
using namespace envpool::literals;

inline auto FieldOptions() {
  return Dict{"randomize"_ = Randomize{}, "model_info"_ = std::vector<std::string>{}};
}

/// The infos of the option `model_info`: fields of the model, with each environment's values.
template <typename Config>
SpecList FieldInfos(const Config& config, const SharedModel& model) {
  SpecList infos;
  const std::vector<std::string>& names = config["model_info"_];
  if (names.empty() && config["randomize"_].empty()) return infos;
  FieldDraws::Of(model, config["randomize"_]);  // throws OptionError for a wrong value
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

/// Throws OptionError for `option` unless these are fields of the model that may differ, with the
/// model's number of values.
inline void CheckFields(const FieldValues& values, const SharedModel& model,
                        const std::string& option) {
  if (values.empty()) return;
  const auto fields = ModelFields::Of(model);
  for (const auto& [name, numbers] : values) fields->Check(name, numbers, option);
}

/// The shared part of all environments' descriptions. `Description` has a function `SharedModel
/// Model(config)`, which returns the simulated model.
template <typename Description>
struct SimulatedSpec {
  static constexpr std::string_view kNotInStates[] = {"model_info"};

  static auto ResetOptions(const auto& /*config*/) {
    return Dict{"model_fields"_ = NestedNumbers{}};
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    const FieldValues& values = options["model_fields"_].values;
    if (!values.empty()) CheckFields(values, Description::Model(config), "model_fields");
  }
};

}  // namespace envpool::mujoco
