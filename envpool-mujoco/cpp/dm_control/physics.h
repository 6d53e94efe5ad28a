// SPDX-License-Identifier: Apache-2.0
// Physics: the interface of a simulation for dm_control's tasks. Physics of
// dm_control.mujoco.engine.
//
//   Physics physics(simulation, gen_);
//   physics.data().qpos[0] = physics.random().Uniform(-1, 1);
//   physics.Forward();
//   std::copy_n(action, nu, physics.data().ctrl);
//   physics.Step(10);                     // throws PhysicsError
//   double upright = physics.axis(torso, kZ, kZ);
//
// Before and after a step, all computed values agree with positions and velocities.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "envpool/random/numpy_legacy_random.h"
#include "envpool_mujoco/simulation.h"

namespace envpool::mujoco {

/// A new MuJoCo warning: positions, velocities or accelerations are not finite, or there are too
/// many contacts.
class PhysicsError : public MujocoError {
 public:
  using MujocoError::MujocoError;
};

/// Indices in a vector, rows and columns of a matrix.
inline constexpr int kX = 0, kY = 1, kZ = 2;

class Physics {
 public:
  /// Both belong to the environment, and must outlive this object.
  Physics(Simulation& simulation, envpool::NumpyLegacyRandom& random)
      : simulation_(simulation), random_(random) {}

  const mjModel& model() const { return simulation_.model(); }
  mjData& data() { return simulation_.data(); }
  const mjData& data() const { return simulation_.data(); }
  envpool::NumpyLegacyRandom& random() { return random_; }

  /// A private copy of a model's array, which a task may change: `Own(&mjModel::geom_pos, 3 *
  /// ngeom)`.
  template <typename T>
  T* Own(T* mjModel::* member, mjtSize count) {
    return simulation_.Own(member, static_cast<int>(count));
  }

  /// after_reset: computes everything that follows from the set positions and velocities, without
  /// controls.
  void Forward() {
    Checked([this] { simulation_.ForwardWithoutActuators(); });
  }
  /// Does the same with controls: computes the present forces and accelerations, which a step
  /// leaves as they were at its start.
  void ForwardWithActuators() {
    Checked([this] { simulation_.Forward(); });
  }
  /// True if any geoms touch, or are within their margin. Computes positions and contacts only:
  /// less than Forward, which dm_control calls here.
  bool Touches() {
    Checked([this] { simulation_.FindContacts(); });
    return data().ncon > 0;
  }
  /// step: `count` steps of the simulation.
  void Step(int count, Simulation::Sensors read = Simulation::Sensors::kAll) {
    Checked([&] { simulation_.StepInSync(count, read); });
  }

  /// The component of body axis `column` along the world's axis `row`: xmat[body, "zx"] is
  /// axis(body, kZ, kX).
  double axis(int body, int row, int column) const {
    return data().xmat[9 * body + 3 * row + column];
  }
  /// The velocity of the center of mass of a body and its descendants along a world axis. A sensor
  /// subtreelinvel gives it too, but makes MuJoCo compute angular momenta as well.
  double subtree_velocity(int body, int axis) const {
    const mjModel& m = model();
    const int y = (axis + 1) % 3, z = (axis + 2) % 3;
    mjtNum* momentum = data().subtree_linvel;  // MuJoCo's memory for it, used as scratch
    for (int i = body; i < m.nbody; ++i) {
      const mjtNum* turn = data().cvel + 6 * i;
      const mjtNum* at = data().xipos + 3 * i;
      const mjtNum* from = data().subtree_com + 3 * m.body_rootid[i];
      const double cross = (at[y] - from[y]) * turn[z] - (at[z] - from[z]) * turn[y];
      momentum[i] = (turn[3 + axis] - cross) * m.body_mass[i];
    }
    for (int i = static_cast<int>(m.nbody) - 1; i > body; --i) {
      if (m.body_parentid[i] >= body) momentum[m.body_parentid[i]] += momentum[i];
    }
    return momentum[body] * (1 / std::max(mjMINVAL, m.body_subtreemass[body]));
  }
  const mjtNum* xpos(int body) const { return data().xpos + 3 * body; }
  const mjtNum* xmat(int body) const { return data().xmat + 9 * body; }
  const mjtNum* geom_xpos(int geom) const { return data().geom_xpos + 3 * geom; }
  const mjtNum* site_xpos(int site) const { return data().site_xpos + 3 * site; }

 private:
  // check_invalid_state: a new warning is an error.
  template <typename Work>
  void Checked(const Work& work) {
    const auto before = simulation_.Warnings();
    work();
    const auto after = simulation_.Warnings();
    if (after != before) Complain(before, after);
  }
  void Complain(const std::array<int, mjNWARNING>& before,
                const std::array<int, mjNWARNING>& after) const {
    std::string text;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] <= before[i]) continue;
      text += (text.empty() ? "the state of the simulation is invalid; MuJoCo says: " : "; ") +
              std::string(mju_warningText(static_cast<int>(i),
                                          static_cast<std::size_t>(data().warning[i].lastinfo)));
    }
    // A smaller count means that a reset cleared it meanwhile.
    if (!text.empty()) throw PhysicsError(text);
  }

  Simulation& simulation_;
  envpool::NumpyLegacyRandom& random_;
};

}  // namespace envpool::mujoco
