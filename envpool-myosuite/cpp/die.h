// SPDX-License-Identifier: Apache-2.0
// Turn a die in the hand until it is oriented like a second die. ReorientEnvV0 of myosuite 2.12.2's
// challenges.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "goal_body.h"
#include "held_object.h"
#include "muscle_env.h"
#include "turned_object.h"

namespace envpool::myosuite {

struct DieSpec : MuscleSpec<DieSpec> {
  // The reference passes the reset's first argument, None, as `fatigue_reset`.
  static constexpr bool kRests = false;
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_die.xml", 10) +
           Dict{"goal_pos"_ = std::vector<double>{0.0, 0.0},
                "goal_rot"_ = std::vector<double>{0.785, 0.785},
                "obj_size_change"_ = 0.0,
                "obj_mass_range"_ = std::vector<double>{0.108, 0.108},
                "obj_friction_change"_ = std::vector<double>{0.0, 0.0, 0.0},
                "pos_th"_ = std::numeric_limits<double>::infinity(),
                "rot_th"_ = std::numeric_limits<double>::infinity()};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckSixJoints(*model);
    CheckRange("goal_pos", config["goal_pos"_]);
    CheckRange("goal_rot", config["goal_rot"_]);
    CheckNotNegative("obj_size_change", config["obj_size_change"_]);
    CheckRange("obj_mass_range", config["obj_mass_range"_], kLeastMass);
    CheckChanges("obj_friction_change", config["obj_friction_change"_], 3);
    return MuscleState(config, model, static_cast<int>(model->nq - 7 + model->nv - 6) + 18);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Die final : public MuscleEnv<DieSpec> {
 public:
  Die(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        goal_pos_(spec.config["goal_pos"_]),
        goal_rot_(spec.config["goal_rot"_]),
        mass_(spec.config["obj_mass_range"_]),
        friction_change_(spec.config["obj_friction_change"_]),
        size_change_(spec.config["obj_size_change"_]),
        near_(spec.config["pos_th"_]),
        near_turn_(spec.config["rot_th"_]),
        goal_(model(), "target_o", "object_o"),
        target_(mujoco::BodyOf(model(), "target")),
        shown_(mujoco::NumberOf(model(), mjOBJ_GEOM, "target_dice")),
        die_(mujoco::BodyOf(model(), "Object")),
        first_(model().body_geomadr[die_]),
        count_(model().body_geomnum[die_]),
        places_(OwnBodies(&mjModel::body_pos, 3)),
        turns_(OwnBodies(&mjModel::body_quat, 4)),
        masses_(OwnBodies(&mjModel::body_mass, 1)),
        frictions_(OwnGeoms(&mjModel::geom_friction, 3)),
        sizes_(OwnGeoms(&mjModel::geom_size, 3)),
        geom_places_(OwnGeoms(&mjModel::geom_pos, 3)) {
    if (count_ < kThick) {
      throw OptionError("xml_file", "a die of " + std::to_string(count_) + " geoms",
                        std::to_string(kThick) + " or more", "pass such a model");
    }
    AtTheBeginning([&] {
      for (std::size_t i = 0; i < 3; ++i) {
        middle_[i] = data().site_xpos[3 * static_cast<std::size_t>(goal_.target) + i];
        offset_[i] = middle_[i] - data().site_xpos[3 * static_cast<std::size_t>(goal_.object) + i];
      }
    });
    for (int i = first_; i < first_ + count_; ++i) {
      for (int k = FirstSize(i); k < LastSize(i); ++k) {
        const double size = simulation().shared()->geom_size[3 * i + k];
        if (size > size_change_) continue;
        throw OptionError("obj_size_change", std::to_string(size_change_),
                          "less than the smallest size of the die, " + std::to_string(size),
                          "pass a smaller one");
      }
    }
  }

 private:
  static constexpr int kThick = 3;  // the last geoms of a die, whose three sizes all change

  void Start() override {
    StretchOut(7);
    position()[0] = kPalmUp;
    for (std::size_t i = 0; i < 3; ++i) {
      places_[3 * static_cast<std::size_t>(target_) + i] =
          middle_[i] + gen_.Uniform(goal_pos_[0], goal_pos_[1]);
    }
    const mujoco::Quaternion turn = mujoco::QuaternionOf(DrawThree(goal_rot_[0], goal_rot_[1]));
    std::copy(turn.begin(), turn.end(), turns_ + 4 * target_);
    const mjModel& file = *simulation().shared();
    for (int i = first_; i < first_ + count_; ++i) {
      DrawAround(file.geom_friction + 3 * i, friction_change_, frictions_ + 3 * i);
    }
    masses_[die_] = gen_.Uniform(mass_[0], mass_[1]);
    Grow(gen_.Uniform(-size_change_, size_change_));
  }
  /// The first of a geom's three sizes that changes.
  int FirstSize(int geom) const { return geom < first_ + count_ - kThick ? 1 : 0; }
  int LastSize(int geom) const { return geom < first_ + count_ - kThick ? 2 : 3; }
  /// Adds `change`, in m, to the model's sizes; of thin geoms only to the length.
  void Grow(double change) {
    const mjModel& file = *simulation().shared();
    for (int k = 0; k < 3; ++k) sizes_[3 * shown_ + k] = file.geom_size[3 * shown_ + k] + change;
    for (int i = first_; i < first_ + count_; ++i) {
      for (int k = FirstSize(i); k < LastSize(i); ++k) {
        sizes_[3 * i + k] = file.geom_size[3 * i + k] + change;
      }
      for (int k = 0; k < 3; ++k) {
        // The sign is that of its present place, as in the reference.
        double& place = geom_places_[3 * i + k];
        place = place / std::abs(place + 1e-16) * (std::abs(file.geom_pos[3 * i + k]) + change);
      }
    }
  }
  void Look(bool placed) override {
    if (!placed) Place();
  }
  double* Observe(double* out) const override {
    // The reference leaves out the hand's last joint.
    return goal_.Write(data(), offset_.data(), WriteHand(out, 7, 6));
  }
  Verdict Judge(const double* end, double /*effort*/) const override {
    const double distance = mujoco::RowNorm(end - 12, 3), turn = mujoco::RowNorm(end - 3, 3);
    const bool drops = distance > 0.200;
    return {100.0 * -distance + 1.0 * -turn, -1.0 * turn - 10.0 * distance,
            distance < near_ && turn < near_turn_ && !drops, drops};
  }

  const std::vector<double> goal_pos_, goal_rot_, mass_, friction_change_;
  const double size_change_, near_, near_turn_;
  const GoalBody goal_;
  const int target_, shown_, die_, first_, count_;
  mjtNum *const places_, *const turns_, *const masses_, *const frictions_, *const sizes_,
                                                                               *const geom_places_;
  std::array<double, 3> middle_{}, offset_{};  // the goal's first place; die to goal
};

}  // namespace envpool::myosuite
