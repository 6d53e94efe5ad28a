// SPDX-License-Identifier: Apache-2.0
// Names: the indices of a model's elements by name. Throws MujocoError for unknown names.
//
//   const Names names(model);
//   torso_ = names.body("torso");              // data.xpos + 3 * torso_
//   speed_ = names.sensor("torso_velocity");   // data.sensordata + speed_
#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {

class Names {
 public:
  explicit Names(const mjModel& model) : model_(model) {}

  int body(const std::string& name) const { return Id(mjOBJ_BODY, name); }
  int geom(const std::string& name) const { return Id(mjOBJ_GEOM, name); }
  int site(const std::string& name) const { return Id(mjOBJ_SITE, name); }
  int light(const std::string& name) const { return Id(mjOBJ_LIGHT, name); }
  int joint(const std::string& name) const { return Id(mjOBJ_JOINT, name); }
  /// The first position of a joint.
  int qpos(const std::string& joint) const { return model_.jnt_qposadr[this->joint(joint)]; }
  /// The first velocity of a joint.
  int qvel(const std::string& joint) const { return model_.jnt_dofadr[this->joint(joint)]; }
  /// The first number of a sensor.
  int sensor(const std::string& name) const { return model_.sensor_adr[Id(mjOBJ_SENSOR, name)]; }

 private:
  int Id(mjtObj type, const std::string& name) const {
    const int id = mj_name2id(&model_, type, name.c_str());
    if (id >= 0) return id;
    throw MujocoError("the model has no " + std::string(mju_type2Str(type)) + " '" + name + "'");
  }

  const mjModel& model_;
};

}  // namespace envpool::mujoco
