// SPDX-License-Identifier: Apache-2.0
#include "tabletop.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "envpool/error.h"
#include "envpool_mujoco/names.h"
#include "rotation.h"

namespace envpool::metaworld {

namespace {
const TaskDefinition* Find(std::span<const TaskDefinition> tasks, const std::string& name) {
  const auto found = std::find_if(tasks.begin(), tasks.end(),
                                  [&](const TaskDefinition& task) { return task.name == name; });
  return found == tasks.end() ? nullptr : &*found;
}

// -0.0 + 0.0 is 0.0, which the reference does not have where it adds nothing.
Vec Moved(const Vec& place, const Vec& by) {
  return by[0] == 0 && by[1] == 0 && by[2] == 0 ? place : place + by;
}
}  // namespace

const TaskDefinition& FindTask(const std::string& name) {
  for (const auto tasks : {PressTasks(), HandleTasks(), SlideTasks(), CarryTasks(), ToolTasks()}) {
    if (const TaskDefinition* found = Find(tasks, name)) return *found;
  }
  throw OptionError("task_names", "'" + name + "'", "names of Meta-World's tasks, as 'reach-v3'",
                    "correct the name");
}

Tabletop::Tabletop(mujoco::Simulation& simulation, const TaskDefinition& definition, int frame_skip)
    : simulation_(simulation), definition_(definition), frame_skip_(frame_skip) {
  const mjModel& model = simulation.model();
  const auto find = [&model](const ModelObject& place) { return Find(model, place); };
  hand_ = find(Body("hand"));
  right_finger_ = find(Site("rightEndEffector"));
  left_finger_ = find(Site("leftEndEffector"));
  right_claw_ = find(Body("rightclaw"));
  left_claw_ = find(Body("leftclaw"));
  right_pad_ = find(Body("rightpad"));
  left_pad_ = find(Body("leftpad"));
  object_ = find(definition.object);
  quat_of_ = definition.quat_of.name == nullptr ? object_ : find(definition.quat_of);
  second_ = find(definition.second);
  obj_init_pos_object_ = find(definition.obj_init_pos_object);
  target_pos_object_ = find(definition.target_pos_object);
  std::transform(definition.places.begin(), definition.places.end(), things_.begin(), find);
  if (definition.body != nullptr) body_ = mujoco::BodyOf(model, definition.body);
  if (definition.goal != nullptr) goal_ = mujoco::SiteOf(model, definition.goal);
  if (definition.joint != nullptr) joint_ = mujoco::PlaceOf(model, definition.joint);
  if (definition.touched != nullptr) {
    touched_ = mujoco::NumberOf(model, mjOBJ_GEOM, definition.touched);
    right_pad_geom_ = mujoco::NumberOf(model, mjOBJ_GEOM, "rightpad_geom");
    left_pad_geom_ = mujoco::NumberOf(model, mjOBJ_GEOM, "leftpad_geom");
  }
  if (simulation.sizes().nq <= kFirst || model.nmocap != 1) {
    throw OptionError("task_names", std::string(definition.name) + " with a model of another robot",
                      "Meta-World's arm, and something to move",
                      "install the version of metaworld that `envpool doctor` names");
  }
  body_pos_ = simulation.Own(&mjModel::body_pos, 3 * simulation.sizes().nbody);
  site_pos_ = simulation.Own(&mjModel::site_pos, 3 * static_cast<int>(model.nsite));
}

Tabletop::Thing Tabletop::Find(const mjModel& model, const ModelObject& place) {
  if (place.name == nullptr) return {};
  constexpr mjtObj kKinds[] = {mjOBJ_BODY, mjOBJ_SITE, mjOBJ_GEOM};
  return {place.kind,
          mujoco::NumberOf(model, kKinds[static_cast<std::size_t>(place.kind)], place.name)};
}

Vec Tabletop::Of(const Thing& thing) const {
  const mjtNum* const all[] = {data().xpos, data().site_xpos, data().geom_xpos};
  return Vec::Of(all[static_cast<std::size_t>(thing.kind)] + 3 * thing.id);
}

Vec Tabletop::tcp() const {
  const Vec sum = Of(right_finger_) + Of(left_finger_);
  return {{sum[0] / 2.0, sum[1] / 2.0, sum[2] / 2.0}};
}

Vec Tabletop::ObjectAt() const {
  return definition_.locate == nullptr ? Moved(Of(object_), definition_.offset)
                                       : definition_.locate(*this);
}

double Tabletop::JointAt() const { return data().qpos[joint_]; }

void Tabletop::SetJointOnly(double position) { simulation_.data().qpos[joint_] = position; }

void Tabletop::Set(int first, std::initializer_list<double> positions, int stopped, int count) {
  mjData& data = simulation_.data();
  std::copy(positions.begin(), positions.end(), data.qpos + first);
  std::fill(data.qvel + stopped, data.qvel + std::min(stopped + count, simulation_.sizes().nv), 0);
  simulation_.Forward();
}

bool Tabletop::Touched() const {
  double left = 0, right = 0;
  for (int i = 0; i < data().ncon; ++i) {
    const mjContact& contact = data().contact[i];
    const auto has = [&](int geom) { return contact.geom[0] == geom || contact.geom[1] == geom; };
    if (!has(touched_)) continue;
    // The reference takes the force at -1, which is the last one, of contacts that have none.
    const int row = contact.efc_address < 0 ? data().nefc - 1 : contact.efc_address;
    if (row < 0) continue;
    if (has(left_pad_geom_)) left += data().efc_force[row];
    if (has(right_pad_geom_)) right += data().efc_force[row];
  }
  return left > 0 && right > 0;
}

void Tabletop::WriteQuaternion(QuaternionOrder quat, const Thing& of, double* out) const {
  switch (quat) {
    case QuaternionOrder::kZeros:
      return;
    case QuaternionOrder::kUnit:
      out[0] = 1;
      return;
    case QuaternionOrder::kMujoco:
      std::copy_n(data().xquat + 4 * of.id, 4, out);
      return;
    case QuaternionOrder::kScipy:
      const mjtNum* const all[] = {data().xmat, data().site_xmat, data().geom_xmat};
      ScipyQuaternion(all[static_cast<std::size_t>(of.kind)] + 9 * of.id, out);
  }
}

void Tabletop::Observe(double* out) const {
  constexpr double kWidest = 0.1;
  std::fill_n(out, kObserved, 0.0);
  std::copy_n(Of(hand_).at, 3, out);
  const double apart = Distance(Of(right_claw_), Of(left_claw_)) / kWidest;
  out[3] = std::min(std::max(apart, 0.0), 1.0);
  std::copy_n(ObjectAt().at, 3, out + 4);
  WriteQuaternion(definition_.quat, quat_of_, out + 7);
  if (definition_.second.name == nullptr) return;
  std::copy_n(Moved(Of(second_), definition_.second_offset).at, 3, out + 11);
  WriteQuaternion(definition_.second_quat, second_, out + 14);
}

void Tabletop::See(const double* observation) {
  hand = Vec::Of(observation);
  opening = observation[3];
  object = Vec::Of(observation + 4);
  std::copy_n(observation + 7, 4, quat);
  second = Vec::Of(observation + 11);
}

}  // namespace envpool::metaworld
