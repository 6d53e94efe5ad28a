// SPDX-License-Identifier: Apache-2.0
// TaskDefinition: one of the fifty tasks, as a row of a table.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "number.h"
#include "vec.h"

namespace envpool::metaworld {

class Tabletop;

/// A body, site or geom of the model, by its name; no object if the name is null.
struct ModelObject {
  enum class Kind : unsigned char { kBody, kSite, kGeom };
  const char* name = nullptr;
  Kind kind = Kind::kBody;
};
constexpr ModelObject Body(const char* name) { return {name, ModelObject::Kind::kBody}; }
constexpr ModelObject Site(const char* name) { return {name, ModelObject::Kind::kSite}; }
constexpr ModelObject Geom(const char* name) { return {name, ModelObject::Kind::kGeom}; }

/// The order of the observed quaternion of an object: zeros, the unit quaternion 1 0 0 0, MuJoCo's
/// (w, x, y, z), or SciPy's (x, y, z, w), which is computed from a matrix.
enum class QuaternionOrder : unsigned char { kZeros, kUnit, kMujoco, kScipy };

/// The reward of a step and its infos, which the reference's `evaluate_state` returns.
struct StepResult {
  Number reward, success, near_object, grasp_success, grasp_reward, in_place_reward, obj_to_target;
};

/// First positions of the hand, which the reference has as float32 in some tasks.
inline constexpr Vec kHandSingle{{0, 0.6f, 0.2f}};
inline constexpr Vec kFar{{0, 0.4, 0.2}}, kFarSingle{{0, 0.4f, 0.2f}};

/// A box of positions; by default that of the reference's hand.
struct Bounds {
  Vec low{{-0.5, 0.4, 0.05}}, high{{0.5, 1.0, 0.5}};
};

struct TaskDefinition {
  const char* name;
  const char* xml;
  /// The hand's first position.
  Vec hand{{0, 0.6, 0.2}};
  /// The bounds of the vector that a reset draws: a position of the object, in most tasks followed
  /// by a goal.
  int size = 6;
  std::array<double, 6> low, high;
  /// Bounds of the goal that is observed, if they are not those of GoalBounds().
  std::optional<Bounds> goal_bounds;
  /// Draws are repeated while object and goal are nearer than this in x and y.
  double apart = 0;
  /// The goal that draws are compared with, if that is not drawn.
  const Vec* fixed_goal = nullptr;
  /// The object, and an offset that is added to its position.
  ModelObject object;
  Vec offset{};
  /// The object whose rotation is observed, if this is another one.
  ModelObject quat_of{};
  QuaternionOrder quat = QuaternionOrder::kZeros;
  /// A second object, whose rotation is observed as MuJoCo has it, or not at all.
  ModelObject second{};
  Vec second_offset{};
  QuaternionOrder second_quat = QuaternionOrder::kZeros;
  /// The body, and the site of the goal, that a reset moves in the model.
  const char* body = nullptr;
  const char* goal = nullptr;
  /// The joint whose position the task reads.
  const char* joint = nullptr;
  /// Other objects whose positions the task reads, by their number.
  std::array<ModelObject, 5> places{};
  /// The name of the geom that a grasp touches.
  const char* touched = nullptr;
  /// Begins an episode with the drawn vector, after the hand is in its place: the reference's
  /// `reset_model`.
  void (*reset_model)(Tabletop& tabletop, const double* drawn);
  /// The reference's `compute_reward` and `evaluate_state`.
  StepResult (*compute_reward)(Tabletop& tabletop);
  /// The hand's box.
  Vec hand_low{{-0.5, 0.4, 0.05}}, hand_high{{0.5, 1.0, 0.5}};
  /// True if settling the hand does not depend on the drawn vector: its state is kept per model.
  bool hand_init_repeats = true;
  /// If set, `_target_pos` is the present position of this object.
  ModelObject target_pos_object{};
  /// If set, `obj_init_pos` is the present position of this object.
  ModelObject obj_init_pos_object{};
  /// Computes the object's position, if this is not the position of `object`.
  Vec (*locate)(const Tabletop& tabletop) = nullptr;

  /// By default the bounds of the drawn goal, or a box if no goal is drawn.
  Bounds GoalBounds() const {
    if (goal_bounds) return *goal_bounds;
    return size == 6 ? Bounds{Vec::Of(&low[3]), Vec::Of(&high[3])} : Bounds{};
  }
};

/// The tasks, in the order of their names. Groups, each in a file of its own.
std::span<const TaskDefinition> PressTasks();
std::span<const TaskDefinition> HandleTasks();
std::span<const TaskDefinition> SlideTasks();
std::span<const TaskDefinition> CarryTasks();
std::span<const TaskDefinition> ToolTasks();

/// The task of this name, as "reach-v3". Throws OptionError of `task_names`.
const TaskDefinition& FindTask(const std::string& name);

}  // namespace envpool::metaworld
