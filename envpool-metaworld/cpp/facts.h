// SPDX-License-Identifier: Apache-2.0
// Facts: what makes one of the fifty tasks, in one row of a table.
#pragma once

#include <array>
#include <span>
#include <string>

#include "number.h"
#include "vec.h"

namespace envpool::metaworld {

class World;

/// Something of a model, by its name; none where that is null.
struct Place {
  enum class Kind : unsigned char { kBody, kSite, kGeom };
  const char* name = nullptr;
  Kind kind = Kind::kBody;
};
constexpr Place Body(const char* name) { return {name, Place::Kind::kBody}; }
constexpr Place Site(const char* name) { return {name, Place::Kind::kSite}; }
constexpr Place Geom(const char* name) { return {name, Place::Kind::kGeom}; }

/// How the rotation of an object is observed: not at all, as "none": 1 0 0 0, as MuJoCo has it
/// (w, x, y, z), or as SciPy makes it of a matrix (x, y, z, w).
enum class Turn : unsigned char { kZeros, kUnit, kMujoco, kScipy };

/// What a step was worth, and its infos.
struct Verdict {
  Number reward, success, near_object, grasp_success, grasp_reward, in_place_reward, obj_to_target;
};

struct Facts {
  const char* name;
  const char* xml;
  /// Where the hand begins; the reference has some of them as float32.
  Vec hand;
  /// What is drawn at a reset: a place of the object, in most tasks followed by a goal.
  int size;
  std::array<double, 6> low, high;
  /// Bounds of the goal that is observed.
  Vec goal_low, goal_high;
  /// Draws are repeated while object and goal are nearer than this, seen from above.
  double apart = 0;
  /// The goal that draws are compared with, if that is not drawn.
  const Vec* fixed_goal = nullptr;
  /// The object, and what is added to its place.
  Place object;
  Vec offset{};
  Place turn_of{};
  Turn turn = Turn::kZeros;
  /// A second one, whose rotation is observed as MuJoCo has it, or not at all.
  Place second{};
  Vec second_offset{};
  Turn second_turn = Turn::kZeros;
  /// Moved when an episode begins, in the model: a body, and the site of the goal.
  const char* body = nullptr;
  const char* goal = nullptr;
  /// A joint that the task looks at.
  const char* joint = nullptr;
  /// Other things that it looks at, by their number.
  std::array<Place, 5> places{};
  /// Whose touch counts as a grasp.
  const char* touched = nullptr;
  /// Begins an episode, with what was drawn, once the hand is in its place.
  void (*begin)(World& world, const double* drawn);
  /// Judges a step.
  Verdict (*judge)(World& world);
  /// The hand's box.
  Vec hand_low{{-0.5, 0.4, 0.05}}, hand_high{{0.5, 1.0, 0.5}};
  /// Whether the hand comes to its place alike, whatever was drawn before.
  bool settles_alike = true;
  /// The goal is this thing, wherever it is, in place of World::target.
  Place live_target{};
  /// The object's start is this thing, wherever it is, in place of World::start.
  Place live_start{};
  /// Where the object is, if not at `object`.
  Vec (*locate)(const World& world) = nullptr;
};

/// The tasks, in the order of their names. Groups, each in a file of its own.
std::span<const Facts> PressTasks();
std::span<const Facts> HandleTasks();
std::span<const Facts> SlideTasks();
std::span<const Facts> CarryTasks();
std::span<const Facts> ToolTasks();

/// The task of this name, as "reach-v3". Throws OptionError of `task_names`.
const Facts& FactsOf(const std::string& name);

}  // namespace envpool::metaworld
