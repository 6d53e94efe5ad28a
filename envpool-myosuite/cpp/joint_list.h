// SPDX-License-Identifier: Apache-2.0
// Joints with one number each, by name.
//
//   const JointList own(model, [](std::string_view name) { return !name.starts_with("ping"); });
//   out = own.WritePositions(data, out);
#pragma once

#include <mujoco/mujoco.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/error.h"
#include "envpool_mujoco/names.h"

namespace envpool::myosuite {

struct JointList {
  /// The joints whose names are wanted, in the model's order. Throws OptionError if one of them is
  /// a ball joint or a free joint.
  template <typename Wanted>
  JointList(const mjModel& model, const Wanted& wanted) {
    for (int i = 0; i < model.njnt; ++i) {
      const char* const name = mj_id2name(&model, mjOBJ_JOINT, i);
      if (wanted(std::string_view(name == nullptr ? "" : name))) Add(model, i);
    }
  }
  /// The named joints, in this order. Throws OptionError for an unknown name.
  JointList(const mjModel& model, const std::vector<std::string>& names) {
    for (const std::string& name : names) Add(model, mujoco::NumberOf(model, mjOBJ_JOINT, name));
  }

  int size() const { return static_cast<int>(positions.size()); }
  double* WritePositions(const mjData& data, double* out) const {
    for (const int place : positions) *out++ = data.qpos[place];
    return out;
  }
  double* WriteVelocities(const mjData& data, double dt, double* out) const {
    for (const int place : velocities) *out++ = data.qvel[place] * dt;
    return out;
  }

  std::vector<int> positions, velocities;  // indices in qpos and qvel

 private:
  void Add(const mjModel& model, int joint) {
    if (model.jnt_type[joint] != mjJNT_HINGE && model.jnt_type[joint] != mjJNT_SLIDE) {
      throw OptionError("xml_file", "a model with other joints",
                        "one as the task's own, where all but objects are on hinges and slides",
                        "pass such a model");
    }
    positions.push_back(model.jnt_qposadr[joint]);
    velocities.push_back(model.jnt_dofadr[joint]);
  }
};

}  // namespace envpool::myosuite
