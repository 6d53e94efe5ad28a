// SPDX-License-Identifier: Apache-2.0
// Indices of a model's elements by name.
//
//   const int hand = SiteOf(model, "hand");   // throws OptionError("xml_file") if there is none
//   const int wrist = PlaceOf(model, "wrist");     // index of its position in qpos
//   const int speed = VelocityOf(model, "wrist");  // index of its velocity in qvel
#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "envpool/error.h"

namespace envpool::mujoco {

/// The index of an element of this kind and name. Throws OptionError for `option` if there is none.
inline int NumberOf(const mjModel& model, mjtObj kind, const std::string& name,
                    const std::string& option = "xml_file") {
  if (const int id = mj_name2id(&model, kind, name.c_str()); id >= 0) return id;
  const std::string word = mju_type2Str(kind);
  throw OptionError(option, "a model without a " + word + " '" + name + "'",
                    "models that have it, as the task's own",
                    "name a " + word + " of the model so");
}
inline int BodyOf(const mjModel& model, const std::string& name) {
  return NumberOf(model, mjOBJ_BODY, name);
}
inline int SiteOf(const mjModel& model, const std::string& name) {
  return NumberOf(model, mjOBJ_SITE, name);
}
inline int ActuatorOf(const mjModel& model, const std::string& name) {
  return NumberOf(model, mjOBJ_ACTUATOR, name);
}
inline int PlaceOf(const mjModel& model, const std::string& joint) {
  return model.jnt_qposadr[NumberOf(model, mjOBJ_JOINT, joint)];
}
inline int VelocityOf(const mjModel& model, const std::string& joint) {
  return model.jnt_dofadr[NumberOf(model, mjOBJ_JOINT, joint)];
}

}  // namespace envpool::mujoco
