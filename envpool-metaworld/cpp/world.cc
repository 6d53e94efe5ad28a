// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "envpool/error.h"
#include "envpool_mujoco/names.h"
#include "rotation.h"

namespace envpool::metaworld {

namespace {
const Facts* Find(std::span<const Facts> tasks, const std::string& name) {
  const auto found = std::find_if(tasks.begin(), tasks.end(),
                                  [&](const Facts& task) { return task.name == name; });
  return found == tasks.end() ? nullptr : &*found;
}

// -0.0 + 0.0 is 0.0, which the reference does not have where it adds nothing.
Vec Moved(const Vec& place, const Vec& by) {
  return by[0] == 0 && by[1] == 0 && by[2] == 0 ? place : place + by;
}
}  // namespace

const Facts& FactsOf(const std::string& name) {
  for (const auto tasks : {PressTasks(), HandleTasks(), SlideTasks(), CarryTasks(), ToolTasks()}) {
    if (const Facts* found = Find(tasks, name)) return *found;
  }
  throw OptionError("task_names", "'" + name + "'", "names of Meta-World's tasks, as 'reach-v3'",
                    "correct the name");
}

World::World(mujoco::Simulation& simulation, const Facts& facts, int frame_skip)
    : simulation_(simulation), facts_(facts), frame_skip_(frame_skip) {
  const mjModel& model = simulation.model();
  const auto find = [&model](const Place& place) { return Find(model, place); };
  hand_ = find(Body("hand"));
  right_finger_ = find(Site("rightEndEffector"));
  left_finger_ = find(Site("leftEndEffector"));
  right_claw_ = find(Body("rightclaw"));
  left_claw_ = find(Body("leftclaw"));
  right_pad_ = find(Body("rightpad"));
  left_pad_ = find(Body("leftpad"));
  object_ = find(facts.object);
  turn_of_ = find(facts.turn_of);
  second_ = find(facts.second);
  live_start_ = find(facts.live_start);
  live_target_ = find(facts.live_target);
  std::transform(facts.places.begin(), facts.places.end(), things_.begin(), find);
  if (facts.body != nullptr) body_ = mujoco::BodyOf(model, facts.body);
  if (facts.goal != nullptr) goal_ = mujoco::SiteOf(model, facts.goal);
  if (facts.joint != nullptr) joint_ = mujoco::PlaceOf(model, facts.joint);
  if (facts.touched != nullptr) {
    touched_ = mujoco::NumberOf(model, mjOBJ_GEOM, facts.touched);
    right_pad_geom_ = mujoco::NumberOf(model, mjOBJ_GEOM, "rightpad_geom");
    left_pad_geom_ = mujoco::NumberOf(model, mjOBJ_GEOM, "leftpad_geom");
  }
  if (simulation.sizes().nq <= kFirst || model.nmocap != 1) {
    throw OptionError("task_names", std::string(facts.name) + " with a model of another robot",
                      "Meta-World's arm, and something to move",
                      "install the version of metaworld that `envpool doctor` names");
  }
  body_pos_ = simulation.Own(&mjModel::body_pos, 3 * simulation.sizes().nbody);
  site_pos_ = simulation.Own(&mjModel::site_pos, 3 * static_cast<int>(model.nsite));
}

World::Thing World::Find(const mjModel& model, const Place& place) {
  if (place.name == nullptr) return {};
  constexpr mjtObj kKinds[] = {mjOBJ_BODY, mjOBJ_SITE, mjOBJ_GEOM};
  return {place.kind,
          mujoco::NumberOf(model, kKinds[static_cast<std::size_t>(place.kind)], place.name)};
}

Vec World::Of(const Thing& thing) const {
  const mjtNum* const all[] = {data().xpos, data().site_xpos, data().geom_xpos};
  return Vec::Of(all[static_cast<std::size_t>(thing.kind)] + 3 * thing.id);
}

Vec World::tcp() const {
  const Vec sum = Of(right_finger_) + Of(left_finger_);
  return {{sum[0] / 2.0, sum[1] / 2.0, sum[2] / 2.0}};
}

Vec World::ObjectAt() const {
  return facts_.locate == nullptr ? Moved(Of(object_), facts_.offset) : facts_.locate(*this);
}

double World::JointAt() const { return data().qpos[joint_]; }

void World::SetJointOnly(double position) { simulation_.data().qpos[joint_] = position; }

void World::Set(int first, std::initializer_list<double> positions, int stopped, int count) {
  mjData& data = simulation_.data();
  std::copy(positions.begin(), positions.end(), data.qpos + first);
  std::fill(data.qvel + stopped, data.qvel + std::min(stopped + count, simulation_.sizes().nv), 0);
  simulation_.Forward();
}

bool World::Touched() const {
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

void World::WriteTurn(Turn turn, const Thing& of, double* out) const {
  switch (turn) {
    case Turn::kZeros:
      return;
    case Turn::kUnit:
      out[0] = 1;
      return;
    case Turn::kMujoco:
      std::copy_n(data().xquat + 4 * of.id, 4, out);
      return;
    case Turn::kScipy:
      const mjtNum* const all[] = {data().xmat, data().site_xmat, data().geom_xmat};
      ScipyQuaternion(all[static_cast<std::size_t>(of.kind)] + 9 * of.id, out);
  }
}

void World::Observe(double* out) const {
  constexpr double kWidest = 0.1;
  std::fill_n(out, kObserved, 0.0);
  std::copy_n(Of(hand_).at, 3, out);
  const double apart = Distance(Of(right_claw_), Of(left_claw_)) / kWidest;
  out[3] = std::min(std::max(apart, 0.0), 1.0);
  std::copy_n(ObjectAt().at, 3, out + 4);
  WriteTurn(facts_.turn, turn_of_, out + 7);
  if (facts_.second.name == nullptr) return;
  std::copy_n(Moved(Of(second_), facts_.second_offset).at, 3, out + 11);
  WriteTurn(facts_.second_turn, second_, out + 14);
}

void World::See(const double* observation) {
  hand = Vec::Of(observation);
  opening = observation[3];
  object = Vec::Of(observation + 4);
  std::copy_n(observation + 7, 4, turn);
  second = Vec::Of(observation + 11);
}

}  // namespace envpool::metaworld
