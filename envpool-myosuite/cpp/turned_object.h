// SPDX-License-Identifier: Apache-2.0
// The shared part of tasks in which a hand turns a long object into the direction of another
// object: PenTwirl and ProprioceptiveEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>

#include "envpool_mujoco/rotations.h"
#include "held_object.h"
#include "muscle_env.h"

namespace envpool::myosuite {

/// Throws OptionError unless a model has a hand, and an object with six joints.
inline void CheckSixJoints(const mjModel& model) {
  if (model.nq == model.nv && model.nq > 6) return;
  throw OptionError("xml_file", "a model without a hand and an object on six joints",
                    "one whose joints are hinges and slides, the last six the object's",
                    "pass such a model");
}

template <typename Description>
class TurnedObject : public MuscleEnv<Description> {
 public:
  using typename MuscleEnv<Description>::Spec;
  using Direction = std::array<double, 3>;

  TurnedObject(const Spec& spec, int env_id)
      : MuscleEnv<Description>(spec, env_id),
        object_(mujoco::BodyOf(this->model(), "Object")),
        target_(mujoco::BodyOf(this->model(), "target")),
        ball_(mujoco::SiteOf(this->model(), "eps_ball")),
        turns_(this->OwnBodies(&mjModel::body_quat, 4)) {}

 protected:
  /// The directions of the object and of its goal.
  virtual Direction Pointing() const = 0;
  virtual Direction Wanted() const = 0;
  int object() const { return object_; }
  /// The vector from one end to the other, divided by a length.
  static Direction Between(const double* top, const double* bottom, double length) {
    Direction along;
    for (std::size_t i = 0; i < 3; ++i) along[i] = (top[i] - bottom[i]) / length;
    return along;
  }
  /// The distance of two places of a model.
  static double LengthOf(const double* top, const double* bottom) {
    return mujoco::RowNorm(Between(top, bottom, 1.0).data(), 3);
  }

  void PalmUp() {
    this->StretchOut(6);
    this->position()[0] = kPalmUp;
  }
  /// Points the goal into a direction: two angles in rad.
  void Aim(double first, double second) {
    const mujoco::Quaternion turn = mujoco::QuaternionOf(mujoco::Euler{first, second, 0.0});
    std::copy(turn.begin(), turn.end(), turns_ + 4 * target_);
  }
  /// Writes angles of the hand; position, velocity and direction of the object; its goal's
  /// direction; and the differences of position and direction from the goal's.
  double* WriteTurn(double* out) const {
    const mjData& data = this->data();
    out = std::copy_n(data.qpos, this->nq() - 6, out);
    const double* const place = data.xpos + 3 * object_;
    out = std::copy_n(place, 3, out);
    const double* const velocity = data.qvel + this->simulation().sizes().nv - 6;
    for (int i = 0; i < 6; ++i) *out++ = velocity[i] * this->dt();
    const Direction points = Pointing(), wanted = Wanted();
    out = std::copy(points.begin(), points.end(), out);
    out = std::copy(wanted.begin(), wanted.end(), out);
    for (int i = 0; i < 3; ++i) *out++ = place[i] - data.site_xpos[3 * ball_ + i];
    for (std::size_t i = 0; i < 3; ++i) *out++ = points[i] - wanted[i];
    return out;
  }
  /// Size of WriteTurn beside the hand's angles.
  static constexpr int kTurn = 3 + 6 + 3 + 3 + 3 + 3;

  Verdict Judge(const double* /*end*/, double effort) const override {
    const mjData& data = this->data();
    std::array<double, 3> away;
    for (std::size_t i = 0; i < 3; ++i) {
      away[i] = data.xpos[3 * static_cast<std::size_t>(object_) + i] -
                data.site_xpos[3 * static_cast<std::size_t>(ball_) + i];
    }
    const double distance = mujoco::RowNorm(away.data(), 3);
    const double cosine = CosineOf(Pointing().data(), Wanted().data());
    const bool near = distance < 0.075, drops = distance > 0.075;
    const double bonus = 1.0 * (cosine > 0.9) * near + 5.0 * (cosine > 0.95) * near;
    const double sum =
        (((-distance + cosine) + 5.0 * -effort) + 5.0 * (-1.0 * drops)) + 10.0 * bonus;
    return {sum, -1.0 * distance + cosine, cosine > 0.95 && !drops, drops};
  }

 private:
  const int object_, target_, ball_;
  mjtNum* const turns_;
};

}  // namespace envpool::myosuite
