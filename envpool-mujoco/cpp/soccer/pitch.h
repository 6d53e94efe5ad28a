// SPDX-License-Identifier: Apache-2.0
// Pitch: a field with two goals, whose size each episode draws. RandomizedPitch of
// dm_control.locomotion.soccer.pitch.
//
//   Pitch pitch(model);
//   pitch.Prepare(physics);                   // once
//   pitch.Draw(physics.random());             // for an episode
//   if (pitch.goal(Team::kHome).Holds(place)) ...
#pragma once

#include <mujoco/mujoco.h>

#include <array>

#include "dm_control/physics.h"
#include "dm_control/vectors.h"
#include "locomotion/still_geoms.h"

namespace envpool::mujoco {

enum class Team : bool { kHome, kAway };

/// A part of the pitch, from corner to corner.
struct Zone {
  Vec3 lower, upper;

  Vec3 middle() const {
    return {(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2};
  }
  /// Whether a place is within, in so many dimensions.
  bool Holds(const mjtNum* place, int dimensions) const {
    for (int i = 0; i < dimensions; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!(lower[at] < place[i] && place[i] < upper[at])) return false;
    }
    return true;
  }
};

class Pitch {
 public:
  explicit Pitch(const mjModel& model);

  void Prepare(Physics& physics);
  /// initialize_episode_mjcf: draws the size, and places everything on a pitch of this size.
  void Draw(envpool::NumpyLegacyRandom& random);
  /// Places everything on a pitch of a size that was read from a saved state.
  void SetSize(double length, double width);

  /// Half of its length and of its width, metres.
  const std::array<double, 2>& size() const { return size_; }
  /// The goal that a team defends.
  const Zone& goal(Team team) const { return goals_[static_cast<std::size_t>(team)]; }
  /// The field, in two dimensions: a ball that leaves the field is thrown in again.
  const Zone& field() const { return field_; }

 private:
  void PlaceGoal(Team team, const Vec3& half);
  void PlacePlanes();
  /// Boards and lights.
  void PlaceWhatIsSeen();

  StillGeoms geoms_;  // of the world and the goals
  const int first_post_;
  std::array<double, 2> size_{};
  std::array<Zone, 2> goals_{};
  Zone field_{};
  mjtNum *ground_ = nullptr, *site_pos_ = nullptr, *site_size_ = nullptr;
  mjtNum *light_pos_ = nullptr, *light_dir_ = nullptr;
};

}  // namespace envpool::mujoco
