// SPDX-License-Identifier: Apache-2.0
// An arm whose fingers have no joints, as made by edit_fn_arm_reaching of myosuite 2.12.2: the
// bones of the fingers stay in place, and their actuators are removed.
//
//   SharedModel model = ModelStore::Built(path, "rigid fingers", StiffenFingers);
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "spec_elements.h"

namespace envpool::myosuite {
namespace detail {

/// A restored bone: its name, its position relative to the bone before, and its meshes.
struct Bone {
  std::string name;
  std::array<double, 3> place;
  std::vector<std::string> meshes;
};

inline mjsElement* FirstBody(mjsBody* body) { return mjs_firstChild(body, mjOBJ_BODY, 0); }

/// The chain of bones below a body.
inline std::vector<Bone> BonesBelow(mjsBody* root) {
  std::vector<Bone> bones;
  for (mjsElement* next = FirstBody(root); next != nullptr;) {
    mjsBody* const body = mjs_asBody(next);
    Bone& bone = bones.emplace_back(Bone{NameOf(next), {}, {}});
    std::copy_n(body->pos, 3, bone.place.begin());
    for (mjsElement* one = mjs_firstChild(body, mjOBJ_GEOM, 0); one != nullptr;
         one = mjs_nextChild(body, one, 0)) {
      // A mesh has the name of its geom.
      if (mjs_asGeom(one)->type == mjGEOM_MESH) bone.meshes.push_back(NameOf(one));
    }
    next = FirstBody(body);
  }
  return bones;
}

}  // namespace detail

/// Replaces the five fingers below the metacarpal bones, and adds a site IFtip_target to the world.
/// Throws OptionError if a model lacks these.
inline void StiffenFingers(mjSpec& spec) {
  const std::string tip = "IFtip", last_bone = "distph2";
  const auto found = [](auto* thing, const std::string& name) {
    if (thing != nullptr) return thing;
    throw OptionError("xml_file", "a model without '" + name + "'",
                      "one with the fingers of myoarm.xml", "leave rigid_fingers out");
  };
  mjsElement* const old_tip = found(mjs_findElement(&spec, mjOBJ_SITE, tip.c_str()), tip);
  const mjsSite tip_before = *mjs_asSite(old_tip);
  struct Finger {
    std::string root;
    std::vector<detail::Bone> bones;
  };
  std::vector<Finger> fingers;
  for (const char* root : {"firstmc", "secondmc", "thirdmc", "fourthmc", "fifthmc"}) {
    fingers.push_back({root, detail::BonesBelow(found(mjs_findBody(&spec, root), root))});
  }
  for (const Finger& finger : fingers) {
    mjsElement* const first = detail::FirstBody(mjs_findBody(&spec, finger.root.c_str()));
    if (first != nullptr) mjs_delete(&spec, first);
  }
  for (const Finger& finger : fingers) {
    mjsBody* body = mjs_findBody(&spec, finger.root.c_str());
    for (const detail::Bone& bone : finger.bones) {
      body = mjs_addBody(body, nullptr);
      detail::SetName(body->element, bone.name);
      std::copy_n(bone.place.begin(), 3, body->pos);
      for (const std::string& mesh : bone.meshes) {
        mjsGeom* const geom = mjs_addGeom(body, nullptr);
        mjs_setString(geom->meshname, mesh.c_str());
        detail::SetName(geom->element, bone.name);
        geom->type = mjGEOM_MESH;
      }
      if (bone.name != last_bone) continue;
      mjsSite* const site = mjs_addSite(body, nullptr);
      detail::SetName(site->element, tip);
      for (int i = 0; i < 3; ++i) site->size[i] = 2 * tip_before.size[i];
      std::copy_n(tip_before.pos, 3, site->pos);
      std::copy_n(tip_before.rgba, 4, site->rgba);
    }
  }
  mjsSite* const goal = mjs_addSite(found(mjs_findBody(&spec, "world"), "world"), nullptr);
  detail::SetName(goal->element, tip + "_target");
  goal->type = mjGEOM_SPHERE;
  std::fill_n(goal->size, 3, 0.02);
  const double place[] = {-0.2, -0.2, 1.2};
  std::copy_n(place, 3, goal->pos);
  const float blue[] = {0.0f, 0.0f, 1.0f, 0.3f};
  std::copy_n(blue, 4, goal->rgba);
}

}  // namespace envpool::myosuite
