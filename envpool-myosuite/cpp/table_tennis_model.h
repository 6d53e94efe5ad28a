// SPDX-License-Identifier: Apache-2.0
// The player of table tennis, made from the file's model as in myosuite 2.12.2: the legs lose
// joints and sites, nothing above the forearm can be touched, all sensors except those of ball and
// paddle are removed, and a mirrored copy of the right arm without joints becomes the left arm.
//
//   SharedModel model = ModelStore::Built(path, "table tennis", MakePlayer);
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool_mujoco/library.h"
#include "spec_elements.h"

namespace envpool::myosuite {
namespace detail {

/// A joint's number of values in qpos.
inline int NumbersOf(mjtJoint type) { return type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1; }

/// Joints in the order in which a compiled model has them.
inline void CollectJoints(mjsBody* body, std::vector<mjsJoint*>& joints) {
  for (mjsElement* joint : ChildrenOf(body, mjOBJ_JOINT)) joints.push_back(mjs_asJoint(joint));
  for (mjsElement* child : ChildrenOf(body, mjOBJ_BODY)) {
    CollectJoints(mjs_asBody(child), joints);
  }
}

/// Removes sites and joints below a body; returns the joints' names.
inline std::set<std::string> Freeze(mjSpec& spec, mjsBody* body) {
  std::set<std::string> joints;
  for (mjsElement* site : ChildrenOf(body, mjOBJ_SITE)) mjs_delete(&spec, site);
  for (mjsElement* joint : ChildrenOf(body, mjOBJ_JOINT)) {
    joints.insert(NameOf(joint));
    mjs_delete(&spec, joint);
  }
  for (mjsElement* child : ChildrenOf(body, mjOBJ_BODY)) {
    joints.merge(Freeze(spec, mjs_asBody(child)));
  }
  return joints;
}

/// Makes everything below a body untouchable; with `but_forearms`, except bodies named after the
/// radius.
inline void MakeUntouchable(mjsBody* body, bool but_forearms) {
  if (but_forearms && NameOf(body->element).find("radius") != std::string::npos) return;
  for (mjsElement* element : ChildrenOf(body, mjOBJ_GEOM)) {
    mjsGeom* const geom = mjs_asGeom(element);
    geom->contype = geom->conaffinity = 0;
  }
  for (mjsElement* child : ChildrenOf(body, mjOBJ_BODY)) {
    MakeUntouchable(mjs_asBody(child), but_forearms);
  }
}

/// Removes the legs' joints, their constraints, and their numbers in keyframes.
inline void FreezeLegs(mjSpec& spec) {
  std::vector<mjsJoint*> joints;
  CollectJoints(mjs_findBody(&spec, "world"), joints);
  std::vector<std::pair<std::string, int>> places;  // names and numbers of values in qpos
  for (mjsJoint* joint : joints) {
    places.emplace_back(NameOf(joint->element), NumbersOf(joint->type));
  }
  std::set<std::string> gone = Freeze(spec, BodyNamed(spec, "femur_l"));
  gone.merge(Freeze(spec, BodyNamed(spec, "femur_r")));
  for (mjsElement* element : ElementsOf(spec, mjOBJ_EQUALITY)) {
    const mjsEquality* const equality = mjs_asEquality(element);
    if (equality->type != mjEQ_JOINT) continue;
    if (gone.count(mjs_getString(equality->name1)) + gone.count(mjs_getString(equality->name2))) {
      mjs_delete(&spec, element);
    }
  }
  for (mjsElement* element : ElementsOf(spec, mjOBJ_KEY)) {
    mjsKey* const key = mjs_asKey(element);
    int size = 0;
    const double* const before = mjs_getDouble(key->qpos, &size);
    std::vector<double> kept;
    int place = 0;
    for (const auto& [name, count] : places) {
      for (int i = 0; i < count; ++i, ++place) {
        if (place < size && !gone.contains(name)) kept.push_back(before[place]);
      }
    }
    mjs_setDouble(key->qpos, kept.data(), static_cast<int>(kept.size()));
  }
}

inline void Mirror(double* place, double* turn) {
  place[1] *= -1;
  turn[1] *= -1;
  turn[3] *= -1;
}
inline void Rename(mjsElement* element) { SetName(element, NameOf(element) + "_mirrored"); }

/// Mirrors the bones below a body, adds their meshes' names to `meshes`, and removes everything
/// else.
inline void MirrorArm(mjSpec& spec, mjsBody* body, std::set<std::string>& meshes) {
  Mirror(body->pos, body->quat);
  Rename(body->element);
  for (mjsElement* element : ChildrenOf(body, mjOBJ_GEOM)) {
    mjsGeom* const geom = mjs_asGeom(element);
    if (geom->type != mjGEOM_MESH) {
      mjs_delete(&spec, element);
      continue;
    }
    Mirror(geom->pos, geom->quat);
    Rename(element);
    geom->group = 1;
    const std::string mesh = mjs_getString(geom->meshname);
    meshes.insert(mesh);
    mjs_setString(geom->meshname, (mesh + "_mirrored").c_str());
  }
  for (mjsElement* child : ChildrenOf(body, mjOBJ_BODY)) {
    if (NameOf(child).find("ping_pong") != std::string::npos) {
      mjs_delete(&spec, child);
    } else {
      MirrorArm(spec, mjs_asBody(child), meshes);
    }
  }
}

/// Attaches the mirrored arm to the torso.
inline void AddLeftArm(mjSpec& spec) {
  const std::unique_ptr<mjSpec, void (*)(mjSpec*)> other(mj_copySpec(&spec), mj_deleteSpec);
  if (other == nullptr) throw mujoco::MujocoError("there is not enough memory for a model");
  mjsFrame* const frame = mjs_addFrame(BodyNamed(spec, "torso"), nullptr);
  const double turn[] = {0.5, 0.5, -0.5, 0.5}, place[] = {0.05, 0.373, -0.04};
  std::copy_n(turn, 4, frame->quat);
  std::copy_n(place, 3, frame->pos);
  for (const mjtObj kind : {mjOBJ_KEY, mjOBJ_TEXTURE, mjOBJ_MATERIAL, mjOBJ_TENDON, mjOBJ_ACTUATOR,
                            mjOBJ_EQUALITY, mjOBJ_SENSOR, mjOBJ_CAMERA}) {
    for (mjsElement* element : ElementsOf(*other, kind)) mjs_delete(other.get(), element);
  }
  mjsBody* const world = mjs_findBody(other.get(), "world");
  Freeze(*other, world);
  MakeUntouchable(world, false);
  std::set<std::string> meshes;
  mjsBody* const arm = BodyNamed(*other, "clavicle");
  MirrorArm(*other, arm, meshes);
  for (mjsElement* element : ElementsOf(*other, mjOBJ_MESH)) {
    if (meshes.contains(NameOf(element))) {
      Rename(element);
      mjs_asMesh(element)->scale[1] *= -1;
    } else {
      mjs_delete(other.get(), element);
    }
  }
  if (mjs_attach(frame->element, arm->element, "", "") == nullptr) {
    throw mujoco::MujocoError(mjs_getError(&spec));
  }
  const double ulna[] = {0.546, 0, 0, -0.838}, humerus[] = {0.924, 0.383, 0, 0};
  std::copy_n(ulna, 4, BodyNamed(spec, "ulna_mirrored")->quat);
  std::copy_n(humerus, 4, BodyNamed(spec, "humerus_mirrored")->quat);
}

}  // namespace detail

/// Throws OptionError if a model lacks parts of the player.
inline void MakePlayer(mjSpec& spec) {
  for (mjsElement* sensor : detail::ElementsOf(spec, mjOBJ_SENSOR)) {
    const std::string name = detail::NameOf(sensor);
    const bool stays = name.find("pingpong") != name.npos || name.find("paddle") != name.npos;
    if (!stays) mjs_delete(&spec, sensor);
  }
  detail::FreezeLegs(spec);
  detail::MakeUntouchable(detail::BodyNamed(spec, "full_body"), true);
  detail::AddLeftArm(spec);
}

}  // namespace envpool::myosuite
